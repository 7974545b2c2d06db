// What the judge of an autonomous run sees of a round: results of calls and versions of files. The worker's messages are not read.

import { outputText, type EventData } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { asText, readChunks } from '../../files/content.ts';
import { readVersion } from '../../files/versions.ts';
import { parseStored } from '../../limits/json-depth.ts';

/** Maximum number of calls, and maximum characters of a result, of a file, and of all files. */
const CALLS = 40;
const RESULT_CHARACTERS = 1500;
const FILE_CHARACTERS = 6000;
const FILES_CHARACTERS = 30_000;

export interface Evidence {
  readonly results: string;
  readonly files: string;
  readonly check: string | null;
}

type ChangedFile = NonNullable<EventData['child_end']['files']>[number];

export async function readEvidence(
  client: Queryable,
  worker: { readonly run: string; readonly thread: string },
  files: readonly ChangedFile[],
  check: string | null,
): Promise<Evidence> {
  return { results: await readResults(client, worker), files: await readFiles(client, files), check };
}

async function readResults(
  client: Queryable,
  { run, thread }: { readonly run: string; readonly thread: string },
): Promise<string> {
  const { rows } = await client.query<{ type: 'tool_start' | 'tool_end'; data: string }>({
    name: 'read_judged_calls',
    text: `select type, data from events where thread_id = $1 and run_id = $2 and type in ('tool_start', 'tool_end') order by seq desc limit $3`,
    values: [thread, run, CALLS * 2],
  });
  const titles = new Map<string, string>();
  const lines: string[] = [];
  for (const { type, data } of rows.toReversed()) {
    const event = parseStored(data) as EventData['tool_start'] & EventData['tool_end'];
    if (type === 'tool_start') titles.set(event.call, event.title ?? event.tool);
    else
      lines.push(
        `- ${titles.get(event.call) ?? event.tool}: ${event.success ? 'ok' : 'failed'}\n${cut(outputText(event.output), RESULT_CHARACTERS)}`,
      );
  }
  return lines.slice(-CALLS).join('\n');
}

async function readFiles(client: Queryable, files: readonly ChangedFile[]): Promise<string> {
  const shown: string[] = [];
  let left = FILES_CHARACTERS;
  for (const { file, path, v } of files) {
    const version = await readVersion(client, file, v);
    const text = version?.isText ? await beginningOf(client, version.chunks) : null;
    const excerpt = text === null ? '(no text)' : cut(text, Math.min(FILE_CHARACTERS, left));
    left -= excerpt.length;
    shown.push(left > 0 ? `${path}, version ${v}:\n${excerpt}` : `${path}, version ${v}`);
  }
  return shown.join('\n\n');
}

async function beginningOf(client: Queryable, chunks: readonly Buffer[]): Promise<string | null> {
  for await (const chunk of readChunks(client, chunks, 0, FILE_CHARACTERS * 4)) return asText(chunk);
  return '';
}

function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text.slice(0, most).toWellFormed()}… (${text.length} characters in all)`;
}
