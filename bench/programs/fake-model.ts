// A model that costs next to nothing: chat completions over HTTP, streamed, from bytes that were made before.
// It reads just enough of a request to know what is wanted, because it shares the machine with what is measured.
//
// The model's name is the order: `fake-<ms a token>-<tokens>`, and `-gated` to wait for `open` before the first
// token. A message that holds `bench-<n>` is remembered: when it was asked, and when its caller hung up.

import { createServer, type AddressInfo, type Socket } from 'node:net';
import { now } from '../measure/clock.ts';
import { tokenText } from '../load/text.ts';
import { answer } from './answer.ts';

interface Order {
  readonly paceMs: number;
  readonly tokens: number;
  readonly gated: boolean;
}

export interface Seen {
  readonly tag: string;
  readonly askedAt: number;
  readonly hungUpAt: number | null;
}

/** More answers at once than any line asks for; what is remembered is bounded, too. */
const MOST_SEEN = 50_000;

const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n';
let seen: { tag: string; askedAt: number; hungUpAt: number | null }[] = [];
const atTheGate = new Set<() => void>();
const whole = new Map<string, Buffer>();

const server = createServer({ noDelay: true }, serve);
server.listen(0, '127.0.0.1', () => {
  answer(
    { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` },
    {
      seen: (): Seen[] => {
        const last = seen;
        seen = [];
        return last;
      },
      waiting: () => atTheGate.size,
      open: () => {
        for (const enter of atTheGate) enter();
        atTheGate.clear();
      },
    },
  );
});

function serve(socket: Socket): void {
  let received = '';
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    received += chunk;
    const bodyAt = received.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const length = Number(/content-length: *(\d+)/i.exec(received.slice(0, bodyAt))?.[1] ?? 0);
    if (received.length < bodyAt + length) return;
    const body = received.slice(bodyAt, bodyAt + length);
    received = received.slice(bodyAt + length);
    respond(socket, body);
  });
}

function respond(socket: Socket, body: string): void {
  const name = /"model":"([^"]+)"/.exec(body)?.[1] ?? '';
  const order = read(name);
  if (!order) {
    const text = JSON.stringify({ error: { message: `no such model: ${name}` } });
    socket.write(
      `HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    return;
  }
  const done = remember(socket, /bench-\d+/.exec(body)?.[0]);
  const begin = () => (order.paceMs === 0 ? atOnce(socket, name, order, done) : paced(socket, order, done));
  if (!order.gated) return begin();
  const leave = () => atTheGate.delete(enter);
  const enter = () => {
    socket.off('close', leave);
    begin();
  };
  atTheGate.add(enter);
  socket.once('close', leave);
}

function read(name: string): Order | null {
  const match = /^fake-(\d+)-(\d+)(-gated)?$/.exec(name);
  return match && { paceMs: Number(match[1]), tokens: Number(match[2]), gated: match[3] !== undefined };
}

/** Notes the call; a connection that closes before the answer is done was hung up. */
function remember(socket: Socket, tag: string | undefined): () => void {
  if (tag === undefined || seen.length >= MOST_SEEN) return () => undefined;
  const call = { tag, askedAt: now(), hungUpAt: null as number | null };
  seen.push(call);
  const hungUp = () => (call.hungUpAt = now());
  socket.once('close', hungUp);
  return () => socket.off('close', hungUp);
}

function atOnce(socket: Socket, name: string, { tokens }: Order, done: () => void): void {
  let bytes = whole.get(name);
  if (!bytes) {
    const pieces = Array.from({ length: tokens }, (_, index) => token(index));
    bytes = Buffer.from([HEAD, opening(), ...pieces, closing(tokens)].join(''));
    whole.set(name, bytes);
  }
  done();
  socket.write(bytes);
}

function paced(socket: Socket, { paceMs, tokens }: Order, done: () => void): void {
  let sent = 0;
  const stop = () => clearInterval(timer);
  const next = () => {
    const last = sent === tokens - 1;
    const head = sent === 0 ? HEAD + opening() : '';
    // A provider says that it has finished right after its last token.
    socket.write(head + token(sent) + (last ? closing(tokens) : ''));
    sent += 1;
    if (!last) return;
    stop();
    socket.off('close', stop);
    done();
  };
  const timer = setInterval(next, paceMs);
  socket.once('close', stop);
  next();
}

function opening(): string {
  return piece({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
}

function token(index: number): string {
  return piece({ choices: [{ index: 0, delta: { content: tokenText(index) }, finish_reason: null }] });
}

function closing(tokens: number): string {
  const stop = piece({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: tokens + 10 };
  return `${stop}${piece({ choices: [], usage })}${chunk('data: [DONE]\n\n')}0\r\n\r\n`;
}

function piece(fields: object): string {
  const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'fake' };
  return chunk(`data: ${JSON.stringify({ ...envelope, ...fields })}\n\n`);
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
