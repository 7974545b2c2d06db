// A chat, or one of its runs, as a file.

import { connect, targetOf, type Remote } from '../connect.ts';
import { download } from '../download.ts';
import { print, printJson, safe } from '../output.ts';

export interface ExportOptions extends Remote {
  readonly format: 'markdown' | 'json';
  readonly force?: boolean;
}

export async function exportTo(
  given: string,
  file: string | undefined,
  { format, force = false, ...remote }: ExportOptions,
): Promise<void> {
  const connected = await connect(remote);
  const { client } = connected;
  const { kind, id } = await targetOf(connected, given);
  const chat = kind === 'chat' ? id : (await client.runs.get(id)).thread_id;
  const query = { format, ...(kind === 'run' && { run: id }) };
  if (file === '-') {
    const { body } = await client.chats.export(chat, query);
    for await (const bytes of body!) process.stdout.write(bytes);
    return;
  }
  const target = file ?? `${kind}-${id.slice(-12)}.${format === 'json' ? 'json' : 'md'}`;
  await download(target, force, (signal) => client.chats.export(chat, query, { signal }));
  if (remote.json) return printJson({ [kind]: id, file: target });
  print(`The ${kind} is in ${safe(target)}`);
}
