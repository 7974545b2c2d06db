// A file's versions: list, compare and restore them.

import { createRoute, z } from '@hono/zod-openapi';
import type { FileVersion as VersionBody } from '@continuo/protocol';
import { schemas } from '@continuo/protocol';
import { TooMuchWork, workers } from '../../compute/pool.ts';
import { asText, readWhole } from '../../files/content.ts';
import { authorFor, findFile, findRemoved, readFile, writeFile, type FileHead } from '../../files/files.ts';
import { DIFF_BYTES, listVersions, readVersion, type FileVersion } from '../../files/versions.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import {
  fileNotFound,
  noFileWithId,
  pathTaken,
  refusedWrite,
  toWireFile,
  versionConflict,
} from './file-responses.ts';
import { fileAt, writable } from '../kernel/paths.ts';
import { requirePersonFor, ROLE_FILES, SOMETIMES_PERSON } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import {
  body,
  invalidCursor,
  json,
  limitQuery,
  MOST_VERSIONS,
  page,
  problems,
  wholeNumber,
} from '../kernel/shared.ts';
import { removedScopeIn, scopeIn, workspaceParam } from '../kernel/scope.ts';
import { restoreWorkspace } from './workspaces.ts';

const tags = ['files'];
const which = {
  path: z.string().optional(),
  file: z.uuid().optional().openapi({ description: 'Instead of a path.' }),
};

export function versionRoutes(app: App, context: HttpContext): void {
  const { workspaces, config } = context;

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/versions',
      tags,
      summary: 'List a file’s versions, newest first',
      description: 'Works for a removed file, too: by its last path or by its id.',
      request: {
        params: workspaceParam,
        query: z.object({ ...which, after: z.string().optional(), limit: limitQuery }),
      },
      responses: { 200: json(page(schemas.fileVersion), 'A page of versions'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { after, limit, ...given } = c.req.valid('query');
      if (after !== undefined && !/^\d{1,9}$/.test(after))
        throw invalidCursor(after, 'is not the `next` of a page.');
      const scope = await scopeIn(c);
      const file = await fileOf(scope, given);
      const before = after === undefined ? {} : { before: Number(after) };
      const versions = await listVersions(scope.db, file.id, { ...before, limit: limit + 1 });
      const items = versions.slice(0, limit).map((version) => toWireVersion(file.id, version));
      return c.json({ items, next: versions.length > limit ? String(items.at(-1)!.version) : null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/diff',
      tags,
      summary: 'Compare two versions of a file',
      description: `A unified diff. \`to\` defaults to the latest version, \`from\` to the one before \`to\`; 0 is the empty file. For texts of at most ${DIFF_BYTES} bytes.`,
      request: {
        params: workspaceParam,
        query: z.object({
          ...which,
          from: wholeNumber(0, MOST_VERSIONS).optional(),
          to: wholeNumber(1, MOST_VERSIONS).optional(),
        }),
      },
      responses: { 200: json(schemas.fileDiff, 'The difference'), ...problems(400, 404, 410, 422) },
    }),
    async (c) => {
      const { from: asked, to, ...given } = c.req.valid('query');
      const scope = await scopeIn(c);
      const file = await fileOf(scope, given);
      const last = to ?? file.version;
      const first = asked ?? last - 1;
      const [old, now] = [
        first === 0 ? null : await versionOf(scope, file, first),
        await versionOf(scope, file, last),
      ];
      const where = { path: file.path, from: first, to: last };
      if (!now.isText || old?.isText === false) {
        return c.json({ ...where, binary: true, diff: '', added: 0, removed: 0 }, 200);
      }
      if (Math.max(now.size, old?.size ?? 0) > DIFF_BYTES) throw diffTooLarge();
      const sides = {
        from: { name: old?.path ?? '/dev/null', text: old ? await textOf(scope, old) : '' },
        to: { name: now.path, text: await textOf(scope, now) },
      };
      const difference = await whileConnected(c.env.outgoing, (signal) =>
        workers.run('difference', sides, { key: scope.workspaceId, signal }),
      ).catch((error: unknown) => {
        throw error instanceof TooMuchWork ? diffTooLarge(error) : error;
      });
      return c.json({ ...where, binary: false, ...difference }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/workspaces/{id}/restore',
      tags,
      summary: 'Restore a version of a file, or a removed workspace',
      description:
        'With a path (or a file’s id) and a version: that content becomes the file’s next version; a removed file keeps its id. ' +
        `With an empty body: restores the removed workspace itself. ${ROLE_FILES}`,
      security: SOMETIMES_PERSON,
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: workspaceParam, body: body(schemas.restoration, false) },
      responses: {
        200: json(z.union([schemas.file, schemas.workspace]), 'The file, or the workspace'),
        ...problems(400, 403, 404, 409, 410, 412, 413, 415, 503),
      },
    }),
    async (c) => {
      const { version, to, if_match: base = null, ...given } = c.req.valid('json');
      if (given.path === undefined && given.file === undefined) {
        const removed = await removedScopeIn(c);
        if (removed) return c.json(await restoreWorkspace(context, removed), 200);
        if (version === undefined) throw notRemoved((await scopeIn(c)).workspaceId);
      }
      const scope = await scopeIn(c);
      const { db, workspaceId, principal } = scope;
      const file = await fileOf(scope, given);
      if (version === undefined) throw missing('version');
      const content = await versionOf(scope, file, version);
      const path = writable(fileAt(to ?? file.path));
      requirePersonFor(c, path);
      const revive = file.removedAt ? { removedFile: file.id } : {};
      const write = {
        workspaceId,
        path,
        author: authorFor(principal),
        base,
        content,
        quotaBytes: config.workspaceBytes,
      };
      const restored = await writeFile(db, { ...write, restore: revive }).catch((error: unknown) => {
        throw refusedWrite(error, config.workspaceBytes);
      });
      if (restored.kind === 'conflict' && file.removedAt && restored.file)
        throw pathTaken(`${restored.file.path} is now another file; give another path as \`to\``);
      if (restored.kind === 'conflict') throw await versionConflict(db, restored.file);
      if (restored.kind === 'in_the_way') throw pathTaken(restored.problem);
      if (restored.kind === 'not_found') throw await fileNotFound(scope, path);
      await workspaces.committed(workspaceId, [restored]);
      return c.json(toWireFile(restored.file), 200, { etag: `"${restored.file.version}"` });
    },
  );
}

