// Errors on the wire: problem+json (RFC 9457) with a stable `code`. A client error gets a message that explains it. An internal
// error is logged under an id, and the client gets only the id.

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, ErrorHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import type { ZodError } from 'zod';
import { isStorageFull, isUnavailable } from '../../db/pool.ts';
import type { Storage } from '../../db/storage.ts';
import { SAFE } from './stream-bytes.ts';
import { isStillComing, whileDiscarding } from './drain-body.ts';

interface ProblemInit {
  readonly status: number;
  /** Stable: clients depend on it. */
  readonly code: string;
  readonly detail: string;
  readonly title?: string;
  /** Further members of the body. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(init: ProblemInit) {
    super(init.detail, { cause: init.cause });
    this.name = 'Problem';
    this.status = init.status;
    this.code = init.code;
    this.title = init.title ?? STATUS_CODES[init.status] ?? 'Error';
    this.detail = init.detail;
    this.extra = init.extra ?? {};
    this.headers = init.headers ?? {};
  }
}

export function problemResponse(problem: Problem): Response {
  const { status, code, title, detail, extra, headers } = problem;
  return new Response(JSON.stringify({ ...extra, type: 'about:blank', title, status, code, detail }), {
    status,
    headers: { 'cache-control': 'no-store', ...SAFE, ...headers, 'content-type': 'application/problem+json' },
  });
}

/** For `app.onError`. */
export function errorHandler(
  log: Logger,
  storage: Pick<Storage, 'refused' | 'keepsDatabaseAway'> | null = null,
): ErrorHandler {
  return async (error, c) => {
    const known = toProblem(error);
    if (known) return respond(c, known);
    const incoming = (c.env as Partial<HttpBindings> | undefined)?.incoming;
    if (incoming?.destroyed && !incoming.complete) {
      log.info(
        { method: c.req.method, path: loggedPath(c) },
        'the client disconnected before its request was complete',
      );
      return respond(c, brokenOff());
    }
    if (isStorageFull(error)) {
      storage?.refused();
      log.warn({ reason: error.message, method: c.req.method, path: loggedPath(c) }, 'the disk is full');
      return respond(c, storageFull());
    }
    if (isUnavailable(error)) {
      log.warn(
        { reason: error.message, method: c.req.method, path: loggedPath(c) },
        'the database cannot be reached',
      );
      const isFull = (await storage?.keepsDatabaseAway()) === true;
      return respond(c, isFull ? databaseWithoutRoom() : databaseUnavailable());
    }
    const id = randomUUID();
    log.error({ err: error, errorId: id, method: c.req.method, path: loggedPath(c) }, 'request failed');
    return respond(
      c,
      new Problem({
        status: 500,
        code: 'internal',
        detail: `The server failed to handle the request. Its log has the error under ${id}.`,
        extra: { error_id: id },
      }),
    );
  };
}

/** Without the token of a trigger, which is a secret. */
function loggedPath(c: Context): string {
  return c.req.path.replace(/^\/hooks\/.*/, '/hooks/…');
}

/** Requests that tests make in memory have no connection. */
async function respond(c: Context<{ Bindings: Partial<HttpBindings> }>, problem: Problem): Promise<Response> {
  const answer = problemResponse(problem);
  const incoming = c.env?.incoming;
  return incoming && (await isStillComing(incoming)) ? whileDiscarding(answer, incoming) : answer;
}

function databaseUnavailable(): Problem {
  return new Problem({
    status: 503,
    code: 'database_unavailable',
    detail:
      'The database cannot be reached, so it is not known whether the request took effect. ' +
      'Send it again in a second; an Idempotency-Key makes that safe.',
    headers: { 'retry-after': '1' },
  });
}

function storageFull(): Problem {
  return new Problem({
    status: 507,
    code: 'storage_full',
    detail:
      'The disk of the server or of its database is full, so the request could not be stored. ' +
      'Free some space, then send it again; /readyz says `storage: ok` when there is enough.',
    headers: { 'retry-after': '10' },
  });
}

/** Unlike a refused write, this one may have been committed. */
function databaseWithoutRoom(): Problem {
  return new Problem({
    status: 503,
    code: 'storage_full',
    detail:
      'The disk of the server is full, so its database is not available, and it is not known whether the request took effect. ' +
      'Free some space, then send it again; an Idempotency-Key makes that safe. /readyz says `storage: ok` when there is enough.',
    headers: { 'retry-after': '10' },
  });
}

/** The client is gone, so nobody reads this answer. */
function brokenOff(): Problem {
  return new Problem({
    status: 400,
    code: 'upload_broken_off',
    detail: 'The connection ended before the body was complete. Send the request again.',
  });
}

/** For `new OpenAPIHono({ defaultHook })`: refuses a request that does not match its schema. */
export function validationHook(
  result: { readonly target: string } & (
    | { readonly success: true }
    | { readonly success: false; readonly error: Pick<ZodError, 'issues'> }
  ),
): void {
  if (!result.success) throw validationProblem(result.target, result.error);
}

const parts: Readonly<Record<string, string>> = {
  json: 'body',
  form: 'body',
  query: 'query',
  param: 'params',
  header: 'headers',
  cookie: 'cookies',
};

/** The most errors that one answer lists. */
const MOST_ERRORS = 20;

function validationProblem(target: string, error: Pick<ZodError, 'issues'>): Problem {
  const part = parts[target] ?? target;
  const errors = error.issues.slice(0, MOST_ERRORS).flatMap(toErrors).slice(0, MOST_ERRORS);
  const more = error.issues.reduce((count, issue) => count + errorsIn(issue), 0) - MOST_ERRORS;
  return new Problem({
    status: 400,
    code: `invalid_${part}`,
    detail:
      errors.map(({ path, message }) => `${path || part}: ${message}`).join('; ') +
      (more > 0 ? `; and ${more} more` : ''),
    extra: { errors },
    cause: error,
  });
}

type Issue = ZodError['issues'][number];

function errorsIn(issue: Issue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

function toErrors(issue: Issue): { path: string; message: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MOST_ERRORS)
      .map((key) => ({ path: toPath([...issue.path, key]), message: 'is not a known field' }));
  }
  const missing = / expected (.+), received undefined$/.exec(issue.message);
  return [
    { path: toPath(issue.path), message: missing ? `is missing, expected ${missing[1]}` : issue.message },
  ];
}

/** `items[0].name` */
function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('');
}

function toProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof HTTPException && error.status < 500) return fromHono(error);
  return undefined;
}

/** Hono's own errors; its validator throws one for a body that is not JSON. */
function fromHono(error: HTTPException): Problem {
  if (error.status === 400 && error.message.startsWith('Malformed JSON')) {
    return new Problem({ status: 400, code: 'invalid_json', detail: 'The body is not JSON.', cause: error });
  }
  const title = STATUS_CODES[error.status] ?? 'Error';
  return new Problem({
    status: error.status,
    code: title.toLowerCase().replaceAll(/[^a-z]+/g, '_'),
    detail: error.message || title,
    cause: error,
  });
}
