// Plans that run: each step is a child run, statuses follow, and people approve, skip, retry, pause and stop.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { printPlan, type AgentPlan, type EventData, type PlanStep } from '@continuo/protocol';
import { ask, until } from '@continuo/testkit';
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
/** A script within a text. Brackets inside it are escaped, so that a script can hold another one. */
const script = (...steps: object[]) => {
  const json = JSON.stringify({ steps });
  return `⟦${json.replaceAll('⟦', String.raw`\u27e6`).replaceAll('⟧', String.raw`\u27e7`)}⟧`;
};
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
  expect((await eventsOf(thread_id, 'final'))[0]!.text).toContain('The plan is done: The goal');
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
