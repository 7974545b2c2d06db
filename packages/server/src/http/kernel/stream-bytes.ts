// Streams bytes as they are produced. Waits for a slow client; stops producing when the client disconnects.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { Logger } from 'pino';

/**
 * Headers for content that agents wrote: browsers run no scripts, load nothing from elsewhere, and do not guess the media type.
 * Inline styles and images still work.
 */
export const SAFE = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  'x-content-type-options': 'nosniff',
} as const;

/** Answers with the bytes that `open` returns. HEAD gets only headers, and opens nothing. */
export function send(
  c: Context<{ Bindings: HttpBindings }>,
  { status, headers, log }: { status: number; headers: Readonly<Record<string, string>>; log: Logger },
  open: () => AsyncIterable<Buffer> | NodeJS.ReadableStream,
): Response {
  const { outgoing } = c.env;
  outgoing.writeHead(status, headers);
  if (c.req.method === 'HEAD') {
    outgoing.end();
    return RESPONSE_ALREADY_SENT;
  }
  const bytes = open();
  const source = bytes instanceof Readable ? bytes : Readable.from(bytes, { objectMode: false });
  void pipeline(source, outgoing).catch((error: NodeJS.ErrnoException) => {
    // The headers are already sent, so a broken connection is the only way to signal the error.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.warn({ reason: error.message, path: c.req.path }, 'the response was aborted');
  });
  return RESPONSE_ALREADY_SENT;
}
