// The same request again, and the same message again: Idempotency-Key and retry.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, readRun, seen, send } from '@continuo/testkit';
import { count, holdEffects, usePod, waitedFor } from '@continuo/testkit/fixtures';

const world = usePod();
const SCRIPT = '{"steps":[{"text":"once"}]}';
const FAILING = { steps: [{ text: 'hm', error: { code: 'overloaded', message: 'busy' } }] };
const post = (thread: string, body: unknown, key?: string) =>
  ask(
    'POST',
    `${world.url}/api/threads/${thread}/messages`,
    body,
    key === undefined ? {} : { 'idempotency-key': key },
  );
const retry = (runId: string) => ask('POST', `${world.url}/api/runs/${runId}/retry`);
const input = async (runId: string) => ((await readRun(world.url, runId)).usage as { input: number }).input;

test('the same key with the same body gives the same run, and says that it is a replay', async () => {
  const thread = await createThread(world.url);
  const first = await post(thread, { content: SCRIPT }, 'k1');
  expect(first.status).toBe(202);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  await framesOf(world.url, first.body.run.id);
  const again = await post(thread, { content: SCRIPT }, 'k1');
  expect(again.status).toBe(202);
  expect(again.body.run).toMatchObject({ id: first.body.run.id, message_id: first.body.run.message_id });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.headers.get('location')).toBe(first.headers.get('location'));
  expect(await count(world.database, 'messages where thread_id = $1', [thread])).toBe(2);
});

test('the same key with another body, model or thread is 422, and leaves nothing', async () => {
  const thread = await createThread(world.url);
  const first = await post(thread, { content: SCRIPT }, 'k2');
  const other = await createThread(world.url);
  for (const [to, body] of [
    [thread, { content: 'another' }],
    [thread, { content: SCRIPT, model: 'offline/instant' }],
    [other, { content: SCRIPT }],
  ] as const) {
    expect(await post(to, body, 'k2')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
  }
  expect(await count(world.database, 'runs where thread_id = any($1)', [[thread, other]])).toBe(1);
  await framesOf(world.url, first.body.run.id);
});

test('identical requests at the same moment make one run', async () => {
  const thread = await createThread(world.url);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => post(thread, { content: SCRIPT }, 'k3')),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect(new Set(answers.map(({ body }) => body.run.id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
  expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(1);
  await framesOf(world.url, answers[0]!.body.run.id);
});

test('a refused request does not use its key up', async () => {
  const thread = await createThread(world.url);
  expect((await post('01890000-0000-7000-8000-000000000000', { content: SCRIPT }, 'k4')).status).toBe(404);
  expect((await post(thread, { content: SCRIPT, model: 'no/such' }, 'k4')).status).toBe(400);
  const answer = await post(thread, { content: SCRIPT }, 'k4');
  expect(answer.status).toBe(202);
  await framesOf(world.url, answer.body.run.id);
});

test('a key is kept for 24 hours, and then free', async () => {
  const thread = await createThread(world.url);
  const first = await post(thread, { content: SCRIPT }, 'k5');
  await world.database.pool.query(
    "update idempotency_keys set created_at = now() - interval '23 hours 59 minutes' where key = 'k5'",
  );
  expect((await post(thread, { content: SCRIPT }, 'k5')).body.run.id).toBe(first.body.run.id);
  await world.database.pool.query(
    "update idempotency_keys set created_at = now() - interval '24 hours 1 minute' where key = 'k5'",
  );
  const later = await post(thread, { content: 'another' }, 'k5');
  expect(later.status).toBe(202);
  expect(later.body.run.id).not.toBe(first.body.run.id);
  await framesOf(world.url, later.body.run.id);
});

test.each(['', 'x'.repeat(256)])('a key that is empty or too long is 400', async (key) => {
  const thread = await createThread(world.url);
  expect(await post(thread, { content: SCRIPT }, key)).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'idempotency-key' }] },
  });
  expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(0);
});

