// Files on the wire, and the problems that all file routes share.

import type { File } from '@continuo/protocol';
import { sqlState, type Queryable } from '../../db/pool.ts';
import { asText } from '../../files/content.ts';
import { findFile, findMoved, listFiles, type FileHead } from '../../files/files.ts';
import type { FilePath } from '../../files/paths.ts';
import { readHead } from '../../files/save.ts';
import { similarPaths } from '../../files/similar.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { inUrl } from '../kernel/paths.ts';
import { Problem } from '../kernel/problem.ts';

/** How much of the current text a conflict includes. */
const SHOWN_BYTES = 256 * 1024;

export function toWireFile(file: FileHead): File {
  return {
    id: file.id,
    path: file.path,
    kind: file.kind,
    version: file.version,
    size: file.size,
    hash: file.hash.toString('hex'),
    text: file.isText,
    created_at: file.createdAt.toISOString(),
    changed_at: file.changedAt.toISOString(),
    removed_at: file.removedAt?.toISOString() ?? null,
  };
}

/** The current file at exactly this path. */
export async function fileOr404({ db, workspaceId }: WorkspaceScope, path: FilePath): Promise<FileHead> {
  const file = await findFile(db, workspaceId, path);
  if (file?.path === path.path) return file;
  throw await fileNotFound({ db, workspaceId }, path);
}

export function noFileWithId(id: string): Problem {
  return new Problem({
    status: 404,
    code: 'file_not_found',
    detail: `There is no file with the id ${id} in this workspace.`,
  });
}

const LOOK = 'GET …/tree lists the files, GET …/versions?path= the versions of a removed one.';

export async function fileNotFound(
  { db, workspaceId }: Pick<WorkspaceScope, 'db' | 'workspaceId'>,
  path: FilePath,
  advice = LOOK,
): Promise<Problem> {
  if (path.folded === '/chats' || (await listFiles(db, workspaceId, { folder: path, limit: 1 })).length > 0) {
    const tree = `/api/v1/workspaces/${workspaceId}/tree?path=${inUrl(path.path)}`;
    return new Problem({
      status: 404,
      code: 'is_a_folder',
      detail: `${path.path} is a folder; GET ${tree} lists it.`,
      extra: { tree },
    });
  }
  const moved = await findMoved(db, workspaceId, path);
  if (moved && moved.removedAt === null)
    return new Problem({
      status: 404,
      code: 'file_not_found',
      detail: `${path.path} was moved to ${moved.path}, with its history.`,
      extra: { moved_to: { file: moved.id, path: moved.path }, suggestions: [moved.path] },
    });
  const suggestions = await similarPaths(db, workspaceId, path);
  const hint = suggestions.length > 0 ? `Did you mean ${suggestions.join(' or ')}?` : advice;
  return new Problem({
    status: 404,
    code: 'file_not_found',
    detail: `There is no file ${path.path}. ${hint}`,
    extra: { suggestions },
  });
}

/**
 * The file has changed since the version that the writer started from. Includes the current version, and its content if that is a
 * short text.
 */
export async function versionConflict(client: Queryable, file: FileHead | null): Promise<Problem> {
  const content = file?.isText && file.size <= SHOWN_BYTES ? asText(await readHead(client, file)) : null;
  const current = file && {
    id: file.id,
    version: file.version,
    path: file.path,
    size: file.size,
    hash: file.hash.toString('hex'),
    ...(content !== null && { content }),
  };
  return new Problem({
    status: 412,
    code: 'version_conflict',
    detail: file
      ? `${file.path} has changed and is at version ${file.version} now; \`current\` describes it. ` +
        `Apply your change to that version and send it with If-Match: "${file.version}".`
      : 'The file does not exist; to create it, send it with If-None-Match: *.',
    extra: { current },
    ...(file && { headers: { etag: `"${file.version}"` } }),
  });
}

export function pathTaken(problem: string): Problem {
  return new Problem({ status: 409, code: 'path_taken', detail: `The path cannot be used: ${problem}.` });
}

/** Turns a database error about a write into a problem; returns any other error unchanged. */
export function refusedWrite(error: unknown, quota: number): unknown {
  switch (sqlState(error)) {
    case 'CN413':
      return new Problem({
        status: 413,
        code: 'workspace_full',
        detail: `${(error as Error).message}; all versions of its files count. Use another workspace, or raise CONTINUO_WORKSPACE_BYTES.`,
        extra: { quota_bytes: quota },
      });
    case 'CN404':
      return new Problem({
        status: 410,
        code: 'workspace_removed',
        detail: 'The workspace was removed; nothing was changed.',
      });
    case 'CN003':
      return new Problem({
        status: 503,
        code: 'content_expired',
        detail: 'The upload took longer than an hour, and its first bytes have expired; send it again.',
        headers: { 'retry-after': '1' },
      });
    default:
      return error;
  }
}
