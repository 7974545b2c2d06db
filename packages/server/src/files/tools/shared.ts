// Shared by the tools that work on files: parsing the paths that models write, finding files that must exist, and
// announcing a call's changes (its `file_updated` events, and the flush to the mirror after the commit).

import type { EntityPatch } from '@continuo/protocol';
import type { Pool } from '../../db/pool.ts';
import {
  findFile,
  findRemoved,
  listFiles,
  type Author,
  type Changed,
  type FeedChange,
  type FileHead,
} from '../files.ts';
import { parseFolder, parsePath, type FilePath, type ParsedPath } from '../paths.ts';
import type { Workspaces } from '../workspace-files.ts';
import { TooMuchWork, workers } from '../../compute/pool.ts';
import { judge, type Rules } from '../../tools/policy.ts';
import { Stale, ToolFailure, type CallContext, type TransactionContext } from '../../tools/tool.ts';

export interface ToolWorld {
  readonly pool: Pool;
  readonly workspaces: Workspaces;
  readonly chats: ChatFiles;
  /**
   * The policy of the workspace and the role's permissions: a failure must not name a path that the model may not read.
   */
  readonly rules: (workspaceId: string) => Promise<Rules>;
}

/** Threads as files, under /chats. */
export interface ChatFiles {
  /** Newest first. */
  list(workspaceId: string, limit: number): Promise<readonly { readonly name: string }[]>;
  read(workspaceId: string, path: FilePath): Promise<ChatFile | null>;
}

interface ChatFile {
  readonly threadId: string;
  readonly path: string;
  readonly version: number;
  readonly text: string;
  /** Its model has read untrusted content. */
  readonly untrusted: boolean;
}

/** Maximum number of paths that a failure suggests, and of files in a folder that are considered for it. */
const NAMED_PATHS = 3;
const LOOKED_AT = 1000;

export function fileAt(given: string): FilePath {
  return accepted(parsePath(given), given);
}

export function folderAt(given: string): FilePath {
  return accepted(parseFolder(given), given);
}

function accepted(parsed: ParsedPath, given: string): FilePath {
  if (parsed.ok) return parsed.path;
  throw new ToolFailure(
    `${displayPath(given)} is not a path in the workspace: ${parsed.problem}. Paths start at the root of the workspace, such as /notes/haiku.md`,
  );
}

/** A path for people to read: one short line, whatever was given. */
export function displayPath(given: string): string {
  const parsed = parsePath(given.replace(/\/$/, ''));
  if (parsed.ok) return parsed.path.path;
  return given === '' || given === '/' ? '/' : JSON.stringify(given.slice(0, 200));
}

/** The live file at a path. Throws a failure that says what is there instead. */
export async function requireFile(
  world: FileLookup,
  workspaceId: string,
  path: FilePath,
  wanted: 'file' | 'folder' | 'file or folder' = 'file',
): Promise<FileHead> {
  await world.workspaces?.refreshed(workspaceId, path);
  const file = await findFile(world.pool, workspaceId, path);
  if (file) return file;
  throw new ToolFailure(await whyNoFile(world, workspaceId, path, wanted));
}

type FileLookup = Pick<ToolWorld, 'pool' | 'rules'> & Partial<Pick<ToolWorld, 'workspaces'>>;

/** Throws the failure of `requireFile` unless there is a file at the path, or a folder with something in it. */
export async function requireFileOrFolder(
  world: FileLookup,
  workspaceId: string,
  path: FilePath,
): Promise<void> {
  const [inside] = await listFiles(world.pool, workspaceId, { folder: path, limit: 1 });
  if (!inside) await requireFile(world, workspaceId, path, 'file or folder');
}

/** Throws the failure of `requireFile` unless there is a folder with something in it at the path. */
export async function requireFolder(world: FileLookup, workspaceId: string, path: FilePath): Promise<void> {
  if (path.path === '/') return;
  const [inside] = await listFiles(world.pool, workspaceId, { folder: path, limit: 1 });
  if (inside) return;
  await requireFile(world, workspaceId, path, 'folder');
  throw new ToolFailure(`${path.path} is a file, not a folder; name the folder that it is in`);
}

