// Followers and streams: every event arrives once and in order, from any pod, and also at a slow reader.

import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runs } from '@continuo/protocol';
import { until } from '@continuo/testkit';
import { Streams } from '../../src/http/streams/sse.ts';
import type { StoredEvent } from '../../src/log/event.ts';
import { Followers, FollowersOf, type Batch } from '../../src/log/follow.ts';
import { ITEMS_PER_TURN } from '../../src/limits/yielding.ts';
import { readChangeRows } from '../../src/files/changes.ts';
import { entry, openPen, token, useLog } from '../runs/support.ts';

const world = useLog();
const seqs = (batches: readonly Batch[]) => batches.flatMap(({ rows }) => rows.map(({ seq }) => seq));
const upTo = (last: number, after = 0) =>
  Array.from({ length: last - after }, (_, index) => after + index + 1);
const reached = (batches: readonly Batch[], seq: number) =>
  until(`event ${seq} has come`, () => seqs(batches).includes(seq));

/** A follower that keeps what it gets; while `full`, its socket takes nothing more. */
function collect(followers: Followers, thread: string, after = 0) {
  const batches: Batch[] = [];
  let drain: (() => void) | null = null;
  const sink = {
    full: false,
    write: (batch: Batch) => {
      batches.push(batch);
      return !sink.full;
    },
    drained: () => new Promise<void>((resolve) => (drain = resolve)),
    drain: () => {
      sink.full = false;
      drain?.();
    },
  };
  return { batches, sink, follower: followers.follow(thread, after, sink) };
}

async function written(count: number, publish?: (rows: readonly StoredEvent[]) => void) {
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer(publish ? { publish } : {}), thread);
  const write = (more: number) =>
    pen.append(Array.from({ length: more }, (_, index) => token(run, `${index} `)));
  if (count > 0) await write(count);
  return { thread, run, pen, write };
}

test('a follower gets what was there and what comes, in order and once', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, write } = await written(1234, (rows) => followers.publish(rows));
  const fromStart = collect(followers, thread);
  const fromMiddle = collect(followers, thread, 700);
  for (let round = 0; round < 20; round += 1) await write(7);
  await reached(fromStart.batches, 1374);
  await reached(fromMiddle.batches, 1374);
  expect(seqs(fromStart.batches)).toEqual(upTo(1374));
  expect(seqs(fromMiddle.batches)).toEqual(upTo(1374, 700));
});

test('followers that are up to date share one batch of a commit', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, write } = await written(0, (rows) => followers.publish(rows));
  const all = [collect(followers, thread), collect(followers, thread), collect(followers, thread)];
  await write(1);
  await Promise.all(all.map(({ batches }) => reached(batches, 1)));
  await write(3);
  await Promise.all(all.map(({ batches }) => reached(batches, 4)));
  expect(new Set(all.map(({ batches }) => batches.at(-1))).size).toBe(1);
});

test('CHAT-6 however much is committed at once, a follower is handed no more than one turn may take', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread } = await written(1);
  const all = collect(followers, thread);
  await reached(all.batches, 1);
  await world.database.pool.query(
    `insert into events select thread_id, seq + n, run_id, run_seq + n, attempt, type, data, at
     from events, generate_series(1, 1700) n where thread_id = $1`,
    [thread],
  );
  followers.publish((await world.log(thread)).slice(1));
  await reached(all.batches, 1701);
  expect(seqs(all.batches)).toEqual(upTo(1701));
  expect(Math.max(...all.batches.map(({ rows }) => rows.length))).toBeLessThanOrEqual(ITEMS_PER_TURN);
});

test('one hint is enough for whatever another pod has written, also for more than a page of it', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, write } = await written(1);
  const { batches } = collect(followers, thread);
  await reached(batches, 1);
  await write(1700);
  followers.readNew(thread);
  await reached(batches, 1701);
  expect(seqs(batches)).toEqual(upTo(1701));
});

test('many hints at once give each event once', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, write } = await written(1);
  const { batches } = collect(followers, thread);
  for (let round = 0; round < 10; round += 1) {
    await write(90);
    for (let times = 0; times < 3; times += 1) followers.readNew(thread);
  }
  await reached(batches, 901);
  expect(seqs(batches)).toEqual(upTo(901));
});

test('a follower whose socket is full is handed nothing, and then reads on where it was', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, write } = await written(1, (rows) => followers.publish(rows));
  const slow = collect(followers, thread);
  const quick = collect(followers, thread);
  await reached(slow.batches, 1);
  await reached(quick.batches, 1);
  slow.sink.full = true;
  for (let round = 0; round < 30; round += 1) await write(50);
  await reached(quick.batches, 1501);
  expect(seqs(slow.batches).length).toBeLessThanOrEqual(501);
  slow.sink.drain();
  await reached(slow.batches, 1501);
  expect(seqs(slow.batches)).toEqual(upTo(1501));
});

