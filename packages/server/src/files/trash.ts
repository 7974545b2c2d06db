// The trash: removed files, which keep their ids and their versions. Folders are removed, and files restored, in one transaction.

import { transaction, type Pool } from '../db/pool.ts';
import {
  listFiles,
  lockFiles,
  readSkipped,
  removeFiles,
  restoreFiles,
  type Author,
  type Changed,
  type FileHead,
  type SkippedFile,
} from './files.ts';
import type { FilePath } from './paths.ts';

export interface RemovedFile {
  readonly id: string;
  readonly path: string;
  readonly kind: FileHead['kind'];
  /** The version that is its removal. */
  readonly version: number;
  readonly size: number;
  readonly text: boolean;
  readonly removed_at: string;
  readonly removed_by: Author;
}

/** The files whose removal was last, first. `containing`: only those whose case-folded path contains this. */
export async function listTrash(
  client: Pool,
  workspaceId: string,
  {
    containing,
    after,
    limit,
  }: {
    readonly containing: string;
    readonly after: { readonly at: string; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<{ items: RemovedFile[]; next: string | null }> {
  const { rows } = await client.query<
    Omit<RemovedFile, 'size' | 'removed_by'> & { size: string; removed_by: string }
  >({
    name: 'list_trash',
    text: `select f.id, f.path, f.kind, f.version, f.size, f.is_text as text, v.author as removed_by,
        to_char(f.removed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as removed_at
      from (
        select * from files
        where workspace_id = $1 and removed_at is not null and ($2 = '' or position($2 in folded) > 0)
          and ($3::timestamptz is null or (removed_at, id) < ($3, $4::uuid))
        order by removed_at desc, id desc limit $5) f
      join file_versions v on v.file_id = f.id and v.version = f.version
      order by f.removed_at desc, f.id desc`,
    values: [workspaceId, containing, after?.at ?? null, after?.id ?? null, limit + 1],
  });
  const items = rows.slice(0, limit).map((row) => ({
    ...row,
    size: Number(row.size),
    removed_by: JSON.parse(row.removed_by) as Author,
  }));
  const last = items.at(-1);
  return { items, next: rows.length > limit ? `${last!.removed_at}_${last!.id}` : null };
}

/** The paths of files, removed or not, by their ids. */
export async function readPaths(
  client: Pool,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ id: string; path: string }>({
    name: 'read_paths',
    text: 'select id, path from files where workspace_id = $1 and id = any ($2)',
    values: [workspaceId, ids],
  });
  return new Map(rows.map(({ id, path }) => [id, path]));
}

/** Restores removed files, each with its last content. Those whose paths are taken stay removed. */
export async function restoreFromTrash(
  pool: Pool,
  { workspaceId, author, ids }: { workspaceId: string; author: Author; ids: readonly string[] },
): Promise<{ changes: readonly Changed[]; skipped: readonly SkippedFile[] }> {
  return transaction(pool, async (client) => {
    await lockFiles(client, workspaceId, []);
    const changes = await restoreFiles(client, { workspaceId, author, ids });
    return { changes, skipped: await readSkipped(client, workspaceId, ids) };
  });
}

/** Removes all files in a folder and below it, at one time. Null if there are more than `most`; none if there is no such folder. */
export async function removeFolder(
  pool: Pool,
  {
    workspaceId,
    author,
    folder,
    most,
  }: { workspaceId: string; author: Author; folder: FilePath; most: number },
): Promise<readonly Changed[] | null> {
  return transaction(pool, async (client) => {
    await lockFiles(client, workspaceId, []);
    const files = await listFiles(client, workspaceId, { folder, limit: most + 1 });
    if (files.length > most) return null;
    if (files.length === 0 || !files[0]!.path.startsWith(`${folder.path}/`)) return [];
    await lockFiles(client, workspaceId, files);
    const ids = files.map(({ id }) => id);
    return removeFiles(client, { workspaceId, author, ids, at: new Date() });
  });
}
