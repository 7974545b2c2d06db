// Plans that start at times, and webhooks that are told of plans.

import { expect, test } from 'vitest';
import { printPlan, type AgentPlan, type Schedule, type Webhook } from '@continuo/protocol';
import { AS_PERSON, ask, call, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { newSpace, put, type Space } from '../files/support.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const world = usePod({ CONTINUO_OUTGOING_ALLOW: '127.0.0.1' });

const script = (...steps: object[]) => `⟦${JSON.stringify({ steps })}⟧`;
const SAYS = script({ text: 'ok' });
const FAILS = script({ error: { code: 'no', message: 'no' } });
const HANGS = script({ text: 'begun', hang: true });
const planOf = (...titles: string[]): AgentPlan => ({
  id: 'p',
  goal: 'The goal',
  stages: [
    {
      id: 's',
      name: 'Stage',
      mode: 'parallel',
      steps: titles.map((title, index) => ({
        id: `s${index}`,
        title: `s${index} ${title}`,
        intent: 'create',
        executor: 'assistant',
      })),
    },
  ],
});

interface Made {
  readonly space: Space;
  readonly id: string;
  readonly url: string;
}
async function made(...titles: string[]): Promise<Made> {
  const space = await newSpace(world.url);
  const written = await put(space, 'plans/p.plan', printPlan(planOf(...titles)));
  expect(written.status).toBeLessThan(300);
  const { items } = await call<{ items: { id: string }[] }>('GET', `${space.url}/plans`);
  return { space, id: items[0]!.id, url: `${space.url}/plans/${items[0]!.id}` };
}
const approve = ({ url }: Made) => call('POST', `${url}/approve`, {});
const progress = ({ url }: Made) =>
  call<{ state: string; run_id: string; counts: Record<string, number> }>('GET', `${url}/progress`);
const isIn = (plan: Made, state: string) =>
  until(`the plan is ${state}`, async () => {
    const found = await progress(plan);
    return found.state === state && found;
  });
const schedule = ({ space, id }: Made, more: object = {}) =>
  call<Schedule>('POST', `${space.url}/schedules`, { name: 'Yearly', cron: '@yearly', plan_id: id, ...more });
/** As if the time had come. */
async function comesDue({ space }: Made, id: string): Promise<void> {
  await world.database.pool.query('update schedules set next_at = clock_timestamp() where id = $1', [id]);
  const other = await call<Schedule>('POST', `${space.url}/schedules`, {
    name: 'other',
    cron: '@yearly',
    message: 'x',
    paused: true,
  });
  await call('DELETE', `${space.url}/schedules/${other.id}`);
}
const decided = ({ space }: Made, id: string, times: number) =>
  until(`${times} times are decided`, async () => {
    const found = await call<Schedule>('GET', `${space.url}/schedules/${id}`);
    return found.times.length >= times && found.times;
  });
const hook = (space: Space, receiver: Receiver, more: object = {}) =>
  call<Webhook>('POST', `${space.url}/webhooks`, { url: receiver.url, ...more });
const told = ({ received }: Receiver) =>
  // oxlint-disable-next-line typescript/no-explicit-any
  received.map(({ body }) => JSON.parse(body) as { type: string; data: any });

test('PLUS-10 a schedule runs an approved plan at its times, in a chat of its own; one that has ended starts over', async () => {
  const plan = await made(SAYS, SAYS);
  const { id } = await schedule(plan, { limits: { tokens: 100_000 } });
  await comesDue(plan, id);
  expect((await decided(plan, id, 1))[0]).toMatchObject({
    outcome: 'refused',
    reason: 'the plan is not approved as it is now',
  });
  await approve(plan);
  for (const times of [2, 3]) {
    await comesDue(plan, id);
    const [last] = await decided(plan, id, times);
    expect(last).toMatchObject({ outcome: 'started' });
    const ended = await until('the plan has ended', async () => {
      const found = await progress(plan);
      return found.state === 'done' && found.run_id === last!.run_id && found;
    });
    expect(ended.counts).toMatchObject({ done: 2, pending: 0 });
    const { rows } = await world.database.pool.query(
      'select r.status, r.limits, t.mode from runs r join threads t on t.id = r.thread_id where r.id = $1',
      [last!.run_id],
    );
    expect(rows[0]).toMatchObject({ status: 'done', mode: 'plan_then_execute' });
    const children = await world.database.pool.query('select from runs where parent_run = $1', [
      last!.run_id,
    ]);
    expect(children.rowCount).toBe(2);
  }
  const listed = await call<{ items: Schedule[] }>('GET', `${plan.space.url}/schedules?plan_id=${plan.id}`);
  expect(listed.items).toMatchObject([{ id, plan_id: plan.id, next_times: expect.any(Array) }]);
  const none = await call<{ items: Schedule[] }>('GET', `${plan.space.url}/schedules?plan_id=${id}`);
  expect(none.items).toEqual([]);
});

test('PLUS-10 a time is skipped while the plan’s last run is open, refused while another one works on it, and a stopped plan goes on', async () => {
  const plan = await made(SAYS, HANGS);
  await approve(plan);
  const { id } = await schedule(plan);
  await comesDue(plan, id);
  await decided(plan, id, 1);
  await until('the first step is done', async () => (await progress(plan)).counts.done === 1);
  await comesDue(plan, id);
  expect((await decided(plan, id, 2))[0]).toMatchObject({ outcome: 'skipped' });
  const other = await schedule(plan, { name: 'Another' });
  await comesDue(plan, other.id);
  expect((await decided(plan, other.id, 1))[0]).toMatchObject({
    outcome: 'refused',
    reason: expect.stringMatching(/^the run .* works on the plan$/),
  });
  await call('POST', `${plan.url}/stop`);
  await isIn(plan, 'stopped');
  await comesDue(plan, id);
  await decided(plan, id, 3);
  expect((await progress(plan)).counts).toMatchObject({ done: 1 });
  await call('POST', `${plan.url}/stop`);
  await isIn(plan, 'stopped');
});

test('PLUS-10 a plan runs again from its beginning if the request says so', async () => {
  const plan = await made(SAYS, FAILS);
  await approve(plan);
  // Without it, there is nothing left to do: the failed step is not done again.
  for (const [restart, children] of [
    [false, 2],
    [false, 0],
    [true, 2],
  ] as const) {
    const { run } = await call<{ run: { id: string } }>('POST', `${plan.url}/run`, { restart });
    await until(
      'the run has ended',
      async () =>
        (await call<{ status: string }>('GET', `${world.url}/api/runs/${run.id}`)).status === 'done',
    );
    expect(await progress(plan)).toMatchObject({ state: 'failed', counts: { done: 1, failed: 1 } });
    const { rowCount } = await world.database.pool.query('select from runs where parent_run = $1', [run.id]);
    expect(rowCount).toBe(children);
  }
});

test.each<[string, object, string, RegExp]>([
  ['a message', { message: 'x' }, 'message', /does not go with plan_id/],
  ['a role', { role: 'writer' }, 'role', /does not go with plan_id/],
  ['a title', { title: 'x' }, 'title', /does not go with plan_id/],
])('a schedule of a plan with %s is refused', async (_, more, path, message) => {
  const plan = await made(SAYS);
  const answer = await ask('POST', `${plan.space.url}/schedules`, {
    name: 'x',
    cron: '@daily',
    plan_id: plan.id,
    ...more,
  });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  expect(answer.body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
});

test('the plan of a schedule or a webhook is one of the workspace, and a schedule has a message or a plan', async () => {
  const [plan, other] = [await made(SAYS), await newSpace(world.url)];
  for (const plan_id of [plan.id, '01890000-0000-7000-8000-000000000000']) {
    const scheduled = await ask('POST', `${other.url}/schedules`, { name: 'x', cron: '@daily', plan_id });
    expect(scheduled).toMatchObject({ status: 404, body: { code: 'plan_not_found' } });
    const hooked = await ask(
      'POST',
      `${other.url}/webhooks`,
      { url: 'https://example.com', plan_id },
      AS_PERSON,
    );
    expect(hooked).toMatchObject({ status: 404, body: { code: 'plan_not_found' } });
  }
  const empty = await ask('POST', `${other.url}/schedules`, { name: 'x', cron: '@daily' });
  expect(empty).toMatchObject({ status: 400, body: { errors: [{ path: 'message' }] } });
});

test('PLUS-10 webhooks are sent when a plan waits for approval, when a call of a step waits, and when the plan ends', async () => {
  const call_ = script({ calls: [{ tool: 'external', input: { note: 'secret' } }] }, { text: 'ok' });
  const plan = await made(call_);
  const [all, one, elsewhere] = [await startReceiver(), await startReceiver(), await startReceiver()];
  await hook(plan.space, all, { events: ['plan.waiting', 'plan.ended'] });
  await hook(plan.space, one, { plan_id: plan.id });
  const second = await put(plan.space, 'plans/q.plan', printPlan(planOf(SAYS)));
  expect(second.status).toBeLessThan(300);
  const { items } = await call<{ items: { id: string }[] }>('GET', `${plan.space.url}/plans`);
  await hook(plan.space, elsewhere, { plan_id: items.find(({ id }) => id !== plan.id)!.id });

  const chat = await call<{ run: { id: string }; chat: { id: string } }>('POST', `${plan.space.url}/chats`, {
    goal: 'go on with the plan',
    mode: 'plan_then_execute',
    plan_id: plan.id,
  });
  const about = { plan_id: plan.id, run_id: chat.run.id, chat_id: chat.chat.id, path: '/plans/p.plan' };
  await until('the plan’s approval is asked for', () => told(all).length === 1 && told(one).length === 1);
  expect(told(all)[0]).toMatchObject({ type: 'plan.waiting', data: { ...about, steps: { pending: 1 } } });
  await approve(plan);
  await until('the call waits', () => told(one).length === 2);
  const waits = told(one)[1]!;
  expect(waits).toMatchObject({ type: 'approval.waiting', data: { plan_id: plan.id, tool: 'external' } });
  // The plan is changed meanwhile: it needs a new approval, and says so once.
  for (const more of ['added', 'added and changed'])
    await put(plan.space, 'plans/p.plan', printPlan(planOf(call_, `${more} ${SAYS}`)));
  await progress(plan);
  await until('the changed plan asks again', () => told(all).length === 2);
  await approve(plan);
  await call('POST', `${plan.space.url}/approvals/${waits.data.approval_id}`, { decision: 'approve' });
  await isIn(plan, 'done');
  await until('the ends are told', () => told(one).length === 5 && told(all).length === 3);
  expect(told(all).map(({ type }) => type)).toEqual(['plan.waiting', 'plan.waiting', 'plan.ended']);
  expect(told(all)[2]!.data).toMatchObject({ ...about, state: 'done', steps: { done: 2 } });
  expect(
    told(one)
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(['approval.waiting', 'plan.ended', 'plan.waiting', 'plan.waiting', 'run.ended']);
  expect(told(elsewhere)).toEqual([]);
});
