// Files: the body is the content, the ETag is the version.

import { create as disposition } from 'content-disposition';
import type { HttpBindings } from '@hono/node-server';
import { z, type RouteConfig } from '@hono/zod-openapi';
import fresh from 'fresh';
import type { Context, Handler } from 'hono';
import type { Logger } from 'pino';
import { schemas, type File } from '@continuo/protocol';
import { findChat, renderChat } from '../../threads/chats/chat-files.ts';
import { readChunks, storeChunk, storeStream, type Keep, type StoredContent } from '../../files/content.ts';
import { authorFor, findFile, findRemoved, removeFile, writeFile, type Changed } from '../../files/files.ts';
import { readVersion } from '../../files/versions.ts';
import { isReadOnly, type FilePath } from '../../files/paths.ts';
import { saveFile, type Saved } from '../../files/save.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { App, HttpContext } from '../app.ts';
import {
  fileNotFound,
  fileOr404,
  pathTaken,
  refusedWrite,
  toWireFile,
  versionConflict,
} from './file-responses.ts';
import { contentType } from '../kernel/media-type.ts';
import { filePath, inUrl, writable } from '../kernel/paths.ts';
import { requirePersonFor, ROLE_FILES, SOMETIMES_PERSON } from '../kernel/person.ts';
import { Problem, validationHook } from '../kernel/problem.ts';
import { SAFE, send } from '../kernel/stream-bytes.ts';
import { json, MOST_VERSIONS, problems, wholeNumber } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

type Request = Context<{ Bindings: HttpBindings }>;

const tags = ['files'];
/** How often a conditional write is retried after a concurrent write. */
const TRIES = 100;

const fileParams = workspaceParam.extend({
  path: z.string().openapi({
    description:
      'The rest of the URL: the names of the folders and the file, each percent-encoded, separated by slashes.',
    example: 'notes/haiku.md',
  }),
});
const readQuery = z.object({
  version: wholeNumber(1, MOST_VERSIONS).optional().openapi({ description: 'An older version.' }),
  download: z.enum(['1', '0']).optional().openapi({ description: '`1`: send the file as an attachment.' }),
});
const writeQuery = z.object({
  on_conflict: z.enum(['merge', 'refuse']).default('refuse').openapi({
    description:
      '`merge`: if the text is based on an older version, merge it with the newest one, unless they conflict.',
  }),
});
const anyBody = { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } };

