// Sends bytes as they are made: a slow client is waited for, one that goes away stops the making.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { Logger } from 'pino';

/**
 * What agents wrote goes to a browser with these: no script runs, nothing is fetched from elsewhere, and nothing is taken for
 * what it is not. Styles and pictures that are in the file itself are shown.
 */
export const SAFE = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  'x-content-type-options': 'nosniff',
} as const;

export function send(
  c: Context<{ Bindings: HttpBindings }>,
  { status, headers, log }: { status: number; headers: Readonly<Record<string, string>>; log: Logger },
  bytes: AsyncIterable<Buffer> | NodeJS.ReadableStream,
): Response {
  const { outgoing } = c.env;
  outgoing.writeHead(status, headers);
  const source = bytes instanceof Readable ? bytes : Readable.from(bytes, { objectMode: false });
  void pipeline(source, outgoing).catch((error: NodeJS.ErrnoException) => {
    // The headers are gone: a broken connection is all that can be told.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.warn({ reason: error.message, path: c.req.path }, 'sending was broken off');
  });
  return RESPONSE_ALREADY_SENT;
}
