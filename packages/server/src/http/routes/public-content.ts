// Content, for those who read it: what a workspace has published, as JSON, RSS and a sitemap, and the files that it shows. Answers
// are cached in memory until something of the workspace changes, and never for longer than `FRESH_MS`.

import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import { schemas } from '@continuo/protocol';
import { contentType as typeNamed, readDraft, Unpublishable, type Place } from '../../content/draft.ts';
import { isPreviewToken, previewedFile, previewToken, withPreviews } from '../../content/preview.ts';
import {
  BadQuery,
  listNewest,
  listPublished,
  OPERATORS,
  type Cursor,
  type Filter,
  type Operator,
} from '../../content/published-list.ts';
import { findShownFile, readPublished } from '../../content/publishing.ts';
import { isReadKey } from '../../content/read-keys.ts';
import { readSite, toRss, toSitemap } from '../../content/site.ts';
import { readChunks } from '../../files/content.ts';
import { FILES_CHANGED } from '../../files/topics.ts';
import { readVersion } from '../../files/versions.ts';
import { mayUse } from '../../identity/principal.ts';
import type { App, HttpContext } from '../app.ts';
import { addressOf } from '../kernel/address.ts';
import { contentType } from '../kernel/media-type.ts';
import { secretIn } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { cachedScopeIn, cachedScopeNamed, workspaceParam } from '../kernel/scope.ts';
import { invalidCursor, json, MOST_VERSIONS, notFound, problems, wholeNumber } from '../kernel/shared.ts';
import { SAFE } from '../kernel/stream-bytes.ts';
import { ifNoneMatches, sendFile } from './files.ts';
import { asProblem, slugParam, toPlace, toWirePublished, typeParam } from './content.ts';

const tags = ['content'];
const CONTENT = '/api/v1/content/{id}';
/** How long an answer is used again, and the most answers, and bytes of them, that are kept. */
const FRESH_MS = 5000;
const KEPT = 1000;
const KEPT_BYTES = 32 * 1024 * 1024;
/** The most pieces of all types in a sitemap, and in RSS. */
const SITEMAP = 10_000;
const RSS = 50;
/** The most pieces on a page of a list, and on one with bodies. */
const PAGE = 100;
const PAGE_OF_BODIES = 20;
/** The most conditions in one query. */
const FILTERS = 10;

interface Answer {
  readonly workspaceId: string;
  /** A string leaves with the headers in one write; a buffer needs a second one, which costs a fifth of the answer's CPU. */
  readonly body: string;
  readonly bytes: number;
  readonly type: string;
  readonly etag: string;
  readonly until: number;
}

type AppContext = Context<{ Bindings: HttpBindings }>;

/**
 * For what anybody may read, and for what a page has a read key for: unlike a cookie, it must know the key to send it. Set on the
 * raw response, so that problems and files have it too.
 */
function openToAnyPage(c: AppContext): void {
  const { outgoing } = c.env;
  outgoing.setHeader('access-control-allow-origin', '*');
  outgoing.setHeader('access-control-expose-headers', 'accept-ranges, content-range, etag, retry-after');
  outgoing.setHeader('cross-origin-resource-policy', 'cross-origin');
}