export function fileRoutes(app: App, context: HttpContext): void {
  const { workspaces, config, log } = context;

  /** A route whose last parameter spans slashes, which OpenAPI cannot express. */
  const route = (
    config: Omit<RouteConfig, 'path' | 'tags'>,
    handler: Handler<{ Bindings: HttpBindings }>,
  ): void => {
    app.openAPIRegistry.registerPath({ ...config, tags, path: '/api/v1/workspaces/{id}/files/{path}' });
    const path = '/api/v1/workspaces/:id/files';
    app.on([config.method.toUpperCase()], [path, `${path}/*`], handler);
  };

  route(
    {
      method: 'get',
      summary: 'Read a file',
      description:
        'The bytes, with the version as `ETag`; `Range`, `If-Range`, `If-None-Match` and `If-Match` are supported. ' +
        "Served with `Content-Security-Policy: sandbox; default-src 'none'` and `nosniff`. HEAD gives the same without the bytes.",
      request: { params: fileParams, query: readQuery },
      responses: {
        200: { description: 'The bytes', content: anyBody },
        206: { description: 'The requested range', content: anyBody },
        304: { description: 'The client already has this version' },
        ...problems(400, 404, 410, 412, 416),
      },
    },
    async (c) => {
      const path = filePath(c);
      const { version, download } = query(readQuery, c);
      const scope = await scopeIn(c);
      if (version === undefined) await workspaces.refreshed(scope.workspaceId, path);
      const found = isReadOnly(path) ? await chatAt(scope, path) : await versionAt(scope, path, version);
      const headers: Record<string, string> = {
        ...SAFE,
        'content-type': found.type,
        etag: `"${found.version}"`,
        'cache-control': 'private, no-cache',
        ...(download === '1' && {
          'content-disposition': disposition(path.path.slice(path.path.lastIndexOf('/') + 1)),
        }),
      };
      if (!ifMatches(c, headers['etag']!)) {
        throw new Problem({
          status: 412,
          code: 'version_conflict',
          detail: `${path.path} is at version ${found.version}.`,
          headers: { etag: headers['etag']! },
        });
      }
      return sendFile(c, { ...found, headers, log });
    },
  );

  app.openAPIRegistry.registerPath({
    method: 'head',
    path: '/api/v1/workspaces/{id}/files/{path}',
    tags,
    summary: 'Read a file’s headers',
    request: { params: fileParams, query: readQuery },
    responses: {
      200: { description: 'As GET, without a body' },
      206: { description: 'As GET of a range, without a body' },
      304: { description: 'The client already has this version' },
      400: { description: 'As GET' },
      404: { description: 'As GET' },
      410: { description: 'As GET' },
      412: { description: 'As GET' },
      416: { description: 'As GET' },
    },
  });

  route(
    {
      method: 'put',
      summary: 'Write a file',
      description:
        `The body is the content, of any type, at most ${config.maxFileBytes} bytes. ` +
        '`If-Match: "<version>"` writes only over that version, `If-None-Match: *` only if there is no file. ' +
        ROLE_FILES,
      security: SOMETIMES_PERSON,
      request: {
        params: fileParams,
        query: writeQuery,
        headers: z.object({ 'if-match': z.string().optional(), 'if-none-match': z.string().optional() }),
        body: { required: true, content: anyBody },
      },
      responses: {
        200: json(schemas.file, 'The file has a new version, or the content was the same'),
        201: json(schemas.file, 'The file is new'),
        ...problems(400, 403, 404, 409, 410, 412, 413, 415, 503),
      },
    },
    async (c) => {
      const path = writable(filePath(c));
      requirePersonFor(c, path);
      const { on_conflict } = query(writeQuery, c);
      const wanted = precondition(c);
      const scope = await scopeIn(c);
      const { db, workspaceId, principal } = scope;
      const content = await upload(context, scope, c);
      const write = {
        workspaceId,
        path,
        author: authorFor(principal),
        quotaBytes: config.workspaceBytes,
        stage: workspaces.stage,
      };
      const save = (base: number | null): Promise<Saved | Changed> =>
        on_conflict === 'merge'
          ? saveFile(db, db, { ...write, base, bytes: null, content, merge: true })
          : writeFile(db, { ...write, base, content });
      const saved = await withPrecondition(scope, wanted, path, save).catch((error: unknown) => {
        throw refusedWrite(error, config.workspaceBytes);
      });
      if (saved.kind === 'conflict') throw await versionConflict(db, saved.file);
      if (saved.kind === 'in_the_way') throw pathTaken(saved.problem);
      if (saved.kind === 'not_found') throw await fileNotFound(scope, path);
      if (saved.kind !== 'unchanged')
        await workspaces.committed(workspaceId, [{ ...saved, kind: 'changed' }]);
      const isNew = saved.kind === 'changed' && saved.file.version === 1;
      const written: File = {
        ...toWireFile(saved.file),
        ...(saved.kind === 'unchanged' && { unchanged: true }),
        ...(saved.kind === 'merged' && { merged: true }),
      };
      return c.json(written, isNew ? 201 : 200, {
        etag: `"${saved.file.version}"`,
        ...(isNew && { location: `/api/v1/workspaces/${workspaceId}/files${inUrl(saved.file.path)}` }),
      });
    },
  );

  route(
    {
      method: 'delete',
      summary: 'Remove a file',
      description:
        'Its history stays: `…/restore` restores any version. `If-Match: "<version>"` as with PUT. ' +
        ROLE_FILES,
      security: SOMETIMES_PERSON,
      request: { params: fileParams, headers: z.object({ 'if-match': z.string().optional() }) },
      responses: {
        200: json(schemas.file, 'The file as it was removed'),
        ...problems(400, 403, 404, 410, 412),
      },
    },
    async (c) => {
      const path = writable(filePath(c));
      requirePersonFor(c, path);
      const wanted = precondition(c);
      const scope = await scopeIn(c);
      const { db, workspaceId, principal } = scope;
      await fileOr404(scope, path);
      const remove = (base: number | null): Promise<Changed> =>
        removeFile(db, { workspaceId, path, author: authorFor(principal), base });
      const removed = await withPrecondition(scope, wanted, path, remove).catch((error: unknown) => {
        throw refusedWrite(error, config.workspaceBytes);
      });
      if (removed.kind === 'conflict') throw await versionConflict(db, removed.file);
      if (removed.kind !== 'changed') throw await fileNotFound(scope, path);
      await workspaces.committed(workspaceId, [removed]);
      return c.json(toWireFile(removed.file), 200, { etag: `"${removed.file.version}"` });
    },
  );
}

