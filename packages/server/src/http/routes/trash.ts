// The trash of a workspace: its removed files, and the removal of a folder.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { fold } from '../../names/case-folding.ts';
import { authorFor, type Changed, type FileHead } from '../../files/files.ts';
import { readPaths, listTrash, removeFolder, restoreFromTrash } from '../../files/trash.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { fileAt, writable } from '../kernel/paths.ts';
import { requirePersonFor, ROLE_FILES, SOMETIMES_PERSON } from '../kernel/person.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, json, limitQuery, page, problems, timeCursor } from '../kernel/shared.ts';
import { fileNotFound, noFileWithId, refusedWrite, toWireFile } from './file-responses.ts';
import { MOVED_FILES, MOVED_SHOWN, tooManyFiles } from './folders.ts';

const tags = ['files'];

export function trashRoutes(app: App, context: HttpContext): void {
  const { workspaces, config } = context;

  app.openapi(
    createRoute({
      method: 'delete',
      path: '/api/v1/workspaces/{id}/tree',
      tags,
      summary: 'Remove a folder with everything in it',
      description: `All or nothing, at most ${MOVED_FILES} files. They can be restored from the trash. ${ROLE_FILES}`,
      security: SOMETIMES_PERSON,
      request: { params: workspaceParam, query: z.object({ path: z.string() }) },
      responses: {
        200: json(schemas.moved, 'The removed files'),
        ...problems(400, 403, 404, 410, 413),
      },
    }),
    async (c) => {
      const folder = writable(fileAt(c.req.valid('query').path));
      requirePersonFor(c, folder);
      const scope = await scopeIn(c);
      const { db, workspaceId, principal } = scope;
      const author = authorFor(principal);
      const changes = await removeFolder(db, { workspaceId, author, folder, most: MOVED_FILES }).catch(
        (error: unknown) => {
          throw refusedWrite(error, config.workspaceBytes);
        },
      );
      if (changes === null) throw tooManyFiles();
      if (changes.length === 0) throw await fileNotFound(scope, folder);
      await workspaces.committed(workspaceId, changes);
      const files = filesOf(changes);
      return c.json({ files: files.slice(0, MOVED_SHOWN).map(toWireFile), count: files.length }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/trash',
      tags,
      summary: 'List removed files, the latest first',
      description: 'A removed file keeps its id and its versions, as long as its workspace exists.',
      request: {
        params: workspaceParam,
        query: z.object({
          q: z.string().max(200).default('').openapi({ description: 'Only paths that contain this.' }),
          after: z.string().max(100).optional(),
          limit: limitQuery,
        }),
      },
      responses: {
        200: json(page(schemas.removedFile), 'A page of removed files'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { q, after, limit } = c.req.valid('query');
      const cursor = after === undefined ? null : timeCursor(after);
      const { db, workspaceId } = await scopeIn(c);
      return c.json(await listTrash(db, workspaceId, { containing: fold(q), after: cursor, limit }), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/workspaces/{id}/trash/restore',
      tags,
      summary: 'Restore removed files',
      description:
        'Each with its id, its path and its last content. A file whose path is taken stays removed and is listed in `skipped`; ' +
        `\`POST …/restore\` with \`to\` restores it elsewhere. A file that is not removed is left as it is. ${ROLE_FILES}`,
      security: SOMETIMES_PERSON,
      middleware: jsonBody({ limit: 64 * 1024 }),
      request: { params: workspaceParam, body: body(schemas.trashRestoration) },
      responses: {
        200: json(schemas.restored, 'What was restored, and what was not'),
        ...problems(400, 403, 404, 410, 413, 415),
      },
    }),
    async (c) => {
      const { files: ids } = c.req.valid('json');
      const { db, workspaceId, principal } = await scopeIn(c);
      const paths = await readPaths(db, workspaceId, ids);
      const missing = ids.find((id) => !paths.has(id));
      if (missing !== undefined) throw noFileWithId(missing);
      requirePersonFor(c, ...[...paths.values()].map(fileAt));
      const { changes, skipped } = await restoreFromTrash(db, {
        workspaceId,
        author: authorFor(principal),
        ids,
      }).catch((error: unknown) => {
        throw refusedWrite(error, config.workspaceBytes);
      });
      await workspaces.committed(workspaceId, changes);
      return c.json({ files: filesOf(changes).map(toWireFile), skipped: [...skipped] }, 200);
    },
  );
}

function filesOf(changes: readonly Changed[]): FileHead[] {
  return changes.flatMap((change) => (change.kind === 'changed' ? [change.file] : []));
}
