// A run's life as its thread, its rows and its log tell it: RUN-1, RUN-2, RUN-3, RUN-6, RUN-13.

import { expect, test } from 'vitest';
import {
  ask,
  call,
  createThread,
  followToEnd,
  framesOf,
  readRun,
  seen,
  send,
  until,
  type Frame,
  type RunBody,
} from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';

const world = usePod();

const finish = (runId: string) => followToEnd(() => [world.url], runId);
const cancel = (runId: string) => call<RunBody>('POST', `${world.url}/api/runs/${runId}/cancel`);
const FAILING = { steps: [{ text: 'well', error: { code: 'overloaded', message: 'the model is busy' } }] };

/** What the log says of a run, and what its row says, in one look. */
async function told(runId: string): Promise<{ row: string; log: string }> {
  const { rows } = await world.database.pool.query(
    `select r.status as row, coalesce((select e.data ->> 'status' from events e
       where e.run_id = r.id and e.type = 'state' order by e.seq desc limit 1), 'queued') as log
     from runs r where r.id = $1`,
    [runId],
  );
  return rows[0];
}

test('RUN-1 a thread has many runs; people write messages, and the agent answers only through runs', async () => {
  const made = await ask('POST', `${world.url}/api/threads`, { title: 'a long talk' });
  expect(made.status).toBe(201);
  expect(made.headers.get('location')).toBe(`/api/threads/${made.body.id}`);
  expect(made.body).toMatchObject({ title: 'a long talk', session: null, active_run: null });
  const { id } = made.body;
  const runs: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    const run = await send(world.url, id, { steps: [{ text }] });
    await finish(run.id);
    runs.push(run.id);
  }
  const { items } = (await ask('GET', `${world.url}/api/threads/${id}/messages`)).body;
  expect(items.map((item: { role: string; run_id: string }) => [item.role, item.run_id])).toEqual(
    runs.flatMap((run) => [
      ['user', run],
      ['assistant', run],
    ]),
  );
  expect(
    items
      .filter((item: { role: string }) => item.role === 'assistant')
      .map((item: { content: string }) => item.content),
  ).toEqual(['one', 'two', 'three']);
  // Every message of the agent is one that its run's log ended, with the same text.
  const { rows } = await world.database.pool.query(
    `select m.content ->> 'text' = e.data ->> 'text' as same from messages m
       left join events e on e.thread_id = m.thread_id and e.seq = m.seq and e.run_id = m.run_id and e.type = 'message_end'
     where m.thread_id = $1 and m.role = 'assistant'`,
    [id],
  );
  expect(rows).toEqual([{ same: true }, { same: true }, { same: true }]);
});

test('RUN-1 no request can write a message as the agent', async () => {
  const thread = await createThread(world.url);
  const answer = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content: 'I said this',
    run_id: thread,
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'run_id' }] } });
  expect(
    await ask('POST', `${world.url}/api/threads/${thread}/messages`, { content: 'x', role: 'user' }),
  ).toMatchObject({
    status: 400,
    body: { code: 'unknown_role' },
  });
  expect(await count(world.database, 'messages where thread_id = $1', [thread])).toBe(0);
});

test('RUN-2 a message and its queued run are written by one transaction, and the answer names the run', async () => {
  const thread = await createThread(world.url);
  const busy = await send(world.url, thread, { steps: [{ hang: true }] });
  const answer = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content: '{"steps":[{"text":"ok"}]}',
  });
  expect(answer.status).toBe(202);
  const { run } = answer.body;
  expect(answer.headers.get('location')).toBe(`/api/runs/${run.id}`);
  expect(run).toMatchObject({ status: 'queued', thread_id: thread, blocked_by: busy.id });
  const { rows } = await world.database.pool.query(
    'select r.xmin::text = m.xmin::text as together from runs r join messages m on m.id = r.message_id and m.run_id = r.id where r.id = $1',
    [run.id],
  );
  expect(rows).toEqual([{ together: true }]);
  await cancel(busy.id);
  expect((await finish(run.id)).at(-1)!.data).toEqual({ status: 'done' });
});

test('RUN-2 a message to a thread that does not exist leaves neither message nor run nor key', async () => {
  const total = () =>
    count(
      world.database,
      '(select id from messages union all select id from runs union all select workspace_id from idempotency_keys) everything',
    );
  const before = await total();
  const nowhere = `${world.url}/api/threads/01890000-0000-7000-8000-000000000000/messages`;
  for (const headers of [{}, { 'idempotency-key': 'k-nowhere' }]) {
    expect(await ask('POST', nowhere, { content: 'x' }, headers)).toMatchObject({
      status: 404,
      body: { code: 'thread_not_found' },
    });
  }
  expect(await total()).toBe(before);
});

test('RUN-3 a run is queued, then running, then done or canceled, each with its time', async () => {
  const thread = await createThread(world.url);
  const first = await send(world.url, thread, { steps: [{ text: 'begun', hang: true }] });
  const second = await send(world.url, thread, { steps: [{ text: 'ok' }] });
  await seen(world.url, first.id, 'token');
  const running = await readRun(world.url, first.id);
  expect(running).toMatchObject({
    status: 'running',
    started_at: expect.any(String),
    ended_at: null,
    usage: null,
  });
  const queued = await readRun(world.url, second.id);
  expect(queued).toMatchObject({
    status: 'queued',
    queued_at: expect.any(String),
    started_at: null,
    ended_at: null,
    blocked_by: first.id,
  });
  expect(await told(first.id)).toEqual({ row: 'running', log: 'running' });
  expect(await told(second.id)).toEqual({ row: 'queued', log: 'queued' });

  await cancel(first.id);
  await finish(first.id);
  const canceled = await readRun(world.url, first.id);
  expect(canceled).toMatchObject({
    status: 'canceled',
    started_at: running.started_at,
    queued_at: running.queued_at,
    error: null,
  });
  expect(inOrder(canceled, 'queued_at', 'started_at', 'cancel_requested_at')).toBe(true);
  await finish(second.id);
  const done = await readRun(world.url, second.id);
  expect(done).toMatchObject({
    status: 'done',
    queued_at: queued.queued_at,
    blocked_by: null,
    error: null,
    usage: { input: expect.any(Number), output: 1 },
  });
  expect(inOrder(done, 'queued_at', 'started_at', 'ended_at')).toBe(true);
  expect(await told(first.id)).toEqual({ row: 'canceled', log: 'canceled' });
  expect(await told(second.id)).toEqual({ row: 'done', log: 'done' });
});

