// Content, for those who read it: what a workspace has published, as JSON, RSS and a sitemap, and the files that it shows. Answers
// are cached in memory until something of the workspace changes, and never for longer than `FRESH_MS`.

import { createHash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas } from '@continuo/protocol';
import { readDraft, type Place } from '../../content/draft.ts';
import { isPreviewToken } from '../../content/preview.ts';
import { isAsset, listPublished, readPublished } from '../../content/publishing.ts';
import { readSite, toRss, toSitemap } from '../../content/site.ts';
import { readContentTypes } from '../../content/content-type.ts';
import { readWhole } from '../../files/content.ts';
import { readFile } from '../../files/files.ts';
import { FILES_CHANGED } from '../../files/topics.ts';
import { readVersion } from '../../files/versions.ts';
import type { App, HttpContext } from '../app.ts';
import { contentType } from '../kernel/media-type.ts';
import { Problem } from '../kernel/problem.ts';
import { cachedScopeIn, cachedScopeNamed, workspaceParam } from '../kernel/scope.ts';
import { invalidCursor, json, notFound, page, problems, wholeNumber } from '../kernel/shared.ts';
import { ifNoneMatches } from './files.ts';
import { asProblem, slugParam, toPlace, toWirePublished, typeParam } from './content.ts';

const tags = ['content'];
const CONTENT = '/api/v1/content/{id}';
/** How long an answer is used again, and the most answers that are kept. */
const FRESH_MS = 5000;
const KEPT = 1000;
/** The most pieces of all types in a sitemap, and in RSS. */
const SITEMAP = 10_000;
const RSS = 50;

interface Answer {
  readonly workspaceId: string;
  readonly body: string;
  readonly type: string;
  readonly etag: string;
  readonly until: number;
}

