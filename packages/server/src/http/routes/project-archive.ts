// A project as one archive: the download is built while it is sent, the upload goes through a temporary file.

import { create as disposition } from 'content-disposition';
import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { ARCHIVE_BYTES, ARCHIVE_ENTRIES, BadArchive, UNPACKED_BYTES } from '../../files/unpack.ts';
import { exportProject, importProject } from '../../knowledge/archive.ts';
import { ARCHIVE_EDGES, ARCHIVE_ENTITIES, MANIFEST_BYTES } from '../../knowledge/archive-manifest.ts';
import type { App, HttpContext } from '../app.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { json, problems } from '../kernel/shared.ts';
import { SAFE, send } from '../kernel/stream-bytes.ts';
import { badArchive, withUpload, zip } from './archive.ts';
import { bodiesOf, callerOf, committed, entityParams, etag, toWireEntity } from './entities.ts';
import { toProblem } from './knowledge-problems.ts';

const tags = ['knowledge'];

export function projectArchiveRoutes(app: App, context: HttpContext): void {
  const { knowledge, config, log } = context;
  const kindOf = (name: string) => knowledge.kinds.find(({ kind }) => kind === name)!;

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/projects/{entity_id}/archive',
      tags,
      summary: 'Download a project as one archive',
      description:
        'A zip: `project.json` has the entities, the links between them, the order of the documents and the history of the versions; ' +
        '`docs/…` are the documents, `files/…` the project’s other files. Everything in it is from the same moment.',
      request: { params: entityParams },
      responses: { 200: { description: 'The zip', content: zip }, ...problems(400, 404, 410, 422) },
    }),
    async (c) => {
      const { workspaceId, db } = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const archive = await exportProject(db, workspaceId, entity_id).catch((error: unknown) => {
        throw toProblem(error, context);
      });
      const headers = {
        ...SAFE,
        'content-type': 'application/zip',
        'content-disposition': disposition(`${archive.name}.zip`),
        'cache-control': 'private, no-store',
      };
      return send(c, { status: 200, headers, log }, () => archive.stream());
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/workspaces/{id}/projects/import',
      tags,
      summary: 'Create a project from an archive',
      description:
        `All or nothing. Entities keep their ids where these are free. At most ${ARCHIVE_ENTRIES} entries, ${ARCHIVE_BYTES} bytes, ` +
        `${UNPACKED_BYTES} bytes unpacked, ${MANIFEST_BYTES} bytes of \`project.json\`, ${ARCHIVE_ENTITIES} entities and ${ARCHIVE_EDGES} links.`,
      request: { params: workspaceParam, body: { required: true, content: zip } },
      responses: {
        201: json(
          z.object({
            project: bodiesOf(kindOf('project')).entity,
            entitiesCreated: z.array(schemas.entity),
            edgesCreated: z.array(schemas.edge),
          }),
          'The project, and everything that was created',
        ),
        ...problems(400, 404, 410, 413, 422, 503),
      },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const caller = callerOf(c, scope, context);
      const created = await withUpload(c, (file, signal) =>
        importProject(scope.db, caller, file, {
          kinds: knowledge.kinds,
          maxFileBytes: config.maxFileBytes,
          signal,
        }),
      ).catch((error: unknown) => {
        throw error instanceof BadArchive ? badArchive(error) : toProblem(error, context);
      });
      await committed(context, scope.workspaceId, created);
      const answer = {
        project: toWireEntity(kindOf('project'), created.project),
        entitiesCreated: created.entitiesCreated.map((each) => toWireEntity(kindOf(each.kind), each)),
        edgesCreated: created.edgesCreated,
      };
      const location = `/api/v1/workspaces/${scope.workspaceId}/projects/${created.project.id}`;
      return c.json(answer as never, 201, { ...etag(created.project), location });
    },
  );
}