test('a follower that has stopped gets nothing more, and is forgotten', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, write } = await written(1, (rows) => followers.publish(rows));
  const gone = collect(followers, thread);
  const other = collect(followers, thread);
  await reached(gone.batches, 1);
  gone.follower.stop();
  expect(followers.count).toBe(1);
  await write(5);
  await reached(other.batches, 6);
  other.follower.stop();
  expect([seqs(gone.batches), followers.count]).toEqual([[1], 0]);
});

test('a follower that could not read is served by the next look', async () => {
  const errors: Error[] = [];
  const { thread, write } = await written(3);
  let broken = true;
  const pool = new Proxy(world.pool, {
    get: (target, key) =>
      key === 'query' && broken ? () => Promise.reject(new Error('away')) : Reflect.get(target, key, target),
  });
  const followers = new Followers(pool, (error) => errors.push(error));
  const { batches } = collect(followers, thread);
  await until('an error has come', () => errors.length > 0);
  await write(2);
  broken = false;
  followers.rescan();
  await reached(batches, 5);
  expect(seqs(batches)).toEqual(upTo(5));
});

// What happens now and then happens when the test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));

let server: Server | null = null;
afterEach(() => {
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
  server = null;
});

/** A stream of a run over real HTTP. */
async function stream(followers: Followers, cursor: { runId: string; threadId: string; seq: number }) {
  const streams = new Streams(followers, new FollowersOf(world.pool, () => undefined, readChangeRows));
  const { runId, threadId, seq } = cursor;
  server = createServer((_, response) =>
    streams.follow(response, {
      binding: { dialect: runs },
      source: { threadId, run: { id: runId, startAfter: 0 } },
      from: { seq, state: null, part: 0 },
    }),
  );
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const response = await new Promise<IncomingMessage>((resolve) =>
    request({ port: (server!.address() as AddressInfo).port }, resolve).end(),
  );
  const got = { text: '', ended: false };
  response.setEncoding('utf8').on('data', (chunk: string) => (got.text += chunk));
  response.on('end', () => (got.ended = true));
  const wait = (part: string) => until(`the stream has ${part}`, () => got.text.includes(part));
  return { streams, got, wait };
}

test('RUN-5 the heartbeat is a comment line, neither stored nor numbered', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, run, write, pen } = await written(1, (rows) => followers.publish(rows));
  const { got, wait } = await stream(followers, { runId: run, threadId: thread, seq: 0 });
  await wait('id: 1\n');
  vi.advanceTimersByTime(60_000);
  await wait(': ping\n');
  await write(1);
  await wait('id: 2\n');
  await pen.append([entry(run, { type: 'state', data: { status: 'done' } })]);
  await until('the stream has ended', () => got.ended);
  expect(got.text).toMatch(
    /^event: token\nid: 1\ndata: .*\n\n(: ping\n)+event: token\nid: 2\ndata: .*\n\nevent: state\nid: 3\ndata: .*\n\n$/,
  );
  expect(await world.log(thread)).toHaveLength(3);
});

test('RUN-7 a stream whose hint was lost finds the rest by itself', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, run, pen, write } = await written(1);
  const { got, wait } = await stream(followers, { runId: run, threadId: thread, seq: 0 });
  await wait('id: 1\n');
  await write(1);
  await pen.append([entry(run, { type: 'state', data: { status: 'done' } })]);
  vi.advanceTimersByTime(60_000);
  await until('the stream has ended', () => got.ended);
  expect(got.text.replaceAll(': ping\n', '').match(/^id: \d+$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3']);
});

test('a stream ends with its run, and not with another of its thread', async () => {
  const followers = new Followers(world.pool, () => undefined);
  const { thread, run, pen, write } = await written(1, (rows) => followers.publish(rows));
  const { got, wait, streams } = await stream(followers, { runId: run, threadId: thread, seq: 0 });
  const other = await world.run(thread);
  await pen.append([entry(other, { type: 'state', data: { status: 'canceled' } })]);
  await write(1);
  await wait('id: 2\n');
  expect([got.ended, streams.count]).toEqual([false, 1]);
  await pen.append([entry(run, { type: 'state', data: { status: 'done' } })]);
  await until('the stream has ended', () => got.ended);
  expect(got.text).not.toContain('canceled');
  expect([streams.count, followers.count]).toEqual([0, 0]);
});