export function publicContentRoutes(app: App, { bus, config, personToken }: HttpContext): void {
  const answers = new Map<string, Answer>();
  /** Counts the changes: an answer that was being made meanwhile may be out of date, and is not kept. */
  let changes = 0;
  bus.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => {
      changes += 1;
      for (const [url, answer] of answers) if (answer.workspaceId === workspaceId) answers.delete(url);
    },
    rescan: () => {
      changes += 1;
      answers.clear();
    },
  });

  /** The workspace in the URL, if the reader may read its content. Pages of other sites may read what is public. */
  const readerIn = async (c: Context): Promise<Place> => {
    const refusal = c.get('refusal');
    const scope = await cachedScopeIn(c).catch((error: unknown) => {
      throw refusal ?? error;
    });
    if (await isPublic(c, scope.workspaceId)) {
      c.header('access-control-allow-origin', '*');
      c.header('cross-origin-resource-policy', 'cross-origin');
    } else if (refusal) throw refusal;
    return toPlace(scope);
  };
  const isPublic = async (c: Context, workspaceId: string): Promise<boolean> => {
    for (const name of config.publicContent)
      if (name === '*' || (await cachedScopeNamed(c, name))?.workspaceId === workspaceId) return true;
    return false;
  };

  /** Answers from memory, or with what `make` makes; 304 if the client has it already. */
  const answer = async (
    c: Context,
    type: string,
    make: (place: Place) => Promise<string>,
  ): Promise<never> => {
    const place = await readerIn(c);
    const known = answers.get(c.req.url);
    const fresh =
      known && known.until > performance.now()
        ? known
        : await remember(c.req.url, { workspaceId: place.workspaceId, type }, () => make(place));
    const headers = { etag: fresh.etag, 'cache-control': REVALIDATE, 'content-type': fresh.type };
    if (ifNoneMatches(c, fresh.etag)) return c.body(null, 304, headers) as never;
    // The routes' types know no body that is JSON already.
    return c.body(fresh.body, 200, headers) as never;
  };
  const remember = async (
    url: string,
    about: Pick<Answer, 'workspaceId' | 'type'>,
    make: () => Promise<string>,
  ): Promise<Answer> => {
    const before = changes;
    const body = await make();
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    const made = { ...about, body, etag, until: performance.now() + FRESH_MS };
    if (changes !== before) return made;
    if (answers.size >= KEPT) answers.delete(answers.keys().next().value!);
    answers.set(url, made);
    return made;
  };

  for (const [name, limit, print] of [
    ['rss.xml', RSS, toRss],
    ['sitemap.xml', SITEMAP, toSitemap],
  ] as const)
    app.openapi(
      createRoute({
        method: 'get',
        path: `${CONTENT}/${name}`,
        tags,
        summary:
          name === 'rss.xml'
            ? `The ${RSS} newest articles as RSS`
            : 'The addresses of everything that is published',
        description: 'Addresses are those of the site in `/content/site.yaml`.',
        request: { params: workspaceParam },
        responses: {
          200: { description: 'XML', content: { 'application/xml': { schema: z.string() } } },
          ...problems(400, 404, 410),
        },
      }),
      (c) =>
        answer(
          c,
          name === 'rss.xml' ? 'application/rss+xml; charset=utf-8' : 'application/xml; charset=utf-8',
          async (place) => {
            const types =
              name === 'rss.xml'
                ? ['articles']
                : [...(await readContentTypes(place.client, place.workspaceId)).keys()];
            const lists = await Promise.all(
              types.map((type) => listPublished(place, type, { sort: 'newest', limit })),
            );
            const items = lists.flatMap((list) => list.items).slice(0, limit);
            const api = new URL(`/api/v1/content/${place.workspaceId}`, c.req.url).href;
            return print(items, await readSite(place), api);
          },
        ) as never,
    );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/{type}`,
      tags,
      summary: 'List what is published of a type',
      description: 'Send the `ETag` as `If-None-Match` to get 304 while nothing has changed.',
      request: {
        params: workspaceParam.extend({ type: typeParam }),
        query: z.object({
          tag: z.string().min(1).max(2000).optional(),
          sort: z.enum(['newest', 'oldest', 'title']).default('newest'),
          fields: fieldsQuery,
          limit: wholeNumber(1, 100).default(20),
          after: z.string().max(2000).optional(),
        }),
      },
      responses: {
        200: json(page(schemas.publishedContent), 'Without bodies, unless `fields` names them'),
        304: NOT_MODIFIED,
        ...problems(400, 404, 410),
      },
    }),
    (c) =>
      answer(c, JSON_TYPE, async (place) => {
        const { fields = DEFAULT_FIELDS, after, ...query } = c.req.valid('query');
        const wanted = { ...query, after: after === undefined ? undefined : cursorIn(after) };
        const { items, next } = await listPublished(place, c.req.valid('param').type, wanted);
        const shown = items.map((item) => only(toWirePublished(item), fields));
        return JSON.stringify({ items: shown, next: next && toCursor(next) });
      }),
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/assets/{file}`,
      tags,
      summary: 'Read a file that published content shows',
      request: { params: workspaceParam.extend({ file: z.uuid() }) },
      responses: {
        200: {
          description: 'Its newest content',
          content: { 'application/octet-stream': { schema: z.string() } },
        },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const place = await readerIn(c);
      const id = c.req.valid('param').file;
      const file = (await isAsset(place, id)) ? await readFile(place.client, place.workspaceId, id) : null;
      if (!file || file.removedAt) throw notFound('asset', id);
      const etag = `"${file.hash.toString('base64url')}"`;
      const headers = {
        etag,
        'cache-control': REVALIDATE,
        'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        'x-content-type-options': 'nosniff',
      };
      if (ifNoneMatches(c, etag)) return c.body(null, 304, headers);
      const bytes = await readWhole(
        place.client,
        (await readVersion(place.client, id, file.version))!.chunks,
      );
      return c.body(new Uint8Array(bytes), 200, {
        ...headers,
        'content-type': contentType(file.path, file.isText),
      });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/{type}/{slug}`,
      tags,
      summary: 'Read a published piece',
      description: '`preview` is the token of a preview link: it shows the newest draft instead.',
      request: {
        params: workspaceParam.extend({ type: typeParam, slug: slugParam }),
        query: z.object({ fields: fieldsQuery, preview: z.string().max(100).optional() }),
      },
      responses: {
        200: json(schemas.publishedContent, 'The piece'),
        304: NOT_MODIFIED,
        ...problems(400, 403, 404, 410, 422),
      },
    }),
    async (c) => {
      const { type, slug } = c.req.valid('param');
      const { fields, preview } = c.req.valid('query');
      if (preview !== undefined) return showDraft(c, { type, slug, preview });
      return answer(c, JSON_TYPE, async (place) => {
        const found = await readPublished(place, type, slug);
        if (!found) throw nothingPublished(type, slug);
        const shown = toWirePublished(found);
        return JSON.stringify(fields ? only(shown, fields) : shown);
      });
    },
  );

  async function showDraft(
    c: Context,
    { type, slug, preview }: { type: string; slug: string; preview: string },
  ) {
    // The token is the permission.
    const place = toPlace(await cachedScopeIn(c));
    if (!isPreviewToken(personToken, { workspaceId: place.workspaceId, type, slug }, preview, Date.now()))
      throw new Problem({
        status: 403,
        code: 'preview_invalid',
        detail: 'The preview link is not valid, or has expired. GET …/check makes a new one.',
      });
    const { article, html, file } = await asProblem(readDraft(place, { type, slug }));
    const { title, fields, body: markdown } = article;
    return c.json({ type, slug, title, fields, html, markdown, version: file.version }, 200, {
      'cache-control': 'no-store',
    });
  }
}

const NOT_MODIFIED = { description: 'The client already has it' };
/** Caches keep it, and ask each time whether it has changed. */
const REVALIDATE = 'public, max-age=0, must-revalidate';
const JSON_TYPE = 'application/json; charset=utf-8';
const FIELDS = [
  'type',
  'slug',
  'title',
  'fields',
  'html',
  'markdown',
  'version',
  'first_published_at',
  'published_at',
] as const;
const DEFAULT_FIELDS = FIELDS.filter((field) => field !== 'html' && field !== 'markdown');

const fieldsQuery = z
  .string()
  .max(500)
  .transform((list) => list.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(FIELDS)))
  .optional()
  .openapi({ type: 'string', description: `Some of ${FIELDS.join(', ')}, separated by commas.` });

function only<T extends object>(item: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name))) as Partial<T>;
}

function toCursor(key: readonly [string, string]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

const cursor = z.tuple([z.string(), z.string()]);

function cursorIn(given: string): readonly [string, string] {
  try {
    return cursor.parse(JSON.parse(Buffer.from(given, 'base64url').toString()));
  } catch {
    throw invalidCursor(given, 'is not the `next` of a page.');
  }
}

function nothingPublished(type: string, slug: string): Problem {
  return new Problem({
    status: 404,
    code: 'content_not_found',
    detail: `Nothing is published as ${type}/${slug}.`,
  });
}
