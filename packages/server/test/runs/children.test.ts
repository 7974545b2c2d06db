// Child runs: a run starts others on threads of their own, waits for them with nothing held, and takes in their ends.

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventData } from '@continuo/protocol';
import { ask, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';

const WORKSPACE = '00000000-0000-7000-8000-000000000001';
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

const say = (text: string) => ({ steps: [{ text }] });
const HANG = { steps: [{ text: 'half', hang: true }] };

interface Parent {
  readonly thread: string;
  readonly run: string;
}

/** Queues a run whose steps are these waves of children. */
async function start(
  waves: readonly (readonly object[])[],
  {
    limits = null,
    pool = database.pool,
    depth = 0,
    content = { text: 'go' },
  }: { limits?: object | null; pool?: TestDatabase['pool']; depth?: number; content?: object } = {},
): Promise<Parent> {
  const [thread, run, message] = [uuidv7(), uuidv7(), uuidv7()];
  await pool.query(
    `with t as (insert into threads (id, workspace_id, title, wake_at, depth) values ($1, $4, 'parent', now(), $7) returning id),
      m as (insert into messages (id, workspace_id, thread_id, run_id, ordinal, seq, role, content)
        select $3, $4, id, $2, 1, 0, 'user', $8 from t)
      insert into runs (id, workspace_id, thread_id, ordinal, message_id, model, role, principal, directive, limits)
        select $2, $4, id, 1, $3, 'offline/script', 'assistant', '{"kind":"local"}', $5, $6 from t`,
    [
      thread,
      run,
      message,
      WORKSPACE,
      JSON.stringify({ mode: 'waves', waves }),
      limits && JSON.stringify(limits),
      depth,
      JSON.stringify(content),
    ],
  );
  return { thread, run };
}

interface Row {
  id: string;
  status: string;
  session: string | null;
  owner: string | null;
  title: string;
  cancel_reason: string | null;
  thread_id: string;
}
const childrenOf = async (run: string, pool = database.pool) =>
  (
    await pool.query<Row>(
      `select r.id, r.status, r.cancel_reason, t.owner, t.title, t.id as thread_id,
        (select s.state from sessions s where s.thread_id = t.id order by s.started_at desc limit 1) as session
       from runs r join threads t on t.id = r.thread_id where r.parent_run = $1 order by t.title`,
      [run],
    )
  ).rows;
const statusOf = async (run: string, pool = database.pool) =>
  (await pool.query<{ status: string }>('select status from runs where id = $1', [run])).rows[0]!.status;
const ended = (run: string, status = 'done', pool = database.pool) =>
  until(`the parent is ${status}`, async () => (await statusOf(run, pool)) === status);
const eventsOf = async <T extends keyof EventData>(thread: string, type: T, pool = database.pool) =>
  (
    await pool.query<{ data: EventData[T] }>(
      'select data from events where thread_id = $1 and type = $2 order by seq',
      [thread, type],
    )
  ).rows.map(({ data }) => data);
const chats = `/api/v1/workspaces/default/chats`;

test('PLAN-3 a run starts child runs on threads of their own, waits for them, and gets their results', async () => {
  const { thread, run } = await start([
    [
      say('one'),
      { steps: [{ calls: [{ tool: 'write', input: { path: '/a.md', content: 'A' } }] }, { text: 'two' }] },
    ],
    [say('three')],
  ]);
  await ended(run);
  expect((await eventsOf(thread, 'child_start')).map(({ child }) => child)).toEqual(['0.0', '0.1', '1.0']);
  const ends = await eventsOf(thread, 'child_end');
  expect(ends.map(({ child, status, text }) => `${child} ${status} ${text}`).toSorted()).toEqual([
    '0.0 done one',
    '0.1 done two',
    '1.0 done three',
  ]);
  expect(ends.find(({ child }) => child === '0.1')?.files).toMatchObject([{ path: '/a.md', v: 1 }]);
  expect(await eventsOf(thread, 'final')).toMatchObject([{ text: '3 children' }]);
  const children = await childrenOf(run);
  expect(children.map(({ status, session }) => [status, session])).toEqual(
    Array(3).fill(['done', 'completed']),
  );

  const listed = await ask('GET', `${pod.url}${chats}`);
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([thread]);
  const asked = await ask('GET', `${pod.url}${chats}?parent_run=${run}`);
  expect(asked.body.items.map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'child 0.0',
    'child 0.1',
    'child 1.0',
  ]);
  const files = await ask('GET', `${pod.url}/api/v1/workspaces/default/files?prefix=/chats`);
  expect(JSON.stringify(files.body)).not.toContain('child-0-0');
});

test('PLAN-3 what others wrote stays untrusted from a run to its children, and back to its chat', async () => {
  const policy = `${pod.url}/api/v1/workspaces/default/policy`;
  const { rules } = (await ask('GET', policy)).body;
  const asking = { tool: '*', effect: 'external', after: 'untrusted', action: 'ask' };
  await ask('PUT', policy, { rules: [{ tool: '*', action: 'allow' }, asking] });
  const sends = { steps: [{ calls: [{ tool: 'external', input: { note: 'x' } }] }, { text: 'sent' }] };
  const trusted = await start([[sends]]);
  await ended(trusted.run);
  expect((await eventsOf(trusted.thread, 'child_end'))[0]).not.toHaveProperty('untrusted');

  const { thread, run } = await start([[sends]], { content: { text: 'go', untrusted: true } });
  const approvals = `${pod.url}/api/v1/workspaces/default/approvals`;
  const { items } = await until('the call waits', async () => {
    const { body } = await ask('GET', approvals);
    return body.items.length > 0 && body;
  });
  expect(items).toMatchObject([{ run_id: (await childrenOf(run))[0]!.id, tool: 'external' }]);
  await ask('POST', `${approvals}/${items[0].id}`, { decision: 'deny' });
  await ended(run);
  expect(await eventsOf(thread, 'child_end')).toMatchObject([{ status: 'done', untrusted: true }]);
  expect(await eventsOf(thread, 'message_end')).toMatchObject([{ text: '1 children', untrusted: true }]);
  await ask('PUT', policy, { rules });
});

