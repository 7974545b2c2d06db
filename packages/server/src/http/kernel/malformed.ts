// Answers requests that the HTTP parser refuses with problem+json, like every other error.

import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import { Problem, problemResponse } from './problem.ts';

/** By the parser's error code; any other code means a malformed request. */
const REFUSALS: Readonly<Record<string, { status: number; code: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    detail: 'The headers of the request are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    detail: 'The request was not complete in time.',
  },
};

interface ParserError extends NodeJS.ErrnoException {
  /** The last bytes that the parser received. */
  readonly rawPacket?: Buffer;
}

/** Whether the request is a HEAD, whose answer has no body. Unknown if the request did not fit into one packet. */
function isHead({ rawPacket }: ParserError): boolean {
  return rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
}

export function answerMalformed(server: Server): void {
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    // Nothing to send if the client is gone or already has an answer.
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

/** For requests that the parser accepts but the listener cannot use: an invalid URL, a missing or impossible Host. */
export function answerBadRequest(error: unknown): Response {
  const refusal =
    error instanceof RequestError
      ? malformed(error.message)
      : { status: 500, code: 'internal', detail: 'The server failed to handle the request.' };
  return problemResponse(new Problem({ ...refusal, headers: { connection: 'close' } }));
}

function malformed(reason: string): { status: number; code: string; detail: string } {
  return {
    status: 400,
    code: 'malformed_request',
    detail: `The request is not valid HTTP: ${reason}.`,
  };
}
