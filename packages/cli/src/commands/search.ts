// Searches the documents, entities, files and messages of a workspace.

import { connect, type Remote } from '../connect.ts';
import { findProject, kindNamed } from '../find-entity.ts';
import { bold, dim, note, print, printJson, safe, short } from '../output.ts';

export interface SearchOptions extends Remote {
  readonly project?: string;
  readonly kind?: string[];
  readonly limit: number;
}

/** What else can be found, besides entities. */
const OTHER_KINDS = ['file', 'chat', 'message'];

export async function search(
  words: readonly string[],
  { project, kind, limit, ...remote }: SearchOptions,
): Promise<void> {
  const { client } = await connect(remote);
  const kinds = await Promise.all(
    (kind ?? []).map(async (each) =>
      OTHER_KINDS.includes(each) ? each : (await kindNamed(client, each)).kind,
    ),
  );
  const query = {
    q: words.join(' '),
    limit,
    ...(project !== undefined && { project_id: (await findProject(client, project)).id }),
    ...(kinds.length > 0 && { kinds: kinds.join(',') }),
  };
  const page = await client.search(query);
  if (remote.json) return printJson(page);
  if (page.items.length === 0) return note('Nothing was found.');
  for (const { entity_type, entity_id, title, snippet } of page.items) {
    print(`${bold(safe(title))}  ${dim(`${entity_type} ${entity_id}`)}`);
    if (snippet) print(`  ${short(snippet, 200)}`);
  }
}
