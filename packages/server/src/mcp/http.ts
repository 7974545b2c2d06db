// An MCP server at a URL (streamable HTTP), over the SDK's transport and through the outgoing guard. This file adds a limit on
// message sizes, and detects a broken connection, which HTTP does not report by itself.

import {
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type FetchLike,
} from '@modelcontextprotocol/client';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Gate } from './gate.ts';
import { MESSAGE_BYTES } from './limits.ts';

export interface HttpSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly gate: Gate;
  /** The server's guard for requests to addresses that people name. */
  readonly fetch: Outgoing['fetch'];
  /** Called when the session is over or can no longer be reached. */
  readonly onLost: (reason: string) => void;
}

/** The error code for an answer that never came. */
export const STREAM_ENDED = -32_099;

export function createHttp(settings: HttpSettings): StreamableHTTPClientTransport {
  const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
    requestInit: { headers: { ...settings.headers } },
    fetch: measured(settings),
  });
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (Array.isArray(message) || !isJSONRPCRequest(message)) return send(message, options);
    // Otherwise a call whose stream broke would wait for its time-out. A call that already has its answer ignores this one.
    const error = { code: STREAM_ENDED, message: 'the stream ended before the response' };
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
    return send(message, { ...options, onRequestStreamEnd });
  };
  return transport;
}

function measured({ gate, fetch, onLost }: HttpSettings): FetchLike {
  let listened = false;
  return async (url, init) => {
    // A GET opens the stream for the server's unsolicited messages.
    const listens = init?.method === 'GET';
    const response = await fetch(url, init).catch((error: unknown) => {
      if (listens && init.signal?.aborted !== true) onLost(`it cannot be reached: ${causeOf(error)}`);
      throw error;
    });
    if (listens && response.status === 404) {
      // A session counts as lost only if its stream was open before. Any other server simply has no such stream, which 405 tells
      // the SDK.
      if (listened && hasSession(init)) onLost('it no longer has the session');
      else return new Response(null, { status: 405 });
    }
    if (listens && response.ok) listened = true;
    if (!response.body) return response;
    return new Response(response.body.pipeThrough(limit(gate, onLost)), response);
  };
}

function hasSession({ headers }: RequestInit): boolean {
  return new Headers(headers).has('mcp-session-id');
}

/** Counts the bytes of a body, and aborts it when a message exceeds the limit. */
function limit(gate: Gate, onLost: (reason: string) => void): TransformStream<Uint8Array, Uint8Array> {
  let since = 0;
  return new TransformStream({
    transform(chunk, controller) {
      gate.bytes(chunk.length);
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      // An empty line separates the messages of an event stream; JSON contains none.
      const end = Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'));
      since = end === -1 ? since + chunk.length : chunk.length - end;
      if (since <= MESSAGE_BYTES) return controller.enqueue(chunk);
      const reason = `it sent a message larger than ${MESSAGE_BYTES} bytes`;
      controller.error(new Error(reason));
      onLost(reason);
    },
  });
}

/** `fetch failed` says nothing; its cause does. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
