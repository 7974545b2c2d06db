// A cancel is a promise: RUN-10.

import { expect, test } from 'vitest';
import {
  ask,
  createThread,
  follow,
  framesOf,
  readRun,
  seen,
  send,
  until,
  type Answer,
  type Frame,
} from '@continuo/testkit';
import { count, holdEffects, usePod, waitedFor } from '@continuo/testkit/fixtures';

const world = usePod();
const cancel = (runId: string, body?: unknown): Promise<Answer> =>
  ask('POST', `${world.url}/api/runs/${runId}/cancel`, body);
const thread = (id: string) => ask('GET', `${world.url}/api/threads/${id}`).then(({ body }) => body);
const messages = (id: string) =>
  ask('GET', `${world.url}/api/threads/${id}/messages`).then(({ body }) => body.items);
const CANCELED = [
  ['canceled', { reason: 'user_cancelled' }],
  ['state', { status: 'canceled' }],
];
const lastTwo = (frames: readonly Frame[]) => frames.slice(-2).map(({ event, data }) => [event, data]);
const named = (frames: readonly Frame[], event: string) => frames.filter((frame) => frame.event === event);

test('RUN-10 a run that is canceled in the middle of its text keeps the text so far', async () => {
  const id = await createThread(world.url);
  const run = await send(world.url, id, { steps: [{ text: 'begun and', hang: true }] });
  for (let tokens = 0; tokens < 2; tokens += 1) await seen(world.url, run.id, 'token');
  const answer = await cancel(run.id);
  expect(answer).toMatchObject({
    status: 200,
    body: { id: run.id, cancel_requested_at: expect.any(String) },
  });
  const frames = await framesOf(world.url, run.id);
  expect(lastTwo(frames)).toEqual(CANCELED);
  expect(named(frames, 'final')).toEqual([]);
  expect(named(frames, 'message_end').map(({ data }) => [data.text, data.ended])).toEqual([
    ['begun and', 'interrupted'],
  ]);
  expect(
    (await messages(id))
      .map(({ role, content, ended }: Record<string, string>) => [role, content, ended])
      .at(-1),
  ).toEqual(['assistant', 'begun and', 'interrupted']);
  expect(await readRun(world.url, run.id)).toMatchObject({
    status: 'canceled',
    ended_at: expect.any(String),
    error: null,
  });
});

test('RUN-10 a run that is canceled before its first text leaves no message of the agent', async () => {
  const id = await createThread(world.url);
  const run = await send(world.url, id, { steps: [{ hang: true }] });
  await seen(world.url, run.id, 'message_start');
  expect((await cancel(run.id)).status).toBe(200);
  expect(lastTwo(await framesOf(world.url, run.id))).toEqual(CANCELED);
  expect((await messages(id)).map(({ role }: { role: string }) => role)).toEqual(['user']);
});

test('RUN-10 a running tool finishes, calls that were not made are answered, and the model is not asked again', async () => {
  const release = await holdEffects(world.database);
  const id = await createThread(world.url);
  const calls = ['first', 'second', 'third'].map((note) => ({ tool: 'external', input: { note } }));
  const run = await send(world.url, id, { steps: [{ text: 'acting', calls }, { text: 'never said' }] });
  await seen(world.url, run.id, 'tool_start');
  await waitedFor(world.database, 'effects');
  expect(await cancel(run.id)).toMatchObject({ status: 200, body: { status: 'running' } });
  // The owner has looked: it knows before the tool can go on.
  await until(
    'the cancellation is taken in',
    async () => (await count(world.database, 'threads where id = $1 and wake_at is null', [id])) === 1,
  );
  await release();
  const frames = await framesOf(world.url, run.id);
  expect(named(frames, 'tool_start')).toHaveLength(1);
  expect(named(frames, 'tool_end').map(({ data }) => [data.call, data.success, data.outcome])).toEqual([
    ['m1_0', true, undefined],
    ['m1_1', false, 'canceled'],
    ['m1_2', false, 'canceled'],
  ]);
  expect(lastTwo(frames)).toEqual(CANCELED);
  expect(named(frames, 'final')).toEqual([]);
  expect(named(frames, 'message_start')).toHaveLength(1);
  const { rows } = await world.database.pool.query('select note from effects where key like $1', [
    `${run.id}%`,
  ]);
  expect(rows).toEqual([{ note: 'first' }]);
});

