// RUN-14 executors are killed at random moments, 100 times: no run is lost, no event is lost or doubled, no effect happens twice.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createThread, framesOf, send, until, type Frame } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  startWorker,
  type TestDatabase,
  type TestPod,
  type TestWorker,
} from '@continuo/testkit/fixtures';
import { seeded } from './support/seeded.ts';

const KILLS = 100;
const WORKERS = 3;
/** Runs that are open at the same time. */
const OPEN = 8;
const EXECUTOR = 'mortal';

let database: TestDatabase;
let pod: TestPod;

beforeAll(async () => {
  database = await freshDatabase();
  const env = { CONTINUO_EXECUTOR_LEASE_SECONDS: '1', CONTINUO_MODEL: `executor/${EXECUTOR}` };
  pod = await startPod({ databaseUrl: database.url, leaseSeconds: 5, env });
});

afterAll(async () => {
  await pod.end();
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

const WORDS = Array.from({ length: 30 }, (_, index) => `word-${index} `);
const script = (note: string) => ({
  steps: [
    { deltas: WORDS, delay_ms: 4, calls: [{ tool: 'transactional', input: { note } }] },
    { deltas: WORDS, delay_ms: 4 },
  ],
});

test(
  `RUN-14 ${KILLS} kills of executors lose no run, and neither lose nor double an event or an effect`,
  { timeout: 600_000 },
  async () => {
    const chance = seeded(22);
    const start = (): TestWorker => startWorker({ url: pod.url, executor: EXECUTOR });
    const workers = Array.from({ length: WORKERS }, start);
    let sent = 0;
    let killing = true;
    const load = async (): Promise<void> => {
      const thread = await createThread(pod.url);
      while (killing) {
        sent += 1;
        const run = await send(pod.url, thread, script(`effect ${sent}`));
        check(await framesOf(pod.url, run.id));
      }
    };
    const loads = Promise.all(Array.from({ length: OPEN }, load));
    // A failure is told at the end, by the same promise.
    loads.catch(() => undefined);
    let begun = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = chance.below(WORKERS);
      await until('an answer is being written', async () => (await openAnswers()) > 0);
      await new Promise((resolve) => setTimeout(resolve, chance.below(150)));
      begun += await openAnswers();
      workers[victim]!.kill('SIGKILL');
      await workers[victim]!.exited;
      workers[victim] = start();
    }
    killing = false;
    await loads;
    await Promise.all(workers.map((worker) => worker.end()));
    // The kills met answers.
    expect(begun).toBeGreaterThan(KILLS);
    const { rows } = await database.pool.query<{ note: string; effects: number }>(
      'select note, count(*)::int as effects from effects group by note',
    );
    expect(rows.filter(({ effects }) => effects !== 1)).toEqual([]);
    expect(rows).toHaveLength(sent);
  },
);

async function openAnswers(): Promise<number> {
  const { rows } = await database.pool.query<{ open: number }>(
    "select count(*)::int as open from assignments where status = 'claimed'",
  );
  return rows[0]!.open;
}

/** Each message that counts has the whole text, piece by piece and at its end; those that were begun and lost are superseded. */
function check(frames: readonly Frame[]): void {
  let pieces = '';
  const ends: string[] = [];
  for (const { event, data } of frames) {
    if (event === 'message_start') pieces = '';
    if (event === 'token') pieces += String(data.text);
    if (event === 'message_end' && data.ended === 'complete') ends.push(`${pieces} | ${String(data.text)}`);
  }
  const whole = WORDS.join('');
  expect(ends).toEqual([`${whole} | ${whole}`, `${whole} | ${whole}`]);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: whole } });
  expect(frames.at(-1)).toMatchObject({ event: 'state', data: { status: 'done' } });
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => index + 1));
}
