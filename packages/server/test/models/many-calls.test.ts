// Many model calls at once: their sockets rest between reads, and nothing is lost, kept back or left open by that.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aiSdkFetch } from '../../src/models/ai-sdk/fetch.ts';

const CALLS = 12;
const PIECES = 60;
const answering: ServerResponse[] = [];
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200).flushHeaders();
  answering.push(response);
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Calls that have their headers, with who answers each. */
async function open(signal: AbortSignal): Promise<{ calls: Response[]; servers: ServerResponse[] }> {
  answering.length = 0;
  const calls = await Promise.all(
    Array.from({ length: CALLS }, () => aiSdkFetch(url, { method: 'POST', body: '{}', signal })),
  );
  return { calls, servers: [...answering] };
}

/** The pieces come one by one, each when all calls were sent the one before. */
async function answer(servers: readonly ServerResponse[]): Promise<void> {
  for (let piece = 0; piece < PIECES; piece += 1) {
    for (const response of servers) response.write(`${piece};`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (const response of servers) response.end();
}

test('RT-1 of many calls at once each gets every piece, in order, and its end', async () => {
  const { calls, servers } = await open(new AbortController().signal);
  void answer(servers);
  const whole = Array.from({ length: PIECES }, (_, piece) => `${piece};`).join('');
  expect(await Promise.all(calls.map((call) => call.text()))).toEqual(calls.map(() => whole));
});

test('RT-1 of many calls at once each is read in fewer pieces than it was sent', async () => {
  const { calls, servers } = await open(new AbortController().signal);
  void answer(servers);
  let reads = 0;
  await Promise.all(
    calls.map(async (call) => {
      for await (const _ of call.body!) reads += 1;
    }),
  );
  expect(reads).toBeLessThan((CALLS * PIECES) / 2);
});

test('RT-1 an abort ends calls whose sockets rest', async () => {
  const abort = new AbortController();
  const { calls, servers } = await open(abort.signal);
  const readers = calls.map((call) => call.body!.getReader());
  const first = readers.map((reader) => reader.read());
  for (const response of servers) response.write('little');
  await Promise.all(first);
  const closed = servers.map((response) => new Promise((resolve) => response.once('close', resolve)));
  const next = Promise.allSettled(readers.map((reader) => reader.read()));
  abort.abort();
  expect((await next).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
  await Promise.all(closed);
});

test('RT-1 a call is read to its end also after others were aborted', async () => {
  const { calls, servers } = await open(new AbortController().signal);
  void answer(servers);
  const [last, ...others] = calls;
  for (const call of others) await call.body!.cancel();
  expect((await last!.text()).split(';')).toHaveLength(PIECES + 1);
});
