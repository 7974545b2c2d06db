// Plans that run: each step is a child run, statuses follow, and people approve, skip, retry, pause and stop.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { printPlan, type AgentPlan, type EventData, type PlanStep } from '@continuo/protocol';
import { ask, script, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';

let database: TestDatabase;
let pod: TestPod;
beforeAll(async () => {
  database = await freshDatabase();
  pod = await startPod({ databaseUrl: database.url });
});
afterAll(async () => {
  await pod.end();
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

const workspace = () => `${pod.url}/api/v1/workspaces/default`;
const says = (text: string) => script({ text });
const FAILS = script({ error: { code: 'no', message: 'no' } });
const step = (id: string, title: string, inputs?: readonly string[]): PlanStep => ({
  id,
  title: `${id} ${title}`,
  intent: 'create',
  executor: 'writer',
  ...(inputs && { inputs }),
});
const plan = (...stages: (readonly [AgentPlan['stages'][number]['mode'], ...PlanStep[]])[]): AgentPlan => ({
  id: 'p',
  goal: 'The goal',
  stages: stages.map(([mode, ...steps], index) => ({
    id: `s${index}`,
    name: `Stage ${index}`,
    mode,
    steps,
  })),
});

let written = 0;
async function write(content: AgentPlan): Promise<string> {
  written += 1;
  const answer = await fetch(`${workspace()}/files/plans/p${written}.plan`, {
    method: 'PUT',
    body: printPlan(content),
    headers: { 'content-type': 'text/markdown' },
  });
  expect(answer.status).toBeLessThan(300);
  const { rows } = await database.pool.query<{ id: string }>('select id from files where path = $1', [
    `/plans/p${written}.plan`,
  ]);
  return rows[0]!.id;
}
const at = (id: string, rest: string) => `${workspace()}/plans/${id}/${rest}`;
const approve = (id: string) => ask('POST', at(id, 'approve'), {});
const progress = async (id: string) => (await ask('GET', at(id, 'progress'))).body;
const statuses = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await progress(id)).stages.flatMap(({ steps }: { steps: { id: string; status: string }[] }) =>
      steps.map((each) => [each.id, each.status]),
    ),
  );
async function run(id: string, options: object = {}): Promise<{ id: string; thread_id: string }> {
  const answer = await ask('POST', at(id, 'run'), options);
  expect(answer.body).toMatchObject({ run: { status: 'queued' } });
  return answer.body.run;
}
const state = (id: string, wanted: string) =>
  until(`the plan is ${wanted}`, async () => (await progress(id)).state === wanted);
const eventsOf = async <T extends keyof EventData>(thread: string, type: T) =>
  (
    await database.pool.query<{ data: EventData[T] }>(
      'select data from events where thread_id = $1 and type = $2 order by seq',
      [thread, type],
    )
  ).rows.map(({ data }) => data);

test('PLAN-2 PLAN-6 an approved plan runs in order, gives results to later steps, and says its progress in events', async () => {
  const id = await write(
    plan(
      ['parallel', step('a', says('A found')), step('b', says('B found'))],
      ['sequence', step('c', says('C wrote'), ['a', 'b']), step('d', says('D edited'))],
    ),
  );
  expect((await ask('POST', at(id, 'run'), {})).body).toMatchObject({ code: 'plan_not_approved' });
  await approve(id);
  const { thread_id, id: runId } = await run(id);
  await state(id, 'done');
  expect(await statuses(id)).toEqual({ a: 'done', b: 'done', c: 'done', d: 'done' });
  // The plan's usage has that of its steps, whose own run asks no model.
  const spent = await database.pool.query<{ tokens: number }>(
    `select sum((usage ->> 'input')::int + (usage ->> 'output')::int)::int as tokens from runs where parent_run = $1`,
    [runId],
  );
  const { usage } = await progress(id);
  expect(usage).toMatchObject({ runs: 5 });
  expect(usage.input + usage.output).toBe(spent.rows[0]!.tokens);
  const events = await eventsOf(thread_id, 'plan_step');
  expect(events.slice(0, 2).map(({ step_id, status }) => `${step_id} ${status}`)).toEqual([
    'a running',
    'b running',
  ]);
  expect(
    events
      .filter(({ status }) => status === 'done')
      .map(({ step }) => step)
      .toSorted((one, other) => one - other),
  ).toEqual([1, 2, 3, 4]);
  const { rows } = await database.pool.query<{ said: string }>(
    `select m.content ->> 'text' as said from runs r join messages m on m.id = r.message_id
      join threads t on t.id = r.thread_id where r.parent_run = $1 and t.title like 'c %'`,
    [runId],
  );
  expect(rows[0]!.said).toContain('A found');
  expect(rows[0]!.said).toContain('B found');
  // Markdown whose parts do not run together.
  const said = (await eventsOf(thread_id, 'final'))[0]!.text;
  expect(said).toMatch(/^The plan is done: The goal\n\n4 steps: 4 done\.\n\n- a /);
  expect(said).toMatch(/: done\n\nNo file changed\.$/);
});

test('PLAN-2 a failed step blocks what depends on it alone; a retry or a skip lets that go on', async () => {
  const id = await write(
    plan(
      ['parallel', step('a', FAILS), step('b', says('B')), step('c', says('C'), ['a'])],
      ['parallel', step('d', says('D'), ['b'])],
    ),
  );
  await approve(id);
  await run(id);
  await state(id, 'failed');
  expect(await statuses(id)).toEqual({ a: 'failed', b: 'done', c: 'blocked', d: 'done' });
  expect((await ask('POST', at(id, 'steps/a/skip'), {})).status).toBe(200);
  await run(id);
  await state(id, 'done');
  expect(await statuses(id)).toEqual({ a: 'skipped', b: 'done', c: 'done', d: 'done' });
});

test('PLAN-6 /why says what a plan waits for: its steps, or a person; the list of plans has the states', async () => {
  const hangs = script({ text: 'x', hang: true });
  const id = await write(
    plan(['parallel', step('a', hangs), step('b', says('B'))], ['sequence', step('c', says('C'))]),
  );
  await approve(id);
  const { id: runId, thread_id } = await run(id);
  const why = async () => (await ask('GET', `${pod.url}/api/runs/${runId}/why`)).body;
  const listed = async (query = '') =>
    (await ask('GET', `${workspace()}/plans/states${query}`)).body.items as Record<string, unknown>[];
  const only = async (query = '') => (await listed(query)).find((each) => each.id === id);
  await until('only the first step is running, and the run is parked', async () => {
    const { rowCount } = await database.pool.query('select from threads where id = $1 and owner is null', [
      thread_id,
    ]);
    const now = await statuses(id);
    return rowCount === 1 && now.a === 'running' && now.b === 'done';
  });
  expect(await why()).toMatchObject({
    status: 'running',
    waits_for: 'children',
    sentence: expect.stringMatching(/^The run waits for its child run: a /),
    pod: null,
  });
  expect(await only()).toMatchObject({
    state: 'running',
    is_waiting: false,
    counts: { running: 1, done: 1, pending: 1, failed: 0 },
    run_id: runId,
    chat_id: thread_id,
    problems: 0,
  });
  expect(await only('?waiting=true')).toBe(undefined);

  const path = (await progress(id)).path as string;
  const text = await (await fetch(`${workspace()}/files${path}`)).text();
  await fetch(`${workspace()}/files${path}`, { method: 'PUT', body: text.replace('c ⟦', 'c, edited ⟦') });
  await ask('POST', `${pod.url}/api/runs/${(await progress(id)).stages[0].steps[0].run_id}/cancel`);
  await until(
    'the run waits for the approval of its plan',
    async () => (await why()).waits_for === 'approval',
  );
  expect(await why()).toMatchObject({ sentence: `The run waits for approval of the plan ${path}.` });
  expect(await only('?waiting=true')).toMatchObject({ is_waiting: true, state: 'running' });
  expect((await ask('GET', `${workspace()}/plans/states?after=x`)).body).toMatchObject({
    code: 'invalid_cursor',
  });
  const [first] = await listed('?limit=1');
  const after = await listed(`?after=${first!.id as string}`);
  expect(after.map((each) => each.id)).not.toContain(first!.id);
  await approve(id);
  await state(id, 'failed');
  expect(await only('?waiting=true')).toBe(undefined);
});

test('PLAN-6 a plan is paused and resumed with its chat, whichever of the two is asked', async () => {
  const slow = script({ text: 'x', hang: true });
  const id = await write(plan(['sequence', step('a', slow)]));
  await approve(id);
  const { thread_id } = await run(id);
  await until('the step runs', async () => (await statuses(id)).a === 'running');
  const chat = (wish: string) => ask('POST', `${workspace()}/chats/${thread_id}/${wish}`);
  const session = async () => (await ask('GET', `${workspace()}/chats/${thread_id}`)).body.state;
  for (const [pause, resume] of [
    [() => ask('POST', at(id, 'pause')), () => chat('resume')],
    [() => chat('pause'), () => ask('POST', at(id, 'resume'))],
  ] as const) {
    expect((await pause()).status).toBe(200);
    await state(id, 'paused');
    expect(await session()).toBe('paused');
    expect((await resume()).status).toBe(200);
    await state(id, 'running');
    expect(await session()).toBe('running');
  }
  const { rows: told } = await database.pool.query<{ state: string }>(
    "select data ->> 'state' as state from changes where type = 'plan_changed' and object_id = $1 order by seq",
    [id],
  );
  expect(told.slice(-4).map((each) => each.state)).toEqual(['paused', 'running', 'paused', 'running']);
  await ask('POST', at(id, 'stop'));
  await state(id, 'stopped');
});

test('PLAN-6 a plan that was stopped goes on at its first unfinished step', async () => {
  const slow = script({ text: 'x', hang: true });
  const id = await write(plan(['sequence', step('a', says('A')), step('b', slow), step('c', says('C'))]));
  await approve(id);
  const first = await run(id);
  await until('the second step runs', async () => (await statuses(id)).b === 'running');
  expect((await ask('POST', at(id, 'run'), {})).body).toMatchObject({ code: 'plan_running' });
  expect((await ask('POST', at(id, 'pause'))).status).toBe(200);
  expect((await ask('POST', at(id, 'stop'))).status).toBe(200);
  await state(id, 'stopped');
  await until('its children have ended', async () => {
    const { rowCount } = await database.pool.query(
      "select from runs where parent_run = $1 and status in ('queued', 'running')",
      [first.id],
    );
    return rowCount === 0;
  });
  expect(await statuses(id)).toEqual({ a: 'done', b: 'pending', c: 'pending' });
  await ask('POST', at(id, 'steps/b/skip'), {});
  const second = await run(id);
  await state(id, 'done');
  expect(await statuses(id)).toEqual({ a: 'done', b: 'skipped', c: 'done' });
  expect((await eventsOf(second.thread_id, 'child_start')).map(({ child }) => child)).toEqual(['c']);
});

test('WS-14 plan_then_execute: a planner writes the plan, a person approves it, and it is carried out', async () => {
  const path = '/plans/made.plan';
  const made = plan([
    'sequence',
    { id: 'w', title: `Write ${says('written')}`, intent: 'create', executor: 'writer' },
  ]);
  const goal = script(
    { calls: [{ tool: 'write', input: { path, content: printPlan(made) } }] },
    { text: 'Here is the plan.' },
  );
  const opened = await ask('POST', `${workspace()}/chats`, {
    goal,
    title: 'made',
    mode: 'plan_then_execute',
  });
  expect(opened.status).toBe(201);
  const { id: runId } = opened.body.run as { id: string };
  const planId = await until('the plan is written and its run waits', async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      'select p.id from plans p join threads t on t.id = p.chat_id where p.run_id = $1 and t.owner is null',
      [runId],
    );
    return rows[0]?.id;
  });
  expect(await statuses(planId)).toEqual({ w: 'pending' });
  await approve(planId);
  await until('the run has ended', async () => {
    const { rows } = await database.pool.query<{ status: string }>('select status from runs where id = $1', [
      runId,
    ]);
    return rows[0]!.status === 'done';
  });
  expect(await statuses(planId)).toEqual({ w: 'done' });
});

