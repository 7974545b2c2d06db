// Sessions as the thread's log tells them, and as their rows do.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, seen, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const OK = { steps: [{ text: 'ok' }] };
const FAILING = { steps: [{ error: { code: 'x', message: 'y' } }] };

interface SessionChange {
  session: string;
  from_state: string;
  to_state: string;
  reason: string;
}

async function sessionChanges(thread: string): Promise<SessionChange[]> {
  const { rows } = await world.database.pool.query<{ data: SessionChange }>(
    "select data from events where thread_id = $1 and run_id is null and type = 'session' order by seq",
    [thread],
  );
  return rows.map((row) => row.data);
}

/** Rows against the fold of the log: the same sessions, each in the state that its last event says, since then. */
async function disagreements(thread: string): Promise<unknown[]> {
  const { rows } = await world.database.pool.query(
    `with folded as (
       select distinct on (data ->> 'session') data ->> 'session' as id, data ->> 'to_state' as state, data ->> 'reason' as reason, at,
         min(at) over (partition by data ->> 'session') as began
       from events where thread_id = $1 and type = 'session' order by data ->> 'session', seq desc)
     select s.id, s.state, f.state as told from (select * from sessions where thread_id = $1) s
       full join folded f on f.id = s.id::text
     where (s.state, s.reason, s.changed_at, s.started_at) is distinct from (f.state, f.reason, f.at, f.began)`,
    [thread],
  );
  return rows;
}

test('a session begins with the first message, and idles between runs', async () => {
  const thread = await createThread(world.url);
  for (let turn = 0; turn < 2; turn += 1) await framesOf(world.url, (await send(world.url, thread, OK)).id);
  const sessions = await sessionChanges(thread);
  expect(sessions.map(({ from_state, to_state, reason }) => [from_state, to_state, reason])).toEqual([
    ['idle', 'running', 'message'],
    ['running', 'idle', 'done'],
    ['idle', 'running', 'message'],
    ['running', 'idle', 'done'],
  ]);
  expect(new Set(sessions.map(({ session }) => session)).size).toBe(1);
  expect(await disagreements(thread)).toEqual([]);
});

test('an error and a cancel end a session; each next message starts another, and the old ones keep their end', async () => {
  const thread = await createThread(world.url);
  await framesOf(world.url, (await send(world.url, thread, FAILING)).id);
  const hanging = await send(world.url, thread, { steps: [{ text: 'x', hang: true }] });
  await seen(world.url, hanging.id, 'token');
  await ask('POST', `${world.url}/api/runs/${hanging.id}/cancel`);
  await framesOf(world.url, hanging.id);
  await framesOf(world.url, (await send(world.url, thread, OK)).id);
  const sessions = await sessionChanges(thread);
  expect(sessions.map(({ from_state, to_state }) => `${from_state} ${to_state}`)).toEqual([
    'idle running',
    'running error',
    'idle running',
    'running cancelled',
    'idle running',
    'running idle',
  ]);
  expect(new Set(sessions.map(({ session }) => session)).size).toBe(3);
  expect(await disagreements(thread)).toEqual([]);
  const { rows } = await world.database.pool.query(
    'select state from sessions where thread_id = $1 order by started_at, id',
    [thread],
  );
  expect(rows.map(({ state }) => state)).toEqual(['error', 'cancelled', 'idle']);
});

test('a session’s change is written with the event that says so, and with the run’s', async () => {
  const thread = await createThread(world.url);
  const run = await send(world.url, thread, OK);
  await framesOf(world.url, run.id);
  const { rows } = await world.database.pool.query(
    `select (select xmin::text from sessions where thread_id = $1) as session_row, (select xmin::text from runs where id = $2) as run_row,
       (select xmin::text from events where thread_id = $1 and type = 'session' order by seq desc limit 1) as session_event,
       (select xmin::text from events where run_id = $2 and type = 'state' order by seq desc limit 1) as run_event`,
    [thread, run.id],
  );
  expect(new Set(Object.values(rows[0])).size).toBe(1);
});

test('session events belong to the thread: they have a seq of its log and none of a run’s', async () => {
  const thread = await createThread(world.url);
  const run = await send(world.url, thread, OK);
  const frames = await framesOf(world.url, run.id);
  const { rows } = await world.database.pool.query(
    'select seq, run_id, run_seq, type from events where thread_id = $1 order by seq',
    [thread],
  );
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
  expect(
    rows.filter(({ type }) => type === 'session').map(({ run_id, run_seq }) => [run_id, run_seq]),
  ).toEqual([
    [null, null],
    [null, null],
  ]);
  expect(frames.some(({ event }) => event === 'session')).toBe(false);
  expect(frames).toHaveLength(rows.length - 2);
});

test('queued runs share the session, which is never idle between them', async () => {
  const thread = await createThread(world.url);
  const runs = [];
  for (let turn = 0; turn < 4; turn += 1)
    runs.push(await send(world.url, thread, { steps: [{ tokens: 5, delay_ms: 1 }] }));
  for (const run of runs)
    expect((await framesOf(world.url, run.id)).at(-1)!.data).toEqual({ status: 'done' });
  const sessions = await sessionChanges(thread);
  expect(new Set(sessions.map(({ session }) => session)).size).toBe(1);
  sessions.forEach(({ from_state }, index) =>
    expect(from_state).toBe(index === 0 ? 'idle' : sessions[index - 1]!.to_state),
  );
  expect(await disagreements(thread)).toEqual([]);
});

test('the thread shows its latest session', async () => {
  const thread = await createThread(world.url);
  const read = async () => (await ask('GET', `${world.url}/api/threads/${thread}`)).body.session;
  expect(await read()).toBeNull();
  await framesOf(world.url, (await send(world.url, thread, FAILING)).id);
  const failed = await read();
  expect(failed.state).toBe('error');
  await framesOf(world.url, (await send(world.url, thread, OK)).id);
  expect(await read()).toEqual({ id: expect.not.stringMatching(failed.id), state: 'idle' });
});
