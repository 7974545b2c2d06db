// `fetch` for model calls, over node:http. A token is a chunk of its own; the pieces that one read
// of the socket brings are handed on as one, which saves the AI SDK's byte streams a fifth of a
// call's CPU time. Of a few calls nothing is delayed: pieces are put together within one tick only. Of many, a socket that
// brought little rests for some milliseconds, all of them together, so that each read brings more: waking up for each token
// takes most of the time of a call.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AiSdkDepth } from './depth.ts';
import { aiSdkListener } from './heard.ts';

/** How many bytes may wait to be read before the socket is paused. */
const WAITING_BYTES = 256 * 1024;

/** With more calls than this, a socket that brought less than so many bytes rests, so long for each call, and so long at most. */
const AT_ONCE = 4;
const LITTLE_BYTES = 1024;
const REST_MS_A_CALL = 1;
const REST_MS = 50;

const calls = {
  open: 0,
  resting: [] as (() => void)[],
  rest(wake: () => void): void {
    if (this.resting.push(wake) > 1) return;
    setTimeout(
      () => {
        for (const each of this.resting.splice(0)) each();
      },
      Math.min(REST_MS, this.open * REST_MS_A_CALL),
    );
  },
};

const PLAIN = /^[\x20-\x7e]*$/;

/** What the AI SDK needs of `fetch`: a request with text as its body, whose answer is streamed. */
export const aiSdkFetch: typeof fetch = (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const { method = 'GET', headers, body, signal } = init;
  // Anything else (a form with a file, say) is left to the real one.
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
      // A response that is paused is not read ahead.
      highWaterMark: 1,
    };
    const request = send(url, options, (response) => {
      const { statusCode: status = 0, statusMessage = '' } = response;
      const refuse = (problem: string) => {
        response.destroy();
        reject(failed(new Error(problem)));
      };
      if (status < 200 || status > 599) return refuse(`the server answered with the status ${status}`);
      let headers: Headers;
      try {
        headers = headersOf(response);
      } catch {
        return refuse('the server sent headers that are none');
      }
      // A response without a body, by the rules of `Response`.
      const empty = [204, 205, 304].includes(status);
      if (empty) response.resume();
      const statusText = PLAIN.test(statusMessage) ? statusMessage : '';
      const answer = empty ? null : bodyOf(response, aiSdkListener(signal));
      resolve(new Response(answer, { status, statusText, headers }));
    });
    request.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(failed(new Error(`the server answered with the status ${statusCode}`)));
    });
    request.on('error', (cause) => reject(cause.name === 'AbortError' ? cause : failed(cause)));
    request.end(body);
  });
};

/** As `fetch` would say it, so that it is understood as a matter of the network. */
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
  heard: (() => void) | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const depth = new AiSdkDepth();
  let waiting: Buffer[] = [];
  let over = false;
  let rests = false;
  const end = () => {
    if (!over) calls.open -= 1;
    over = true;
  };
  const restIfLittle = (bytes: number) => {
    if (bytes >= LITTLE_BYTES || calls.open <= AT_ONCE || response.complete) return;
    rests = true;
    response.pause();
    calls.rest(() => {
      rests = false;
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
          else if (!rests) restIfLittle(bytes.length);
        };
        response.on('data', (bytes: Buffer) => {
          heard?.();
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
        if (!rests) response.resume();
      },
      cancel: () => {
        end();
        response.destroy();
      },
    },
    { highWaterMark: WAITING_BYTES, size: (bytes) => bytes.byteLength },
  );
}