/** Opens a chat whose planner is told by the goal what to write, and returns its run. */
async function planFor(goal: string): Promise<{ id: string; thread_id: string }> {
  const opened = await ask('POST', `${workspace()}/chats`, {
    goal,
    title: 'planned',
    mode: 'plan_then_execute',
  });
  expect(opened.status).toBe(201);
  return opened.body.run;
}
const ended = (runId: string) =>
  until('the run has ended', async () => {
    const { rows } = await database.pool.query<{
      status: string;
      error: { code: string; error: string } | null;
    }>("select status, error from runs where id = $1 and status not in ('queued', 'running')", [runId]);
    return rows[0];
  });
const children = async (thread: string) => (await eventsOf(thread, 'child_start')).map(({ child }) => child);
const writes = (path: string, content: string) =>
  script({ calls: [{ tool: 'write', input: { path, content } }] }, { text: 'Written.' });
const UNSOUND = printPlan(plan(['parallel', step('a', 'x', ['b']), step('b', 'y', ['a'])]));

test('WS-14 a plan with a mistake is repaired once, and is refused with its line if it still has one', async () => {
  const run = await planFor(writes('/plans/unsound.plan', UNSOUND));
  const { status, error } = await ended(run.id);
  expect(status).toBe('error');
  expect(error?.code).toBe('plan_not_sound');
  expect(error?.error).toMatch(/line \d+, column \d+/);
  expect(await children(run.thread_id)).toEqual(['~plan', '~repair']);
  const { rows } = await database.pool.query<{ said: string }>(
    `select m.content ->> 'text' as said from runs r join messages m on m.id = r.message_id
      where r.parent_run = $1 order by r.id desc limit 1`,
    [run.id],
  );
  expect(rows[0]!.said).toContain(`cannot run: ${error!.error}`);
});

