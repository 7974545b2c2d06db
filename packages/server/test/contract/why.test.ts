// Why a run is where it is.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, seen, send } from '@continuo/testkit';
import { holdEffects, holdLog, usePod, waitedFor } from '@continuo/testkit/fixtures';
import { ANONYMOUS } from '../../src/identity/principal.ts';
import { decideRemovals, holdRemovals, releaseRemovals } from '../../src/files/held-removals.ts';

const world = usePod();
const why = (runId: string) => ask('GET', `${world.url}/api/runs/${runId}/why`).then(({ body }) => body);
const cancel = (runId: string) => ask('POST', `${world.url}/api/runs/${runId}/cancel`);
const POD = {
  id: expect.any(String),
  name: expect.stringContaining(':'),
  heartbeat_age_ms: expect.any(Number),
  lease_seconds: 5,
};

test('a run that waits for others says which, and how many', async () => {
  const thread = await createThread(world.url);
  const [first, second, third] = [
    await send(world.url, thread, { steps: [{ text: 'x', hang: true }] }),
    await send(world.url, thread, { steps: [{ text: 'y' }] }),
    await send(world.url, thread, { steps: [{ text: 'z' }] }),
  ];
  expect([first.blocked_by, second.blocked_by, third.blocked_by]).toEqual([null, first.id, second.id]);
  await seen(world.url, first.id, 'token');
  expect(await why(second.id)).toMatchObject({
    status: 'queued',
    waits_for: 'run',
    queue_position: 1,
    blocked_by: first.id,
    step: null,
    sentence: expect.stringContaining('one run'),
  });
  expect(await why(third.id)).toMatchObject({
    waits_for: 'run',
    queue_position: 2,
    blocked_by: second.id,
    sentence: expect.stringContaining('2 runs'),
  });
  await cancel(second.id);
  await framesOf(world.url, second.id);
  expect(await why(third.id)).toMatchObject({ queue_position: 1, blocked_by: first.id });
  await cancel(first.id);
  await framesOf(world.url, third.id);
  expect(await why(third.id)).toMatchObject({ status: 'done', queue_position: null, blocked_by: null });
});

test('a run whose model answers says so, with its pod, lease and attempt', async () => {
  const run = await send(world.url, await createThread(world.url), {
    steps: [{ text: 'thinking', hang: true }],
  });
  await seen(world.url, run.id, 'token');
  expect(await why(run.id)).toEqual({
    run_id: run.id,
    status: 'running',
    sentence: expect.stringMatching(/^The model offline\/script is answering \(m1\), \d+ s so far, on pod /),
    waits_for: 'model',
    queue_position: null,
    blocked_by: null,
    pod: POD,
    attempt: 1,
    step: { kind: 'model', message: 'm1', calls: [] },
    since: expect.any(String),
    cancel_requested_at: null,
  });
  await cancel(run.id);
  await framesOf(world.url, run.id);
});

test('a run whose model has said nothing yet says how long it has waited, from the request on', async () => {
  const run = await send(world.url, await createThread(world.url), { steps: [{ hang: true }] });
  await seen(world.url, run.id, 'message');
  const { body } = await ask('GET', `${world.url}/api/runs/${run.id}/why`);
  expect(body).toMatchObject({ waits_for: 'model', step: { kind: 'model', calls: [] } });
  expect(body.sentence).toMatch(/^The run waits for offline\/script, \d+ s so far, on pod /);
  expect(Date.parse(body.since)).toBeGreaterThanOrEqual(Date.parse(String(run.queued_at)) - 1000);
  await cancel(run.id);
  await framesOf(world.url, run.id);
});

test('a run that waits for tools names them', async () => {
  const release = await holdEffects(world.database);
  const calls = [
    { tool: 'idempotent', input: { note: 'a' } },
    { tool: 'external', input: { note: 'b' } },
  ];
  const run = await send(world.url, await createThread(world.url), { steps: [{ calls }, { text: 'ok' }] });
  await waitedFor(world.database, 'effects');
  const answer = await why(run.id);
  expect(answer).toMatchObject({
    waits_for: 'tool',
    step: { kind: 'tool', message: 'm1', calls: [{ call: 'm1_0', tool: 'idempotent' }] },
    pod: POD,
  });
  expect(answer.sentence).toContain('idempotent');
  expect(await cancel(run.id)).toMatchObject({ status: 200 });
  expect(await why(run.id)).toMatchObject({
    status: 'running',
    waits_for: 'cancel',
    cancel_requested_at: expect.any(String),
  });
  await release();
  await framesOf(world.url, run.id);
});

test('a run that is about to start says which pod has it', async () => {
  const release = await holdLog(world.database);
  const run = await send(world.url, await createThread(world.url), { steps: [{ text: 'soon' }] });
  await waitedFor(world.database, 'events');
  expect(await why(run.id)).toMatchObject({
    status: 'queued',
    waits_for: 'pod',
    queue_position: 0,
    blocked_by: null,
    pod: POD,
    step: null,
  });
  await release();
  await framesOf(world.url, run.id);
});

test.each([
  ['done', { steps: [{ text: 'x' }] }, /done/],
  [
    'error',
    { steps: [{ error: { code: 'overloaded', message: 'the model is busy.' } }] },
    /the model is busy\. POST.*retry/,
  ],
])('a run that is %s waits for nothing', async (status, script, sentence) => {
  const run = await send(world.url, await createThread(world.url), script);
  await framesOf(world.url, run.id);
  const answer = await why(run.id);
  expect(answer).toMatchObject({ status, waits_for: 'nothing', queue_position: null, pod: null, step: null });
  expect(answer.sentence).toMatch(sentence);
});

test('a canceled run waits for nothing', async () => {
  const run = await send(world.url, await createThread(world.url), { steps: [{ hang: true }] });
  await cancel(run.id);
  await framesOf(world.url, run.id);
  expect(await why(run.id)).toMatchObject({
    status: 'canceled',
    waits_for: 'nothing',
    sentence: expect.stringContaining('canceled'),
    cancel_requested_at: expect.any(String),
  });
});

test('a run of a workspace in which removals are held back says so, until a person has decided', async () => {
  const run = await send(world.url, await createThread(world.url), { steps: [{ text: 'x' }] });
  await framesOf(world.url, run.id);
  const { pool } = world.database;
  const { rows } = await pool.query<{ id: string }>(
    'select t.workspace_id as id from runs r join threads t on t.id = r.thread_id where r.id = $1',
    [run.id],
  );
  const workspaceId = rows[0]!.id;
  await holdRemovals(pool, workspaceId, { files: 48, removed: [] });
  expect((await why(run.id)).sentence).toBe(
    "The run is done. 48 files that disappeared from the workspace's folder at once are kept until a person decides: open Files in the console.",
  );
  await decideRemovals(pool, workspaceId, 'remove', ANONYMOUS);
  expect((await why(run.id)).sentence).toBe('The run is done.');
  await releaseRemovals(pool, workspaceId);
});