export function publicContentRoutes(
  app: App,
  { bus, config, personToken, readKeys, log }: HttpContext,
): void {
  const answers = new LRUCache<string, Answer>({
    max: KEPT,
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 1000,
  });
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

  const isPublic = async (c: Context, workspaceId: string): Promise<boolean> => {
    for (const name of config.publicContent)
      if (name === '*' || (await cachedScopeNamed(c, name))?.workspaceId === workspaceId) return true;
    return false;
  };
  /** Lets any page read the answer if the content is public, or if the page has a read key for it; null if neither. */
  const openFor = async (c: AppContext, workspaceId: string): Promise<'public' | 'private' | null> => {
    const isOpen = await isPublic(c, workspaceId);
    if (!isOpen && !(await readKeys.opens(workspaceId, secretIn(c) ?? ''))) return null;
    openToAnyPage(c);
    return isOpen ? 'public' : 'private';
  };
  /** Refuses a reader who may not read the workspace's content; the result says whose caches may keep the answer. */
  const admit = async (c: AppContext, workspaceId: string): Promise<'public' | 'private'> => {
    const cache = await openFor(c, workspaceId);
    if (cache) return cache;
    const refusal = refusalOf(c);
    if (refusal) throw refusal;
    if (isReadKey(secretIn(c) ?? '')) throw readKeyRefused();
    return 'private';
  };
  /** The workspace in the URL. One that does not exist is answered like one that the reader may not read. */
  const placeIn = async (c: AppContext): Promise<Place> =>
    toPlace(
      await cachedScopeIn(c).catch((error: unknown) => {
        throw refusalOf(c) ?? error;
      }),
    );

  /** Past the framework: most requests are answered from memory, and this is most of their cost. */
  const respond = (
    c: AppContext,
    { etag, type, body, bytes }: Answer,
    cache: 'public' | 'private',
  ): Response => {
    const headers = { etag, 'cache-control': `${cache}, ${REVALIDATE}` };
    const { outgoing } = c.env;
    if (ifNoneMatches(c, etag)) outgoing.writeHead(304, headers).end();
    else
      outgoing
        .writeHead(200, { ...headers, 'content-type': type, 'content-length': bytes })
        .end(c.req.method === 'HEAD' ? undefined : body);
    return RESPONSE_ALREADY_SENT;
  };
  /** Answers with what `make` makes, or has made; 304 if the client has it already. */
  const answer = async (
    c: AppContext,
    type: string,
    make: (place: Place) => Promise<string>,
  ): Promise<never> => {
    const place = await placeIn(c);
    const admitted = await admit(c, place.workspaceId);
    const before = changes;
    const body = await make(place);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
    const until = performance.now() + FRESH_MS;
    const made = { workspaceId: place.workspaceId, type, body, bytes: Buffer.byteLength(body), etag, until };
    if (changes === before) answers.set(addressOf(c), made);
    // The routes' types know no body that is JSON already.
    return respond(c, made, admitted) as never;
  };

  // Before anything of the request is checked: an answer is kept only for an address that was.
  app.use('/api/v1/content/:id/*', async (c, next) => {
    const known = answers.get(addressOf(c));
    const isUsable =
      known !== undefined && known.until > performance.now() && mayUse(c.get('principal'), known.workspaceId);
    if (!isUsable || (c.req.method !== 'GET' && c.req.method !== 'HEAD')) {
      // The page of a site may read what is wrong with a request that is refused before its route is asked.
      const scope = await cachedScopeIn(c).catch(() => null);
      if (scope) await openFor(c, scope.workspaceId);
      return next();
    }
    return respond(c, known, await admit(c, known.workspaceId));
  });

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/rss.xml`,
      tags,
      summary: `The ${RSS} newest pieces of a type as RSS`,
      description: 'Addresses are those of the site in `/content/site.yaml`.',
      request: { params: workspaceParam, query: z.strictObject({ type: typeParam.default('articles') }) },
      responses: { 200: XML, 304: NOT_MODIFIED, ...problems(400, 401, 403, 404, 410) },
    }),
    (c) =>
      answer(c, 'application/rss+xml; charset=utf-8', async (place) => {
        const { name } = await typeIn(place, c.req.valid('query').type);
        const items = await listNewest(place, { type: name, limit: RSS, bodies: true });
        return toRss(items, (await readSite(place)).site, apiOf(c, place));
      }) as never,
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/sitemap.xml`,
      tags,
      summary: 'The sitemap of all published pieces',
      description: 'Addresses are those of the site in `/content/site.yaml`.',
      request: { params: workspaceParam },
      responses: { 200: XML, 304: NOT_MODIFIED, ...problems(400, 401, 403, 404, 410) },
    }),
    (c) =>
      answer(c, 'application/xml; charset=utf-8', async (place) => {
        const items = await listNewest(place, { limit: SITEMAP, bodies: false });
        return toSitemap(items, (await readSite(place)).site, apiOf(c, place));
      }) as never,
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/{type}`,
      tags,
      summary: 'List the published pieces of a type',
      description:
        'Send the `ETag` as `If-None-Match` to get 304 while nothing has changed. Further parameters are conditions on fields, ' +
        `all of which must hold: \`fields.author=Ann\`, \`fields.minutes[lte]=30\`; the comparisons are ${OPERATORS.join(', ')}.`,
      request: {
        params: workspaceParam.extend({ type: typeParam }),
        query: z.looseObject({
          tag: z.string().min(1).max(2000).optional(),
          sort: z.string().min(1).max(65).default('newest').openapi({
            description: '`newest`, `oldest` or a field, such as `title`; `-title` reverses the order.',
          }),
          fields: fieldsQuery,
          limit: wholeNumber(1, PAGE)
            .optional()
            .openapi({ description: `20 by default; with bodies at most ${PAGE_OF_BODIES}.` }),
          after: z.string().max(4000).optional(),
        }),
      },
      responses: {
        200: json(
          z.object({
            items: z.array(schemas.publishedContent.partial()),
            total: z.int().openapi({ description: 'How many pieces meet the conditions, on all pages.' }),
            next: z.string().nullable(),
          }),
          'Without bodies, unless `fields` names them',
        ),
        304: NOT_MODIFIED,
        ...problems(400, 401, 403, 404, 410),
      },
    }),
    (c) =>
      answer(c, JSON_TYPE, async (place) => {
        const { fields = DEFAULT_FIELDS, after, tag, sort, limit: given } = c.req.valid('query');
        const bodies = fields.some((field) => BODIES.includes(field));
        const limit = given ?? 20;
        if (bodies && limit > PAGE_OF_BODIES)
          throw invalidQuery('limit', `must be at most ${PAGE_OF_BODIES} if fields names html or markdown`);
        const filters = [...(tag === undefined ? [] : [tagged(tag)]), ...filtersIn(c)];
        const type = await typeIn(place, c.req.valid('param').type);
        const query = {
          filters,
          sort,
          limit,
          bodies,
          after: after === undefined ? undefined : cursorIn(after),
        };
        const { items, total, next } = await listPublished(place, type, query).catch(badQuery);
        const shown = items.map((item) => only(toWirePublished(item), fields));
        return JSON.stringify({ items: shown, total, next: next && toCursor(next) });
      }),
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: `${CONTENT}/assets/{file}`,
      tags,
      summary: 'Read a file that published content shows',
      description:
        'In the version `v`, if a published piece shows that, and otherwise in the newest version that one shows. `Range` is supported. ' +
        '`preview` is the token in the address that a draft has for the file.',
      request: {
        params: workspaceParam.extend({ file: z.uuid() }),
        query: z.object({
          v: wholeNumber(1, MOST_VERSIONS).optional(),
          preview: z.string().max(100).optional(),
        }),
      },
      responses: {
        200: { description: 'Its content', content: BYTES },
        206: { description: 'The requested range', content: BYTES },
        304: NOT_MODIFIED,
        ...problems(400, 401, 403, 404, 410, 416),
      },
    }),
    async (c) => {
      const { file: id } = c.req.valid('param');
      const { v, preview } = c.req.valid('query');
      const place = await placeIn(c);
      const isPreview = preview !== undefined && v !== undefined;
      if (isPreview) refuseForged(c, previewedFile(place.workspaceId, id, v), preview);
      const cache = isPreview ? null : await admit(c, place.workspaceId);
      const shown = isPreview ? { version: v } : await findShownFile(place, id, v ?? null);
      const version = shown && (await readVersion(place.client, id, shown.version));
      if (!version) throw notFound('asset', id);
      const freshness = version.version === v ? IMMUTABLE : REVALIDATE;
      return sendFile(c, {
        size: version.size,
        read: (start, end) => readChunks(place.client, version.chunks, start, end),
        log,
        headers: {
          'cache-control': cache === null ? 'no-store' : `${cache}, ${freshness}`,
          ...SAFE,
          etag: `"${version.hash.toString('base64url')}"`,
          'content-type': contentType(version.path, version.isText),
        },
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
        ...problems(400, 401, 403, 404, 410, 422),
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

  /** The token is the permission, and any page may read that it is not valid. */
  function refuseForged(c: AppContext, previewed: Parameters<typeof isPreviewToken>[1], token: string): void {
    openToAnyPage(c);
    if (isPreviewToken(personToken, previewed, token, Date.now())) return;
    throw new Problem({
      status: 403,
      code: 'preview_invalid',
      detail: 'The preview link is not valid, or has expired. GET …/check makes a new one.',
    });
  }

  async function showDraft(
    c: AppContext,
    { type, slug, preview }: { type: string; slug: string; preview: string },
  ) {
    const place = await placeIn(c);
    const { workspaceId } = place;
    refuseForged(c, { workspaceId, names: [type, slug] }, preview);
    const { article, html, file, shown } = await asProblem(readDraft(place, { type, slug }));
    const { title, fields, body: markdown } = article;
    const draft = { type, slug, title, fields, html, markdown, version: file.version };
    const tokenFor = ({ id, version }: (typeof shown)[number]) =>
      previewToken(personToken, previewedFile(workspaceId, id, version), Date.now());
    return c.json(withPreviews(draft, shown, tokenFor), 200, { 'cache-control': 'no-store' });
  }
}

const NOT_MODIFIED = { description: 'The client already has it' };
const XML = { description: 'XML', content: { 'application/xml': { schema: z.string() } } };
const BYTES = { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } };
/** Caches keep it, and ask each time whether it has changed. */
const REVALIDATE = 'max-age=0, must-revalidate';
/** A version of a file never changes. */
const IMMUTABLE = 'max-age=31536000, immutable';
const JSON_TYPE = 'application/json; charset=utf-8';
const BODIES = ['html', 'markdown'];
const FIELDS = [
  'type',
  'slug',
  'title',
  'fields',
  ...BODIES,
  'version',
  'first_published_at',
  'published_at',
];
const DEFAULT_FIELDS = FIELDS.filter((field) => !BODIES.includes(field));

const fieldsQuery = z
  .string()
  .max(500)
  .transform((list) => list.split(',').map((name) => name.trim()))
  .pipe(
    z.array(
      z.string().refine((name) => FIELDS.includes(name) || /^fields\.[a-z][a-z\d_]{0,63}$/.test(name), {
        error: ({ input }) =>
          `there is no ${JSON.stringify(String(input).slice(0, 64))}; there are ${FIELDS.join(', ')}, fields.<name>`,
      }),
    ),
  )
  .optional()
  .openapi({
    type: 'string',
    description: `One or several of ${FIELDS.join(', ')}, separated by commas; \`fields.author\` is one of the fields.`,
  });

type Wire = ReturnType<typeof toWirePublished>;

/** The named members, and of `fields` the named ones. */
function only(item: Wire, names: readonly string[]): Partial<Wire> {
  const picked = names.flatMap((name) => (name.startsWith('fields.') ? [name.slice('fields.'.length)] : []));
  const fields = Object.fromEntries(Object.entries(item.fields).filter(([name]) => picked.includes(name)));
  const shown = !names.includes('fields') && picked.length > 0 ? { ...item, fields } : item;
  const wanted = picked.length > 0 ? [...names, 'fields'] : names;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => wanted.includes(name)));
}

