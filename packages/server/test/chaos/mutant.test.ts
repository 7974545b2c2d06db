// A mutant that must not survive: without the log's primary key there is no fence, a stopped pod that wakes up
// appends what it had in hand, and the checks of the other tests must notice. If they do not, they prove nothing.

import { afterAll, expect, onTestFailed, test } from 'vitest';
import { until } from '@continuo/testkit';
import { freshDatabase } from '@continuo/testkit/fixtures';
import { Fleet, holdCounts } from './killing/fleet.ts';
import { Load } from './killing/load.ts';
import { createRandom } from './support/seeded.ts';
import { stopAt, takenOver, wake } from './killing/stopping.ts';
import { violations } from './killing/violations.ts';

const ROUNDS = 10;
const POINTS = ['append.before.token', 'append.before.message_end', 'tool.before_effect.transactional'];

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

test('RUN-11 the checks notice a log without a fence', { timeout: 240_000 }, async () => {
  const random = createRandom();
  const database = await freshDatabase();
  cleanups.push(() => database.drop());
  await database.pool.query(
    'alter table events drop constraint events_pkey; create index on events (thread_id, seq)',
  );
  const fleet = new Fleet({ databaseUrl: database.url });
  cleanups.push(() => fleet.end());
  onTestFailed(() => console.log(fleet.logs));
  const load = new Load({ bases: () => fleet.urls, random, clients: 5 });
  cleanups.push(() => load.abandon());
  fleet.fill(2);
  await fleet.atLeast(2);
  load.start();

  let caught: string[] = [];
  for (let round = 0; caught.length === 0 && round < ROUNDS; round += 1) {
    const pod = await until('a pod executes runs', async () => {
      const holds = await holdCounts(database);
      return fleet.live.find((each) => holds.has(each.process.pid!));
    });
    load.prefer(pod.url);
    const stopped = await stopAt(database, pod, POINTS[round % POINTS.length]!);
    load.prefer(null);
    await takenOver(database, stopped);
    await wake(database, stopped);
    // Runs are in progress here: only what is wrong at any moment counts.
    caught = (await violations(database, load.played)).filter((each) =>
      /^L[13] |took effect 2 times/.test(each),
    );
  }
  console.log(`without a fence: ${caught.length} violations, such as\n  ${caught.slice(0, 3).join('\n  ')}`);
  expect(caught).not.toEqual([]);
});
