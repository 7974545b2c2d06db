// Requests, typed by the server's OpenAPI document.

import { address } from './address.ts';
import { ConnectionError, InputError, isTemporary, errorOf } from './errors.ts';
import type { components, paths } from './generated/openapi.ts';
import { backoffMs, wait } from './wait.ts';

export interface ClientOptions {
  /** The server's base URL; the page's origin if absent. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** The workspace of calls that name none; `default` if absent. */
  readonly workspace?: string;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** The schemas of the API, by their names in the OpenAPI document. */
export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operations<M extends Method> = {
  [P in keyof paths as paths[P] extends Record<M, object> ? P : never]: paths[P];
};

/** The operation of a path and method. */
export type At<P extends keyof paths, M extends keyof paths[P]> = paths[P][M];
export type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;
export type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never;
type PathOf<O> = O extends { parameters: { path: infer P } } ? { readonly path: P } : object;
type Success = 200 | 201 | 202;
type Answers<O> = O extends { responses: infer R }
  ? {
      [S in keyof R & Success]: R[S] extends { content: { 'application/json': infer B } } ? B : never;
    }[keyof R & Success]
  : never;
export type AnswerOf<O> = [Answers<O>] extends [never] ? void : Answers<O>;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}
interface TypedRequest<O> extends RequestOptions {
  readonly query?: QueryOf<O>;
  readonly body?: BodyOf<O>;
  readonly headers?: Readonly<Record<string, string>>;
}
interface RawRequest extends RequestOptions {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: BodyInit | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Http {
  readonly base: string;
  readonly workspace: string;
  call<M extends Method, P extends keyof Operations<M> & keyof paths>(
    method: M,
    path: P,
    request: TypedRequest<At<P, M & keyof paths[P]>> & PathOf<At<P, M & keyof paths[P]>>,
  ): Promise<AnswerOf<At<P, M & keyof paths[P]>>>;
  /** Sends a request whose response is not JSON. Throws if the server refuses. */
  raw(method: Method, path: keyof paths, request?: RawRequest): Promise<Response>;
}

export function createHttp(options: ClientOptions): Http {
  const base = (options.baseUrl ?? '').replace(/\/+$/, '');
  const key = options.apiKey;
  const raw: Http['raw'] = async (method, path, { path: names = {}, query, body, headers, signal } = {}) => {
    const to = address(path, names);
    // Looked up for each request: a page may replace it, and it must not lose its `this`.
    const send = options.fetch ?? globalThis.fetch;
    const response = await send(`${base}${to}${queryString(query)}`, {
      method: method.toUpperCase(),
      headers: checkHeaders({
        accept: 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    }).catch((cause: unknown) => {
      throw signal?.aborted
        ? cause
        : new ConnectionError(
            base ? `The server could not be reached at ${base}.` : 'The server is not responding.',
            { cause },
          );
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  };
  return {
    base,
    workspace: options.workspace ?? 'default',
    raw,
    call: async (method, path, request) => {
      const {
        path: names,
        query,
        body,
        headers,
        signal,
      } = request as TypedRequest<unknown> & { path?: object };
      const response = await raw(method, path, {
        path: names,
        query,
        signal,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      // The OpenAPI document defines the type of this response.
      return jsonOf(response);
    },
  };
}

/**
 * Checks headers before they are sent: `fetch` would report an invalid one like a lost connection. The value is not
 * repeated, because it may be a secret.
 */
function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const checked = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      checked.set(name, value);
    } catch {
      const what = name === 'authorization' ? 'The API key' : `The header ${name}`;
      throw new InputError('invalid_header', `${what} has characters that cannot be sent in a header.`);
    }
  }
  return headers;
}

export async function jsonOf<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  return (await response.json().catch(throwInterrupted)) as T;
}

export function throwInterrupted(cause: unknown): never {
  throw new ConnectionError('The response was interrupted.', { cause });
}

function queryString(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** How often a request with an idempotency key is sent at most. */
const MAX_TRIES = 4;

/**
 * Sends a request under one idempotency key until there is a response: the server accepts it once, however often the
 * connection breaks.
 */
export async function withIdempotencyKey<T>(
  { idempotencyKey, signal }: RequestOptions & { readonly idempotencyKey?: string | undefined },
  send: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const headers = { 'idempotency-key': idempotencyKey ?? newKey() };
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(headers);
    } catch (error) {
      if (tries === MAX_TRIES || !isTemporary(error) || signal?.aborted) throw error;
      await wait(backoffMs(tries, Math.random()), signal);
    }
  }
}

/** A new idempotency key. `crypto.randomUUID` exists only over https and on localhost. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
