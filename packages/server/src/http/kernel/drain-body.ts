// Refuses a request whose body is still arriving: sends the answer at once, reads and discards the rest of the body within
// bounds, then closes the connection. If the server closed it right away, a client that is still sending would see a reset and
// lose the answer.

import type { IncomingMessage } from 'node:http';

export interface Bounds {
  readonly bytes: number;
  readonly silentMs: number;
  readonly totalMs: number;
}

/** Limits for draining a refused body: bytes, time without any bytes, and total time. */
export const DISCARDED: Bounds = { bytes: 64 * 1024 * 1024, silentMs: 2_000, totalMs: 30_000 };

/** Whether part of the body has not arrived yet. A small body arrives with the headers or a moment later. */
export async function isStillComing(incoming: IncomingMessage): Promise<boolean> {
  if (incoming.complete) return false;
  await new Promise((resolve) => setImmediate(resolve));
  return !incoming.complete;
}

/** The answer has a content length, so clients know when it is complete. The response ends after the body was drained. */
export async function whileDiscarding(
  answer: Response,
  incoming: IncomingMessage,
  bounds: Bounds = DISCARDED,
): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set('content-length', String(bytes.byteLength));
  headers.set('connection', 'close');
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull: async (controller) => {
      await discard(incoming, bounds);
      controller.close();
    },
  });
  return new Response(body, { status: answer.status, headers });
}

/** Resolves when the body ends or breaks off, or when a bound is reached. */
function discard(incoming: IncomingMessage, { bytes, silentMs, totalMs }: Bounds): Promise<void> {
  return new Promise((resolve) => {
    let left = bytes;
    const done = () => {
      clearTimeout(silent);
      clearTimeout(total);
      incoming.off('data', onData).off('close', done).off('end', done).pause();
      resolve();
    };
    const onData = (data: Buffer) => {
      left -= data.length;
      silent.refresh();
      if (left < 0) done();
    };
    const silent = setTimeout(done, silentMs);
    const total = setTimeout(done, totalMs);
    incoming.on('data', onData).on('close', done).on('end', done).resume();
    if (incoming.destroyed) done();
  });
}
