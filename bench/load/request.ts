// HTTP as a client that spends as little as it can: Node's own, with connections that are kept.

import { Agent, request as send, type IncomingMessage } from 'node:http';

export interface Request {
  readonly agent: Agent;
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

export function connections(): Agent {
  return new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });
}

/** Resolves with the response's head. */
export function open(request: Request): Promise<IncomingMessage> {
  const { agent, url, method = 'GET', body, signal } = request;
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      text === undefined
        ? { accept: 'text/event-stream' }
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const sent = send(url, { agent, method, headers, signal });
    sent.once('response', resolve);
    sent.once('error', (error: NodeJS.ErrnoException) => {
      // A server may close a connection that idled just when it is used again; any client asks once more.
      if (sent.reusedSocket && error.code === 'ECONNRESET') open(request).then(resolve, reject);
      else reject(error);
    });
    sent.end(text);
  });
}

/** Hands the body's chunks over as they come; resolves when it has ended as it should. */
export function read(response: IncomingMessage, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('data', onChunk);
    response.once('error', reject);
    response.once('close', () => {
      if (response.complete) resolve();
      else reject(new Error('the stream was cut'));
    });
  });
}

export async function call<T>(request: Request): Promise<T> {
  const response = await open(request);
  let text = '';
  await read(response, (chunk) => (text += chunk.toString()));
  if (response.statusCode! >= 300) throw new Error(`${request.url} answered ${response.statusCode}: ${text}`);
  return JSON.parse(text) as T;
}
