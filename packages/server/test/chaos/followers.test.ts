// Followers that are cut, and followers that never read.

import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createThread, follow, followToEnd, send } from '@continuo/testkit';
import { freshDatabase, startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';
import { INSPECTABLE, usedMiB } from './support/inspect.ts';
import { followInPieces } from './support/pieces.ts';
import { queuedMiB, rests } from './support/process.ts';
import { storedFrames } from './support/whole.ts';

let database: TestDatabase;
let pods: TestPod[];
const urls = () => pods.map((pod) => pod.url);

beforeAll(async () => {
  database = await freshDatabase();
  const start = () => startPod({ databaseUrl: database.url, armable: true });
  pods = await Promise.all([start(), start()]);
});

afterAll(async () => {
  await Promise.all(pods.map((pod) => pod.end()));
  await database.drop();
});

const SCRIPT = {
  steps: [
    {
      reasoning: 'a thought before the words',
      tokens: 150,
      delay_ms: 2,
      calls: [{ tool: 'pure', input: { note: 'x' } }],
    },
    { text: 'é 漢字 🙂 \u2028 "quoted" \\ and\nlines', tokens: 150, delay_ms: 2 },
  ],
};

test('RUN-7 a follower that is cut after every 25 events sees what one that was never cut sees', async () => {
  const thread = await createThread(pods[0]!.url);
  const first = await send(pods[0]!.url, thread, SCRIPT);
  // Followed from before its beginning: it waits for the first one.
  const second = await send(pods[1]!.url, thread, SCRIPT);
  for (const { id } of [first, second]) {
    const [whole, ...cut] = await Promise.all([
      followToEnd(() => [pods[0]!.url], id),
      followInPieces(urls(), id),
      followInPieces(urls().toReversed(), id),
      followInPieces([pods[1]!.url], id),
    ]);
    const bytes = whole.map((frame) => frame.raw);
    expect(bytes).toEqual(await storedFrames(database.pool, id));
    for (const { frames, cuts } of cut) {
      expect(cuts).toBeGreaterThanOrEqual(12);
      expect(frames.map((frame) => frame.raw)).toEqual(bytes);
    }
    const { frames } = await followInPieces(urls(), id);
    expect(frames.map((frame) => frame.raw)).toEqual(bytes);
  }
});

const READERS = 450;
const STALLED = 50;

test(
  'RUN-7 followers that never read their socket cost the server next to nothing',
  { timeout: 300_000 },
  async () => {
    const pod = await startPod({ databaseUrl: database.url, armable: true, env: INSPECTABLE });
    onTestFinished(() => pod.end());
    const without = await followTogether(pod, 0);
    const withThem = await followTogether(pod, STALLED);
    const { unread, inKernel } = withThem;
    process.stdout.write(
      `${READERS} followers: ${without.used.toFixed(1)} MiB in use; with ${STALLED} more that have read nothing of ` +
        `${unread.toFixed(0)} MiB (${inKernel.toFixed(0)} MiB wait in sockets): ${withThem.used.toFixed(1)} MiB in use\n`,
    );
    expect(unread - inKernel).toBeGreaterThan(100);
    expect(withThem.used - without.used).toBeLessThan(32);
  },
);

/** Everybody follows one run to its end; then what the pod holds, while those who do not read are still there. */
async function followTogether(pod: TestPod, stalled: number) {
  const thread = await createThread(pod.url);
  const talk = { tokens: 20_000, calls: [{ tool: 'pure', input: { note: 'x' } }] };
  const wait = { calls: [{ tool: 'idempotent', input: { note: 'x' } }] };
  const steps = [...Array.from({ length: 20 }, () => talk), wait, ...Array.from({ length: 3 }, () => talk)];
  // Half of those who do not read come at the start, half later; the readers come for the last part, which waits
  // until they are there.
  const gate = await database.pool.connect();
  await gate.query('begin; lock table effects in exclusive mode');
  const run = await send(pod.url, thread, { steps });
  const stall = () => Promise.all(Array.from({ length: stalled / 2 }, () => followUnread(pod.url, run.id)));
  const early = await stall();
  let seen = 0;
  for await (const frame of follow(pod.url, run.id)) {
    seen = frame.id;
    if (frame.event === 'tool_start' && frame.data.tool === 'idempotent') break;
  }
  const sockets = [...early, ...(await stall())];
  const streams = await Promise.all(Array.from({ length: READERS }, () => read(pod.url, run.id, seen)));
  await gate.query('commit');
  gate.release();
  const ended = await Promise.all(streams.map((stream) => stream.ended));

  const stored = await storedFrames(database.pool, run.id);
  const last = Buffer.from(stored.slice(seen).join(''));
  expect([...new Set(ended.map(String))]).toEqual([`${last.length} ${crc32(last)}`]);
  await rests(pod.process.pid!);
  const used = await usedMiB(pod);
  const inKernel = queuedMiB(new URL(pod.url).port);
  expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
  for (const socket of sockets) socket.destroy();
  return { used, inKernel, unread: (stalled * Buffer.byteLength(stored.join(''))) / 2 ** 20 };
}

/** Follows, and never reads more than the head of the answer. */
function followUnread(base: string, runId: string): Promise<Socket> {
  const { hostname, port, host } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', reject);
    socket.write(
      `GET /api/runs/${runId}/events HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`,
    );
    socket.once('data', () => {
      socket.pause();
      resolve(socket);
    });
  });
}

const PING = Buffer.from(': ping\n');

/** The length and the checksum of a stream, without its heartbeats. */
class Sum {
  length = 0;
  #crc = 0;
  #rest = Buffer.alloc(0);

  add(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (let at = bytes.indexOf(PING); at >= 0; at = bytes.indexOf(PING)) {
      this.#take(bytes.subarray(0, at));
      bytes = bytes.subarray(at + PING.length);
    }
    // The end may be the beginning of a heartbeat.
    const end = Math.max(0, bytes.length - PING.length + 1);
    this.#take(bytes.subarray(0, end));
    this.#rest = Buffer.from(bytes.subarray(end));
  }

  toString(): string {
    return `${this.length + this.#rest.length} ${crc32(this.#rest, this.#crc)}`;
  }

  #take(bytes: Buffer): void {
    this.length += bytes.length;
    this.#crc = crc32(bytes, this.#crc);
  }
}

/** Resolves when it follows; `ended` tells what came. */
function read(base: string, runId: string, after: number): Promise<{ ended: Promise<Sum> }> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
    const request = get(`${base}/api/runs/${runId}/events`, { agent: false, headers });
    request.on('error', reject);
    request.on('response', (response) => {
      const sum = new Sum();
      response.on('data', (chunk: Buffer) => sum.add(chunk));
      resolve({
        ended: new Promise((done, failed) => response.on('end', () => done(sum)).on('error', failed)),
      });
    });
  });
}
