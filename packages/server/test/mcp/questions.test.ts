// Elicitation: a server asks a person during a call, and the run asks in the approvals.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask as request, createThread, followToEnd, send, until, type Frame } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  MCP_SERVER,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { lines } from './support.ts';

const WORKSPACE = '/api/v1/workspaces/00000000-0000-7000-8000-000000000001';
let database: TestDatabase;
let folder: string;
let record: string;
const pods: TestPod[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'continuo-mcp-'));
  record = join(folder, 'record.txt');
});
afterEach(() => Promise.all(pods.splice(0).map((each) => each.end())));
afterAll(async () => {
  const broken = await brokenInvariants(database.pool);
  await database.drop();
  await rm(folder, { recursive: true, force: true });
  expect(broken).toEqual([]);
});

async function pod(): Promise<TestPod> {
  const started = await startPod({ databaseUrl: database.url });
  pods.push(started);
  return started;
}

interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly schema: { readonly required: readonly string[] };
  readonly decision: string | null;
}

const approvals = async (url: string, state: string) => {
  const { body } = await request('GET', `${url}${WORKSPACE}/approvals?state=${state}`);
  return (body as { items: Asked[] }).items;
};

/** A run whose call asks: the pod, the run and the question. */
async function asking(note: string) {
  await writeFile(record, '');
  const first = await pod();
  const { url } = first;
  await request('PUT', `${url}${WORKSPACE}/mcp-servers/fix`, {
    transport: 'stdio',
    command: process.execPath,
    args: [MCP_SERVER],
    env: { RECORD: record },
  });
  const steps = [{ calls: [{ tool: 'fix__question', input: { note } }] }, { text: 'done' }];
  const { id } = await send(url, await createThread(url), { steps });
  const question = await until('the call asks', async () => (await approvals(url, 'waiting'))[0]);
  return { first, url, id, question, answer: `${url}${WORKSPACE}/approvals/${question.id}` };
}

const data = (frames: readonly Frame[], name: string) =>
  frames.filter(({ event }) => event === name).map((frame) => frame.data);

test('PLUS-4 a question of a server is an approval with the schema of its answer, and the answer goes to the server', async () => {
  const { url, id, question, answer } = await asking('the ball');
  expect(question).toMatchObject({
    kind: 'question',
    tool: 'fix__question',
    reason: 'Which colour for the ball?',
    schema: { required: ['colour', 'count'] },
  });
  const why = (await request('GET', `${url}/api/runs/${id}/why`)).body as object;
  expect(why).toMatchObject({
    waits_for: 'approval',
    sentence: "fix__question waits for a person's answer.",
  });
  expect(await request('POST', answer, { decision: 'approve' })).toMatchObject({
    status: 400,
    body: { detail: 'decision: is not a decision about a question; allowed: answer, deny, skip' },
  });
  expect(
    await request('POST', answer, { decision: 'answer', input: { colour: 'green', count: 0 } }),
  ).toMatchObject({
    status: 422,
    body: { code: 'invalid_input', errors: [{ path: 'input.colour' }, { path: 'input.count' }] },
  });
  const input = { colour: 'red', count: 2 };
  expect((await request('POST', answer, { decision: 'answer', input })).status).toBe(200);
  const frames = await followToEnd(() => [url], id);
  expect(data(frames, 'tool_end')).toMatchObject([
    { success: true, output: { text: 'accept {"colour":"red","count":2,"gift":false}' } },
  ]);
  expect(data(frames, 'approval_end')).toMatchObject([{ approval: question.id, decision: 'answer', input }]);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
});

test('PLUS-4 a question may leave fields open that are named as what every object inherits', async () => {
  const { url, id, answer } = await asking('inherited names');
  const wrong = { colour: 'red', count: 2, constructor: 1 };
  expect(await request('POST', answer, { decision: 'answer', input: wrong })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'input.constructor' }] },
  });
  const input = { colour: 'red', count: 2 };
  expect((await request('POST', answer, { decision: 'answer', input })).status).toBe(200);
  const frames = await followToEnd(() => [url], id);
  expect(data(frames, 'approval_end')).toMatchObject([{ decision: 'answer', input }]);
});

test.each([
  ['deny', 'decline null'],
  ['skip', 'cancel null'],
])('PLUS-4 %s is told to the server as its protocol has it', async (decision, told) => {
  const { url, id, answer } = await asking('the kite');
  expect((await request('POST', answer, { decision })).status).toBe(200);
  expect(data(await followToEnd(() => [url], id), 'tool_end')).toMatchObject([{ output: { text: told } }]);
});

test('PLUS-4 a cancel ends a question at once', async () => {
  const { url, id, question } = await asking('the drum');
  await request('POST', `${url}/api/runs/${id}/cancel`);
  const frames = await followToEnd(() => [url], id);
  expect(frames.at(-1)!.data).toEqual({ status: 'canceled' });
  expect(await lines(record)).toContain('cancel null');
  expect(await approvals(url, 'decided')).toContainEqual(
    expect.objectContaining({ id: question.id, decision: 'expired' }),
  );
});

test.each([
  ['kill -9', 'SIGKILL'],
  ['a stop', 'SIGTERM'],
] as const)(
  'PLUS-4 %s of the pod while a person is asked: the outcome is unknown, the question is closed',
  async (_, signal) => {
    const { first, id, question } = await asking('the boat');
    first.kill(signal);
    await first.exited;
    const { url } = await pod();
    const frames = await followToEnd(() => [url], id);
    expect(data(frames, 'approval_end')).toMatchObject([{ approval: question.id, decision: 'expired' }]);
    expect(data(frames, 'tool_end')).toMatchObject([{ success: false, outcome: 'unknown' }]);
    expect(frames.at(-1)!.data).toEqual({ status: 'done' });
    expect(await approvals(url, 'waiting')).toEqual([]);
  },
);
