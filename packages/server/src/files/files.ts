// Files: a permanent id, a path that may change, and an immutable history of versions. Every change is one statement:
// it compares the version that the writer started from, writes the next one, and adds it to the workspace's change
// feed. The caller provides the transaction, and flushes the mirror after the commit.

import { setImmediate as turn } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { sqlState, type Queryable } from '../db/pool.ts';
import type { StoredPrincipal } from '../identity/principal.ts';
import type { StoredContent } from './content.ts';
import { kindOf, type FilePath } from './paths.ts';

export type Author =
  | { readonly kind: 'person' }
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'disk' }
  /** The plan itself, whose file shows the progress of its steps. */
  | { readonly kind: 'plan' }
  | { readonly kind: 'run'; readonly thread: string; readonly run: string; readonly call: string };

/** The author of a principal's writes. */
export function authorFor(principal: StoredPrincipal): Author {
  return principal.kind === 'key' ? { kind: 'key', name: principal.name } : { kind: 'person' };
}

export interface FileHead {
  readonly id: string;
  readonly path: string;
  readonly folded: string;
  readonly kind: 'file' | 'agent' | 'plan';
  readonly version: number;
  readonly hash: Buffer;
  readonly size: number;
  readonly isText: boolean;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly removedAt: Date | null;
}

/** Staged content: on disk under a temporary name before its version is committed. */
export interface Staged {
  /** Removes the staged content. Does nothing if it was already used. */
  discard(): void;
}

/** Null if the content cannot be staged ahead of the commit. */
export type Stage = (workspaceId: string, path: FilePath, bytes: Buffer) => Staged | null;

