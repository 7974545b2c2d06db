// A workspace's folders: the tree, and moves.

import { createRoute, z } from '@hono/zod-openapi';
import type { TreeEntry } from '@continuo/protocol';
import { schemas } from '@continuo/protocol';
import { transaction } from '../../db/pool.ts';
import { hasChats, listChatFiles } from '../../threads/chats/chat-files.ts';
import {
  authorFor,
  findFile,
  InTheWay,
  listFiles,
  lockFiles,
  moveFile,
  moveFiles,
  type Changed,
  type FileHead,
} from '../../files/files.ts';
import { fold } from '../../names/case-folding.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { PATH_DEPTH, type FilePath } from '../../files/paths.ts';
import { readTree, type TreeEntry as Entry } from '../../files/tree.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { fileNotFound, pathTaken, refusedWrite, toWireFile, versionConflict } from './file-responses.ts';
import { fileAt, folderAt, writable } from '../kernel/paths.ts';
import { requirePersonFor, ROLE_FILES, SOMETIMES_PERSON } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { body, invalidCursor, json, limitQuery, page, problems, wholeNumber } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['files'];
/** The most files in a folder that is moved or removed, and the most that the answer lists. */
export const MOVED_FILES = 10_000;
export const MOVED_SHOWN = 1000;

export function folderRoutes(app: App, context: HttpContext): void {
  const { workspaces, config } = context;

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/tree',
      tags,
      summary: 'List a folder',
      description:
        'A folder is a prefix of paths, so there are no empty folders. Only `path=/chats` lists the files in `/chats`, newest first.',
      request: {
        params: workspaceParam,
        query: z.object({
          path: z.string().default('/'),
          depth: wholeNumber(1, PATH_DEPTH).default(1),
          after: z.string().max(2048).optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.treeEntry), 'A page of entries'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { path, depth, after, limit } = c.req.valid('query');
      const folder = folderAt(path);
      const scope = await scopeIn(c);
      const { workspaceId, db } = scope;
      if (folder.folded === '/chats') return c.json(await chatsPage(scope, after, limit), 200);
      const cursor = after === undefined ? null : treeCursor(after);
      const tree = await readTree(db, workspaceId, { folder, depth, after: cursor, limit });
      if (tree.entries.length === 0 && cursor === null && folder.path !== '/') {
        throw await folderNotFound(scope, folder);
      }
      const items = tree.entries.map(toWireEntry);
      if (folder.path === '/' && (await hasChats(db, workspaceId))) addChats(items, cursor, tree.next);
      return c.json({ items, next: tree.next && Buffer.from(tree.next).toString('base64url') }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/workspaces/{id}/moves',
      tags,
      summary: 'Move a file, or a folder with everything in it',
      description: `All or nothing, at most ${MOVED_FILES} files. The files keep their ids and their history. ${ROLE_FILES}`,
      security: SOMETIMES_PERSON,
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: workspaceParam, body: body(schemas.newMove) },
      responses: {
        200: json(schemas.moved, 'The files as they are now'),
        ...problems(400, 403, 404, 409, 410, 412, 413, 415),
      },
    }),
    async (c) => {
      const { from: source, to: target, if_match: base = null } = c.req.valid('json');
      const [from, to] = [writable(fileAt(source)), writable(fileAt(target))];
      requirePersonFor(c, from, to);
      const scope = await scopeIn(c);
      const { workspaceId } = scope;
      const changes = await move(scope, { from, to, base }).catch((error: unknown) => {
        throw refusedWrite(error, config.workspaceBytes);
      });
      await workspaces.committed(workspaceId, changes);
      const files = changes.flatMap((change) => ('file' in change && change.file ? [change.file] : []));
      return c.json({ files: files.slice(0, MOVED_SHOWN).map(toWireFile), count: files.length }, 200);
    },
  );
}