test('RUN-10 a transactional tool that runs when its run is canceled commits with its end', async () => {
  const release = await holdEffects(world.database);
  const run = await send(world.url, await createThread(world.url), {
    steps: [{ calls: [{ tool: 'transactional', input: { note: 'late' } }] }, { text: 'no' }],
  });
  await seen(world.url, run.id, 'tool_start');
  await waitedFor(world.database, 'effects');
  await cancel(run.id);
  await release();
  const frames = await framesOf(world.url, run.id);
  expect(named(frames, 'tool_end').map(({ data }) => data.success)).toEqual([true]);
  expect(await count(world.database, "effects where note = 'late'")).toBe(1);
  expect(lastTwo(frames)).toEqual(CANCELED);
});

test('RUN-10 canceling a queued run leaves the other runs and the session alone', async () => {
  const id = await createThread(world.url);
  const first = await send(world.url, id, { steps: [{ text: 'one', hang: true }] });
  const second = await send(world.url, id, { steps: [{ text: 'two' }] });
  const third = await send(world.url, id, { steps: [{ text: 'three' }] });
  await seen(world.url, first.id, 'token');
  const { session } = await thread(id);
  expect((await cancel(second.id, { reason: 'not needed' })).status).toBe(200);
  expect(
    (await framesOf(world.url, second.id)).map(({ event, id: place, data }) => [event, place, data]),
  ).toEqual([
    ['canceled', 1, { reason: 'not needed' }],
    ['state', 2, { status: 'canceled' }],
  ]);
  expect(await readRun(world.url, second.id)).toMatchObject({
    status: 'canceled',
    started_at: null,
    ended_at: expect.any(String),
  });
  expect(await readRun(world.url, first.id)).toMatchObject({ status: 'running' });
  expect(await readRun(world.url, third.id)).toMatchObject({ status: 'queued', blocked_by: first.id });
  expect(await thread(id)).toMatchObject({
    session: { id: session.id, state: 'running' },
    active_run: first.id,
  });
  await cancel(first.id);
  expect((await framesOf(world.url, third.id)).at(-1)!.data).toEqual({ status: 'done' });
});

test('RUN-10 the active run’s cancel ends the session as cancelled; the next message starts another', async () => {
  const id = await createThread(world.url);
  const run = await send(world.url, id, { steps: [{ text: 'begun', hang: true }] });
  await seen(world.url, run.id, 'token');
  const before = (await thread(id)).session;
  await cancel(run.id);
  await framesOf(world.url, run.id);
  expect((await thread(id)).session).toEqual({ id: before.id, state: 'cancelled' });
  const next = await send(world.url, id, { steps: [{ text: 'fresh' }] });
  expect((await framesOf(world.url, next.id)).at(-1)!.data).toEqual({ status: 'done' });
  const after = (await thread(id)).session;
  expect(after.state).toBe('idle');
  expect(after.id).not.toBe(before.id);
  const { rows } = await world.database.pool.query('select state from sessions where id = $1', [before.id]);
  expect(rows).toEqual([{ state: 'cancelled' }]);
});

test('RUN-10 a queued run behind a canceled one runs in a session of its own', async () => {
  const id = await createThread(world.url);
  const first = await send(world.url, id, { steps: [{ hang: true }] });
  const second = await send(world.url, id, { steps: [{ text: 'two' }] });
  await cancel(first.id);
  expect((await framesOf(world.url, second.id)).at(-1)!.data).toEqual({ status: 'done' });
  const { rows } = await world.database.pool.query(
    'select state from sessions where thread_id = $1 order by started_at, id',
    [id],
  );
  expect(rows).toEqual([{ state: 'cancelled' }, { state: 'idle' }]);
});

