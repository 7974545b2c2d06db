// Content, for those who make it: what there is of each type, whether it can be published, publish now or at a time, unpublish.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type ContentPiece } from '@continuo/protocol';
import { readContentTypes } from '../../content/content-type.ts';
import {
  contentType,
  findPiece,
  listPieces,
  readDraft,
  Unpublishable,
  type Piece,
  type ScheduledPublication,
} from '../../content/draft.ts';
import { previewedFile, previewToken, withPreviews } from '../../content/preview.ts';
import {
  listPublications,
  publish,
  unpublish,
  type Publication,
  type Published,
} from '../../content/publishing.ts';
import { cancelScheduledPublication, MOST_SCHEDULED, schedulePublication } from '../../content/scheduled.ts';
import { announcePublication, CONTENT_SCHEDULED } from '../../content/topics.ts';
import { FILES_CHANGED } from '../../files/topics.ts';
import { toStored } from '../../identity/principal.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { App, HttpContext } from '../app.ts';
import { refusedWrite } from './file-responses.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, invalidField, json, MOST_VERSIONS, page, problems, wholeNumber } from '../kernel/shared.ts';

const tags = ['content'];
const CONTENT = '/api/v1/workspaces/{id}/content';
const PIECE = `${CONTENT}/{type}/{slug}` as const;
export const typeParam = z.string().min(1).max(64).openapi({ example: 'articles' });
export const slugParam = z.string().min(1).max(200).openapi({ example: 'hello-world' });
const pieceParams = workspaceParam.extend({ type: typeParam, slug: slugParam });

