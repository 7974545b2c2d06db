// Pods with a role: those that serve claim nothing, those that run answer no requests.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ask, call, createThread, framesOf, readRun, seen, send, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';

let database: TestDatabase;
let serving: TestPod;

const pod = (role: string) => startPod({ databaseUrl: database.url, env: { CONTINUO_ROLE: role } });
const nameOf = ({ process: { pid } }: TestPod) => expect.stringMatching(new RegExp(`:${pid}$`));
const ownerOf = async (runId: string): Promise<unknown> =>
  (await ask('GET', `${serving.url}/api/runs/${runId}/why`)).body.pod?.name;

beforeAll(async () => {
  database = await freshDatabase();
  serving = await pod('serve');
});

afterAll(async () => {
  await serving.end();
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

test('PLUS-6 a pod that serves runs nothing; a pod that runs takes the run, and it is watched and canceled through the first', async () => {
  const run = await send(serving.url, await createThread(serving.url), {
    steps: [{ text: 'begun', hang: true }],
  });
  expect(await readRun(serving.url, run.id)).toMatchObject({ status: 'queued' });
  const { rows } = await database.pool.query<{ owner: string | null }>('select owner from threads');
  expect(rows).toEqual([{ owner: null }]);
  const why = await ask('GET', `${serving.url}/api/runs/${run.id}/why`);
  expect(why.body.sentence).toContain('pods with the role serve take no runs');
  const running = await pod('worker');
  onTestFinished(() => running.end());
  expect(await seen(serving.url, run.id, 'token')).toMatchObject({ data: { text: 'begun' } });
  expect(await ownerOf(run.id)).toEqual(nameOf(running));
  await call('POST', `${serving.url}/api/runs/${run.id}/cancel`);
  expect((await framesOf(serving.url, run.id)).at(-1)).toMatchObject({ data: { status: 'canceled' } });
});

test('PLUS-6 a pod that runs answers probes and metrics, and sends everybody else to a pod that serves', async () => {
  const running = await pod('worker');
  onTestFinished(() => running.end());
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect((await ask('GET', running.url + path)).status).toBe(200);
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/api/v1/workspaces'],
    ['POST', '/api/threads'],
    ['POST', '/api/v1/executors/any/claim'],
  ] as const) {
    const body = method === 'POST' ? {} : undefined;
    expect(await ask(method, running.url + path, body)).toMatchObject({
      status: 503,
      body: { code: 'worker_pod', detail: expect.stringContaining('a pod that serves') },
    });
  }
});

test('PLUS-6 a killed pod that runs is replaced by another one, and the pod that serves takes nothing over', async () => {
  const first = await pod('worker');
  onTestFinished(() => first.end());
  const steps = [
    { calls: [{ tool: 'transactional', input: { note: 'by the first' } }] },
    { text: 'one two three four five', delay_ms: 300 },
  ];
  const run = await send(serving.url, await createThread(serving.url), { steps });
  await seen(serving.url, run.id, 'token');
  await first.end();
  await until('the dead pod is noticed', async () => (await ownerOf(run.id)) === undefined);
  const second = await pod('worker');
  onTestFinished(() => second.end());
  const frames = await framesOf(serving.url, run.id);
  expect(frames.at(-2)).toMatchObject({ event: 'final', data: { text: 'one two three four five' } });
  const { rowCount } = await database.pool.query("select from effects where note = 'by the first'");
  expect(rowCount).toBe(1);
});

test('PLUS-6 a worker that is told to stop hands its run to another worker', async () => {
  const [first, second] = await Promise.all([pod('worker'), pod('worker')]);
  onTestFinished(async () => void (await Promise.all([first.end(), second.end()])));
  const steps = [{ calls: [{ tool: 'pure', input: { note: 'x', delay_ms: 300 } }] }, { text: 'handed over' }];
  const run = await send(serving.url, await createThread(serving.url), { steps });
  await seen(serving.url, run.id, 'tool_start');
  const owner = await ownerOf(run.id);
  const leaving = String(owner).endsWith(`:${first.process.pid}`) ? first : second;
  leaving.kill('SIGTERM');
  expect((await framesOf(serving.url, run.id)).at(-2)).toMatchObject({ data: { text: 'handed over' } });
  expect(await leaving.exited).toMatchObject({ code: 0 });
});
