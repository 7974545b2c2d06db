// Requests that never become one: what the HTTP parser refuses is answered as every other mistake is.

import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import { Problem, problemResponse } from './problem.ts';

/** By the parser's own codes; anything else is malformed. */
const REFUSALS: Readonly<Record<string, { status: number; code: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    detail: 'The headers of the request are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    detail: 'The request did not come to its end in time.',
  },
};

interface ParserError extends NodeJS.ErrnoException {
  /** What the parser was given last. */
  readonly rawPacket?: Buffer;
}

/** An answer to HEAD has no body. What is too large for one packet does not tell its method any more. */
function isHead({ rawPacket }: ParserError): boolean {
  return rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
}

export function answerMalformed(server: Server): void {
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    // Somebody who is gone, or has an answer already, gets none.
    const outgoing = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage;
    if (error.code === 'ECONNRESET' || !socket.writable || outgoing?.headersSent) return socket.destroy();
    const refusal = REFUSALS[error.code ?? ''] ?? malformed(error.message);
    void problemResponse(new Problem({ ...refusal, headers: { connection: 'close' } }))
      .text()
      .then((body) => {
        const { status } = refusal;
        const head = [
          `HTTP/1.1 ${status} ${new Problem(refusal).title}`,
          'content-type: application/problem+json',
          'cache-control: no-store',
          `content-length: ${Buffer.byteLength(body)}`,
          'connection: close',
        ];
        socket.end(`${head.join('\r\n')}\r\n\r\n${isHead(error) ? '' : body}`);
      });
  });
}

/** For what reached the listener and is no request: a URL that cannot be read, a missing or impossible Host. */
export function answerBadRequest(error: unknown): Response {
  const refusal =
    error instanceof RequestError
      ? malformed(error.message)
      : { status: 500, code: 'internal', detail: 'Something went wrong in the server.' };
  return problemResponse(new Problem({ ...refusal, headers: { connection: 'close' } }));
}

function malformed(reason: string): { status: number; code: string; detail: string } {
  return {
    status: 400,
    code: 'malformed_request',
    detail: `The request is not HTTP as it should be: ${reason}.`,
  };
}
