import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, createThread, follow, followToEnd, readRun, send } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';

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

test('stop, retry, interrupt, steer, pause and cancel on one thread over two pods: no deadlock, and nobody is shown a failure', async () => {
  const mixed = await freshDatabase();
  const pods = await Promise.all([1, 2].map(() => startPod({ databaseUrl: mixed.url })));
  const thread = await createThread(pods[0]!.url);
  const runs = [(await send(pods[0]!.url, thread, { steps: [{ text: 'first' }] })).id];
  const chat = `/api/v1/workspaces/default/chats/${thread}`;
  const say = (policy: string) => ({
    content: JSON.stringify({ steps: [{ tokens: 3, delay_ms: 1 }] }),
    policy,
  });
  const wishes: ((n: number) => readonly [string, object?])[] = [
    () => [`/api/threads/${thread}/messages`, say('enqueue')],
    () => [`/api/threads/${thread}/messages`, say('interrupt')],
    () => [`/api/threads/${thread}/messages`, say('rollback')],
    () => [`/api/threads/${thread}/messages`, say('steer')],
    (n) => [`/api/runs/${runs[n % runs.length]}/retry`, {}],
    () => [`/api/runs/${runs.at(-1)}/retry`, {}],
    () => [`/api/runs/${runs.at(-1)}/cancel`],
    () => [`${chat}/stop`, {}],
    () => [`${chat}/pause`, {}],
    () => [`${chat}/resume`, {}],
  ];
  const failed: string[] = [];
  const wish = async (n: number) => {
    const [path, body] = wishes[(n * 7 + Math.floor(n / 10)) % wishes.length]!(n);
    const answer = await fetch(pods[n % 2]!.url + path, {
      method: 'POST',
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (answer.status >= 500) failed.push(`${path}: ${text}`);
    const { id, run } = JSON.parse(text || '{}') as { id?: string; run?: { id: string } };
    const made = path.endsWith('/retry') ? (run?.id ?? id) : run?.id;
    if (answer.ok && made) runs.push(made);
  };
  let next = 0;
  const hand = async () => {
    while (next < 400) await wish((next += 1));
  };
  await Promise.all(Array.from({ length: 16 }, hand));
  expect(failed).toEqual([]);
  // Their connections tell the statistics what they met when they end.
  await Promise.all(pods.map((pod) => pod.end()));
  await mixed.pool.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const { rows } = await mixed.pool.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
  await mixed.drop();
});