test('a failed run is retried: a new run from the same message, the old one keeps its end', async () => {
  const thread = await createThread(world.url);
  const failed = await send(world.url, thread, FAILING);
  await framesOf(world.url, failed.id);
  const answer = await retry(failed.id);
  expect(answer.status).toBe(202);
  const { run } = answer.body;
  expect(answer.headers.get('location')).toBe(`/api/runs/${run.id}`);
  expect(run).toMatchObject({
    retry_of: failed.id,
    message_id: failed.message_id,
    thread_id: thread,
    model: failed.model,
    role: failed.role,
  });
  const frames = await framesOf(world.url, run.id);
  expect(frames.find(({ event }) => event === 'message')!.data).toMatchObject({
    id: failed.message_id,
    content: JSON.stringify(FAILING),
  });
  expect(frames.at(-1)!.data).toEqual({ status: 'error' });
  expect(await readRun(world.url, failed.id)).toMatchObject({ status: 'error', retry_of: null });
  const { items } = (await ask('GET', `${world.url}/api/threads/${thread}/messages`)).body;
  expect(items.filter(({ role }: { role: string }) => role === 'user')).toHaveLength(1);
});

test('a retry’s model sees the message, and nothing of the run that failed', async () => {
  const script = {
    steps: [{ text: 'acting', calls: [{ tool: 'external', input: { note: 'n' } }] }, { text: 'acted' }],
  };
  const thread = await createThread(world.url);
  const release = await holdEffects(world.database);
  const canceled = await send(world.url, thread, script);
  await waitedFor(world.database, 'effects');
  await ask('POST', `${world.url}/api/runs/${canceled.id}/cancel`);
  await release();
  expect((await framesOf(world.url, canceled.id)).at(-1)!.data).toEqual({ status: 'canceled' });
  const short = { steps: [{ tokens: 3 }] };
  const fresh = await send(world.url, await createThread(world.url), script);
  const again = (await retry(canceled.id)).body.run;
  await Promise.all([framesOf(world.url, again.id), framesOf(world.url, fresh.id)]);
  // The offline model counts what it is given: as much as on a thread where nothing had happened.
  expect(await input(again.id)).toBe(await input(fresh.id));
  // What was retried with success is history like any other.
  const next = await send(world.url, thread, short);
  const alone = await send(world.url, await createThread(world.url), short);
  await Promise.all([framesOf(world.url, next.id), framesOf(world.url, alone.id)]);
  expect(await input(next.id)).toBeGreaterThan(await input(alone.id));
});

test('a run that was canceled in the queue can be retried', async () => {
  const thread = await createThread(world.url);
  const busy = await send(world.url, thread, { steps: [{ hang: true }] });
  const queued = await send(world.url, thread, { steps: [{ text: 'at last' }] });
  await ask('POST', `${world.url}/api/runs/${queued.id}/cancel`);
  await framesOf(world.url, queued.id);
  const again = (await retry(queued.id)).body.run;
  expect(again).toMatchObject({ status: 'queued', blocked_by: busy.id, retry_of: queued.id });
  await ask('POST', `${world.url}/api/runs/${busy.id}/cancel`);
  const frames = await framesOf(world.url, again.id);
  expect(frames.find(({ event }) => event === 'final')!.data.text).toBe('at last');
});

test('a retry can be retried, and each names the one before it', async () => {
  const first = await send(world.url, await createThread(world.url), FAILING);
  await framesOf(world.url, first.id);
  const second = (await retry(first.id)).body.run;
  await framesOf(world.url, second.id);
  const third = (await retry(second.id)).body.run;
  await framesOf(world.url, third.id);
  expect(third).toMatchObject({ retry_of: second.id, message_id: first.message_id });
});

test('a run that is queued, running or done cannot be retried: 409', async () => {
  const thread = await createThread(world.url);
  const running = await send(world.url, thread, { steps: [{ text: 'x', hang: true }] });
  const queued = await send(world.url, thread, { steps: [{ text: 'y' }] });
  await seen(world.url, running.id, 'token');
  for (const { id } of [running, queued])
    expect(await retry(id)).toMatchObject({ status: 409, body: { code: 'run_not_retryable' } });
  await ask('POST', `${world.url}/api/runs/${running.id}/cancel`);
  await framesOf(world.url, queued.id);
  expect(await retry(queued.id)).toMatchObject({ status: 409, body: { code: 'run_not_retryable' } });
  expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(2);
});
