// A provider for tests: speaks four wire formats over real HTTP, refuses what the real ones refuse,
// and otherwise says what the test told it to.

import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { anthropic } from './wire/anthropic.ts';
import { google } from './wire/google.ts';
import { openaiChat } from './wire/openai-chat.ts';
import { openaiResponses } from './wire/openai-responses.ts';
import type { Reply, Request, Wire } from './wire/reply.ts';

export const WIRES = { openai: openaiResponses, compatible: openaiChat, anthropic, google } as const;
export type ProviderName = keyof typeof WIRES;
export const PROVIDERS = Object.keys(WIRES) as ProviderName[];

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Request;
  readonly at: number;
  /** Whether the client left before the end. */
  left: boolean;
}

export interface ProviderServer extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** What to answer to the next requests, in order; without any, a word. */
  reply(...replies: readonly Reply[]): void;
  baseUrls(): Record<ProviderName, string>;
}

const KEY = 'secret.0123456789abcdef';

/** Variables that reach the server with a key that it knows. */
export const ENV = {
  OPENAI_API_KEY: KEY,
  ANTHROPIC_API_KEY: KEY,
  GOOGLE_GENERATIVE_AI_API_KEY: KEY,
} as const;

/** `otherwise` is what it answers when it was told nothing. */
export async function startProvider(
  otherwise: (request: Request) => Reply = () => ({ said: [{ kind: 'text', pieces: ['Hello'] }] }),
): Promise<ProviderServer> {
  const replies: Reply[] = [];
  const received: Received[] = [];
  /** Signatures that this server issued: it accepts no others. */
  const issued = new Set<string>();
  const http = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const bytes of request) text += String(bytes);
    const path = new URL(request.url ?? '/', 'http://provider').pathname;
    const body = JSON.parse(text) as Request;
    const seen: Received = { path, headers: request.headers, body, at: Date.now(), left: false };
    received.push(seen);
    response.on('close', () => (seen.left = !response.writableFinished));
    const wire = Object.values(WIRES).find((each) => each.path.test(path));
    if (!wire) return refuse(response, openaiChat, { status: 404, message: `Invalid URL (POST ${path})` });
    if (!keyOf(request).includes(KEY))
      return refuse(response, wire, {
        status: 401,
        message: `Incorrect API key provided: ${keyOf(request)}`,
      });
    const problem = wire.problemWith(body, issued);
    if (problem !== null) return refuse(response, wire, { status: 400, message: problem });
    const reply = replies.shift() ?? otherwise(body);
    for (const said of reply.said ?? [])
      if (said.kind !== 'text' && said.signature !== undefined) issued.add(said.signature);
    if (reply.hangUp) return void response.destroy();
    if (reply.document) return void response.writeHead(...reply.document.head).end(reply.document.body);
    if (reply.refusal) return refuse(response, wire, reply.refusal);
    await speak(response, wire, reply);
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    received,
    reply: (...more) => void replies.push(...more),
    baseUrls: () => ({ openai: `${url}/v1`, compatible: `${url}/v1`, anthropic: url, google: url }),
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function speak(response: ServerResponse, wire: Wire, reply: Reply): Promise<void> {
  const { said, end } = wire.frames(reply);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const frame of said) {
    await reply.pause?.((bytes) => response.write(bytes));
    response.write(frame);
    if (reply.delayMs !== undefined) await wait(reply.delayMs);
  }
  if (reply.instead === 'stall') return;
  if (reply.instead === 'silent end') return void response.end();
  if (reply.instead === 'error') return void response.end(wire.errorFrame());
  if (reply.instead === 'cut') {
    // The written bytes must be sent before the connection is torn down.
    await wait(20);
    return void response.destroy();
  }
  for (const frame of end) response.write(frame);
  response.end();
}

function refuse(response: ServerResponse, wire: Wire, refusal: NonNullable<Reply['refusal']>): void {
  const { status, message, type, headers } = refusal;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(wire.error(message, type, status)));
}

function keyOf({ headers }: IncomingMessage): string {
  const key = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'] ?? '';
  return String(key);
}
