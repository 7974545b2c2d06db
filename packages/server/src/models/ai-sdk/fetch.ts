// `fetch` for model calls, over node:http. Each token arrives as a chunk of its own; the chunks of one socket read are joined,
// which saves a fifth of a call's CPU time in the AI SDK's byte streams. With few calls this delays nothing, because chunks
// are joined only within one tick. With many calls, a socket that delivered little is paused for a few milliseconds, in
// step with the others, so that each read brings more: waking up for each token would take most of a call's time.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AiSdkDepth } from './depth.ts';
import { aiSdkActivityCallback } from './activity.ts';

/** How many bytes may wait to be read before the socket is paused. */
const WAITING_BYTES = 256 * 1024;

/**
 * With more than AT_ONCE open calls, a socket that delivered fewer than LITTLE_BYTES is paused, for PAUSE_MS_A_CALL per open call
 * and at most PAUSE_MS.
 */
const AT_ONCE = 4;
const LITTLE_BYTES = 1024;
const PAUSE_MS_A_CALL = 1;
const PAUSE_MS = 50;

const calls = {
  open: 0,
  paused: [] as (() => void)[],
  pauseUntilBatch(wake: () => void): void {
    if (this.paused.push(wake) > 1) return;
    setTimeout(
      () => {
        for (const each of this.paused.splice(0)) each();
      },
      Math.min(PAUSE_MS, this.open * PAUSE_MS_A_CALL),
    );
  },
};

const PLAIN = /^[\x20-\x7e]*$/;

/** The part of `fetch` that the AI SDK needs: a text body in the request, and a streamed response. */
export const aiSdkFetch: typeof fetch = (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const { method = 'GET', headers, body, signal } = init;
  // Other bodies (such as a form with a file) go to the real `fetch`.
  if (typeof body !== 'string') return fetch(input, init);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        'content-length': String(Buffer.byteLength(body)),
      },
      ...(signal && { signal }),
      // A paused response is not read ahead.
      highWaterMark: 1,
    };
    const request = send(url, options, (response) => {
      const { statusCode: status = 0, statusMessage = '' } = response;
      const refuse = (problem: string) => {
        response.destroy();
        reject(failed(new Error(problem)));
      };
      if (status < 200 || status > 599) return refuse(`the server answered with status ${status}`);
      let headers: Headers;
      try {
        headers = headersOf(response);
      } catch {
        return refuse('the server sent invalid response headers');
      }
      // `Response` does not allow a body with these status codes.
      const empty = [204, 205, 304].includes(status);
      if (empty) response.resume();
      const statusText = PLAIN.test(statusMessage) ? statusMessage : '';
      const answer = empty ? null : bodyOf(response, aiSdkActivityCallback(signal));
      resolve(new Response(answer, { status, statusText, headers }));
    });
    request.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(failed(new Error(`the server answered with status ${statusCode}`)));
    });
    request.on('error', (cause) => reject(cause.name === 'AbortError' ? cause : failed(cause)));
    request.end(body);
  });
};

/** The same error that `fetch` throws, so that callers recognise it as a network failure. */
function failed(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
  return headers;
}

function bodyOf(
  response: IncomingMessage,
  onActivity: (() => void) | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const depth = new AiSdkDepth();
  let waiting: Buffer[] = [];
  let over = false;
  let isPaused = false;
  const end = () => {
    if (!over) calls.open -= 1;
    over = true;
  };
  const pauseIfLittle = (bytes: number) => {
    if (bytes >= LITTLE_BYTES || calls.open <= AT_ONCE || response.complete) return;
    isPaused = true;
    response.pause();
    calls.pauseUntilBatch(() => {
      isPaused = false;
      if (!over) response.resume();
    });
  };
  calls.open += 1;
  return new ReadableStream(
    {
      start(controller) {
        const flush = () => {
          if (over || waiting.length === 0) return;
          const bytes = depth.take(waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting));
          waiting = [];
          if (bytes.length > 0) controller.enqueue(bytes as Uint8Array<ArrayBuffer>);
          if ((controller.desiredSize ?? 0) <= 0) response.pause();
          else if (!isPaused) pauseIfLittle(bytes.length);
        };
        response.on('data', (bytes: Buffer) => {
          onActivity?.();
          if (waiting.push(bytes) === 1) process.nextTick(flush);
        });
        response.once('end', () => {
          flush();
          if (!over) controller.close();
          end();
        });
        response.on('error', (error) => {
          flush();
          if (!over) controller.error(error);
          end();
        });
      },
      pull: () => {
        if (!isPaused) response.resume();
      },
      cancel: () => {
        end();
        response.destroy();
      },
    },
    { highWaterMark: WAITING_BYTES, size: (bytes) => bytes.byteLength },
  );
}