export function contentRoutes(app: App, { bus, config, personToken }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: CONTENT,
      tags,
      summary: 'List the content types',
      description: 'Articles and pages, and those of the files `/content/types/*.yaml`.',
      request: { params: workspaceParam },
      responses: { 200: json(page(schemas.contentType), 'All on one page'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const types = await readContentTypes(db, workspaceId);
      return c.json({ items: [...types.values()], next: null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/{type}`,
      tags,
      summary: 'List the pieces of a type, with the live version of each',
      request: { params: workspaceParam.extend({ type: typeParam }) },
      responses: {
        200: json(page(schemas.contentPiece), 'By slug, at most 1,000 files, all on one page'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const place = await placeIn(c);
      const type = await asProblem(contentType(place, c.req.valid('param').type));
      const items = (await listPieces(place, type)).map((piece) => toWirePiece(type.name, piece));
      return c.json({ items, next: null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${PIECE}/check`,
      tags,
      summary: 'Check a piece: how it would be published, and its problems',
      request: {
        params: pieceParams,
        query: z.object({ version: wholeNumber(1, MOST_VERSIONS).optional() }),
      },
      responses: {
        200: json(schemas.contentCheck, 'The piece, rendered'),
        ...problems(400, 404, 410, 422),
      },
    }),
    async (c) => {
      const place = await placeIn(c);
      const { type, slug } = c.req.valid('param');
      const draft = await asProblem(readDraft(place, { type, slug, ...c.req.valid('query') }));
      const { workspaceId } = place;
      const now = Date.now();
      const token = previewToken(personToken, { workspaceId, names: [type, slug] }, now);
      const { article, file, shown } = draft;
      const { html, fields } = withPreviews({ html: draft.html, fields: article.fields }, shown, (each) =>
        previewToken(personToken, previewedFile(workspaceId, each.id, each.version), now),
      );
      return c.json(
        {
          type,
          slug,
          html,
          markdown: article.body,
          title: article.title,
          fields,
          version: file.version,
          words: article.body.split(/\s+/).filter((word) => /\p{L}|\p{N}/u.test(word)).length,
          problems: [...draft.problems],
          warnings: [...draft.warnings],
          files: shown.map(({ id, version, path }) => ({ file_id: id, version, path })),
          preview: `/api/v1/content/${workspaceId}/${type}/${slug}?preview=${token}`,
        },
        200,
      );
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${PIECE}/publish`,
      tags,
      summary: 'Publish a version of a piece',
      description:
        'Readers get a copy of this version. Later edits of the file are not live until it is published again.',
      middleware: jsonBody(),
      request: {
        params: pieceParams,
        body: body(
          z
            .strictObject({ version: z.int().min(1).max(MOST_VERSIONS).optional() })
            .openapi('PublishContent', { description: 'Without a version, the newest one.' }),
          false,
        ),
      },
      responses: {
        200: json(schemas.publishedContent, 'What is live now'),
        ...problems(400, 404, 409, 410, 413, 415, 422, 507),
      },
    }),
    async (c) => {
      const { type, slug } = c.req.valid('param');
      const { version } = c.req.valid('json');
      return c.json(await publishNow(await scopeIn(c), { type, slug, version }), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${PIECE}/publications`,
      tags,
      summary: 'List which version of a piece was live when',
      request: { params: pieceParams },
      responses: {
        200: json(page(schemas.publication), 'Newest first, at most 100, all on one page'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const place = await placeIn(c);
      const { type, slug } = c.req.valid('param');
      const { file } = await asProblem(findPiece(place, type, slug));
      const items = await listPublications(place, type, { slug, fileId: file.id });
      return c.json({ items: items.map(toWirePublication), next: null }, 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${PIECE}/restore`,
      tags,
      summary: 'Publish an earlier live version again',
      description:
        'Without a version, the last live one before the current one. The file stays as it is; …/publish publishes it again.',
      middleware: jsonBody(),
      request: {
        params: pieceParams,
        body: body(
          z.strictObject({ version: z.int().min(1).max(MOST_VERSIONS).optional() }).openapi('RestoreContent'),
          false,
        ),
      },
      responses: {
        200: json(schemas.publishedContent, 'What is live now'),
        ...problems(400, 404, 409, 410, 413, 415, 422, 507),
      },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const place = toPlace(scope);
      const { type, slug } = c.req.valid('param');
      const { version: wanted } = c.req.valid('json');
      const { file } = await asProblem(findPiece(place, type, slug));
      const all = await listPublications(place, type, { slug, fileId: file.id });
      const live = all.find(({ until }) => until === null)?.version;
      const before = all.find(({ version }) =>
        wanted === undefined ? version !== live : version === wanted,
      );
      if (!before) throw neverLive(`${type}/${slug}`, wanted);
      return c.json(await publishNow(scope, { type, slug, version: before.version }), 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${PIECE}/unpublish`,
      tags,
      summary: 'Unpublish a piece',
      description: 'Its file stays; a publication that waits for its time is canceled. Idempotent.',
      request: { params: pieceParams },
      responses: { 204: { description: 'The piece is no longer live' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const place = await placeIn(c);
      const { type, slug } = c.req.valid('param');
      if (await unpublish(place, type, slug)) announcePublication(bus, place.workspaceId);
      return c.body(null, 204);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: `${PIECE}/schedule`,
      tags,
      summary: 'Schedule a version of a piece for publication',
      description:
        'This version is published at `at`, once, by any server that runs then, or by the first that runs after it. It replaces the time that the piece had. ' +
        'Publishing or unpublishing the piece before that cancels it. If the piece cannot be published at its time, `problem` says why.',
      middleware: jsonBody(),
      request: {
        params: pieceParams,
        body: body(
          z
            .strictObject({
              at: z.iso.datetime({ offset: true }),
              version: z.int().min(1).max(MOST_VERSIONS).optional(),
            })
            .openapi('ScheduleContent', { description: 'Without a version, the newest one as it is now.' }),
        ),
      },
      responses: {
        200: json(schemas.scheduledContent, 'The scheduled publications'),
        ...problems(400, 404, 409, 410, 413, 415, 422),
      },
    }),
    async (c) => {
      const scope = await scopeIn(c);
      const place = toPlace(scope);
      const { type, slug } = c.req.valid('param');
      const { at: given, version } = c.req.valid('json');
      const at = timeIn(given);
      const draft = await asProblem(readDraft(place, { type, slug, version }));
      const scheduled = await asProblem(
        schedulePublication(place, draft, { at, by: toStored(scope.principal) }),
      );
      if (!scheduled) throw tooMany();
      announceSchedule(place.workspaceId);
      return c.json(toWireScheduled(scheduled), 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'delete',
      path: `${PIECE}/schedule`,
      tags,
      summary: 'Cancel the scheduled publication of a piece',
      description: 'The live version stays. Idempotent.',
      request: { params: pieceParams },
      responses: { 204: { description: 'The piece is no longer scheduled' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const place = await placeIn(c);
      const { type, slug } = c.req.valid('param');
      if (await cancelScheduledPublication(place, type, slug)) announceSchedule(place.workspaceId);
      return c.body(null, 204);
    },
  );

  async function publishNow(
    { db: client, workspaceId, principal }: WorkspaceScope,
    piece: { readonly type: string; readonly slug: string; readonly version?: number | undefined },
  ) {
    const draft = await asProblem(readDraft({ client, workspaceId }, piece));
    const quotaBytes = config.workspaceBytes;
    const publisher = { client, workspaceId, by: toStored(principal), quotaBytes };
    const published = await asProblem(publish(publisher, draft)).catch((error: unknown) => {
      throw refusedWrite(error, quotaBytes);
    });
    announcePublication(bus, workspaceId);
    return toWirePublished(published);
  }

  /** Screens read again, and pods look when they are needed next. */
  function announceSchedule(workspaceId: string): void {
    void bus.publish(FILES_CHANGED, { workspaceId });
    void bus.publish(CONTENT_SCHEDULED, null);
  }
}

/** The furthest time of a publication, in days. */
const FURTHEST_DAYS = 5 * 366;

function timeIn(given: string): Date {
  const at = new Date(given);
  const ahead = at.getTime() - Date.now();
  if (ahead <= 0) throw invalidField('at', 'must be a time in the future; to publish now, use …/publish');
  if (ahead > FURTHEST_DAYS * 86_400_000) throw invalidField('at', 'must be within the next five years');
  return at;
}

function neverLive(piece: string, version: number | undefined): Problem {
  return new Problem({
    status: 404,
    code: 'publication_not_found',
    detail:
      version === undefined
        ? `No other version of ${piece} was live before.`
        : `Version ${version} of ${piece} was never live; …/publish publishes it.`,
  });
}

function tooMany(): Problem {
  return new Problem({
    status: 409,
    code: 'too_many_scheduled',
    detail: `At most ${MOST_SCHEDULED} pieces of a workspace can wait for their time; cancel one first.`,
  });
}

async function placeIn(c: Context) {
  return toPlace(await scopeIn(c));
}

export function toPlace({ db, workspaceId }: WorkspaceScope) {
  return { client: db, workspaceId };
}

export function toWirePublished(published: Published) {
  const { type, slug, title, fields, html, body: markdown, version } = published;
  return {
    type,
    slug,
    title,
    fields,
    html,
    markdown,
    version,
    first_published_at: published.firstPublishedAt.toISOString(),
    published_at: published.publishedAt.toISOString(),
  };
}

function toWirePublication({ at, until, by: { kind, name, run }, ...rest }: Publication) {
  return {
    ...rest,
    at: at.toISOString(),
    until: until?.toISOString() ?? null,
    by: { kind, ...(name !== undefined && { name }), ...(run !== undefined && { run }) },
  };
}

function toWireScheduled({ version, title, at, problem }: ScheduledPublication) {
  return { version, title, at: at.toISOString(), problem };
}

function toWirePiece(type: string, { slug, title, file, live, scheduled }: Piece): ContentPiece {
  const state = !file ? 'removed' : !live ? 'draft' : live.version === file.version ? 'published' : 'changed';
  return {
    type,
    slug,
    title,
    state,
    path: file?.path ?? null,
    file_id: file?.id ?? null,
    version: file?.version ?? null,
    live: live && { version: live.version, title: live.title, published_at: live.publishedAt.toISOString() },
    scheduled: scheduled && toWireScheduled(scheduled),
    changed_at: file?.changedAt.toISOString() ?? null,
  };
}

const STATUS = {
  content_not_found: 404,
  content_type_not_found: 404,
  content_invalid: 422,
  slug_taken: 409,
} as const;

export async function asProblem<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof Unpublishable)) throw error;
    const { code, message, problems: all } = error;
    const detail = message.endsWith('.') ? message : `${message}.`;
    throw new Problem({ status: STATUS[code], code, detail, extra: { problems: all } });
  });
}