/** The address of the workspace's content on this server. */
function apiOf(c: Context, { workspaceId }: Place): string {
  return new URL(`/api/v1/content/${workspaceId}`, addressOf(c)).href;
}

/** The names of the other types are not public. */
async function typeIn(place: Place, name: string) {
  return typeNamed(place, name).catch((error: unknown) => {
    if (!(error instanceof Unpublishable)) throw error;
    const { code } = error;
    throw new Problem({ status: 404, code, detail: `There is no content type ${JSON.stringify(name)}.` });
  });
}

const PARAMETERS = ['tag', 'sort', 'fields', 'limit', 'after'];
const tagged = (value: string): Filter => ({ field: 'tags', operator: 'has', value });

/** The conditions in the query; a parameter that is none of ours is refused, because ignoring it would answer another question. */
function filtersIn(c: Context): readonly Filter[] {
  const filters: Filter[] = [];
  for (const [name, values] of Object.entries(c.req.queries())) {
    if (PARAMETERS.includes(name)) continue;
    const [, field, operator = 'eq'] = /^fields\.([a-z][a-z\d_]{0,63})(?:\[([a-z]+)\])?$/.exec(name) ?? [];
    if (field === undefined || !isOperator(operator))
      throw invalidQuery(
        name.slice(0, 100),
        `is not a parameter; the parameters are ${PARAMETERS.join(', ')}, fields.<name> and fields.<name>[<comparison>] with ${OPERATORS.join(', ')}`,
      );
    for (const value of values) {
      if (value.length > 2000) throw invalidQuery(name, 'must have at most 2,000 characters');
      filters.push({ field, operator, value });
    }
  }
  if (filters.length > FILTERS) throw invalidQuery('fields', `at most ${FILTERS} conditions are allowed`);
  return filters;
}

