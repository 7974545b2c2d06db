// A file's versions: list, compare and restore them.

import { createRoute, z } from '@hono/zod-openapi';
import type { FileVersion as VersionBody } from '@continuo/protocol';
import { schemas } from '@continuo/protocol';
import { TooMuchWork, workers } from '../../compute/pool.ts';
import { asText, readWhole } from '../../files/content.ts';
import { authorFor, findFile, findRemoved, readFile, writeFile, type FileHead } from '../../files/files.ts';
import { DIFF_BYTES, listVersions, readVersion, type FileVersion } from '../../files/versions.ts';
import { mayUse } from '../../identity/principal.ts';
import { findWorkspace } from '../../workspaces/workspaces.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import { fileNotFound, pathTaken, refusedWrite, shownFile, versionConflict } from './file-responses.ts';
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
import { restoreWorkspace, workspaceIn, workspaceParam } from './workspaces.ts';

const tags = ['files'];
const which = {
  path: z.string().optional(),
  file: z.uuid().optional().openapi({ description: 'Instead of a path.' }),
};

export function versionRoutes(app: App, context: HttpContext): void {
  const { pool, workspaces, config } = context;

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/versions',
      tags,
      summary: 'List a file’s versions, newest first',
      description: 'Also of a removed file: by the path it was removed from, or by its id.',
      request: {
        params: workspaceParam,
        query: z.object({ ...which, after: z.string().optional(), limit: limitQuery }),
      },
      responses: { 200: json(page(schemas.fileVersion), 'A page of versions'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { after, limit, ...given } = c.req.valid('query');
      if (after !== undefined && !/^\d{1,9}$/.test(after))
        throw invalidCursor(after, 'is not one that a page gave as next.');
      const { id } = await workspaceIn(c, pool, c.req.valid('param').id);
      const file = await fileOf(context, id, given);
      const before = after === undefined ? {} : { before: Number(after) };
      const versions = await listVersions(pool, file.id, { ...before, limit: limit + 1 });
      const items = versions.slice(0, limit).map((version) => shownVersion(file.id, version));
      return c.json({ items, next: versions.length > limit ? String(items.at(-1)!.version) : null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/diff',
      tags,
      summary: 'The difference between two versions of a file',
      description: `Unified. \`to\` is the latest if absent, \`from\` the one before it; 0 is the empty file. Texts of at most ${DIFF_BYTES} bytes.`,
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
      const { id } = await workspaceIn(c, pool, c.req.valid('param').id);
      const file = await fileOf(context, id, given);
      const last = to ?? file.version;
      const first = asked ?? last - 1;
      const [old, now] = [
        first === 0 ? null : await versionOf(context, file, first),
        await versionOf(context, file, last),
      ];
      const where = { path: file.path, from: first, to: last };
      if (!now.isText || old?.isText === false) {
        return c.json({ ...where, binary: true, diff: '', added: 0, removed: 0 }, 200);
      }
      if (Math.max(now.size, old?.size ?? 0) > DIFF_BYTES) throw diffTooLarge();
      const sides = {
        from: { name: old?.path ?? '/dev/null', text: old ? await textOf(context, old) : '' },
        to: { name: now.path, text: await textOf(context, now) },
      };
      const difference = await whileConnected(c.env.outgoing, (signal) =>
        workers.run('difference', sides, { key: id, signal }),
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
      summary: 'Bring back a version of a file, or a removed workspace',
      description:
        'With a path (or a file’s id) and a version: that content is the file’s next version; a removed file comes back under its own id. ' +
        `With an empty body: the workspace itself, while it is removed. ${ROLE_FILES}`,
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
      const named = c.req.valid('param').id;
      if (given.path === undefined && given.file === undefined) {
        const found = await findWorkspace(pool, named);
        if (found?.removed && mayUse(c.get('principal'), found.id))
          return c.json(await restoreWorkspace(context, found), 200);
      }
      const { id } = await workspaceIn(c, pool, named);
      const file = await fileOf(context, id, given);
      if (version === undefined) throw missing('version');
      const content = await versionOf(context, file, version);
      const path = writable(fileAt(to ?? file.path));
      requirePersonFor(c, path);
      const revive = file.removedAt ? { removedFile: file.id } : {};
      const write = {
        workspaceId: id,
        path,
        author: authorFor(c.get('principal')),
        base,
        content,
        quotaBytes: config.workspaceBytes,
      };
      const restored = await writeFile(pool, { ...write, restore: revive }).catch((error: unknown) => {
        throw refusedWrite(error, config.workspaceBytes);
      });
      if (restored.kind === 'conflict' && file.removedAt && restored.file)
        throw pathTaken(`${restored.file.path} is another file now; name another path as \`to\``);
      if (restored.kind === 'conflict') throw await versionConflict(pool, restored.file);
      if (restored.kind === 'in_the_way') throw pathTaken(restored.problem);
      if (restored.kind === 'not_found') throw await fileNotFound(pool, id, path);
      await workspaces.committed(id, [restored]);
      return c.json(shownFile(restored.file), 200, { etag: `"${restored.file.version}"` });
    },
  );
}

const NEVER_THERE =
  'Nor was one removed from there. GET …/tree lists what there is, GET …/changes where files were; a moved file has its history at its new path.';

/** The file in the request, current or removed. */
async function fileOf(
  { pool }: HttpContext,
  workspaceId: string,
  given: { path?: string | undefined; file?: string | undefined },
): Promise<FileHead> {
  if (given.file !== undefined) {
    const file = await readFile(pool, workspaceId, given.file);
    if (file) return file;
    throw new Problem({
      status: 404,
      code: 'file_not_found',
      detail: `There is no file with the id ${given.file} in this workspace.`,
    });
  }
  if (given.path === undefined) throw missing('path');
  const path = fileAt(given.path);
  const live = await findFile(pool, workspaceId, path);
  const file = live?.path === path.path ? live : await findRemoved(pool, workspaceId, path);
  if (!file) throw await fileNotFound(pool, workspaceId, path, NEVER_THERE);
  return file;
}

async function versionOf({ pool }: HttpContext, file: FileHead, version: number): Promise<FileVersion> {
  const found = await readVersion(pool, file.id, version);
  if (found) return found;
  throw new Problem({
    status: 404,
    code: 'version_not_found',
    detail: `${file.path} has the versions 1 to ${file.version}, and no ${version}.`,
  });
}

async function textOf({ pool }: HttpContext, version: FileVersion): Promise<string> {
  return asText(await readWhole(pool, version.chunks)) ?? '';
}

function shownVersion(file: string, version: FileVersion): VersionBody {
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

function missing(what: string): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_request',
    detail: `${what}: is missing; say which file by \`path\` or \`file\`, and which \`version\`.`,
  });
}

function diffTooLarge(tooMuch?: TooMuchWork): Problem {
  const why = tooMuch
    ? `comparing them ${tooMuch.message}`
    : `texts of up to ${DIFF_BYTES} bytes are compared`;
  return new Problem({
    status: 422,
    code: 'diff_too_large',
    detail: `The versions are too large to compare: ${why}. Read both versions instead.`,
    extra: { limit: DIFF_BYTES },
  });
}
