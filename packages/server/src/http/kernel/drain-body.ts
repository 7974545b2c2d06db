// A refusal while the request's body is still coming: the answer is sent at once, the rest is read and thrown away within
// bounds, then the connection is closed. Closed right away, it would be reset under whoever is still sending, and the
// answer lost.

import type { IncomingMessage } from 'node:http';

export interface Bounds {
  readonly bytes: number;
  readonly silentMs: number;
  readonly totalMs: number;
}

/** Of what is read after a refusal: so many bytes, for so long without any, and for so long at all. */
export const DISCARDED: Bounds = { bytes: 64 * 1024 * 1024, silentMs: 2_000, totalMs: 30_000 };

/** Whether some of the body has not arrived yet. A small one is there with the headers, a moment later. */
export async function isStillComing(incoming: IncomingMessage): Promise<boolean> {
  if (incoming.complete) return false;
  await new Promise((resolve) => setImmediate(resolve));
  return !incoming.complete;
}

/** Clients know by its length when they have it all; it ends when the rest of the body has been read. */
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

/** Until the body ends or breaks off, or a bound is reached. */
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
