// Entities of every kind: the routes of each kind follow from its definition.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas } from '@continuo/protocol';
import { authorFor } from '../../files/files.ts';
import { listVersions } from '../../files/versions.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import {
  listEntities,
  listEntityVersions,
  readBoard,
  readEntities,
  RESTORABLE_DAYS,
  type Caller,
  type Change,
  type EntityInput,
} from '../../knowledge/entities.ts';
import type { Changed } from '../../files/files.ts';
import type { Knowledge } from '../../knowledge/knowledge.ts';
import type { Entity, Kind } from '../../knowledge/kind.ts';
import { title } from '../../knowledge/kind.ts';
import { RELATIONS } from '../../knowledge/relations.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { ifMatchVersion } from '../kernel/if-match.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, invalidCursor, json, limitQuery, page, problems, wholeNumber } from '../kernel/shared.ts';
import { toProblem } from './knowledge-problems.ts';

const tags = ['knowledge'];
export const entityParams = workspaceParam.extend({ entity_id: z.uuid() });
export const ifMatchHeader = z.object({
  'if-match': z.string().optional().openapi({
    description:
      'The version that the change is based on, as in the ETag. If it is not the newest, 412 with the newest entity.',
    example: '"3"',
  }),
});

/** The most characters of a document's content in a JSON body; larger texts are written as files. */
const CONTENT_CHARACTERS = 8 * 1024 * 1024;

/** The bodies of a kind, as the API and the tools take and give them. */
export function bodiesOf(kind: Kind) {
  const id = kind.kind.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const states = Object.keys(kind.states?.transitions ?? {});
  const state = states.length > 0 ? { state: z.enum(states as [string, ...string[]]) } : {};
  const { shape } = kind.fields;
  const content = kind.isFile ? { content: z.string().max(CONTENT_CHARACTERS).optional() } : {};
  const inFile = kind.isFile
    ? {
        path: z.string().meta({ description: 'The path of its file in the workspace.' }),
        content_version: z.int().meta({ description: 'The version of its file.' }),
        content_length: z
          .int()
          .meta({ description: 'The length of the text after the front matter, in bytes.' }),
        content: z.string().optional().meta({ description: 'Only in the response for a single document.' }),
      }
    : {};
  const own = kind.kind === 'project' ? { folder: z.string() } : {};
  return {
    entity: schemas.entityBase
      .extend({
        kind: z.literal(kind.kind),
        [kind.titleField]: z.string(),
        ...state,
        ...shape,
        ...inFile,
        ...own,
      })
      .meta({ id, description: kind.description }),
    creation: z
      .strictObject({
        project_id: kind.hasOptionalProject ? z.uuid().nullish() : z.uuid(),
        [kind.titleField]: title,
        ...(states.length > 0 && { state: z.enum(states as [string, ...string[]]).optional() }),
        ...shape,
        ...content,
        ...(kind.kind === 'document' && {
          parent_id: z.uuid().nullish().meta({ description: 'The document to place it below.' }),
          order: z.int().min(0).max(1_000_000).optional(),
        }),
      })
      .meta({ id: `New${id}` }),
    patch: z
      .strictObject({
        [kind.titleField]: title.optional(),
        ...(states.length > 0 && { state: z.enum(states as [string, ...string[]]).optional() }),
        ...shape,
        ...content,
      })
      .meta({ id: `${id}Patch`, description: 'The fields to change; null clears one.' }),
  };
}

/** An entity with its members in the order of its definition. */
export function toWireEntity(kind: Kind | undefined, entity: Entity): Entity {
  const {
    id,
    project_id,
    version,
    edges,
    created_at,
    updated_at,
    removed_at,
    kind: name,
    ...fields
  } = entity;
  const ordered = kind ? ['name', 'title', 'state', ...Object.keys(kind.fields.shape)] : [];
  const own = Object.fromEntries(ordered.filter((key) => key in fields).map((key) => [key, fields[key]]));
  return {
    id,
    kind: name,
    project_id,
    version,
    ...own,
    ...fields,
    edges,
    created_at,
    updated_at,
    removed_at,
  };
}

export function callerOf(
  c: Context,
  { workspaceId, db, principal }: WorkspaceScope,
  { config }: HttpContext,
): Caller {
  return { client: db, workspaceId, author: authorFor(principal), quotaBytes: config.workspaceBytes };
}