test('WS-14 a plan that somebody mends while it is repaired waits for approval', async () => {
  const run = await planFor(writes('/plans/mended.plan', UNSOUND));
  const fine = printPlan(plan(['sequence', step('a', says('A'))]));
  await until('the plan is there, and is mended', async () => {
    const { rowCount } = await database.pool.query("select from files where path = '/plans/mended.plan'");
    if (rowCount === 0) return false;
    return (await fetch(`${workspace()}/files/plans/mended.plan`, { method: 'PUT', body: fine })).ok;
  });
  const planId = await until('the plan waits', async () => {
    const { rows } = await database.pool.query<{ id: string }>('select id from plans where run_id = $1', [
      run.id,
    ]);
    return rows[0]?.id;
  });
  await approve(planId);
  await state(planId, 'done');
});

test('PLAN-2 a failed step that is retried while the plan runs is done again in the same run', async () => {
  const slow = script({ text: 'x', hang: true });
  const id = await write(plan(['parallel', step('a', FAILS), step('b', slow), step('c', says('C'), ['a'])]));
  await approve(id);
  const { thread_id } = await run(id);
  await until('a failed, and c is blocked', async () => {
    const now = await statuses(id);
    return now.a === 'failed' && now.b === 'running' && now.c === 'blocked';
  });
  expect((await ask('POST', at(id, 'steps/b/retry'))).body).toMatchObject({ code: 'step_not_retryable' });
  expect((await ask('POST', at(id, 'steps/a/retry'))).status).toBe(200);
  await until('a was started again', async () => (await children(thread_id)).includes('a#2'));
  await until('it failed again', async () => (await statuses(id)).a === 'failed');
  await ask('POST', at(id, 'steps/a/skip'), {});
  await until('c is done', async () => (await statuses(id)).c === 'done');
  expect(await children(thread_id)).toEqual(['a', 'b', 'a#2', 'c']);
  await ask('POST', at(id, 'stop'));
  await state(id, 'stopped');
});

