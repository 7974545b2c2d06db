// Search in a workspace by part of a path. For words in texts see knowledge/search.ts.

import type { Queryable } from '../db/pool.ts';
import type { FileHead } from './files.ts';
import { fold } from '../names/case-folding.ts';

export interface Hit {
  readonly path: string;
  readonly id: string;
  readonly kind: FileHead['kind'];
  readonly version: number;
  readonly size: number;
}

interface Row {
  id: string;
  path: string;
  kind: FileHead['kind'];
  version: number;
  size: string;
}

/** Files whose path contains this text: matches in the name first, then the shortest paths. */
export async function searchNames(
  client: Queryable,
  workspaceId: string,
  { words, limit }: { words: string; limit: number },
): Promise<readonly Hit[]> {
  const { rows } = await client.query<Row>({
    name: 'search_names',
    text: `select id, path, kind, version, size from files
      where workspace_id = $1 and removed_at is null and strpos(folded, $2) > 0
      order by strpos(substring(folded from '[^/]*$'), $2) > 0 desc, length(folded), folded limit $3`,
    values: [workspaceId, fold(words), limit],
  });
  return rows.map(hitOf);
}

function hitOf({ id, path, kind, version, size }: Row): Hit {
  return { id, path, kind, version, size: Number(size) };
}