const NEVER_THERE =
  'No file was removed from there either. GET …/tree lists the files, GET …/changes their moves and removals; a moved file has its history at its new path.';

/** The file in the request, current or removed. */
async function fileOf(
  scope: WorkspaceScope,
  given: { path?: string | undefined; file?: string | undefined },
): Promise<FileHead> {
  const { db, workspaceId } = scope;
  if (given.file !== undefined) {
    const file = await readFile(db, workspaceId, given.file);
    if (file) return file;
    throw noFileWithId(given.file);
  }
  if (given.path === undefined) throw missing('path');
  const path = fileAt(given.path);
  const live = await findFile(db, workspaceId, path);
  const file = live?.path === path.path ? live : await findRemoved(db, workspaceId, path);
  if (!file) throw await fileNotFound(scope, path, NEVER_THERE);
  return file;
}

async function versionOf({ db }: WorkspaceScope, file: FileHead, version: number): Promise<FileVersion> {
  const found = await readVersion(db, file.id, version);
  if (found) return found;
  throw new Problem({
    status: 404,
    code: 'version_not_found',
    detail: `${file.path} has no version ${version}; it has versions 1 to ${file.version}.`,
  });
}

async function textOf({ db }: WorkspaceScope, version: FileVersion): Promise<string> {
  return asText(await readWhole(db, version.chunks)) ?? '';
}

function toWireVersion(file: string, version: FileVersion): VersionBody {
  const { op, path, size, hash, isText, author, at } = version;
  return {
    file,
    version: version.version,
    op,
    path,
    size,
    hash: hash.toString('hex'),
    text: isText,
    author,
    at: at.toISOString(),
  };
}

function notRemoved(id: string): Problem {
  return new Problem({
    status: 409,
    code: 'workspace_not_removed',
    detail: `The workspace ${id} is not removed; to restore a file, name it by \`path\` or \`file\`, and give a \`version\`.`,
  });
}

function missing(what: string): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_request',
    detail: `${what}: is missing; name the file by \`path\` or \`file\`, and give a \`version\`.`,
  });
}

function diffTooLarge(tooMuch?: TooMuchWork): Problem {
  const why = tooMuch
    ? `comparing them ${tooMuch.message}`
    : `only texts of up to ${DIFF_BYTES} bytes can be compared`;
  return new Problem({
    status: 422,
    code: 'diff_too_large',
    detail: `The versions are too large to compare: ${why}. Read both versions instead.`,
    extra: { limit: DIFF_BYTES },
  });
}
