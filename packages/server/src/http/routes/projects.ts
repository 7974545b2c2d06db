// Projects, the structure of their documents, and edges between entities.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { link, listLinks, unlink } from '../../knowledge/edges.ts';
import { readEntities } from '../../knowledge/entities.ts';
import type { NewProject } from '../../knowledge/projects.ts';
import { findByPath, readStructure } from '../../knowledge/structure.ts';
import { text, TEXT_CHARACTERS, title } from '../../knowledge/kind.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { ifMatchVersion } from '../kernel/if-match.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, json, problems } from '../kernel/shared.ts';
import {
  bodiesOf,
  callerOf,
  committed,
  entityParams,
  etag,
  ifMatchHeader,
  toWireEntity,
} from './entities.ts';
import { toProblem } from './knowledge-problems.ts';

const tags = ['knowledge'];
const root = '/api/v1/workspaces/{id}';
/** The most goals, and the most tasks, that come with a new project. */
const TOGETHER = 100;

export function projectRoutes(app: App, context: HttpContext): void {
  const { knowledge } = context;
  const kindOf = (name: string) => knowledge.kinds.find(({ kind }) => kind === name)!;
  const part = (name: string) => bodiesOf(kindOf(name)).creation.omit({ project_id: true });
  const listed = (name: string) =>
    z.array(z.union([title.transform((given) => ({ title: given })), part(name)])).max(TOGETHER);
  const document = bodiesOf(kindOf('document')).entity;

  const newProject = z
    .strictObject({
      name: title,
      purpose: text(TEXT_CHARACTERS)
        .optional()
        .meta({ description: 'In your own words; it is the text of the context document.' }),
      goals: listed('goal').optional(),
      tasks: z
        .array(
          z.union([
            title.transform((given) => ({ title: given })),
            part('task').extend({
              goal: z
                .int()
                .min(0)
                .optional()
                .meta({ description: 'The goal that it supports: its number in `goals`, from 0.' }),
            }),
          ]),
        )
        .max(TOGETHER)
        .optional(),
    })
    .meta({ id: 'NewProject' });

  app.openapi(
    createRoute({
      method: 'post',
      path: `${root}/projects`,
      tags,
      summary: 'Create a project, with a context document and what else is given, in one transaction',
      middleware: jsonBody(),
      request: { params: workspaceParam, body: body(newProject) },
      responses: {
        201: json(
          z.object({
            project: bodiesOf(kindOf('project')).entity,
            entitiesCreated: z.array(schemas.entity),
            edgesCreated: z.array(schemas.edge),
          }),
          'The project, and everything that was created',
        ),
        ...problems(400, 404, 409, 410, 413, 415, 422),
      },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const input = c.req.valid('json') as NewProject;
      const created = await knowledge.projects
        .create(callerOf(c, scope, context), input)
        .catch((error: unknown) => {
          throw toProblem(error, context);
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

  app.openapi(
    createRoute({
      method: 'get',
      path: `${root}/projects/{entity_id}/doc-structure`,
      tags,
      summary: 'Read the structure of a project’s documents',
      description:
        'With `include=metadata` also the title, description and length of each document, of the same moment.',
      request: { params: entityParams, query: z.object({ include: z.enum(['metadata']).optional() }) },
      responses: {
        200: json(
          schemas.docStructure.extend({
            documents: z.array(schemas.documentMetadata).optional(),
            as_of: z.int(),
          }),
          'The structure',
        ),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const read = await readStructure(db, workspaceId, entity_id);
      if (!read) throw toProblem({ what: 'project', id: entity_id });
      const { structure, documents, as_of } = read;
      const metadata = c.req.valid('query').include === 'metadata' ? { documents } : {};
      return c.json({ ...structure, ...metadata, as_of } as never, 200, { etag: `"${structure.version}"` });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${root}/projects/{entity_id}/document-by-path`,
      tags,
      summary: 'Find a document by the titles above it',
      description:
        'The path of a document, such as `Research/Market/Competitors`, or the end of it if only one document has that end.',
      request: { params: entityParams, query: z.object({ path: z.string().min(1).max(2000) }) },
      responses: { 200: json(document, 'The document'), ...problems(400, 404, 409, 410) },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const { entity_id: projectId } = c.req.valid('param');
      const { path } = c.req.valid('query');
      const reader = { client: db, workspaceId };
      if (!(await knowledge.entities('project').read(reader, projectId)))
        throw toProblem({ what: 'project', id: projectId });
      const found = await findByPath(db, { workspaceId, projectId, path });
      if (found.kind === 'ambiguous')
        throw new Problem({
          status: 409,
          code: 'ambiguous_path',
          detail: `Several documents end with ${path}: ${found.paths.join(', ')}. Name more of the path.`,
          extra: { paths: found.paths },
        });
      const entity = found.kind === 'found' ? await knowledge.documents.read(reader, found.id) : null;
      if (!entity)
        throw new Problem({
          status: 404,
          code: 'document_not_found',
          detail: `There is no document ${path} in this project.${suggest(found.kind === 'not_found' ? found.similar : [])}`,
          extra: { suggestions: found.kind === 'not_found' ? found.similar : [] },
        });
      return c.json(toWireEntity(kindOf('document'), entity) as never, 200, etag(entity));
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${root}/documents/{entity_id}/move`,
      tags,
      summary: 'Move a document in its project’s structure, with everything below it',
      description: 'Its file and the folder of its children move too, where the parent changes.',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: entityParams, headers: ifMatchHeader, body: body(schemas.documentMove) },
      responses: { 200: json(document, 'The document'), ...problems(400, 404, 409, 410, 412, 413, 415, 422) },
    }),
    async (c) => {
      const expected = ifMatchVersion(c);
      const scope = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const change = await knowledge.documents
        .move(callerOf(c, scope, context), entity_id, c.req.valid('json'), expected)
        .catch((error: unknown) => {
          throw toProblem(error, context);
        });
      await committed(context, scope.workspaceId, change);
      const now = change.entities[0]!;
      return c.json(toWireEntity(kindOf('document'), now) as never, 200, etag(now));
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${root}/edges`,
      tags,
      summary: 'Link two entities',
      description: 'GET …/kinds lists the relations, and which kinds they link.',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: workspaceParam, body: body(schemas.newEdge) },
      responses: { 201: json(schemas.edge, 'The edge'), ...problems(400, 404, 410, 413, 415, 422) },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const change = await link(callerOf(c, scope, context), c.req.valid('json')).catch((error: unknown) => {
        throw toProblem(error, context);
      });
      await committed(context, scope.workspaceId, change);
      return c.json(change.edge, 201);
    },
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path: `${root}/edges/{edge_id}`,
      tags,
      summary: 'Remove the link between two entities',
      request: { params: workspaceParam.extend({ edge_id: z.uuid() }) },
      responses: { 204: { description: 'The edge is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const change = await unlink(callerOf(c, scope, context), c.req.valid('param').edge_id).catch(
        (error: unknown) => {
          throw toProblem(error, context);
        },
      );
      await committed(context, scope.workspaceId, change);
      return c.body(null, 204);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${root}/entities/{entity_id}/edges`,
      tags,
      summary: 'List an entity’s links, both ways',
      request: { params: entityParams },
      responses: {
        200: json(z.object({ items: z.array(schemas.link), as_of: z.int() }), 'The links, as of one moment'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      if (!(await readEntities(db, workspaceId, [entity_id])).has(entity_id))
        throw toProblem({ what: 'entity', id: entity_id });
      const { items, as_of } = await listLinks(db, workspaceId, entity_id);
      return c.json({ items: [...items], as_of }, 200);
    },
  );
}

function suggest(paths: readonly string[]): string {
  return paths.length === 0
    ? ' GET …/doc-structure lists the documents.'
    : ` Did you mean ${paths.join(' or ')}?`;
}
