// Schedules over HTTP: what they start, what they skip, and that two pods start it once.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANONYMOUS, ask, call, until } from '@continuo/testkit';
import {
  brokenInvariants,
  count,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import type { Schedule } from '@continuo/protocol';

let database: TestDatabase;
let pod: TestPod;
const say = (step: object) => JSON.stringify({ steps: [step] });
const SHORT = say({ text: 'Done.' });
const HANGS = say({ text: 'begun', hang: true });
/** Half an hour from now and every hour: no time comes while the tests run. */
const HOURLY = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`;

beforeAll(async () => {
  database = await freshDatabase();
  pod = await startPod({ databaseUrl: database.url });
});
afterAll(async () => {
  await pod.end();
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

const at = (rest = '') => `${pod.url}/api/v1/workspaces/default${rest}`;
let named = 0;
const add = async (schedule: object): Promise<Schedule> =>
  call('POST', at('/schedules'), {
    name: `schedule ${(named += 1)}`,
    cron: '@yearly',
    message: SHORT,
    ...schedule,
  });
const read = (id: string): Promise<Schedule> => call('GET', at(`/schedules/${id}`));

/** As if the schedule's time had come, so many seconds ago; announced as any change is. */
async function comesDue(id: string, secondsAgo = 0): Promise<void> {
  await call('PUT', at(`/schedules/${id}`), newOf(await read(id)));
  await database.pool.query(
    'update schedules set next_at = clock_timestamp() - make_interval(secs => $2) where id = $1',
    [id, secondsAgo],
  );
  // Another schedule's change wakes the pods.
  const other = await add({ paused: true });
  await call('DELETE', at(`/schedules/${other.id}`));
}

function newOf({
  name,
  cron,
  time_zone,
  message,
  chat_id,
  title,
  role,
  model,
  limits,
  missed,
  overlap,
  paused,
}: Schedule) {
  return { name, cron, time_zone, message, chat_id, title, role, model, limits, missed, overlap, paused };
}

const decided = (id: string, times = 1) =>
  until(`${times} times of the schedule are decided`, async () => {
    const schedule = await read(id);
    return schedule.times.length >= times ? schedule : null;
  });
const ended = (run: string) =>
  until(
    'the run ended',
    async () => (await call<{ status: string }>('GET', `${pod.url}/api/runs/${run}`)).status === 'done',
  );

test('PLUS-10 a schedule is added, listed with its next five times, changed, paused, resumed and removed', async () => {
  const made = await ask('POST', at('/schedules'), {
    name: 'Morning',
    cron: '0 9 * * MON-FRI',
    time_zone: 'Europe/Berlin',
    message: 'Summarise the news.',
    limits: { cost: 0.5 },
  });
  expect(made.status).toBe(201);
  const schedule = made.body as Schedule;
  expect(made.headers.get('location')).toMatch(new RegExp(`/schedules/${schedule.id}$`));
  expect(schedule).toMatchObject({
    missed: 'skip',
    overlap: 'skip',
    paused: false,
    times: [],
    chat_id: null,
  });
  expect(schedule.next_times).toHaveLength(5);
  expect(schedule.next_times[0]).toBe(schedule.next_at);
  for (const time of schedule.next_times)
    expect(new Date(time).toLocaleString('en-GB', { timeZone: 'Europe/Berlin' })).toContain('09:00:00');
  const { items } = await call<{ items: Schedule[] }>('GET', at('/schedules'));
  expect(items).toContainEqual(schedule);

  const changed = await call<Schedule>('PUT', at(`/schedules/${schedule.id}`), {
    ...newOf(schedule),
    cron: '@hourly',
  });
  expect(changed).toMatchObject({ cron: '@hourly', limits: { cost: 0.5 } });
  const paused = await call<Schedule>('POST', at(`/schedules/${schedule.id}/pause`));
  expect(paused).toMatchObject({ paused: true, next_at: null, next_times: [] });
  const resumed = await call<Schedule>('POST', at(`/schedules/${schedule.id}/resume`));
  expect(resumed).toMatchObject({ paused: false, next_at: changed.next_at });
  expect((await ask('DELETE', at(`/schedules/${schedule.id}`))).status).toBe(204);
  expect((await ask('GET', at(`/schedules/${schedule.id}`))).body.code).toBe('schedule_not_found');
});

test('PLUS-10 a schedule whose time has come starts a run in a new chat, and goes on to its next time', async () => {
  const { id, name } = await add({ title: 'Hourly report', limits: { steps: 3 }, cron: HOURLY });
  await comesDue(id);
  const schedule = await decided(id);
  expect(schedule.times).toMatchObject([{ outcome: 'started', manual: false, earlier: 0, reason: null }]);
  expect(new Date(schedule.next_at!).getTime()).toBeGreaterThan(Date.now());
  const { chat_id, run_id } = schedule.times[0]!;
  await ended(run_id!);
  expect(await call('GET', at(`/chats/${chat_id}`))).toMatchObject({ title: 'Hourly report', goal: SHORT });
  expect(await call('GET', `${pod.url}/api/runs/${run_id}`)).toMatchObject({
    limits: { steps: 3 },
    principal: { kind: 'local' },
  });
  expect(schedule.name).toBe(name);
});

test('PLUS-10 missed times are skipped and said, or lead to one run, as the schedule wants it', async () => {
  const skips = await add({ cron: HOURLY });
  const catchesUp = await add({ cron: HOURLY, missed: 'run_once' });
  const hours = 5 * 3600;
  for (const { id } of [skips, catchesUp]) await comesDue(id, hours);
  expect((await decided(skips.id)).times).toMatchObject([
    { outcome: 'missed', earlier: 5, run_id: null, reason: 'no server was running' },
  ]);
  const { times } = await decided(catchesUp.id);
  expect(times).toMatchObject([{ outcome: 'started', earlier: 5 }]);
  await ended(times[0]!.run_id!);
});

test('PLUS-10 one run at a time: the next one is skipped and says so, or is queued in its chat', async () => {
  const skips = await add({ message: HANGS });
  await comesDue(skips.id);
  const first = (await decided(skips.id)).times[0]!;
  await comesDue(skips.id);
  const [second] = (await decided(skips.id, 2)).times;
  expect(second).toMatchObject({
    outcome: 'skipped',
    run_id: first.run_id,
    chat_id: first.chat_id,
    reason: 'the last run is still open',
  });
  const refused = await ask('POST', at(`/schedules/${skips.id}/run`));
  expect([refused.status, refused.body.code, refused.body.run_id]).toEqual([
    409,
    'schedule_busy',
    first.run_id,
  ]);
  await call('POST', `${pod.url}/api/runs/${first.run_id}/cancel`);

  const queues = await add({ message: HANGS, chat_id: first.chat_id, overlap: 'queue' });
  await comesDue(queues.id);
  await decided(queues.id);
  await comesDue(queues.id);
  const { times } = await decided(queues.id, 2);
  expect(times.map(({ outcome, chat_id }) => [outcome, chat_id])).toEqual([
    ['started', first.chat_id],
    ['started', first.chat_id],
  ]);
  for (const { run_id } of times) await call('POST', `${pod.url}/api/runs/${run_id}/cancel`);
});

test('PLUS-10 a run is started now, also by a paused schedule, and its next time stays', async () => {
  const { id } = await add({ paused: true });
  const { times, next_at } = await call<Schedule>('POST', at(`/schedules/${id}/run`));
  expect(times).toMatchObject([{ outcome: 'started', manual: true }]);
  expect(next_at).toBeNull();
  await ended(times[0]!.run_id!);
});

test('PLUS-10 a run that cannot be started is refused with a reason, and the schedule goes on', async () => {
  const { chat } = await call<{ chat: { id: string } }>('POST', at('/chats'), { goal: SHORT });
  const { id } = await add({ chat_id: chat.id });
  await call('DELETE', at(`/chats/${chat.id}`));
  // Its chat is gone, so the schedule cannot be changed any more; its time comes anyway.
  await database.pool.query('update schedules set next_at = clock_timestamp() where id = $1', [id]);
  await call('DELETE', at(`/schedules/${(await add({})).id}`));
  const schedule = await decided(id);
  expect(schedule.times).toMatchObject([{ outcome: 'refused', reason: 'the chat no longer exists' }]);
  expect(schedule.next_at).not.toBeNull();
});

test.each<[string, object, number, string, RegExp]>([
  ['no cron expression', { cron: 'often' }, 400, 'invalid_body', /cron: has 1 fields; write five fields/],
  ['an expression that never comes', { cron: '0 0 31 2 *' }, 400, 'invalid_body', /no time in the future/],
  ['no time zone', { time_zone: 'Nowhere' }, 400, 'invalid_body', /time_zone: "Nowhere" is not a time zone/],
  ['a queue without a chat', { overlap: 'queue' }, 400, 'invalid_body', /overlap: queue needs chat_id/],
  ['an unknown role', { role: 'nobody' }, 400, 'unknown_role', /role: /],
  ['an unknown model', { model: 'no/model' }, 400, 'unknown_model', /model: /],
  ['an unknown chat', { chat_id: '01890000-0000-7000-8000-000000000001' }, 404, 'chat_not_found', /no chat/],
  ['a name that is taken', { name: 'taken' }, 409, 'schedule_exists', /has a schedule named "taken"/],
])('a schedule with %s is refused', async (_, wrong, status, code, detail) => {
  if (code === 'schedule_exists') await add({ name: 'taken', paused: true });
  const answer = await ask('POST', at('/schedules'), {
    name: 'wrong',
    cron: '@daily',
    message: 'Hi.',
    ...wrong,
  });
  expect(answer).toMatchObject({ status, body: { code, detail: expect.stringMatching(detail) } });
});

test('schedules need no person, and go with their workspace', async () => {
  const name = 'short-lived';
  const { id } = await call<{ id: string }>('POST', `${pod.url}/api/v1/workspaces`, { name });
  const url = `${pod.url}/api/v1/workspaces/${id}/schedules`;
  const made = await ask('POST', url, { name: 'mine', cron: '@daily', message: SHORT }, ANONYMOUS);
  expect(made.status).toBe(201);
  await call('DELETE', `${pod.url}/api/v1/workspaces/${id}`);
  await database.pool.query('select purge_workspace($1, clock_timestamp())', [id]);
  expect(await count(database, 'schedules where workspace_id = $1', [id])).toBe(0);
});

test.each(['schedule.claimed', 'schedule.started', 'schedule.committed'])(
  'PLUS-10 a pod that is killed at %s: another pod starts the run, exactly once',
  async (fault) => {
    const own = await freshDatabase();
    const [survivor, victim] = await Promise.all([
      startPod({ databaseUrl: own.url }),
      startPod({ databaseUrl: own.url, fault }),
    ]);
    try {
      const base = `${survivor.url}/api/v1/workspaces/default/schedules`;
      const { id } = await call<Schedule>('POST', base, { name: 'once', cron: HOURLY, message: SHORT });
      // Either pod may claim a due schedule first; each further one gives the victim another chance.
      const wake = (url: string) => call('POST', `${url}/api/v1/workspaces/default/schedules/${id}/resume`);
      await until('the victim is dead', async () => {
        const more = { name: `due ${Math.random()}`, cron: '@yearly', message: SHORT };
        const due = await call<Schedule>('POST', base, more);
        await own.pool.query('update schedules set next_at = clock_timestamp() where id = $1', [due.id]);
        await wake(victim.url).catch(() => undefined);
        return victim.hits.length > 0;
      });
      await wake(survivor.url);
      await until('every due schedule has started', async () => {
        const waiting = await count(own, 'schedules where next_at <= clock_timestamp()');
        return waiting === 0;
      });
      await until('every run has ended', async () => (await count(own, "runs where status <> 'done'")) === 0);
      const started = await count(own, "schedule_times where outcome = 'started'");
      expect(await count(own, 'runs')).toBe(started);
      expect(await count(own, 'threads')).toBe(started);
      expect(await count(own, 'schedule_times')).toBe(started);
      expect(await brokenInvariants(own.pool)).toEqual([]);
    } finally {
      await Promise.all([survivor.end(), victim.end()]);
      await own.drop();
    }
  },
);
