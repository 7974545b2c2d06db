// Reads a JSON body before the route runs, and refuses a wrong media type, too many bytes, invalid UTF-8, invalid JSON, and JSON
// that is nested too deeply or has too many parts. Each route sets its limits. A body without a declared length is counted as it
// arrives, so the server never buffers more than the limit.

import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { JSON_DEPTH, jsonExcess, type JsonLimits } from '@continuo/engine';
import { Problem } from './problem.ts';

const oneMebibyte = 1024 * 1024;

/** The most objects, arrays and fields in a body, counted together. */
const PARTS = 50_000;
/** The most fields in a body's outermost object. */
const FIELDS = 1000;

export function jsonBody(
  options: {
    readonly limit?: number;
    readonly depth?: number;
    /** The most objects, arrays and fields, counted together. */
    readonly parts?: number;
    /** Picks the part of the body that the route uses; the rest is not validated. */
    readonly read?: (body: unknown, c: Context) => unknown;
  } = {},
): MiddlewareHandler {
  const { limit = oneMebibyte, depth = JSON_DEPTH, parts = PARTS, read = (body: unknown) => body } = options;
  const limits = { depth, parts, fields: FIELDS };
  return async (c, next) => {
    if (!hasBody(c)) {
      // A missing body counts as an empty object: the route's schema then reports the missing fields.
      c.req.bodyCache.text = Promise.resolve('{}') as unknown as string;
      return next();
    }
    requireJson(c);
    const text = decode(await readBytes(c, limit));
    // The body is parsed once, and later readers get the value. Its bytes and its text are not kept, because a request lives as
    // long as the stream that answers it.
    const value = text === '' ? null : { body: read(parse(text, limits), c) };
    c.req.bodyCache = { text: Promise.resolve('') as unknown as string };
    if (value) c.req.json = <T>() => Promise.resolve(value.body as T);
    return next();
  };
}

/** In HTTP/1.1 a request with neither a content length nor a transfer encoding has no body. */
function hasBody(c: Context): boolean {
  if (c.req.header('transfer-encoding') !== undefined) return true;
  return (c.req.header('content-length') ?? '0') !== '0';
}

const json = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset=(?<charset>"?[\w-]+"?))?\s*$/i;

function requireJson(c: Context): void {
  const type = c.req.header('content-type') ?? '';
  const match = json.exec(type);
  const charset = match?.groups?.['charset']?.replaceAll('"', '').toLowerCase() ?? 'utf-8';
  if (!match || charset !== 'utf-8') {
    throw unsupported(
      `The body ${type === '' ? 'has no content type' : `has the content type ${type}`}; send application/json in UTF-8.`,
    );
  }
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw unsupported(`The body is encoded as ${encoding}; send it uncompressed.`);
}

function unsupported(detail: string): Problem {
  return new Problem({
    status: 415,
    code: 'unsupported_media_type',
    detail,
    headers: { accept: 'application/json' },
  });
}

/** The bytes of a body of any type; 413 if there are more than the limit. */
export async function readBytes(c: Context, limit: number): Promise<ArrayBuffer | Uint8Array> {
  const declared = c.req.header('content-length');
  if (declared !== undefined) {
    if (Number(declared) > limit) throw tooLarge(limit);
    return c.req.arrayBuffer();
  }
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  // A refusal drains the rest of the body, so leaving this loop must not destroy the stream, as leaving a web stream would.
  const body = incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body;
  return body ? collect(body, limit) : new Uint8Array();
}

async function collect(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(limit: number): Problem {
  return new Problem({
    status: 413,
    code: 'body_too_large',
    detail: `The body is larger than the ${limit} bytes that this route accepts.`,
    extra: { limit },
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem({ status: 400, code: 'invalid_json', detail: 'The body is not valid UTF-8.', cause });
  }
}

function parse(text: string, limits: Required<JsonLimits>): unknown {
  const excess = jsonExcess(text, limits);
  if (excess !== null) throw refusals[excess](limits);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Problem({
      status: 400,
      code: 'invalid_json',
      detail: `The body is not JSON: ${reason}.`,
      cause,
    });
  }
}

const refusals = {
  depth: ({ depth }) =>
    new Problem({
      status: 400,
      code: 'body_too_deep',
      detail: `The body is nested deeper than the ${depth} levels that this route accepts; send a flatter one.`,
      extra: { depth },
    }),
  parts: ({ parts }) =>
    new Problem({
      status: 400,
      code: 'body_too_many_parts',
      detail: `The body has more than the ${parts} objects, arrays and fields that this route accepts; send fewer.`,
      extra: { parts },
    }),
  fields: ({ fields }) =>
    new Problem({
      status: 400,
      code: 'body_too_many_parts',
      detail: `The body has more than ${fields} fields; send only fields that the route knows.`,
      extra: { fields },
    }),
} satisfies Record<keyof JsonLimits, (limits: Required<JsonLimits>) => Problem>;
