// What a pod that is killed had of a chat, another pod has too: what was said and done, the files, and what it cost.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, framesOf, seen, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  holdEffects,
  startPod,
  waitedFor,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { newSpace, put } from '../files/support.ts';
import { ENV, type ProviderServer, startProvider } from './server.ts';
import { MODEL } from './support.ts';
import type { Reply } from './wire/reply.ts';

const model = MODEL.anthropic;
let database: TestDatabase;
let server: ProviderServer;
const pods: TestPod[] = [];

beforeAll(async () => {
  [database, server] = await Promise.all([freshDatabase(), startProvider()]);
});
afterAll(async () => {
  await Promise.all(pods.map((pod) => pod.end()));
  const broken = await brokenInvariants(database.pool);
  await Promise.all([database.drop(), server[Symbol.asyncDispose]()]);
  expect(broken).toEqual([]);
});

async function newPod(): Promise<TestPod> {
  const pod = await startPod({
    databaseUrl: database.url,
    env: { ...ENV, ANTHROPIC_BASE_URL: server.url },
  });
  pods.push(pod);
  return pod;
}

const says = (text: string): Reply => ({ said: [{ kind: 'text', pieces: [text] }] });
const calls = (id: string, tool: string, input: object): Reply => ({
  said: [{ kind: 'call', id, tool, pieces: [JSON.stringify(input)] }],
});

test('WS-9 a new session on another pod, after a kill, has all that was said and done, and the files', async () => {
  const first = await newPod();
  const space = await newSpace(first.url);
  await put(space, 'brief.md', 'two lines about ponds');
  server.reply(
    calls('toolu_1', 'write', { path: '/poem.md', content: 'an old pond\n' }),
    says('I wrote it.'),
    { said: [{ kind: 'text', pieces: ['Only half '] }], instead: 'stall' },
  );
  const goal = 'Write a poem.';
  const opened = await ask('POST', `${space.url}/chats`, { goal, title: 'x', model, files: ['/brief.md'] });
  const { chat, run } = opened.body;
  expect((await framesOf(first.url, run.id)).at(-1)!.data).toEqual({ status: 'done' });
  const cut = await ask('POST', `${space.url}/chats/${chat.id}`, { content: 'Make it longer.' });
  await seen(first.url, cut.body.run.id, 'token');
  server.reply(says('It is long enough.'));
  first.kill('SIGKILL');

  const second = await newPod();
  const url = `${second.url}${new URL(space.url).pathname}`;
  expect((await framesOf(second.url, cut.body.run.id)).at(-1)!.data).toEqual({ status: 'done' });
  await until(
    'the chat is idle',
    async () => (await ask('GET', `${url}/chats/${chat.id}`)).body.state === 'idle',
  );
  expect((await ask('POST', `${url}/chats/${chat.id}/stop`)).status).toBe(200);

  const before = server.received.length;
  server.reply(calls('toolu_2', 'read', { path: '/poem.md' }), says('There it is.'));
  const next = await ask('POST', `${url}/chats/${chat.id}`, { content: 'Read it to me.' });
  expect((await framesOf(second.url, next.body.run.id)).at(-1)!.data).toEqual({ status: 'done' });
  const [asked, again] = server.received.slice(before).map(({ body }) => JSON.stringify(body));
  const inOrder = [
    goal,
    '[Attached: /brief.md, version 1',
    'toolu_1',
    'an old pond',
    'I wrote it.',
    'Make it longer.',
    'It is long enough.',
    'Read it to me.',
  ];
  const places = inOrder.map((piece) => asked!.indexOf(piece));
  expect(inOrder.filter((_piece, index) => places[index] === -1)).toEqual([]);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(asked).not.toContain('Only half');
  expect(again!.split('an old pond').length).toBeGreaterThan(asked!.split('an old pond').length);
  const { items: sessions } = (await ask('GET', `${url}/chats/${chat.id}/sessions`)).body;
  expect(sessions.map(({ state }: { state: string }) => state)).toEqual(['idle', 'cancelled']);
  const { items: trail } = (await ask('GET', `${url}/chats/${chat.id}/messages`)).body;
  const texts = JSON.stringify(trail);
  for (const piece of [goal, 'I wrote it.', 'Make it longer.', 'It is long enough.', 'There it is.'])
    expect(texts).toContain(piece);
  expect(await (await fetch(`${url}/files/poem.md`)).text()).toBe('an old pond\n');
});

test('RUN-6 a run that used up its cost ends with cost_limit, also after a takeover, and the account is right', async () => {
  const first = await newPod();
  const { body: thread } = await ask('POST', `${first.url}/api/threads`, {});
  // Sonnet 4.5: $3 for a million tokens in, $15 for a million out.
  const tokens = { input: 100_000, output: 10_000 };
  const each = 0.3 + 0.15;
  const step = (id: string): Reply => ({ ...calls(id, 'idempotent', { note: id }), tokens });
  server.reply(step('toolu_3'));
  const release = await holdEffects(database);
  const limits = { cost: 0.675 };
  const send = await ask('POST', `${first.url}/api/threads/${thread.id}/messages`, {
    content: 'Spend.',
    model,
    limits,
  });
  const run = send.body.run.id as string;
  await waitedFor(database, 'effects');
  // The first model call is paid, and its tool is running.
  server.reply(step('toolu_4'), says('Never asked for.'));
  first.kill('SIGKILL');
  const second = await newPod();
  await release();
  const frames = await framesOf(second.url, run);
  expect(frames.slice(-2).map(({ event, data }) => [event, data])).toEqual([
    ['error', { code: 'cost_limit', error: 'the run cost $0.9000; its limit is $0.675' }],
    ['state', { status: 'error' }],
  ]);
  const told = frames.filter(({ event }) => event === 'usage').map(({ data }) => data.cost as number);
  expect(told).toHaveLength(2);
  for (const cost of told) expect(cost).toBeCloseTo(each, 9);
  const { body } = await ask('GET', `${second.url}/api/runs/${run}`);
  expect(body).toMatchObject({ status: 'error', error: { code: 'cost_limit' }, limits });
  expect(body.cost).toBeCloseTo(2 * each, 9);
  for (const by of ['run', 'thread', 'model', 'role']) {
    const { items } = (await ask('GET', `${second.url}/api/usage?by=${by}&thread_id=${thread.id}`)).body;
    expect(items).toMatchObject([{ runs: 1, input: 200_000, output: 20_000 }]);
    expect(items[0].cost).toBeCloseTo(2 * each, 9);
  }
});