interface Readable {
  readonly version: number;
  readonly size: number;
  readonly type: string;
  read(start: number, end: number): AsyncIterable<Buffer>;
}

async function versionAt(
  scope: WorkspaceScope,
  path: FilePath,
  asked: number | undefined,
): Promise<Readable> {
  const { db, workspaceId } = scope;
  const live = await findFile(db, workspaceId, path);
  // A removed file can still be read by its version.
  const file =
    live?.path === path.path || asked === undefined ? live : await findRemoved(db, workspaceId, path);
  if (!file || (!file.removedAt && file.path !== path.path)) throw await fileNotFound(scope, path);
  const version = await readVersion(db, file.id, asked ?? file.version);
  if (!version) {
    throw new Problem({
      status: 404,
      code: 'version_not_found',
      detail: `${file.path} has no version ${asked}; it has versions 1 to ${file.version}.`,
    });
  }
  return {
    version: version.version,
    size: version.size,
    type: contentType(file.path, version.isText),
    read: (start, end) => readChunks(db, version.chunks, start, end),
  };
}

async function chatAt(scope: WorkspaceScope, path: FilePath): Promise<Readable> {
  const chat = await findChat(scope.db, scope.workspaceId, path);
  if (!chat) throw await fileNotFound(scope, path);
  const { text, version } = await renderChat(scope.db, chat.threadId);
  const bytes = Buffer.from(text);
  return {
    version,
    size: bytes.length,
    type: 'text/markdown; charset=utf-8',
    read: async function* (start, end) {
      yield bytes.subarray(start, end);
    },
  };
}

/** Stores the body as it arrives, whatever its media type. */
async function upload({ config }: HttpContext, { db }: WorkspaceScope, c: Request): Promise<StoredContent> {
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem({
      status: 415,
      code: 'unsupported_media_type',
      detail: `The body is encoded as ${encoding}; send the file’s own bytes.`,
    });
  }
  const limit = config.maxFileBytes;
  if (Number(c.req.header('content-length') ?? 0) > limit) throw fileTooLarge(limit);
  const { incoming } = c.env;
  // The first chunk is held back until there is a second one: most files have only one.
  let held: { readonly hash: Buffer; readonly data: Buffer } | null = null;
  let chunks = 0;
  const keep: Keep = async (hash, data) => {
    chunks += 1;
    if (chunks === 1) return void (held = { hash, data });
    if (held) await storeChunk(db, held.hash, held.data);
    held = null;
    await storeChunk(db, hash, data);
  };
  try {
    const content = await storeStream(keep, incoming.iterator({ destroyOnReturn: false }), limit);
    const only = held as { readonly data: Buffer } | null;
    if (content) return only ? { ...content, held: only.data } : content;
  } catch (cause) {
    if (!incoming.errored) throw cause;
    throw new Problem({
      status: 400,
      code: 'upload_broken_off',
      detail: 'The body was not complete.',
      cause,
    });
  }
  throw fileTooLarge(limit);
}

function fileTooLarge(limit: number): Problem {
  return new Problem({
    status: 413,
    code: 'file_too_large',
    detail: `The file is larger than ${limit} bytes; CONTINUO_MAX_FILE_BYTES sets this limit.`,
    extra: { limit },
  });
}

