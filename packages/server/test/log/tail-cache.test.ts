// What a pod has just written is followed without the database; whatever it may not have whole is read.

import { expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { Followers, type Batch } from '../../src/log/follow.ts';
import { LogTailCache } from '../../src/log/tail-cache.ts';
import { openPen, token, useLog } from '../runs/support.ts';

const world = useLog();

/** A writer with its memory, and followers whose every read is counted. */
async function written() {
  const recent = new LogTailCache();
  let reads = 0;
  const pool = new Proxy(world.pool, {
    get: (target, name) => {
      if (name === 'query') reads += 1;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const followers = new Followers(pool, () => undefined, recent);
  const thread = await world.thread();
  const run = await world.run(thread);
  const pen = openPen(world.writer({ recent, publish: (rows) => followers.publish(rows) }), thread);
  const follow = (after: number) => {
    const seqs: number[] = [];
    const write = (batch: Batch) => seqs.push(...batch.rows.map(({ seq }) => seq)) > 0;
    followers.follow(thread, after, { write, drained: () => Promise.resolve() });
    return seqs;
  };
  return { recent, followers, thread, run, pen, follow, reads: () => reads };
}

test('a follower that comes in the middle of a run gets what was written and what comes, and nothing is read', async () => {
  const { recent, thread, run, pen, follow, reads } = await written();
  pen.begin(run);
  expect(recent.place(run)).toEqual({ threadId: thread, startAfter: 0 });
  const early = follow(0);
  await pen.append([token(run, 'a'), token(run, 'b')]);
  const late = follow(0);
  const later = follow(1);
  await pen.append([token(run, 'c')]);
  await until('event 3 has come', () => later.includes(3));
  expect([early, late, later]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
    [2, 3],
  ]);
  expect(reads()).toBe(0);
});

test('once the pen is closed nothing is known of its thread, and the table is read', async () => {
  const { recent, run, pen, follow, reads } = await written();
  pen.begin(run);
  await pen.append([token(run, 'a')]);
  pen.close();
  expect(recent.place(run)).toBeNull();
  const seqs = follow(0);
  await until('one event has come', () => seqs.length === 1);
  expect(reads()).toBeGreaterThan(0);
});

test('a pen that closes late leaves what its successor has written', async () => {
  const { recent, thread, run, pen } = await written();
  await pen.append([token(run, 'a')]);
  recent.open(thread, 2, 1);
  recent.begin(run, thread);
  pen.close();
  expect(recent.place(run)).toEqual({ threadId: thread, startAfter: 1 });
});

test('of a long run only the end is kept, and the rest is read', async () => {
  const { recent, thread, run, pen, follow } = await written();
  for (let round = 0; round < 10; round += 1)
    await pen.append(Array.from({ length: 30 }, () => token(run, 'x'.repeat(100))));
  expect(recent.after(thread, 0)).toBeNull();
  expect(recent.after(thread, 299)?.map(({ seq }) => seq)).toEqual([300]);
  const seqs = follow(0);
  await until('event 300 has come', () => seqs.includes(300));
  expect(seqs).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
});