function isOperator(name: string): name is Operator {
  return (OPERATORS as readonly string[]).includes(name);
}

function badQuery(error: unknown): never {
  throw error instanceof BadQuery ? invalidQuery(error.path, error.message) : error;
}

function invalidQuery(path: string, message: string): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_query',
    detail: `${path}: ${message}`,
    extra: { errors: [{ path, message }] },
  });
}

function toCursor(key: Cursor): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

const keyPart = z.string().refine((text) => !text.includes('\0') && text.isWellFormed());
const cursor = z.tuple([keyPart, keyPart]);

function cursorIn(given: string): Cursor {
  try {
    return cursor.parse(JSON.parse(Buffer.from(given, 'base64url').toString()));
  } catch {
    throw invalidCursor(given, 'is not the `next` of a page.');
  }
}

/** Why the guard refuses the request. The page of a site may read what is wrong with the key that it sent. */
function refusalOf(c: AppContext): Problem | undefined {
  const refusal = c.get('refusal');
  if (!refusal || !isReadKey(secretIn(c) ?? '')) return refusal?.();
  openToAnyPage(c);
  return readKeyRefused();
}

function readKeyRefused(): Problem {
  return new Problem({
    status: 401,
    code: 'unauthorized',
    detail:
      'The read key is not one of this workspace. A person makes read keys on the page Settings of the console.',
    headers: { 'www-authenticate': 'Bearer realm="continuo"' },
  });
}

function nothingPublished(type: string, slug: string): Problem {
  return new Problem({
    status: 404,
    code: 'content_not_found',
    detail: `Nothing is published as ${type}/${slug}.`,
  });
}