test('PLAN-3 a parent of 30 waves is parked between them and never counts as one that makes no progress', async () => {
  const { thread, run } = await start(Array.from({ length: 30 }, (_, n) => [say(`${n}`)]));
  await ended(run);
  expect(await eventsOf(thread, 'final')).toMatchObject([{ text: '30 children' }]);
});

test('a parent that waits for its children is owned by no pod, and a message to its chat does not disturb it', async () => {
  const { thread, run } = await start([[HANG]]);
  await until('the child runs, and the parent is parked', async () => {
    const { rows } = await database.pool.query('select from threads where id = $1 and owner is null', [
      thread,
    ]);
    return rows.length === 1 && (await childrenOf(run))[0]?.status === 'running';
  });
  const before = await eventsOf(thread, 'state');
  await ask('POST', `${pod.url}${chats}/${thread}`, { content: JSON.stringify(say('next')) });
  await ask('POST', `${pod.url}/api/runs/${(await childrenOf(run))[0]!.id}/cancel`);
  await ended(run);
  // One takeover, for the child's end; none for the message that waits.
  expect((await eventsOf(thread, 'state')).slice(before.length)[0]).toEqual({
    status: 'running',
    attempt: 2,
  });
  expect(await eventsOf(thread, 'child_end')).toMatchObject([{ child: '0.0', status: 'canceled' }]);
});

test('a cancel of the parent ends it at once and reaches every child', async () => {
  const { thread, run } = await start([[HANG, HANG, HANG]]);
  await until(
    'all children run',
    async () => (await childrenOf(run)).filter(({ status }) => status === 'running').length === 3,
  );
  await ask('POST', `${pod.url}/api/runs/${run}/cancel`);
  await ended(run, 'canceled');
  await until('all children are canceled', async () =>
    (await childrenOf(run)).every(({ status }) => status === 'canceled'),
  );
  expect((await childrenOf(run)).map((child) => child.cancel_reason)).toEqual(
    Array(3).fill('user_cancelled'),
  );
  expect((await eventsOf(thread, 'child_end')).map(({ status }) => status)).toEqual(
    Array(3).fill('canceled'),
  );
});

test('a pause of the parent pauses every child, and a resume lets all go on', async () => {
  const slow = {
    steps: [
      { text: 'a', delay_ms: 1, calls: [{ tool: 'external', input: { note: 'x', delay_ms: 300 } }] },
      { text: 'b' },
    ],
  };
  const { thread, run } = await start([[slow, slow], [say('later')]]);
  await until(
    'the children run',
    async () => (await childrenOf(run)).filter(({ status }) => status === 'running').length === 2,
  );
  await ask('POST', `${pod.url}${chats}/${thread}/pause`);
  await until('the children are paused', async () =>
    (await childrenOf(run)).every(({ session }) => session === 'paused'),
  );
  expect(await statusOf(run)).toBe('running');
  await ask('POST', `${pod.url}${chats}/${thread}/resume`);
  await ended(run);
  expect(await eventsOf(thread, 'final')).toMatchObject([{ text: '3 children' }]);
});

test('waiting for children counts as the run’s time, and its time limit ends the children, too', async () => {
  const { thread, run } = await start([[HANG]], { limits: { seconds: 1 } });
  await ended(run, 'error');
  expect(await eventsOf(thread, 'error')).toMatchObject([{ code: 'time_limit' }]);
  await until('the child is canceled', async () => (await childrenOf(run))[0]!.status === 'canceled');
});

test('PLAN-3 the limits of a run are a budget that its children share', async () => {
  const { thread, run } = await start([Array.from({ length: 5 }, (_, n) => say(`${n}`))], {
    limits: { steps: 3 },
  });
  await ended(run);
  const ends = await eventsOf(thread, 'child_end');
  expect(ends.map(({ status, error }) => error?.code ?? status).toSorted()).toEqual([
    'done',
    'done',
    'done',
    'step_limit',
    'step_limit',
  ]);
});

test('PLAN-3 children are nested at most 3 deep, and a run starts at most 2,000: one more starts none', async () => {
  const allowed = await start([[say('deep')]], { depth: 2 });
  await ended(allowed.run);
  expect((await childrenOf(allowed.run)).map(({ status }) => status)).toEqual(['done']);
  const refused = [
    { ...(await start([[say('too deep')]], { depth: 3 })), code: 'depth_limit' },
    { ...(await start([Array.from({ length: 2001 }, () => say('x'))])), code: 'children_limit' },
  ];
  for (const { run, thread, code } of refused) {
    await ended(run, 'error');
    expect(await eventsOf(thread, 'error')).toMatchObject([{ code }]);
    expect(await childrenOf(run)).toEqual([]);
  }
});