/** Announces a committed change, and waits until the files that it wrote are on disk. */
export async function committed(
  { workspaces }: HttpContext,
  workspaceId: string,
  change: Change & { readonly files?: readonly Changed[] },
): Promise<void> {
  if (change.files?.some(({ kind }) => kind === 'changed'))
    await workspaces.committed(workspaceId, change.files);
  else if (change.changes.length > 0) await workspaces.announce(workspaceId);
}

export const etag = ({ version }: Entity) => ({ etag: `"${version}"` });

export function entityRoutes(app: App, context: HttpContext): void {
  const { knowledge } = context;
  for (const kind of knowledge.kinds) {
    readRoutes(app, context, kind);
    if (kind.kind !== 'project') creationRoute(app, context, kind);
    changeRoutes(app, context, kind);
  }

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/kinds',
      tags,
      summary: 'List the kinds of entities and the relations between them',
      request: { params: workspaceParam },
      responses: {
        200: json(
          z.object({ items: z.array(schemas.entityKind), relations: z.array(schemas.relation) }),
          'The kinds, in the order in which the console shows them',
        ),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      await scopeIn(c);
      const items = knowledge.kinds.toSorted((a, b) => a.console.order - b.console.order).map(toWireKind);
      const relations = Object.entries(RELATIONS).map(([rel, relation]) => ({
        rel,
        ...relation,
        from: relation.from && [...relation.from],
        to: relation.to && [...relation.to],
      }));
      return c.json({ items, relations }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/entities/{entity_id}',
      tags,
      summary: 'Read an entity of any kind',
      request: { params: entityParams },
      responses: { 200: json(schemas.entity, 'The entity'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const read = async (id: string) => (await readEntities(db, workspaceId, [id])).get(id);
      const found = await read(entity_id);
      const project = found?.project_id ? await read(found.project_id) : found;
      if (!found || found.removed_at !== null || project?.removed_at !== null)
        throw toProblem({ what: 'entity', id: entity_id });
      const kind = knowledge.kinds.find((each) => each.kind === found.kind);
      return c.json(toWireEntity(kind, found) as z.infer<typeof schemas.entity>, 200, etag(found));
    },
  );
}

function readRoutes(app: App, { knowledge }: HttpContext, kind: Kind): void {
  const { entity } = bodiesOf(kind);
  const { one, many } = { one: kind.label.one.toLowerCase(), many: kind.label.many.toLowerCase() };
  const path = `/api/v1/workspaces/{id}/${kind.plural}` as const;

  app.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      summary: `List ${many}`,
      description:
        '`as_of` is the change feed’s seq of the same moment: following the feed from there misses nothing.',
      request: {
        params: workspaceParam,
        query: z.object({
          ...(kind.kind !== 'project' && { project_id: z.uuid().optional() }),
          ...(kind.states && { state: z.enum(Object.keys(kind.states.transitions) as [string]).optional() }),
          removed: z
            .enum(['true', 'false'])
            .default('false')
            .openapi({
              description: `\`true\`: those that were removed and can be restored, for ${RESTORABLE_DAYS} days.`,
            }),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: {
        200: json(page(entity).extend({ as_of: z.int() }), `A page of ${many}`),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const query = c.req.valid('query') as {
        project_id?: string;
        state?: string;
        removed: 'true' | 'false';
        after?: string;
        limit: number;
      };
      if (query.after !== undefined && !z.uuid().safeParse(query.after).success)
        throw invalidCursor(query.after, 'is not the `next` of a page.');
      const { db, workspaceId } = await scopeIn(c);
      const found = await listEntities(db, workspaceId, {
        kind: kind.kind,
        projectId: query.project_id,
        state: query.state,
        after: query.after,
        limit: query.limit,
        removed: query.removed === 'true',
      });
      return c.json({ ...found, items: found.items.map((each) => toWireEntity(kind, each)) } as never, 200);
    },
  );

  if (kind.states && kind.kind !== 'project')
    app.openapi(
      createRoute({
        method: 'get',
        path: `${path}/board`,
        tags,
        summary: `List the ${many} of a project by state`,
        request: {
          params: workspaceParam,
          query: z.object({ project_id: z.uuid(), limit: wholeNumber(1, 200).default(50) }),
        },
        responses: {
          200: json(
            z.object({
              columns: z.array(z.object({ state: z.string(), count: z.int(), items: z.array(entity) })),
              as_of: z.int(),
            }),
            'A column for each state, with how many there are and the first of them',
          ),
          ...problems(400, 404, 410),
        },
      }),
      async (c) => {
        const { project_id, limit } = c.req.valid('query');
        const { db, workspaceId } = await scopeIn(c);
        const project = await knowledge.entities('project').read({ client: db, workspaceId }, project_id);
        if (!project) throw toProblem({ what: 'project', id: project_id });
        const board = await readBoard(db, workspaceId, { kind, projectId: project_id, perColumn: limit });
        const columns = board.columns.map(({ items, ...column }) => ({
          ...column,
          items: items.map((each) => toWireEntity(kind, each)),
        }));
        return c.json({ columns, as_of: board.as_of } as never, 200);
      },
    );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${path}/{entity_id}`,
      tags,
      summary: `Read a ${one}`,
      request: { params: entityParams },
      responses: { 200: json(entity, `The ${one}`), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const reader = { client: db, workspaceId };
      const found = await readWhole(knowledge, kind, reader, entity_id);
      if (!found) throw toProblem({ what: kind.kind, id: entity_id });
      return c.json(toWireEntity(kind, found) as never, 200, etag(found));
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${path}/{entity_id}/versions`,
      tags,
      summary: `List the versions of a ${one}, newest first`,
      description: `Works for a removed ${one}, too.${kind.isFile ? ' They are those of its file.' : ''}`,
      request: {
        params: entityParams,
        query: z.object({ after: z.string().optional(), limit: limitQuery }),
      },
      responses: { 200: json(page(schemas.entityVersion), 'A page of versions'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { after, limit } = c.req.valid('query');
      if (after !== undefined && !/^\d{1,9}$/.test(after))
        throw invalidCursor(after, 'is not the `next` of a page.');
      const { db, workspaceId } = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const reader = { client: db, workspaceId };
      if (!(await knowledge.entities(kind.kind).read(reader, entity_id, { removed: true })))
        throw toProblem({ what: kind.kind, id: entity_id });
      const before = after === undefined ? null : Number(after);
      const versions = kind.isFile
        ? await listVersions(db, entity_id, { ...(before !== null && { before }), limit: limit + 1 })
        : await listEntityVersions(reader, entity_id, { before, limit: limit + 1 });
      const items = versions.slice(0, limit).map((each) => ({
        version: each.version,
        op: each.op,
        author: each.author,
        at: each.at.toISOString(),
        ...('entity' in each && { entity: toWireEntity(kind, each.entity) }),
      }));
      const next = versions.length > limit ? String(items.at(-1)!.version) : null;
      return c.json({ items, next } as never, 200);
    },
  );
}

function creationRoute(app: App, context: HttpContext, kind: Kind): void {
  const { knowledge } = context;
  const { entity, creation } = bodiesOf(kind);
  const one = kind.label.one.toLowerCase();
  app.openapi(
    createRoute({
      method: 'post',
      path: `/api/v1/workspaces/{id}/${kind.plural}`,
      tags,
      summary: `Create a ${one}`,
      middleware: jsonBody(kind.isFile ? { limit: 4 * CONTENT_CHARACTERS } : {}),
      request: { params: workspaceParam, body: body(creation) },
      responses: { 201: json(entity, `The ${one}`), ...problems(400, 404, 409, 410, 413, 415, 422) },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const { project_id, ...input } = c.req.valid('json') as { project_id?: string | null } & EntityInput;
      const caller = callerOf(c, scope, context);
      const work =
        kind.kind === 'document'
          ? knowledge.documents.create(caller, input as never, project_id!)
          : knowledge.entities(kind.kind).create(caller, input, project_id ?? null);
      const change = await work.catch((error: unknown) => {
        throw toProblem(error, context);
      });
      await committed(context, scope.workspaceId, change);
      const made = change.entities[0]!;
      const location = `/api/v1/workspaces/${scope.workspaceId}/${kind.plural}/${made.id}`;
      return c.json(toWireEntity(kind, made) as never, 201, { ...etag(made), location });
    },
  );
}

function changeRoutes(app: App, context: HttpContext, kind: Kind): void {
  const { knowledge } = context;
  const { entity, patch } = bodiesOf(kind);
  const one = kind.label.one.toLowerCase();
  const path = `/api/v1/workspaces/{id}/${kind.plural}/{entity_id}` as const;
  const withIt =
    { project: ' with all that is in it', document: ' with all that is below it' }[kind.kind] ?? '';

  app.openapi(
    createRoute({
      method: 'patch',
      path,
      tags,
      summary: `Change a ${one}`,
      middleware: jsonBody(kind.isFile ? { limit: 4 * CONTENT_CHARACTERS } : {}),
      request: { params: entityParams, headers: ifMatchHeader, body: body(patch) },
      responses: { 200: json(entity, `The ${one}`), ...problems(400, 404, 409, 410, 412, 413, 415, 422) },
    }),
    async (c) => {
      const expected = ifMatchVersion(c);
      const scope = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const input = c.req.valid('json') as EntityInput;
      const caller = callerOf(c, scope, context);
      const change = await serviceOf(knowledge, kind)
        .update(caller, entity_id, input, expected)
        .catch((error: unknown) => {
          throw toProblem(error, context);
        });
      await committed(context, scope.workspaceId, change);
      const now = change.entities[0]!;
      return c.json(toWireEntity(kind, now) as never, 200, etag(now));
    },
  );

  app.openapi(
    createRoute({
      method: 'delete',
      path,
      tags,
      summary: `Remove a ${one}${withIt}`,
      description: `It can be restored for ${RESTORABLE_DAYS} days.`,
      request: { params: entityParams, headers: ifMatchHeader },
      responses: { 200: json(entity, `The removed ${one}`), ...problems(400, 404, 409, 410, 412, 422) },
    }),
    async (c) => {
      const expected = ifMatchVersion(c);
      const scope = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const caller = callerOf(c, scope, context);
      const change = await serviceOf(knowledge, kind)
        .delete(caller, entity_id, expected)
        .catch((error: unknown) => {
          throw toProblem(error, context);
        });
      await committed(context, scope.workspaceId, change);
      const now = change.entities[0]!;
      return c.json(toWireEntity(kind, now) as never, 200, etag(now));
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${path}/restore`,
      tags,
      summary: `Restore a removed ${one}${withIt}`,
      request: { params: entityParams },
      responses: {
        200: json(
          withIt === '' ? entity : entity.extend({ skipped: z.array(schemas.skippedFile) }),
          `The ${one}${withIt === '' ? '' : ', and the files that stay removed because their paths are taken'}`,
        ),
        ...problems(400, 404, 409, 410, 422),
      },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const { entity_id } = c.req.valid('param');
      const caller = callerOf(c, scope, context);
      const change = await serviceOf(knowledge, kind)
        .restore(caller, entity_id)
        .catch((error: unknown) => {
          throw toProblem(error, context);
        });
      await committed(context, scope.workspaceId, change);
      const now = change.entities[0]!;
      const skipped = withIt === '' ? {} : { skipped: ('skipped' in change && change.skipped) || [] };
      return c.json({ ...toWireEntity(kind, now), ...skipped } as never, 200, etag(now));
    },
  );
}

type Changing = Pick<ReturnType<Knowledge['entities']>, 'update' | 'delete' | 'restore'>;

function serviceOf(knowledge: Knowledge, kind: Kind): Changing {
  const service = knowledge.entities(kind.kind);
  if (kind.kind === 'document') return knowledge.documents;
  if (kind.kind !== 'project') return service;
  return { ...knowledge.projects, update: (...given) => service.update(...given) };
}

/** With the content of its file, if it is one. */
function readWhole(
  knowledge: Knowledge,
  { kind }: Kind,
  reader: Pick<Caller, 'client' | 'workspaceId'>,
  id: string,
): Promise<Entity | null> {
  if (kind === 'document') return knowledge.documents.read(reader, id);
  if (kind === 'plan') return knowledge.plans.readWithContent(reader, id);
  return knowledge.entities(kind).read(reader, id);
}

function toWireKind(kind: Kind): z.infer<typeof schemas.entityKind> {
  const { kind: name, plural, label, description, titleField, fields, states, console: place, isFile } = kind;
  return {
    kind: name,
    plural,
    label,
    description,
    title_field: titleField,
    fields: z.toJSONSchema(fields, { target: 'draft-7', io: 'input' }),
    states: states && {
      initial: states.initial,
      transitions: Object.fromEntries(
        Object.entries(states.transitions).map(([state, to]) => [state, [...to]]),
      ),
    },
    columns: [...place.columns],
    is_file: isFile === true,
  };
}
