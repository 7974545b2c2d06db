// What a run may use, what it used, and what operators see of it.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const EXECUTOR = process.env.CONTINUO_TEST_EXECUTOR;
const MODEL = EXECUTOR ? `executor/${EXECUTOR}` : 'offline/script';
/** The offline model is free; what an executor costs is not known. */
const COST = EXECUTOR ? null : 0;
const world = usePod();
const step = { tokens: 5, calls: [{ tool: 'pure', input: { note: 'x' } }] };

async function limited(limits: object, script: object) {
  const thread = await createThread(world.url);
  const content = JSON.stringify(script);
  const { status, body } = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content,
    limits,
  });
  expect(status).toBe(202);
  const frames = await framesOf(world.url, body.run.id);
  return { frames, run: (await ask('GET', `${world.url}/api/runs/${body.run.id}`)).body };
}

const ends = (frames: Awaited<ReturnType<typeof framesOf>>) =>
  frames.slice(-2).map(({ event, data }) => [event, data.code ?? data.status]);

test('RUN-6 a run that reaches its limit of steps ends in an error that says so', async () => {
  const { frames, run } = await limited({ steps: 2 }, { steps: [step, step, step] });
  expect(ends(frames)).toEqual([
    ['error', 'step_limit'],
    ['state', 'error'],
  ]);
  expect(frames.filter(({ event }) => event === 'message_end')).toHaveLength(2);
  expect(run).toMatchObject({ status: 'error', error: { code: 'step_limit' }, limits: { steps: 2 } });
});

test('RUN-6 a run that used up its tokens makes no further model call', async () => {
  const { frames } = await limited({ tokens: 1 }, { steps: [step, step] });
  expect(ends(frames)[0]).toEqual(['error', 'token_limit']);
  expect(frames.filter(({ event }) => event === 'message_end')).toHaveLength(1);
});

test('RUN-6 a run at its time limit is cut off, keeps its partial text, and leaves the thread usable', async () => {
  const { frames, run } = await limited({ seconds: 1 }, { steps: [{ text: 'so far', hang: true }] });
  expect(ends(frames)[0]).toEqual(['error', 'time_limit']);
  expect(frames.find(({ event }) => event === 'message_end')!.data).toMatchObject({
    text: 'so far',
    ended: 'interrupted',
  });
  const next = await send(world.url, run.thread_id, { steps: [{ text: 'again' }] });
  expect((await framesOf(world.url, next.id)).at(-1)!.data).toEqual({ status: 'done' });
});

test('RUN-6 a call that is in flight when the time limit ends gets a result, so that the history stays valid', async () => {
  const slow = { calls: [{ tool: 'pure', input: { note: 'slow', delay_ms: 60_000 } }] };
  const { frames } = await limited({ seconds: 1 }, { steps: [slow] });
  expect(frames.filter(({ event }) => event === 'tool_end')).toHaveLength(1);
  expect(ends(frames)[0]).toEqual(['error', 'time_limit']);
}, 60_000);

test('invalid limits are refused, and the answer names the field', async () => {
  const thread = await createThread(world.url);
  const url = `${world.url}/api/threads/${thread}/messages`;
  const { status, body } = await ask('POST', url, { content: 'x', limits: { steps: 0, cost: -1, more: 1 } });
  expect(status).toBe(400);
  expect(body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    'limits.cost',
    'limits.more',
    'limits.steps',
  ]);
});

test('PLUS-6 usage is summed by run, thread, role and model', async () => {
  const thread = await createThread(world.url);
  for (const tokens of [3, 4]) {
    const run = await send(world.url, thread, { steps: [{ tokens }] });
    await framesOf(world.url, run.id);
  }
  const sum = async (by: string) =>
    (await ask('GET', `${world.url}/api/usage?by=${by}&thread_id=${thread}`)).body.items;
  expect(await sum('thread')).toMatchObject([{ key: thread, runs: 2, output: 7, cost: COST }]);
  expect(await sum('model')).toMatchObject([{ key: MODEL, runs: 2, output: 7 }]);
  expect(await sum('role')).toMatchObject([{ key: 'assistant', runs: 2, output: 7 }]);
  expect((await sum('run')).map(({ output }: { output: number }) => output)).toEqual([4, 3]);
});

test('PLUS-6 /metrics reports what happened, for Prometheus', async () => {
  const thread = await createThread(world.url);
  const run = await send(world.url, thread, { steps: [{ error: { code: 'broken', message: 'no' } }] });
  await framesOf(world.url, run.id);
  const { status, text, headers } = await ask('GET', `${world.url}/metrics`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const value = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  expect(value('continuo_run_errors_total{code="broken"}')).toBe(1);
  expect(value('continuo_runs_total{status="error"}')).toBeGreaterThanOrEqual(1);
  expect(value(`continuo_model_calls_total{model="${MODEL}",ended="error"}`)).toBeGreaterThanOrEqual(1);
  for (const name of [
    'continuo_append_seconds_count',
    'continuo_append_rows_sum',
    'continuo_dispatch_seconds_count',
  ]) {
    expect([name, value(name) > 0]).toEqual([name, true]);
  }
  for (const name of ['continuo_followers', 'continuo_queue_age_seconds', 'continuo_takeovers_total']) {
    expect([name, value(name) >= 0]).toEqual([name, true]);
  }
});
