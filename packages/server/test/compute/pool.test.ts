// The worker threads: deadline, memory, abort, turns; and that small work does not go there.

import { expect, test } from 'vitest';
import { TooMuchWork, WorkerPool } from '../../src/compute/pool.ts';
import { FairLimiter } from '../../src/limits/fair-limiter.ts';

/** Takes minutes: each of the edits goes through the whole text. */
const endless = {
  text: 'ab'.repeat(1024 * 1024),
  edits: Array.from({ length: 50_000 }, () => ({ old_text: 'b', new_text: 'b', replace_all: true })),
};
const lines = (count: number, mark: string) =>
  Array.from({ length: count }, (_, index) => `${mark} ${index}\n`).join('');
const sides = (count: number) => ({
  from: { name: 'a', text: lines(count, 'a') },
  to: { name: 'b', text: lines(count, 'b') },
});

test('a job past its deadline is stopped, and the next one gets a new thread', async () => {
  const pool = new WorkerPool({ threads: 1, jobMs: 200 });
  await expect(pool.run('replace', endless, { key: 'a' })).rejects.toThrow(TooMuchWork);
  await expect(pool.run('replace', endless, { key: 'a' })).rejects.toThrow('took longer than 0.2 s');
  const { added } = await new WorkerPool({ jobMs: 60_000 }).run('difference', sides(2000), { key: 'a' });
  expect(added).toBe(2000);
  expect(pool.counts).toEqual({ started: 2, busy: 0 });
  await pool.close();
});

test('a job that needs too much memory is stopped, and nothing else with it', async () => {
  const pool = new WorkerPool({ threads: 1, heapMb: 32, jobMs: 60_000 });
  await expect(pool.run('difference', sides(400_000), { key: 'a' })).rejects.toThrow(
    /used more than 32 MiB of memory/,
  );
  expect((await pool.run('difference', sides(2000), { key: 'a' })).removed).toBe(2000);
  await pool.close();
});

test('CHAT-6 an abort ends the worker thread of the job, or takes the job out of the queue', async () => {
  const pool = new WorkerPool({ threads: 1, jobMs: 60_000 });
  const [first, second] = [new AbortController(), new AbortController()];
  const running = pool.run('replace', endless, { key: 'a', signal: first.signal });
  const waiting = pool.run('replace', endless, { key: 'a', signal: second.signal });
  second.abort(new Error('the waiting one is not wanted'));
  await expect(waiting).rejects.toThrow('the waiting one is not wanted');
  expect(pool.counts.busy).toBe(1);
  first.abort(new Error('the client went away'));
  await expect(running).rejects.toThrow('the client went away');
  expect(pool.counts).toEqual({ started: 1, busy: 0 });
  expect((await pool.run('difference', sides(2000), { key: 'a' })).added).toBe(2000);
  const gone = AbortSignal.abort(new Error('before it began'));
  await expect(pool.run('difference', sides(2000), { key: 'a', signal: gone })).rejects.toThrow(
    'before it began',
  );
  await pool.close();
});

test('small jobs run at once, without a worker thread; worker threads are reused', async () => {
  const pool = new WorkerPool({ threads: 2, jobMs: 60_000 });
  expect((await pool.run('difference', sides(50), { key: 'a' })).added).toBe(50);
  expect(pool.counts.started).toBe(0);
  for (let turn = 0; turn < 3; turn += 1) await pool.run('difference', sides(2000), { key: 'a' });
  expect(pool.counts.started).toBe(1);
  await Promise.all([1, 2, 3, 4, 5].map(() => pool.run('difference', sides(2000), { key: 'a' })));
  expect(pool.counts).toEqual({ started: 2, busy: 0 });
  await pool.close();
});

test('work of different keys takes turns, and an abort leaves the queue', async () => {
  const limiter = new FairLimiter(2);
  const order: string[] = [];
  const held: (() => void)[] = [];
  const leave = new AbortController();
  const work = (key: string, name: string, signal?: AbortSignal) =>
    limiter.run(key, signal, () => {
      order.push(name);
      return new Promise<void>((resolve) => held.push(resolve));
    });
  const all = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => work('a', name)),
    ...['b1', 'b2'].map((name) => work('b', name)),
    work('c', 'c1', leave.signal).catch((error: Error) => order.push(error.message)),
  ];
  leave.abort(new Error('c1 left'));
  while (order.length < 7) {
    held.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(limiter.running).toBeLessThanOrEqual(2);
  }
  for (const end of held) end();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'a2', 'c1 left', 'a3', 'b1', 'a4', 'b2']);
  expect(limiter.running).toBe(0);
});

test('markup of more than 1,024 characters is parsed on a thread: nested, it takes long', async () => {
  const pool = new WorkerPool({ threads: 1, jobMs: 60_000 });
  await pool.run('renderMarkdown', { text: '> '.repeat(100), replace: {} }, { key: 'a' });
  expect(pool.counts.started).toBe(0);
  await pool.run('renderMarkdown', { text: '> '.repeat(600), replace: {} }, { key: 'a' });
  await pool.run('readPage', { html: '<div>'.repeat(400), url: 'http://localhost/' }, { key: 'a' });
  expect(pool.counts.started).toBe(1);
  await pool.close();
});