test('RUN-3 a failed run says what failed', async () => {
  const run = await send(world.url, await createThread(world.url), FAILING);
  await finish(run.id);
  expect(await readRun(world.url, run.id)).toMatchObject({
    status: 'error',
    error: { code: 'overloaded', error: 'the model is busy' },
    started_at: expect.any(String),
    ended_at: expect.any(String),
  });
  expect(await told(run.id)).toEqual({ row: 'error', log: 'error' });
});

test('RUN-3 a run’s row and its log agree at every moment', async () => {
  const runs: RunBody[] = [];
  for (const script of [
    { steps: [{ tokens: 60, delay_ms: 1 }] },
    FAILING,
    { steps: [{ text: 'x', hang: true }] },
  ]) {
    const thread = await createThread(world.url);
    runs.push(
      await send(world.url, thread, script),
      await send(world.url, thread, { steps: [{ tokens: 20, delay_ms: 1 }] }),
    );
  }
  const ids = runs.map((run) => run.id);
  const different: unknown[] = [];
  let looks = 0;
  await until("every run's row has the status of its log", async () => {
    const { rows } = await world.database.pool.query<{ row: string; log: string }>(
      `select r.status as row, coalesce((select e.data ->> 'status' from events e
         where e.run_id = r.id and e.type = 'state' order by e.seq desc limit 1), 'queued') as log
       from runs r where r.id = any($1)`,
      [ids],
    );
    if (looks === 3) await cancel(ids[4]!);
    looks += 1;
    different.push(...rows.filter(({ row, log }) => row !== log));
    return rows.every(({ row }) => row !== 'queued' && row !== 'running');
  });
  expect(different).toEqual([]);
  expect(looks).toBeGreaterThan(3);
});

test.each([
  ['done', { steps: [{ text: 'all right' }] }, ['final', { text: 'all right', sources: [], message: 'm1' }]],
  ['error', FAILING, ['error', { error: 'the model is busy', code: 'overloaded' }]],
  [
    'error',
    'this is no script',
    ['error', { error: expect.stringContaining('cannot be played'), code: 'invalid_script' }],
  ],
])(
  'RUN-6 a run that ends %s says why first, and a terminal state closes it',
  async (status, script, last) => {
    const run = await send(world.url, await createThread(world.url), script);
    const frames = await finish(run.id);
    expect(frames.slice(-2).map(({ event, data }) => [event, data])).toEqual([last, ['state', { status }]]);
    expect(terminal(frames)).toHaveLength(1);
  },
);

test('RUN-6 a run that ends canceled says why first, and a terminal state closes it', async () => {
  const run = await send(world.url, await createThread(world.url), {
    steps: [{ text: 'begun', hang: true }],
  });
  await seen(world.url, run.id, 'token');
  await cancel(run.id);
  const frames = await finish(run.id);
  expect(frames.slice(-2).map(({ event, data }) => [event, data])).toEqual([
    ['canceled', { reason: 'user_cancelled' }],
    ['state', { status: 'canceled' }],
  ]);
  expect(terminal(frames)).toHaveLength(1);
});

test('RUN-13 the same script gives the same types and data, but for ids and times', async () => {
  const script = {
    steps: [
      {
        reasoning: 'let me see',
        text: 'looking twice',
        calls: [{ tool: 'external', input: { note: 'a' } }, { tool: 'nothing_such' }],
      },
      { text: 'and once more', calls: [{ tool: 'transactional', input: { note: 'b', fail: true } }] },
      { text: 'that is all' },
    ],
  };
  const lives: unknown[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const thread = await createThread(world.url);
    const run = await send(world.url, thread, script);
    const frames = await framesOf(world.url, run.id);
    const { id: _, thread_id: __, message_id: ___, ...shown } = await readRun(world.url, run.id);
    const { items } = (await ask('GET', `${world.url}/api/threads/${thread}/messages`)).body;
    lives.push({
      frames: frames.map(({ event, id, data }) => ({ event, id, data: withoutNames(data) })),
      run: withoutNames(shown),
      messages: items.map(({ role, content, ended }: Record<string, unknown>) => ({ role, content, ended })),
    });
  }
  expect(lives[1]).toEqual(lives[0]);
  expect(JSON.stringify(lives[0])).toContain('that is all');
});

/** Ids and times are replaced by a mark, so that their being there still counts. */
function withoutNames(data: Record<string, unknown>): Record<string, unknown> {
  const named = /^(id|duration_ms|waited_ms|\w+_at)$/;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, named.test(key) && value !== null ? '*' : value]),
  );
}

function terminal(frames: readonly Frame[]): Frame[] {
  return frames.filter(({ event, data }) => event === 'state' && data.status !== 'running');
}

function inOrder(run: RunBody, ...fields: string[]): boolean {
  const times = fields.map((field) => Date.parse(String(run[field])));
  return times.every((time, index) => !Number.isNaN(time) && (index === 0 || times[index - 1]! <= time));
}
