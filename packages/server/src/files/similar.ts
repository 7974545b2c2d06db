// "Did you mean …": the paths most similar to one that does not exist.

import { distance } from 'fastest-levenshtein';
import type { Queryable } from '../db/pool.ts';
import type { FilePath } from './paths.ts';

const CANDIDATES = 500;
const SUGGESTIONS = 3;
/** Letters of a name that are compared: the cost grows with their square. */
const COMPARED = 64;

export async function similarPaths(
  client: Queryable,
  workspaceId: string,
  { folded }: FilePath,
): Promise<readonly string[]> {
  const end = folded.lastIndexOf('/');
  const [folder, name] = [folded.slice(0, end + 1), folded.slice(end + 1)];
  const { rows } = await client.query<{ path: string; folded: string }>(
    `select path, folded from files where workspace_id = $1 and removed_at is null
        and (right(folded, length($2) + 1) = '/' || $2
          or (folded >= $3 collate "C" and folded < rtrim($3, '/') || '0' collate "C"))
      order by right(folded, length($2) + 1) = '/' || $2 desc, folded limit $4`,
    [workspaceId, name, folder, CANDIDATES],
  );
  const start = (text: string): string => text.slice(0, COMPARED);
  return rows
    .map((row) => ({
      path: row.path,
      edits: row.folded.endsWith(`/${name}`)
        ? 0
        : distance(start(name), start(row.folded.slice(folder.length))),
    }))
    .filter(({ edits }) => edits <= Math.max(2, Math.min(name.length, COMPARED) / 3))
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, SUGGESTIONS)
    .map(({ path }) => path);
}
