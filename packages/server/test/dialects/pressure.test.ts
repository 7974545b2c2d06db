// A client that reads slowly, over real HTTP and real sockets: it loses progress, and nothing else.

import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { agent, type NewEvent } from '@continuo/protocol';
import { until } from '@continuo/testkit';
import { positionAtStart } from '../../src/http/streams/dialect-stream.ts';
import { Streams } from '../../src/http/streams/sse.ts';
import { Followers, FollowersOf } from '../../src/log/follow.ts';
import { readChangeRows } from '../../src/files/changes.ts';
import { openPen, useLog } from '../runs/support.ts';
import { parseFrames, type SseFrame } from './listen.ts';

const world = useLog();
const ROUNDS = 300;
/** The first results are so large that the sockets' own buffers cannot hold them. */
const LARGE = 16;
const outputOf = (n: number) => ({ text: 'x'.repeat(n <= LARGE ? 1_000_000 : 500) });
const PROGRESS = new Set(['agent_state', 'context_usage']);

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A turn of the model and a tool, with its progress. */
function round(n: number): NewEvent[] {
  const [message, call] = [`m${n}`, `m${n}_0`];
  const usage = { input: n, output: 1 };
  const parts = [
    { kind: 'tool_call' as const, callId: call, tool: 'look', input: { kind: 'json' as const, value: {} } },
  ];
  return [
    { type: 'message_start', data: { message, model: 'offline/script' } },
    { type: 'token', data: { text: `${n} `, message } },
    { type: 'usage', data: { message, model: 'offline/script', usage, cost: null, duration_ms: 1 } },
    { type: 'message_end', data: { message, text: `${n} `, parts, ended: 'complete' } },
    { type: 'tool_start', data: { tool: 'look', input: {}, call } },
    { type: 'tool_end', data: { tool: 'look', output: outputOf(n), call, success: true } },
  ];
}

test('CHAT-3 a reader at a tenth of the speed gets all text, results, errors and ends, and only the newest progress', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const threadId = await world.thread();
  const run = await world.run(threadId);
  const pen = openPen(world.writer({ publish: (rows) => followers.publish(rows) }), threadId);
  const write = (events: NewEvent[]) => pen.append(events.map((event) => ({ runId: run, event })));
  const streams = new Streams(followers, new FollowersOf(world.pool, () => undefined, readChangeRows));
  const source = { threadId, run: { id: run, startAfter: 0 } };
  const from = positionAtStart(agent, source);
  server = createServer((_, response) =>
    streams.follow(response, { binding: { dialect: agent }, source, from }),
  );
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const connect = () =>
    new Promise<IncomingMessage>((resolve) =>
      request({ port: (server!.address() as AddressInfo).port, agent: false }, resolve).end(),
    );

  const got = { quick: '', slow: '' };
  let tail = '';
  const quick = await connect();
  quick.setEncoding('utf8').on('data', (chunk: string) => {
    got.quick += chunk;
    tail = (tail + chunk).slice(-100);
  });
  const slow = await connect();
  slow.setEncoding('utf8');

  await write([{ type: 'state', data: { status: 'running', attempt: 1 } }]);
  for (let n = 1; n <= ROUNDS; n += 1) {
    await write(round(n));
    await until(`call ${n} has succeeded`, () => tail.includes(`"call":"m${n}_0","success":true`));
    const chunk =
      slow.readableLength > 0 && got.slow.length < got.quick.length / 10 ? (slow.read() as string) : null;
    got.slow += chunk ?? '';
  }
  expect(got.slow.length).toBeLessThan(got.quick.length / 5);
  await write([
    { type: 'error', data: { error: 'it broke', code: 'broken' } },
    { type: 'state', data: { status: 'error' } },
  ]);
  await new Promise((resolve) => slow.on('data', (chunk: string) => (got.slow += chunk)).on('end', resolve));
  await until('the quick follower has everything', () => quick.complete);

  const all = parseFrames(got.quick).frames;
  const some = parseFrames(got.slow).frames;
  const lasting = (frames: readonly SseFrame[]) =>
    frames
      .filter(({ event }) => !PROGRESS.has(event!))
      .map(({ event, id, raw }) => `${event} ${id}: ${raw.length}`);
  const progress = (frames: readonly SseFrame[], event: string) =>
    frames.filter((frame) => frame.event === event);
  expect(lasting(some)).toEqual(lasting(all));
  expect(lasting(all)).toHaveLength(1 + 3 * ROUNDS + 2);
  for (const event of PROGRESS) {
    expect(progress(all, event).length).toBeGreaterThanOrEqual(ROUNDS);
    expect(progress(some, event).length).toBeLessThan(progress(all, event).length / 4);
    expect(progress(some, event).at(-1)).toEqual(progress(all, event).at(-1));
  }
  const known = new Set(all.map(({ raw }) => raw));
  expect(some.every(({ raw }) => known.has(raw))).toBe(true);
});