/** A change that another concept added to the feed, in the transaction of a change of files. */
export interface FeedChange {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `held` is the file's new content, if the writer had it in memory. */
export interface CommittedChange {
  readonly kind: 'changed';
  readonly file: FileHead;
  readonly seq: number;
  /** What other concepts changed with it. */
  readonly also: readonly FeedChange[];
  readonly held?: Buffer;
  readonly staged?: Staged | undefined;
}

/** The outcome of a change. `seq` is its position in the change feed. */
export type Changed =
  | CommittedChange
  | { readonly kind: 'unchanged'; readonly file: FileHead }
  | { readonly kind: 'not_found' }
  /** The file is no longer the version that the writer started from; null: there is no file. */
  | { readonly kind: 'conflict'; readonly file: FileHead | null }
  | { readonly kind: 'in_the_way'; readonly problem: string };

export interface Where {
  readonly workspaceId: string;
  readonly author: Author;
  /** The version that the writer started from; 0: there was no file; null: any version is accepted. */
  readonly base: number | null;
}

export interface Write extends Where {
  readonly path: FilePath;
  readonly content: StoredContent;
  readonly quotaBytes: number;
  /** The id of the file if it is new; must be free. */
  readonly id?: string | undefined;
  /** Stages the content, for writers that flush right after the commit. */
  readonly stage?: Stage;
  /** Restores an earlier version's content; with `removedFile`, restores that file under its own id. */
  readonly restore?: { readonly removedFile?: string };
}

interface Row {
  outcome: 'written' | 'unchanged' | 'not_found' | 'conflict' | 'in_the_way';
  obstacle?: string | null;
  seq: string | null;
  also?: readonly FeedChange[] | null;
  id: string | null;
  path: string;
  folded: string;
  kind: FileHead['kind'];
  version: number;
  hash: Buffer;
  size: string;
  is_text: boolean;
  created_at: Date;
  changed_at: Date;
  removed_at: Date | null;
}

export async function writeFile(client: Queryable, write: Write): Promise<Changed> {
  const { content, path, author } = write;
  const writing = client.query<Row>({
    name: 'write_file',
    text: `select outcome, obstacle, seq, also, (file).*
      from write_file($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    values: [
      write.workspaceId,
      write.id ?? uuidv7(),
      path.path,
      path.folded,
      kindOf(path),
      write.base,
      write.restore ? 'restore' : 'write',
      write.restore?.removedFile ?? null,
      content.hash,
      content.size,
      content.chunks,
      content.isText,
      JSON.stringify(author),
      write.quotaBytes,
      content.held ?? null,
    ],
  });
  if (!content.held) return changed((await writing).rows[0]!);
  const [answer, ahead] = await Promise.allSettled([writing, stageAhead(write, content.held)]);
  const staged = ahead.status === 'fulfilled' ? ahead.value : undefined;
  const outcome = answer.status === 'fulfilled' ? changed(answer.value.rows[0]!) : null;
  if (outcome?.kind === 'changed') return { ...outcome, held: content.held, staged };
  staged?.discard();
  if (answer.status === 'rejected') throw answer.reason;
  return outcome!;
}

async function stageAhead({ workspaceId, path, stage }: Write, bytes: Buffer): Promise<Staged | undefined> {
  if (!stage) return undefined;
  // The statement is sent first, so that the database and the disk work at the same time.
  await turn();
  return stage(workspaceId, path, bytes) ?? undefined;
}

export async function moveFile(
  client: Queryable,
  move: Where & { readonly from: FilePath; readonly to: FilePath },
): Promise<Changed> {
  const { rows } = await client.query<Row>({
    name: 'move_file',
    text: 'select outcome, obstacle, seq, also, (file).* from move_file($1, $2, $3, $4, $5, $6, $7)',
    values: [
      move.workspaceId,
      move.from.folded,
      move.to.path,
      move.to.folded,
      kindOf(move.to),
      move.base,
      JSON.stringify(move.author),
    ],
  });
  return changed(rows[0]!);
}

export async function removeFile(
  client: Queryable,
  remove: Where & { readonly path: FilePath },
): Promise<Changed> {
  const { rows } = await client.query<Row>({
    name: 'remove_file',
    text: 'select outcome, seq, also, (file).* from remove_file($1, $2, $3, $4)',
    values: [remove.workspaceId, remove.path.folded, remove.base, JSON.stringify(remove.author)],
  });
  return changed(rows[0]!);
}

/** Moves files to other paths, all or none. The transaction must hold `lockFiles`. Throws `InTheWay`. */
export async function moveFiles(
  client: Queryable,
  {
    workspaceId,
    author,
    moves,
  }: Pick<Where, 'workspaceId' | 'author'> & {
    readonly moves: readonly { readonly id: string; readonly to: FilePath }[];
  },
): Promise<readonly Changed[]> {
  const { rows } = await client
    .query<Row>({
      text: 'select outcome, seq, also, (file).* from move_files($1, $2, $3, $4, $5, $6)',
      values: [
        workspaceId,
        moves.map(({ id }) => id),
        moves.map(({ to }) => to.path),
        moves.map(({ to }) => to.folded),
        moves.map(({ to }) => kindOf(to)),
        JSON.stringify(author),
      ],
    })
    .catch((error: Error) => {
      if (sqlState(error) !== 'CN409') throw error;
      throw new InTheWay(
        error.message === 'gone'
          ? 'one of its files was moved or removed meanwhile; try again'
          : inTheWay(error.message),
      );
    });
  return rows.map(changed);
}

/** Removes files, all at `at`. The transaction must hold `lockFiles`. */
export async function removeFiles(
  client: Queryable,
  {
    workspaceId,
    author,
    ids,
    at,
  }: Pick<Where, 'workspaceId' | 'author'> & { readonly ids: readonly string[]; readonly at: Date },
): Promise<readonly Changed[]> {
  const { rows } = await client.query<Row>({
    text: 'select outcome, seq, also, (file).* from remove_files($1, $2, $3, $4)',
    values: [workspaceId, ids, JSON.stringify(author), at],
  });
  return rows.map(changed);
}

/**
 * Restores removed files under their own ids. One whose path is taken by now stays removed. The transaction must hold
 * `lockFiles`.
 */
export async function restoreFiles(
  client: Queryable,
  { workspaceId, author, ids }: Pick<Where, 'workspaceId' | 'author'> & { readonly ids: readonly string[] },
): Promise<readonly Changed[]> {
  const { rows } = await client.query<Row>({
    text: 'select outcome, seq, also, (file).* from restore_files($1, $2, $3)',
    values: [workspaceId, ids, JSON.stringify(author)],
  });
  return rows.map(changed);
}

/** A removed file that could not be restored, and why. */
export interface SkippedFile {
  readonly id: string;
  readonly path: string;
  readonly reason: string;
}

/** Of files that were to be restored in this transaction: those that are still removed. */
export async function readSkipped(
  client: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<readonly SkippedFile[]> {
  const { rows } = await client.query<{ id: string; path: string; taken: boolean; obstacle: string | null }>(
    `select f.id, f.path, l.id is not null as taken, in_the_way(f.workspace_id, f.path, f.folded) as obstacle
      from files f left join files l on l.workspace_id = f.workspace_id and l.folded = f.folded and l.removed_at is null
      where f.workspace_id = $1 and f.id = any ($2) and f.removed_at is not null order by f.folded, f.id`,
    [workspaceId, ids],
  );
  return rows.map(({ id, path, taken, obstacle }) => ({
    id,
    path,
    reason: taken || obstacle === null ? `${path} is another file now` : inTheWay(obstacle),
  }));
}

/** Why several files could not be changed together. */
export class InTheWay extends Error {}

const COLUMNS = 'id, path, folded, kind, version, hash, size, is_text, created_at, changed_at, removed_at';

/** The live file at a path. */
export async function findFile(
  client: Queryable,
  workspaceId: string,
  path: FilePath,
): Promise<FileHead | null> {
  const { rows } = await client.query<Row>({
    name: 'find_file',
    text: `select ${COLUMNS} from files where workspace_id = $1 and folded = $2 and removed_at is null`,
    values: [workspaceId, path.folded],
  });
  return rows[0] ? headOf(rows[0]) : null;
}

/** The file that was last removed from a path. */
export async function findRemoved(
  client: Queryable,
  workspaceId: string,
  path: FilePath,
): Promise<FileHead | null> {
  const { rows } = await client.query<Row>(
    `select ${COLUMNS} from files where workspace_id = $1 and folded = $2 and removed_at is not null
      order by removed_at desc limit 1`,
    [workspaceId, path.folded],
  );
  return rows[0] ? headOf(rows[0]) : null;
}

/** The file that was last moved away from a path, whatever its path is now. */
export async function findMoved(
  client: Queryable,
  workspaceId: string,
  { path }: FilePath,
): Promise<FileHead | null> {
  const { rows } = await client.query<Row>(
    `select ${COLUMNS} from files where id = (
        select object_id from changes
        where workspace_id = $1 and type = 'file_moved' and data ->> 'from' = $2 order by seq desc limit 1
      )`,
    [workspaceId, path],
  );
  return rows[0] ? headOf(rows[0]) : null;
}

export async function readFile(
  client: Queryable,
  workspaceId: string,
  fileId: string,
): Promise<FileHead | null> {
  const { rows } = await client.query<Row>({
    name: 'read_file',
    text: `select ${COLUMNS} from files where workspace_id = $1 and id = $2`,
    values: [workspaceId, fileId],
  });
  return rows[0] ? headOf(rows[0]) : null;
}

interface Listed {
  readonly folder: FilePath;
  readonly after?: string;
  readonly limit?: number;
  /** Only files with this name, which is case-folded. */
  readonly name?: string;
}

/** The live files in a folder and below it, ordered by path, starting after `after`. */
export async function listFiles(
  client: Queryable,
  workspaceId: string,
  { folder, after = '', limit = 1_000_000, name }: Listed,
): Promise<readonly FileHead[]> {
  const prefix = folder.folded === '/' ? '/' : `${folder.folded}/`;
  const { rows } = await client.query<Row>({
    name: 'list_files',
    text: `select ${COLUMNS} from files
      where workspace_id = $1 and removed_at is null and folded >= $2 and folded < $3 and folded > $4
        and ($6::text is null or right(folded, length($6) + 1) = '/' || $6)
      order by folded limit $5`,
    values: [workspaceId, prefix, `${prefix.slice(0, -1)}0`, after, limit, name ?? null],
  });
  return rows.map(headOf);
}

/** The live files `<folder>/<any name>/<name>`, ordered by path. `name` is case-folded. */
export async function listFilesNamed(
  client: Queryable,
  workspaceId: string,
  { folder, name, limit }: { folder: FilePath; name: string; limit: number },
): Promise<readonly FileHead[]> {
  const { rows } = await client.query<Row>({
    name: 'list_files_named',
    text: `select ${COLUMNS} from files
      where workspace_id = $1 and removed_at is null and folded >= $2 and folded < $3
        and folded = $2 || split_part(substr(folded, length($2) + 1), '/', 1) || '/' || $4
      order by folded limit $5`,
    values: [workspaceId, `${folder.folded}/`, `${folder.folded}0`, name, limit],
  });
  return rows.map(headOf);
}

/** The paths of the live files in a folder and below it, in order. Cheap even for very many files. */
export async function listPaths(
  client: Queryable,
  workspaceId: string,
  folder: FilePath,
  limit: number,
): Promise<readonly string[]> {
  const prefix = folder.folded === '/' ? '/' : `${folder.folded}/`;
  const { rows } = await client.query<{ paths: string | null }>({
    name: 'list_paths',
    // A path never contains a newline.
    text: `select string_agg(path, E'\\n' order by folded) as paths from (
        select path, folded from files
        where workspace_id = $1 and removed_at is null and folded >= $2 and folded < $3 order by folded limit $4
      ) f`,
    values: [workspaceId, prefix, `${prefix.slice(0, -1)}0`, limit],
  });
  return rows[0]?.paths?.split('\n') ?? [];
}

/** The live files at these paths, by path. */
export async function findFiles(
  client: Queryable,
  workspaceId: string,
  paths: readonly FilePath[],
): Promise<ReadonlyMap<string, FileHead>> {
  const { rows } = await client.query<Row>({
    name: 'find_files',
    text: `select ${COLUMNS} from files where workspace_id = $1 and folded = any ($2) and removed_at is null`,
    values: [workspaceId, paths.map((path) => path.folded)],
  });
  return new Map(rows.map((row) => [row.path, headOf(row)]));
}

/**
 * For several changes in one transaction. Every writer takes these locks first and in this order (new paths; files by
 * path; the workspace, with the first change), so that there is no deadlock.
 */
export async function lockFiles(
  client: Queryable,
  workspaceId: string,
  paths: readonly FilePath[],
): Promise<void> {
  await client.query({
    name: 'lock_new_paths',
    text: 'select pg_advisory_xact_lock(4401, hashtext($1::uuid::text))',
    values: [workspaceId],
  });
  await client.query({
    name: 'lock_files',
    text: `select from files where workspace_id = $1 and folded = any ($2) and removed_at is null
      order by folded for update`,
    values: [workspaceId, paths.map((path) => path.folded)],
  });
}

function changed(row: Row): Changed {
  const file = row.id === null ? null : headOf(row);
  switch (row.outcome) {
    case 'written':
      return { kind: 'changed', file: file!, seq: Number(row.seq), also: row.also ?? [] };
    case 'unchanged':
      return { kind: 'unchanged', file: file! };
    case 'not_found':
      return { kind: 'not_found' };
    case 'conflict':
      return { kind: 'conflict', file };
    case 'in_the_way':
      return { kind: 'in_the_way', problem: inTheWay(row.obstacle!) };
  }
}

function inTheWay(obstacle: string): string {
  const [what, path] = [obstacle.slice(0, obstacle.indexOf(':')), obstacle.slice(obstacle.indexOf(':') + 1)];
  if (what === 'folder') return `${path} is a folder`;
  if (what === 'file') return `${path} is a file`;
  if (what === 'read_only') return `everything under ${path} shows chats and is read-only`;
  return `${path} already exists and differs only in spelling; use that path`;
}

function headOf(row: Row): FileHead {
  return {
    id: row.id!,
    path: row.path,
    folded: row.folded,
    kind: row.kind,
    version: row.version,
    hash: row.hash,
    size: Number(row.size),
    isText: row.is_text,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    removedAt: row.removed_at,
  };
}