test('PLAN-4 a plan that is edited while it runs starts no further step until it is approved again', async () => {
  const slow = script({ text: 'x', first_delay_ms: 1500 });
  const first = plan(['sequence', step('a', slow), step('b', says('B'))]);
  const id = await write(first);
  await approve(id);
  const { thread_id } = await run(id);
  await until('the first step runs', async () => (await statuses(id)).a === 'running');
  const path = (await progress(id)).path as string;
  const text = await (await fetch(`${workspace()}/files${path}`)).text();
  const edited = text.replace('## Stage 0', 'A note.\n\n## Stage 0').replace('b ⟦', 'b, edited ⟦');
  expect((await fetch(`${workspace()}/files${path}`, { method: 'PUT', body: edited })).ok).toBe(true);
  await until('the first step is done', async () => (await statuses(id)).a === 'done');
  await until('the run waits, owned by no pod', async () => {
    const { rows } = await database.pool.query<{ owner: string | null }>(
      'select owner from threads where id = $1',
      [thread_id],
    );
    return rows[0]!.owner === null;
  });
  expect(await progress(id)).toMatchObject({ state: 'running', approved: { is_current: false } });
  expect(await children(thread_id)).toEqual(['a']);
  await approve(id);
  await state(id, 'done');
  expect(await children(thread_id)).toEqual(['a', 'b']);
});

