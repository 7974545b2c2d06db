// The tree of a workspace's files. Folders are prefixes of paths. The query goes from file to file, and skips
// everything in a folder that is below the requested depth, so that a page costs only as much as it shows.

import type { Queryable } from '../db/pool.ts';
import type { Author, FileHead } from './files.ts';
import type { FilePath } from './paths.ts';

export type TreeEntry =
  | { readonly type: 'folder'; readonly path: string }
  | {
      readonly type: 'file';
      readonly path: string;
      readonly id: string;
      readonly kind: FileHead['kind'];
      readonly version: number;
      readonly size: number;
      readonly changedAt: Date;
      readonly author: Author['kind'];
    };

export interface TreePage {
  readonly entries: readonly TreeEntry[];
  /** The last path of this page, where the next page continues; null at the end. */
  readonly next: string | null;
}

interface Row {
  folded: string;
  path: string;
  id: string;
  kind: FileHead['kind'];
  version: number;
  size: string;
  changed_at: Date;
  author: string;
}

/** The entries of a folder down to `depth` levels, ordered by folded path. */
export async function readTree(
  client: Queryable,
  workspaceId: string,
  { folder, depth, after, limit }: { folder: FilePath; depth: number; after: string | null; limit: number },
): Promise<TreePage> {
  const prefix = folder.folded === '/' ? '/' : `${folder.folded}/`;
  const levels = prefix.split('/').length - 2 + depth;
  const { rows } = await client.query<Row>({
    name: 'read_tree',
    text: `with recursive walk as (
        (select f.id, f.folded from files f
          where f.workspace_id = $1 and f.removed_at is null and f.folded >= $2 and f.folded >= $6 and f.folded < $3
          order by f.folded limit 1)
        union all
        select n.id, n.folded from walk w cross join lateral (
          select f.id, f.folded from files f
          where f.workspace_id = $1 and f.removed_at is null and f.folded < $3 and f.folded >= case
            when cardinality(string_to_array(w.folded, '/')) > $4 + 1
            then array_to_string((string_to_array(w.folded, '/'))[1:$4 + 1], '/') || '0'
            else w.folded || chr(1) end collate "C"
          order by f.folded limit 1) n
      )
      select f.folded, f.path, f.id, f.kind, f.version, f.size, f.changed_at, v.author
      from (select id from walk limit $5) w join files f on f.id = w.id
      join file_versions v on v.file_id = f.id and v.version = f.version
      order by f.folded`,
    values: [
      workspaceId,
      after === null ? prefix : beyond(after, levels),
      `${prefix.slice(0, -1)}0`,
      levels,
      limit + 1,
      prefix,
    ],
  });
  const entries: TreeEntry[] = [];
  // A folder that an earlier page listed is not listed again.
  let open = (after ?? '').split('/');
  for (const row of rows.slice(0, limit)) {
    const [names, folded] = [row.path.split('/'), row.folded.split('/')];
    const from = Math.max(prefix.split('/').length, shared(open, folded) + 1);
    for (let end = from; end <= Math.min(levels + 1, names.length - 1); end += 1) {
      entries.push({ type: 'folder', path: names.slice(0, end).join('/') });
    }
    open = folded;
    if (names.length <= levels + 1) entries.push(fileOf(row));
  }
  return { entries, next: rows.length > limit ? rows[limit - 1]!.folded : null };
}

/** The first path that can come after a file, or after the folder at the depth limit that contains it. */
function beyond(folded: string, levels: number): string {
  const names = folded.split('/');
  return names.length > levels + 1 ? `${names.slice(0, levels + 1).join('/')}0` : `${folded}\u0001`;
}

/** How many leading names two paths have in common. */
function shared(a: readonly string[], b: readonly string[]): number {
  const end = a.findIndex((name, index) => name !== b[index]);
  return end < 0 ? a.length : end;
}

function fileOf(row: Row): TreeEntry {
  return {
    type: 'file',
    path: row.path,
    id: row.id,
    kind: row.kind,
    version: row.version,
    size: Number(row.size),
    changedAt: row.changed_at,
    author: (JSON.parse(row.author) as Author).kind,
  };
}