async function whyNoFile(
  world: FileLookup,
  workspaceId: string,
  path: FilePath,
  wanted: string,
): Promise<string> {
  const { pool: client } = world;
  const [inside] = await listFiles(client, workspaceId, { folder: path, limit: 1 });
  if (inside) return `${path.path} is a folder, not a file; ls ${path.path} lists it`;
  const removed = await findRemoved(client, workspaceId, path);
  const gone = removed ? ` It was removed as version ${removed.version}; restore undoes the removal.` : '';
  return `there is no ${wanted} at ${path.path}.${gone}${await didYouMean(world, workspaceId, path)}`;
}

async function didYouMean(world: FileLookup, workspaceId: string, path: FilePath): Promise<string> {
  const { pool: client } = world;
  const name = path.folded.slice(path.folded.lastIndexOf('/') + 1);
  const { rows } = await client.query<{ path: string }>({
    name: 'same_name',
    text: `select path from files where workspace_id = $1 and removed_at is null
      and right(folded, $3) = $2 order by length(path), path limit $4`,
    values: [workspaceId, `/${name}`, name.length + 1, NAMED_PATHS],
  });
  const folder = path.path.slice(0, path.path.lastIndexOf('/'));
  const beside = await listFiles(client, workspaceId, {
    folder: folder === '' ? folderAt('/') : fileAt(folder),
    limit: LOOKED_AT,
  });
  const candidates = beside.map((file) => file.path);
  const alike = await mostAlike(path.path, candidates, NAMED_PATHS, workspaceId);
  const rules = await world.rules(workspaceId);
  const paths = [...new Set([...rows.map((row) => row.path), ...alike])]
    .filter((each) => judge({ tool: 'read', effect: 'pure', paths: [each] }, rules).action !== 'deny')
    .slice(0, NAMED_PATHS);
  if (paths.length > 0) return ` Did you mean ${paths.join(' or ')}?`;
  return ' Use glob or ls to see which files exist.';
}

/** The candidates most similar to `wanted`; none if finding them takes too long. */
export function mostAlike(
  wanted: string,
  candidates: readonly string[],
  most: number,
  key: string,
): Promise<readonly string[]> {
  return workers.run('nearest', { wanted, candidates, most }, { key }).catch((error: unknown) => {
    if (error instanceof TooMuchWork) return [];
    throw error;
  });
}

export function authorOf({ threadId, runId, callId }: CallContext): Author {
  return { kind: 'run', thread: threadId, run: runId, call: callId };
}

export type AppliedChange = Extract<Changed, { kind: 'changed' }>;

/**
 * The change, null if nothing changed, or a thrown failure. `Stale` makes the call prepare again, because the version
 * is not the expected one.
 */
export function requireChange(changed: Changed): AppliedChange | null {
  switch (changed.kind) {
    case 'changed':
      return changed;
    case 'unchanged':
      return null;
    case 'conflict':
    case 'not_found':
      throw new Stale('the file changed meanwhile');
    case 'in_the_way':
      throw new ToolFailure(`${changed.problem}; nothing was changed`);
  }
}

/** Announces a call's changes: as events in the log, and after the commit to the mirror and to followers. */
export function announce(
  { workspaces }: Pick<ToolWorld, 'workspaces'>,
  context: TransactionContext<unknown>,
  changes: readonly (AppliedChange & { readonly from?: string })[],
): void {
  for (const { file, from } of changes) {
    context.emit({
      type: 'file_updated',
      data: {
        path: file.path,
        v: file.version,
        file: file.id,
        call: context.callId,
        ...(from !== undefined && { from }),
        ...(file.removedAt && { removed: true }),
      },
    });
  }
  for (const { also } of changes) emitFeedChanges(context, also);
  if (changes.length > 0) context.afterCommit(() => workspaces.committed(context.workspaceId, changes));
}

/** Adds what other concepts changed to the log: patches of entities, and files that came with them. */
export function emitFeedChanges(context: TransactionContext<unknown>, changes: readonly FeedChange[]): void {
  for (const { type, data } of changes) {
    const { author: _, ...rest } = data;
    if (type === 'entity_patch')
      context.emit({ type, data: { ...(rest as unknown as EntityPatch), call: context.callId } });
    else if (type === 'file_updated') {
      const { path, v, file } = data as unknown as { path: string; v: number; file: string };
      context.emit({ type, data: { path, v, file, call: context.callId } });
    }
  }
}

/** Turns errors of the database that a model can act on into failures. */
export async function refusals<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'CN413')
      throw new ToolFailure(
        `${(error as Error).message}: this change does not fit; a person can raise the quota`,
      );
    if (code === 'CN404') throw new ToolFailure('the workspace was removed');
    throw error;
  });
}
