// Executors of runs whose owner is another pod, or dies.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, createThread, followToEnd, seen, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { claim, finish, heartbeat, post, start, startIn, text } from './support.ts';

let database: TestDatabase;
let a: TestPod;
let b: TestPod;

beforeAll(async () => {
  database = await freshDatabase();
  const pod = () => startPod({ databaseUrl: database.url, env: { CONTINUO_EXECUTOR_LEASE_SECONDS: '300' } });
  [a, b] = await Promise.all([pod(), pod()]);
});

afterAll(async () => {
  await Promise.all([a.end(), b.end()]);
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

test('RUN-14 an executor works on any pod, whichever owns the thread', async () => {
  // It waits on the other pod before there is anything to claim.
  const waiting = claim(b.url, 'elsewhere');
  await until('it waits', async () => {
    const { rowCount } = await database.pool.query("select from executors where name = 'elsewhere'");
    return rowCount === 1;
  });
  const run = await start(a.url, 'elsewhere');
  const assignment = await waiting;
  expect((await post(b.url, assignment, 1, text('from '))).status).toBe(200);
  expect(await seen(a.url, run.id, 'token')).toMatchObject({ data: { text: 'from ' } });
  expect((await post(a.url, assignment, 2, text('here '))).status).toBe(200);
  expect((await post(b.url, assignment, 3, text('there'), finish())).status).toBe(200);
  const frames = await followToEnd(() => [b.url], run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: 'from here there' } });
});

test('RUN-14 a cancel on one pod reaches an executor that waits on the other', async () => {
  const run = await start(a.url, 'far');
  const assignment = await claim(b.url, 'far');
  const waiting = heartbeat(b.url, assignment, 30);
  await call('POST', `${b.url}/api/runs/${run.id}/cancel`);
  expect(await waiting).toMatchObject({ status: 410, body: { code: 'run_canceled' } });
  const frames = await followToEnd(() => [a.url], run.id);
  expect(frames.at(-1)!.data).toMatchObject({ status: 'canceled' });
});

test('RUN-14 when the owner is killed, the executor loses its claim, and the next one goes on from the log', async () => {
  const victim = await startPod({ databaseUrl: database.url });
  const thread = await createThread(victim.url);
  const run = await startIn(victim.url, thread, 'orphan');
  const first = await claim(b.url, 'orphan');
  const input = { note: 'once' };
  await post(
    b.url,
    first,
    1,
    { type: 'tool_call', call: 'c', tool: 'transactional', input },
    finish({ state: 7 }),
  );
  const second = await claim(b.url, 'orphan');
  await post(b.url, second, 1, text('half'));
  await seen(b.url, run.id, 'token');
  victim.kill('SIGKILL');
  const third = await claim(b.url, 'orphan');
  expect(third).toMatchObject({ run_id: run.id, message: 'm3', request: { state: 7 } });
  expect(third.request.history.at(-1)).toMatchObject({ role: 'tool', output: { wrote: 'once' } });
  const late = await post(b.url, second, 2, text(' and more'), finish());
  expect(late).toMatchObject({ status: 410, body: { code: 'assignment_over' } });
  await post(b.url, third, 1, text('whole'), finish());
  const frames = await followToEnd(() => [a.url, b.url], run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: 'whole' } });
  const { rowCount } = await database.pool.query("select from effects where note = 'once'");
  expect(rowCount).toBe(1);
});

test('RUN-14 a pod that is told to stop hands its assignment over, and answers executors that wait', async () => {
  const stopping = await startPod({ databaseUrl: database.url });
  const waiting = call('POST', `${stopping.url}/api/v1/executors/never/claim`, { wait: 30 });
  await until('it waits', async () => {
    const { rowCount } = await database.pool.query("select from executors where name = 'never'");
    return rowCount === 1;
  });
  stopping.kill('SIGTERM');
  expect(await waiting).toEqual({});
  expect(await stopping.exited).toMatchObject({ code: 0 });
});