/** The precondition of a write: one of these versions, any file, or no file; null if there is none. */
type Precondition = readonly number[] | 'anything' | 'nothing' | null;

function precondition(c: Request): Precondition {
  const match = c.req.header('if-match')?.trim();
  const none = c.req.header('if-none-match')?.trim();
  if (none !== undefined && (none !== '*' || match !== undefined)) {
    throw new Problem({
      status: 400,
      code: 'invalid_headers',
      detail: 'Send either If-Match: "<version>" or If-None-Match: *, not both.',
    });
  }
  if (none === '*') return 'nothing';
  if (match === undefined) return null;
  if (match === '*') return 'anything';
  return etags(match).flatMap((tag) => (/^"\d{1,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []));
}

/** Makes a change if the precondition holds. A missing file is a conflict if the precondition names one. */
async function withPrecondition<T extends Saved | Changed>(
  { db, workspaceId }: WorkspaceScope,
  wanted: Precondition,
  path: FilePath,
  change: (base: number | null) => Promise<T>,
): Promise<T | { readonly kind: 'conflict'; readonly file: null } | Exclude<Changed, { kind: 'changed' }>> {
  if (wanted === null) return change(null);
  if (wanted === 'nothing') return change(0);
  if (wanted !== 'anything' && wanted.length === 1) return change(wanted[0]!);
  for (let tries = 1; ; tries += 1) {
    const file = await findFile(db, workspaceId, path);
    if (!file || (wanted !== 'anything' && !wanted.includes(file.version))) return { kind: 'conflict', file };
    const outcome = await change(file.version);
    if (outcome.kind !== 'conflict' || tries === TRIES) return outcome;
  }
}

function etags(list: string): readonly string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function ifMatches(c: Request, etag: string): boolean {
  const given = c.req.header('if-match');
  return given === undefined || given.trim() === '*' || etags(given).includes(etag);
}

interface SentFile {
  readonly size: number;
  readonly read: (start: number, end: number) => AsyncIterable<Buffer>;
  /** With an `etag`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** The bytes that the client wants: all, a range, or none because it has them. */
export function sendFile(c: Request, { size, read, headers: given, log }: SentFile): Response {
  const headers: Record<string, string> = { ...given, 'accept-ranges': 'bytes' };
  if (ifNoneMatches(c, headers['etag']!)) return c.body(null, 304, headers);
  const range = rangeOf(c, headers['etag']!, size);
  if (range === 'unsatisfiable') {
    throw new Problem({
      status: 416,
      code: 'range_not_satisfiable',
      detail: `The file has ${size} bytes; the range begins past its end.`,
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  const { start, end } = range ?? { start: 0, end: size };
  headers['content-length'] = String(end - start);
  if (range) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
  const status = range ? 206 : 200;
  return send(c, { status, headers, log }, () => read(start, end));
}

export function ifNoneMatches(c: Pick<Request, 'req'>, etag: string): boolean {
  // Only this header: what clients say about caches makes no difference here.
  return fresh({ 'if-none-match': c.req.header('if-none-match')?.trim() }, { etag });
}

/** The range from `start` up to `end`; null for the whole file. Multiple ranges and invalid ones are ignored. */
function rangeOf(
  c: Request,
  etag: string,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const given = c.req.header('range');
  const onlyIf = c.req.header('if-range')?.trim();
  if (given === undefined || (onlyIf !== undefined && onlyIf !== etag)) return null;
  const [first, last] = /^bytes=(\d*)-(\d*)$/.exec(given)?.slice(1) ?? ['', ''];
  if (first === '' && last === '') return null;
  if (first === '') return within(Math.max(0, size - Number(last)), size, size);
  if (last !== '' && Number(last) < Number(first)) return null;
  return within(Number(first), last === '' ? size : Math.min(size, Number(last) + 1), size);
}

function within(start: number, end: number, size: number): { start: number; end: number } | 'unsatisfiable' {
  return start < size ? { start, end } : 'unsatisfiable';
}

function query<T extends z.ZodType>(schema: T, c: Request): z.output<T> {
  const result = schema.safeParse(c.req.query());
  validationHook({ target: 'query', ...result });
  return result.data!;
}