test('RUN-10 a canceled run is canceled again with 200, and nothing changes', async () => {
  const run = await send(world.url, await createThread(world.url), { steps: [{ hang: true }] });
  const first = await cancel(run.id);
  const before = await framesOf(world.url, run.id);
  const again = await cancel(run.id, { reason: 'another one' });
  expect(again).toMatchObject({
    status: 200,
    body: { status: 'canceled', cancel_requested_at: first.body.cancel_requested_at },
  });
  expect((await framesOf(world.url, run.id)).map((frame) => frame.raw)).toEqual(
    before.map((frame) => frame.raw),
  );
});

test.each([
  ['done', { steps: [{ text: 'over' }] }],
  ['error', { steps: [{ error: { code: 'x', message: 'y' } }] }],
])('RUN-10 a run that is %s cannot be canceled: 409', async (status, script) => {
  const run = await send(world.url, await createThread(world.url), script);
  const before = await framesOf(world.url, run.id);
  const answer = await cancel(run.id);
  expect(answer).toMatchObject({ status: 409, body: { code: 'run_ended' } });
  expect(answer.body.detail).toContain(status);
  expect(await readRun(world.url, run.id)).toMatchObject({ status, cancel_requested_at: null });
  expect((await framesOf(world.url, run.id)).map((frame) => frame.raw)).toEqual(
    before.map((frame) => frame.raw),
  );
});

test('RUN-10 many cancels at once are one cancel', async () => {
  const run = await send(world.url, await createThread(world.url), { steps: [{ text: 'x', hang: true }] });
  await seen(world.url, run.id, 'token');
  const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(run.id)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.cancel_requested_at)).size).toBe(1);
  const frames = await framesOf(world.url, run.id);
  expect(named(frames, 'canceled')).toHaveLength(1);
  expect(lastTwo(frames)).toEqual(CANCELED);
});

test('RUN-10 whether cancel or finish wins, the answer and the log agree', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const run = await send(world.url, await createThread(world.url), {
        steps: [{ tokens: index, delay_ms: 1, hang: index > 20 }],
      });
      await seen(world.url, run.id, index % 2 ? 'message_start' : 'message');
      const { status } = await cancel(run.id);
      const frames = await framesOf(world.url, run.id);
      return { status, end: frames.at(-1)!.data.status, finals: named(frames, 'final').length };
    }),
  );
  for (const { status, end, finals } of outcomes) {
    expect([status, end, finals]).toEqual(status === 200 ? [200, 'canceled', 0] : [409, 'done', 1]);
  }
  expect(outcomes.some(({ status }) => status === 200)).toBe(true);
});

test('RUN-10 an unknown run is 404, a wrong body 400', async () => {
  expect(await cancel('01890000-0000-7000-8000-000000000000')).toMatchObject({
    status: 404,
    body: { code: 'run_not_found' },
  });
  const run = await send(world.url, await createThread(world.url), { steps: [{ hang: true }] });
  expect(await cancel(run.id, { why: 'x' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'why' }] },
  });
  expect(await cancel(run.id, { reason: '' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'reason' }] },
  });
  expect(await readRun(world.url, run.id)).toMatchObject({ cancel_requested_at: null });
  expect((await cancel(run.id, {})).status).toBe(200);
});

test('RUN-10 the next run’s model sees the partial text and a note about the interruption', async () => {
  const id = await createThread(world.url);
  const message = { steps: [{ text: 'ok' }] };
  const fresh = await send(world.url, await createThread(world.url), message);
  await framesOf(world.url, fresh.id);
  const run = await send(world.url, id, { steps: [{ text: 'half an answer', hang: true }] });
  let said = '';
  for await (const { event, data } of follow(world.url, run.id)) {
    if (event === 'token') said += String(data.text);
    if (said === 'half an answer') break;
  }
  await cancel(run.id);
  const next = await send(world.url, id, message);
  await framesOf(world.url, next.id);
  const input = async (runId: string) => ((await readRun(world.url, runId)).usage as { input: number }).input;
  // The offline model counts a token for every four characters that it is given.
  const more =
    (
      JSON.stringify({ steps: [{ text: 'half an answer', hang: true }] }) +
      'half an answer' +
      '[System: Response was interrupted by user (user_cancelled)]'
    ).length / 4;
  expect(Math.abs((await input(next.id)) - (await input(fresh.id)) - more)).toBeLessThanOrEqual(1);
});