test('STATE-3 the plan and its steps are expectations in the agent state of the chat, with what became of them, and later messages are told', async () => {
  const id = await write({
    ...plan(
      ['parallel', { ...step('a', says('A')), outputs: ['/content/a.md'] }, step('b', FAILS)],
      ['sequence', step('c', says('C'), ['a'])],
    ),
    constraints: ['Publish nothing'],
  });
  await approve(id);
  const { thread_id } = await run(id);
  await state(id, 'failed');
  const { body } = await ask('GET', `${workspace()}/chats/${thread_id}/state`);
  const { expectations } = body.state ?? body;
  expect(expectations[0]).toEqual({
    action: 'Carry out the plan: The goal',
    expected_outcome: 'Not met: some steps failed or are blocked',
    invariant: 'Publish nothing',
  });
  expect(
    expectations
      .slice(1)
      .map((each: { action: string; expected_outcome: string }) => [
        each.action.slice(0, 15),
        each.expected_outcome,
      ]),
  ).toEqual([
    ['Step a (writer)', 'Done. Expected: Produces /content/a.md'],
    ['Step b (writer)', 'Failed (no). Expected: Ends with its create and a report'],
    ['Step c (writer)', 'Done. Expected: Ends with its create and a report'],
  ]);
  const deltas = await eventsOf(thread_id, 'agent_state_delta');
  expect(deltas.every(({ source, model }) => source === 'plan' && model === undefined)).toBe(true);
  // Before they started, they were expected.
  expect(deltas[0]!.state!.expectations!.map(({ expected_outcome }) => expected_outcome)).toEqual([
    'All 3 steps end well',
    'Produces /content/a.md',
    'Ends with its create and a report',
  ]);
  const asked = await ask('POST', `${pod.url}/api/threads/${thread_id}/messages`, {
    content: JSON.stringify({ steps: [{ text: 'It is known.' }] }),
  });
  const later = asked.body.run.id as string;
  await until(
    'the message is answered',
    async () => (await ask('GET', `${pod.url}/api/runs/${later}`)).body.status === 'done',
  );
  const seen = (await ask('GET', `${pod.url}/api/runs/${later}/context`)).text;
  expect(seen).toContain('Carry out the plan: The goal');
  expect(seen).toContain('agent_state');
});