async function move(
  { db, workspaceId, principal }: WorkspaceScope,
  { from, to, base }: { from: FilePath; to: FilePath; base: number | null },
): Promise<readonly Changed[]> {
  const author = authorFor(principal);
  const file = await findFile(db, workspaceId, from);
  if (file?.path === from.path) {
    const moved = await moveFile(db, { workspaceId, author, from, to, base });
    if (moved.kind === 'conflict') throw await versionConflict(db, moved.file);
    if (moved.kind === 'in_the_way') throw pathTaken(moved.problem);
    if (moved.kind === 'not_found') throw await fileNotFound({ db, workspaceId }, from);
    return [moved];
  }
  if (base !== null) throw await fileNotFound({ db, workspaceId }, from);
  if (to.folded.startsWith(`${from.folded}/`)) throw pathTaken(`${to.path} is inside ${from.path}`);
  return transaction(db, async (client) => {
    await lockFiles(client, workspaceId, []);
    const files = await listFiles(client, workspaceId, { folder: from, limit: MOVED_FILES + 1 });
    if (files.length === 0 || !files[0]!.path.startsWith(`${from.path}/`)) return [];
    if (files.length > MOVED_FILES) throw tooManyFiles();
    const moves = files.map(({ id, path }) => ({ id, to: fileAt(to.path + path.slice(from.path.length)) }));
    if (from.path === to.path) return files.map((each) => ({ kind: 'unchanged' as const, file: each }));
    return moveFiles(client, { workspaceId, author, moves });
  })
    .catch((error: unknown) => {
      throw error instanceof InTheWay ? pathTaken(error.message) : error;
    })
    .then(async (changes) => {
      if (changes.length === 0) throw await fileNotFound({ db, workspaceId }, from);
      return changes;
    });
}

export function tooManyFiles(): Problem {
  return new Problem({
    status: 413,
    code: 'too_many_files',
    detail: `The folder has more than ${MOVED_FILES} files; take its subfolders one by one.`,
    extra: { limit: MOVED_FILES },
  });
}

async function folderNotFound({ db, workspaceId }: WorkspaceScope, folder: FilePath): Promise<Problem> {
  const file: FileHead | null = await findFile(db, workspaceId, folder);
  return new Problem({
    status: 404,
    code: file ? 'is_a_file' : 'folder_not_found',
    detail: file
      ? `${file.path} is a file; GET …/files${file.path} reads it.`
      : `There is no folder ${folder.path}; a folder exists only while there are files in it.`,
  });
}

function toWireEntry(entry: Entry): TreeEntry {
  const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
  if (entry.type === 'folder') return { type: 'folder', name, path: entry.path };
  const { type, path, id, kind, size, version, changedAt, author } = entry;
  return { type, name, path, id, kind, size, version, changed_at: changedAt.toISOString(), author };
}

/** Adds the folder of the chats at its sorted position. */
function addChats(items: TreeEntry[], after: string | null, next: string | null): void {
  const place = '/chats/';
  if ((after !== null && after > place) || (next !== null && next < place)) return;
  const at = items.findIndex(({ path, type }) => fold(type === 'folder' ? `${path}/` : path) > place);
  items.splice(at < 0 ? items.length : at, 0, { type: 'folder', name: 'chats', path: '/chats' });
}

async function chatsPage(
  { db, workspaceId }: WorkspaceScope,
  after: string | undefined,
  limit: number,
): Promise<{ items: TreeEntry[]; next: string | null }> {
  if (after !== undefined && !z.uuid().safeParse(after).success)
    throw invalidCursor(after, 'is not the `next` of a page.');
  const chats = await listChatFiles(db, workspaceId, { after: after ?? null, limit: limit + 1 });
  const items = chats.slice(0, limit).map(({ name, path, version, changedAt }): TreeEntry => {
    return { type: 'file', name, path, kind: 'chat', version, changed_at: changedAt.toISOString() };
  });
  return { items, next: chats.length > limit ? chats[limit - 1]!.threadId : null };
}

function treeCursor(given: string): string {
  const path = Buffer.from(given, 'base64url').toString('utf8');
  if (!path.startsWith('/') || path.includes('\0'))
    throw invalidCursor(given, 'is not the `next` of a page.');
  return path;
}
