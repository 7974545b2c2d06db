import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, createThread, follow, followToEnd, readRun, send } from '../client/api.ts';
import { freshDatabase, type TestDatabase } from '../client/database.ts';
import { brokenInvariants } from '../client/invariants.ts';
import { startPod, type TestPod } from '../client/pod.ts';

let database: TestDatabase;
let a: TestPod;
let b: TestPod;

beforeAll(async () => {
  database = await freshDatabase();
  [a, b] = await Promise.all([
    startPod({ databaseUrl: database.url }),
    startPod({ databaseUrl: database.url }),
  ]);
});

afterAll(async () => {
  await Promise.all([a.end(), b.end()]);
  await database.drop();
});

test('RUN-11 a run posted to one pod is followed on another, and the client cannot tell', async () => {
  const thread = await createThread(a.url);
  const run = await send(a.url, thread, { steps: [{ tokens: 200, delay_ms: 1 }] });
  const [here, there] = await Promise.all([
    followToEnd(() => [a.url], run.id),
    followToEnd(() => [b.url], run.id),
  ]);
  expect(there.map((frame) => frame.raw)).toEqual(here.map((frame) => frame.raw));
  expect(here.at(-1)!.data).toEqual({ status: 'done' });
  expect(here.map((frame) => frame.id)).toEqual(here.map((_, index) => index + 1));
});

test('RUN-10 a run that one pod executes is canceled through another', async () => {
  const thread = await createThread(a.url);
  const run = await send(a.url, thread, { steps: [{ text: 'begun', hang: true }] });
  const canceled = await call<{ cancel_requested_at: string }>('POST', `${b.url}/api/runs/${run.id}/cancel`);
  expect(canceled.cancel_requested_at).not.toBeNull();
  const frames = await followToEnd(() => [a.url, b.url], run.id);
  expect(frames.slice(-2).map((frame) => [frame.event, frame.data])).toEqual([
    ['canceled', { reason: 'user_cancelled' }],
    ['state', { status: 'canceled' }],
  ]);
  expect((await readRun(b.url, run.id)).status).toBe('canceled');
  expect(await brokenInvariants(database.pool)).toEqual([]);
});

test('RUN-9 a run whose pod is killed is taken over and ends whole', async () => {
  const victim = await startPod({ databaseUrl: database.url });
  const thread = await createThread(victim.url);
  const run = await send(victim.url, thread, {
    steps: [
      { tokens: 50, delay_ms: 5, calls: [{ tool: 'transactional', input: { note: 'x' } }] },
      { tokens: 50, delay_ms: 5 },
    ],
  });
  const stream = followToEnd(() => [a.url, b.url], run.id);
  for await (const frame of follow(victim.url, run.id)) if (frame.id === 20) break;
  victim.kill('SIGKILL');
  const frames = await stream;
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  const { rows } = await database.pool.query('select count(*)::int as n from effects');
  expect(rows[0].n).toBe(1);
  expect(await brokenInvariants(database.pool)).toEqual([]);
});
