// Calls that the policy asks about or denies, on real pods: what is asked is parked, held by nobody, and waits as long as it
// must, through restarts, takeovers and further messages.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask, createThread, follow, framesOf, readRun, seen, send, until } from '@continuo/testkit';
import {
  brokenInvariants,
  count,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';

const WORKSPACE = '00000000-0000-7000-8000-000000000001';
let database: TestDatabase;
let a: TestPod;
let b: TestPod;
/** Those that a test starts for itself, also if it fails. */
const others: TestPod[] = [];
const start = async (fault?: string): Promise<TestPod> => {
  const pod = await startPod({ databaseUrl: database.url, ...(fault && { fault }) });
  others.push(pod);
  return pod;
};

beforeAll(async () => {
  database = await freshDatabase();
  [a, b] = (await Promise.all([1, 2].map(() => startPod({ databaseUrl: database.url })))) as [
    TestPod,
    TestPod,
  ];
});
// The default: external effects are asked for.
beforeEach(() => database.pool.query('update workspaces set policy = null'));
afterAll(async () => {
  await Promise.all([a, b, ...others].map((pod) => pod.end()));
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

const policy = (rules: unknown) => ask('PUT', `${b.url}/api/v1/workspaces/${WORKSPACE}/policy`, { rules });
const why = (runId: string) => ask('GET', `${b.url}/api/runs/${runId}/why`).then(({ body }) => body);
const cancel = (pod: TestPod, runId: string) => ask('POST', `${pod.url}/api/runs/${runId}/cancel`);
const events = async (runId: string) =>
  (
    await database.pool.query<{ type: string; data: Record<string, unknown> }>(
      'select type, data from events where run_id = $1 order by seq',
      [runId],
    )
  ).rows;
const typesOf = async (runId: string) => (await events(runId)).map(({ type }) => type);
const letGo = (thread: string) =>
  until('no pod holds the thread', async () => {
    const { rows } = await database.pool.query(
      'select from threads where id = $1 and owner is null and wake_at is null',
      [thread],
    );
    return rows.length === 1;
  });
const external = (note: string, path?: string) => ({
  tool: 'external',
  input: { note, ...(path && { path }) },
});
const parked = async (pod: TestPod, calls: unknown[] = [external('x')]) => {
  const thread = await createThread(pod.url);
  const run = await send(pod.url, thread, { steps: [{ text: 'may I?', calls }, { text: 'thank you' }] });
  await seen(pod.url, run.id, 'approval');
  await letGo(thread);
  return { thread, id: run.id };
};

test('a call that needs approval parks its run: the other calls run first, then the thread is released', async () => {
  const { id } = await parked(a, [
    external('x', 'notes/../notes/x.md'),
    { tool: 'pure', input: { note: 'p' } },
    { tool: 'transactional', input: { note: 't' } },
  ]);
  const log = await events(id);
  const approval = log.find(({ type }) => type === 'approval')!.data;
  expect(approval).toEqual({
    kind: 'call',
    approval: expect.stringMatching(/^[0-9a-f-]{36}$/),
    call: 'm1_0',
    tool: 'external',
    input: { note: 'x', path: 'notes/../notes/x.md' },
    paths: ['/notes/x.md'],
    reason: expect.stringContaining('the workspace’s policy, rule 3 (tool *, effect external), says ask'),
  });
  expect(log.filter(({ type }) => type === 'tool_end').map(({ data }) => data.call)).toEqual(
    expect.arrayContaining(['m1_1', 'm1_2']),
  );
  expect(log.filter(({ type, data }) => type === 'tool_start' && data.call === 'm1_0')).toEqual([]);
  expect(await count(database, "effects where kind = 'external' and key like $1", [`${id}:%`])).toBe(0);
  expect(await readRun(a.url, id)).toMatchObject({ status: 'running', ended_at: null });
  expect(await why(id)).toMatchObject({
    status: 'running',
    waits_for: 'approval',
    sentence: 'The run waits for approval of external /notes/x.md.',
    pod: null,
    attempt: 1,
    step: {
      kind: 'approval',
      message: 'm1',
      calls: [{ call: 'm1_0', tool: 'external', approval: approval.approval }],
    },
  });
  await cancel(a, id);
  await framesOf(a.url, id);
});

test('a denied call’s result says whose rule denied it, and the run continues', async () => {
  await policy([
    { tool: '*', action: 'allow' },
    { tool: '*', path: '/secret/**', action: 'deny' },
  ]);
  const thread = await createThread(a.url);
  const calls = [external('x', './secret/plan.md'), external('y', 'open.md')];
  const run = await send(a.url, thread, { steps: [{ calls }, { text: 'all right' }] });
  const frames = await framesOf(a.url, run.id);
  expect(frames.filter(({ event }) => event === 'tool_end').map(({ data }) => data)).toEqual([
    {
      tool: 'external',
      output: {
        error: expect.stringMatching(
          /^denied: the workspace’s policy, rule 2 \(tool \*, path \/secret\/\*\*\), says deny for external on \/secret\/plan\.md.*continue without it/,
        ),
      },
      call: 'm1_0',
      success: false,
      outcome: 'denied',
    },
    { tool: 'external', output: { wrote: 'y' }, call: 'm1_1', success: true },
  ]);
  expect(frames.filter(({ event }) => event === 'tool_start').map(({ data }) => data.call)).toEqual(['m1_1']);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
});

test('a new rule applies to the next call, on every pod', async () => {
  const thread = await createThread(a.url);
  for (const [action, event] of [
    ['deny', 'tool_end'],
    ['ask', 'approval'],
  ] as const) {
    await policy([{ tool: '*', action }]);
    const run = await send(a.url, thread, {
      steps: [{ calls: [{ tool: 'pure', input: { note: 'x' } }] }, { text: 'y' }],
    });
    await seen(a.url, run.id, event);
    await cancel(a, run.id);
    await framesOf(a.url, run.id);
  }
});

test('a parked run is canceled through any pod, and its calls get their results', async () => {
  const { id, thread } = await parked(a, [
    external('x'),
    external('y'),
    { tool: 'pure', input: { note: 'p' } },
  ]);
  expect(await cancel(b, id)).toMatchObject({ status: 200 });
  const frames = await framesOf(a.url, id);
  expect(frames.slice(-4).map(({ event, data }) => [event, data.call ?? data.status ?? data.reason])).toEqual(
    [
      ['tool_end', 'm1_0'],
      ['tool_end', 'm1_1'],
      ['canceled', 'user_cancelled'],
      ['state', 'canceled'],
    ],
  );
  expect(frames.filter(({ data }) => data.outcome === 'canceled')).toHaveLength(2);
  for (const [call, note] of ['x', 'y'].entries()) {
    const { body } = await ask('GET', `${a.url}/api/v1/tool-results/${id}:m1_${call}`);
    expect(body).toMatchObject({ input: external(note).input, success: false, outcome: 'canceled' });
  }
  const next = await send(a.url, thread, { steps: [{ text: 'next' }] });
  expect((await framesOf(a.url, next.id)).at(-1)!.data).toEqual({ status: 'done' });
});

test('25 messages behind a parked run stay queued, and none of them counts as an attempt of that run', async () => {
  const { thread, id } = await parked(a);
  const before = await typesOf(id);
  const queued: { id: string; blocked_by?: unknown }[] = [];
  for (let n = 0; n < 25; n += 1) {
    queued.push(await send(n % 2 === 0 ? a.url : b.url, thread, { steps: [{ text: `answer ${n}` }] }));
    await letGo(thread);
  }
  const { rows } = await database.pool.query<{ attempt: number }>(
    'select attempt from threads where id = $1',
    [thread],
  );
  expect(rows[0]!.attempt).toBeGreaterThan(25);
  expect(await typesOf(id)).toEqual(before);
  expect(queued.map(({ blocked_by }) => blocked_by)).toEqual([
    id,
    ...queued.slice(0, -1).map((run) => run.id),
  ]);
  expect(await why(queued[1]!.id)).toMatchObject({
    status: 'queued',
    waits_for: 'run',
    blocked_by: queued[0]!.id,
  });
  expect(await why(id)).toMatchObject({ status: 'running', waits_for: 'approval', attempt: 1 });
  // One that is canceled in the queue leaves it; the parked run stays.
  await cancel(b, queued[3]!.id);
  await framesOf(a.url, queued[3]!.id);
  await letGo(thread);
  expect(await why(id)).toMatchObject({ waits_for: 'approval', attempt: 1 });
  await cancel(a, id);
  expect((await framesOf(b.url, queued.at(-1)!.id)).at(-1)!.data).toEqual({ status: 'done' });
  expect((await readRun(a.url, id)).status).toBe('canceled');
});

test('waiting for approval does not count toward the run’s time limit', async () => {
  const thread = await createThread(a.url);
  const content = JSON.stringify({ steps: [{ calls: [external('x')] }] });
  const { body } = await ask('POST', `${a.url}/api/threads/${thread}/messages`, {
    content,
    limits: { seconds: 1 },
  });
  const { id } = body.run;
  await seen(a.url, id, 'approval');
  const over = "runs where id = $1 and clock_timestamp() > started_at + interval '1.1 s'";
  await until('the approval is over', async () => (await count(database, over, [id])) === 1);
  await letGo(thread);
  await send(b.url, thread, { steps: [{ text: 'behind it' }] });
  await letGo(thread);
  expect(await why(id)).toMatchObject({ status: 'running', waits_for: 'approval' });
  await cancel(a, id);
  expect((await framesOf(a.url, id)).at(-1)!.data).toEqual({ status: 'canceled' });
});

test.each(['append.before', 'append.inside', 'append.after'])(
  'a pod that is killed at %s of an approval leaves a run that asks exactly once',
  async (point) => {
    const victim = await start(`${point}.approval`);
    const thread = await createThread(victim.url);
    const run = await send(victim.url, thread, { steps: [{ calls: [external('x'), external('y')] }] });
    await victim.exited;
    expect(victim.hits.map((hit) => hit.point)).toEqual([`${point}.approval`]);
    await seen(a.url, run.id, 'approval');
    await letGo(thread);
    const log = await events(run.id);
    expect(log.filter(({ type }) => type === 'approval').map(({ data }) => data.call)).toEqual([
      'm1_0',
      'm1_1',
    ]);
    expect(await why(run.id)).toMatchObject({ waits_for: 'approval' });
    await cancel(b, run.id);
    expect((await framesOf(b.url, run.id)).at(-1)!.data).toEqual({ status: 'canceled' });
  },
);

test('a parked run survives its pod, and its approval is not asked again', async () => {
  const first = await start();
  const { id, thread } = await parked(first);
  await first.end();
  const second = await start();
  await send(second.url, thread, { steps: [{ text: 'behind' }] });
  await letGo(thread);
  expect((await typesOf(id)).filter((type) => type === 'approval')).toHaveLength(1);
  expect((await typesOf(id)).filter((type) => type === 'state')).toHaveLength(1);
  // A follower of the parked run gets its end from whichever pod writes it.
  const ends = (async () => {
    for await (const frame of follow(second.url, id)) if (frame.event === 'canceled') return frame.data;
    return null;
  })();
  await cancel(a, id);
  expect(await ends).toEqual({ reason: 'user_cancelled' });
});
