// The memory of chats on real pods: the summarizer is a provider's model over HTTP, and the answers are scripted.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, framesOf, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  unfaithfulRequests,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { newSpace, type Space } from '../files/support.ts';
import { ENV, type ProviderServer, startProvider } from '../models/server.ts';
import { MODEL } from '../models/support.ts';
import type { Reply } from '../models/wire/reply.ts';

let database: TestDatabase;
let provider: ProviderServer;
let pod: TestPod;
const pods: TestPod[] = [];

beforeAll(async () => {
  [database, provider] = await Promise.all([freshDatabase(), startProvider()]);
  pod = await newPod();
});
afterAll(async () => {
  const unfaithful = await unfaithfulRequests(pod.url, database.pool);
  await Promise.all(pods.map((each) => each.end()));
  const broken = [...unfaithful, ...(await brokenInvariants(database.pool))];
  await Promise.all([database.drop(), provider[Symbol.asyncDispose]()]);
  expect(broken).toEqual([]);
});

async function newPod(): Promise<TestPod> {
  const started = await startPod({
    databaseUrl: database.url,
    env: { ...ENV, ANTHROPIC_BASE_URL: provider.url, CONTINUO_SUMMARIZER_MODEL: MODEL.anthropic },
  });
  pods.push(started);
  return started;
}

const answers = (value: unknown): Reply => ({ said: [{ kind: 'text', pieces: [JSON.stringify(value)] }] });
const NOTHING = answers({ summary: null });
/** A message that the scripted model answers with a text. */
const says = (text: string) => JSON.stringify({ steps: [{ text }] });
const long = (turn: number) => says(`Answer ${turn}: the code is K${turn}42. ${'So it goes. '.repeat(70)}`);

interface Chat {
  readonly id: string;
  readonly url: string;
}

async function open(space: Space, goal: string): Promise<Chat> {
  const { body } = await ask('POST', `${space.url}/chats`, { goal, title: 'x' });
  await framesOf(new URL(space.url).origin, body.run.id);
  return { id: body.chat.id, url: `${space.url}/chats/${body.chat.id}` };
}

async function tell(chat: Chat, content: string, fields = {}): Promise<string> {
  const { body } = await ask('POST', chat.url, { content, ...fields });
  const frames = await framesOf(new URL(chat.url).origin, body.run.id);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  return body.run.message_id;
}

// oxlint-disable-next-line typescript/no-explicit-any
async function eventsOf(chat: Chat, type: string): Promise<any[]> {
  const { rows } = await database.pool.query(
    'select run_id, data from events where thread_id = $1 and type = $2 order by seq',
    [chat.id, type],
  );
  return rows.map(({ run_id, data }) => ({
    run_id,
    data: typeof data === 'string' ? JSON.parse(data) : data,
  }));
}

async function untilCount(chat: Chat, type: string, count: number) {
  return until(`${count} ${type}`, async () => {
    const found = await eventsOf(chat, type);
    return found.length >= count && found;
  });
}

test('STATE-7 resolved and discarded items and refuted assumptions leave the request to the model, and stay stored', async () => {
  const space = await newSpace(pod.url);
  provider.reply(NOTHING);
  const chat = await open(space, says('A party.'));
  const item = (id: string, title: string, status = 'active') => ({
    op: 'add',
    item: { id, kind: 'task', title, status },
  });
  const { status } = await ask('PATCH', `${chat.url}/state`, {
    agent_state_item_updates: [
      item('ada', 'Call Ada'),
      item('band', 'Hire a band'),
      item('cake', 'Bring cake'),
    ],
    agent_state_updates: { assumptions: [{ id: 'june', hypothesis: 'It is in June', confidence: 0.6 }] },
  });
  expect(status).toBe(200);
  await ask('PATCH', `${chat.url}/state`, {
    agent_state_item_updates: [
      { op: 'update', id: 'ada', patch: { status: 'resolved' } },
      { op: 'remove', id: 'band' },
    ],
    agent_state_updates: { assumptions: [{ id: 'june', hypothesis: 'It is in June', confidence: 0 }] },
  });
  provider.reply(NOTHING);
  const { body } = await ask('POST', chat.url, { content: says('Go on.') });
  await framesOf(pod.url, body.run.id);
  const { parts } = (await ask('GET', `${pod.url}/api/runs/${body.run.id}/context`)).body;
  const { text } = parts.find(({ kind }: { kind: string }) => kind === 'agent_state');
  expect(text).toContain('Bring cake');
  expect(text).not.toMatch(/Call Ada|Hire a band|in June/);
  expect((await ask('GET', `${chat.url}/state`)).body).toMatchObject({
    items: [
      { id: 'ada', status: 'resolved' },
      { id: 'band', status: 'discarded' },
      { id: 'cake', status: 'active' },
    ],
    assumptions: [{ id: 'june', confidence: 0 }],
  });
});

test('STATE-1 STATE-4 STATE-6 after a turn the summarizer changes the state by deltas; bad ones are refused one by one; people change and clear it', async () => {
  const space = await newSpace(pod.url);
  provider.reply(
    answers({
      agent_state_item_updates: [
        { op: 'add', item: { id: 'call-ada', kind: 'task', title: 'Call Ada', status: 'active' } },
        { op: 'add', item: { id: 'idea-1', kind: 'idea', title: 'Hire a band' } },
        { op: 'update', id: 'nobody', patch: { status: 'resolved' } },
        { op: 'add', item: { id: 'bad', kind: 'plan', title: 'x' } },
      ],
      agent_state_updates: {
        assumptions: [
          { id: 'a1', hypothesis: 'The party is in June', confidence: 0.6 },
          { id: 'a2', hypothesis: 'too sure', confidence: 7 },
        ],
        current_understanding: { entities: [{ id: 'invented-id', kind: 'task' }] },
        expectations: [{ action: 'call Ada', expected_outcome: 'a date' }],
      },
    }),
  );
  const chat = await open(space, says('Maybe we call Ada about the party in June.'));
  const [delta] = await untilCount(chat, 'agent_state_delta', 1);
  expect(delta).toMatchObject({ run_id: null, data: { source: 'summarizer', usage: { input: 120 } } });
  expect(delta.data.refused.map(({ reason }: { reason: string }) => reason)).toEqual([
    'there is no item "nobody"',
    expect.stringContaining('item.kind'),
    'nothing in the conversation mentions "invented-id"',
    expect.stringContaining('confidence'),
  ]);
  const state = (await ask('GET', `${chat.url}/state`)).body;
  expect(state).toMatchObject({
    sessionId: chat.id,
    current_understanding: { entities: [], dependencies: [] },
    items: [
      { id: 'call-ada', status: 'active', createdAt: expect.any(String) },
      { id: 'idea-1', status: 'active' },
    ],
    assumptions: [{ id: 'a1', confidence: 0.6 }],
    expectations: [{ action: 'call Ada' }],
    lastSummarizedAt: expect.any(String),
  });
  const { usage } = (await ask('GET', chat.url)).body;
  expect(usage).toMatchObject({ input: expect.any(Number), cost: expect.any(Number) });
  expect(usage.input).toBeGreaterThanOrEqual(120);

  // The next model call has the state as a block of its own, and an item that was removed is not in it, but stays stored.
  const patched = await ask('PATCH', `${chat.url}/state`, {
    agent_state_item_updates: [
      { op: 'remove', id: 'idea-1' },
      { op: 'remove', id: 'idea-9' },
      { op: 'add', item: { id: 'mine', kind: 'note', title: 'Bring \u0000 cake' } },
    ],
    agent_state_updates: { assumptions: [{ id: 'a1', hypothesis: 'The party is in June', confidence: 0 }] },
  });
  expect(patched).toMatchObject({
    status: 200,
    body: { refused: [{ reason: 'there is no item "idea-9"' }] },
  });
  expect(patched.body.state.items.map((each: { status: string }) => each.status)).toEqual([
    'active',
    'discarded',
    'active',
  ]);
  const [, edited] = await eventsOf(chat, 'agent_state_delta');
  expect(edited).toMatchObject({ run_id: null, data: { source: 'person', by: { kind: 'local' } } });
  provider.reply(NOTHING);
  await tell(chat, says('Go on.'));
  await untilCount(chat, 'agent_state_delta', 3);
  const shown = provider.received.at(-1)!.body;
  expect(JSON.stringify(shown)).toContain('Hire a band');
  for (const bad of [{ agent_state_item_updates: [{ op: 'burn', id: 'x' }] }, { items: [] }, 7])
    expect((await ask('PATCH', `${chat.url}/state`, bad)).status).toBe(400);
  const cleared = await ask('DELETE', `${chat.url}/state`);
  expect(cleared).toMatchObject({ status: 200, body: { state: { items: [], assumptions: [] } } });
  expect((await ask('GET', `${chat.url}/state`)).body.items).toEqual([]);
  await ask('DELETE', chat.url);
  for (const path of ['state', 'summaries', 'summaries/1'])
    expect((await ask('GET', `${chat.url}/${path}`)).status).toBe(410);
});

test('CTX-7 a summary that does not shrink is refused once; the next one is used, and a rewind takes it back', async () => {
  const space = await newSpace(pod.url);
  provider.reply(NOTHING);
  const chat = await open(space, long(1));
  await untilCount(chat, 'agent_state_delta', 1);
  const messages: string[] = [];
  for (let turn = 2; turn <= 8; turn += 1) {
    provider.reply(NOTHING);
    messages.push(await tell(chat, long(turn)));
    await untilCount(chat, 'agent_state_delta', turn);
  }
  expect(await eventsOf(chat, 'summary')).toEqual([]);
  provider.reply(
    answers({ summary: 'They talked on and on. '.repeat(900) }),
    answers({ summary: 'They counted codes.' }),
  );
  await tell(chat, long(9));
  const [refused] = await untilCount(chat, 'summary_failed', 1);
  expect(refused.data).toMatchObject({ tries: 1, error: expect.stringContaining('does not shrink enough') });
  const [made] = await untilCount(chat, 'summary', 1);
  expect(made.data).toMatchObject({ version: 1, replaces: null, model: MODEL.anthropic });
  expect(made.data.text).toContain('They counted codes.');
  expect(made.data.text).toContain('K142');
  expect(made.data.tokens.summary).toBeLessThan(made.data.tokens.replaced);

  const list = (await ask('GET', `${chat.url}/summaries`)).body.items;
  expect(list).toMatchObject([{ version: 1, in_use: true, made_by: MODEL.anthropic }]);
  const one = (await ask('GET', `${chat.url}/summaries/1`)).body;
  expect(one.replaced.summary).toBeNull();
  expect(one.replaced.messages[0]).toMatchObject({ role: 'user', text: long(1), kept: false });
  expect(one.lost).toEqual(expect.any(Array));
  expect((await ask('GET', `${chat.url}/summaries/2`)).status).toBe(404);

  // A message in the summarized stretch is replaced: the summary leaves.
  provider.reply(NOTHING);
  await tell(chat, says('Rather this.'), { replaces: messages[0] });
  expect((await ask('GET', `${chat.url}/summaries`)).body.items).toMatchObject([
    { version: 1, in_use: false },
  ]);
});

test('CTX-7 a run does not wait for the summarizer, and what a killed pod had begun is done once by another', async () => {
  const own = await newPod();
  const space = await newSpace(own.url);
  provider.reply({ said: [{ kind: 'text', pieces: ['{'] }], instead: 'stall' });
  const before = provider.received.length;
  const chat = await open(space, says('One.'));
  await until('the summarizer is asked', () => provider.received.length > before);
  await tell(chat, says('Two, meanwhile.'));
  expect(await eventsOf(chat, 'agent_state_delta')).toEqual([]);
  provider.reply(
    answers({ agent_state_item_updates: [{ op: 'add', item: { id: 'i', kind: 'note', title: 'N' } }] }),
  );
  own.kill('SIGKILL');
  const here: Chat = { id: chat.id, url: `${pod.url}${new URL(chat.url).pathname}` };
  const deltas = await untilCount(here, 'agent_state_delta', 1);
  expect(deltas).toHaveLength(1);
  expect(deltas[0].data.covers).toHaveLength(2);
  expect((await ask('GET', `${here.url}/state`)).body.items).toMatchObject([{ id: 'i' }]);

  // A failure is tried again after a while, by any pod.
  provider.reply({ refusal: { status: 400, message: 'not today' } }, NOTHING);
  await tell(here, says('Three.'));
  const [failed] = await untilCount(here, 'summary_failed', 1);
  expect(failed.data).toMatchObject({ tries: 1, error: expect.stringContaining('not today') });
  const { rows } = await database.pool.query('select wake_at from threads where id = $1', [chat.id]);
  expect(rows[0].wake_at === null || rows[0].wake_at.getTime() <= failed.data.retry_at + 1000).toBe(true);
  await untilCount(here, 'agent_state_delta', 2);
});

test('CTX-7 an answer whose messages are taken back meanwhile is not applied, and what it cost counts', async () => {
  const space = await newSpace(pod.url);
  const { promise: rewound, resolve: goOn } = Promise.withResolvers<void>();
  const item = { id: 'late', kind: 'note', title: 'Too late' };
  const late = answers({ agent_state_item_updates: [{ op: 'add', item }] });
  provider.reply({ ...late, pause: () => rewound });
  const before = provider.received.length;
  const chat = await open(space, says('One.'));
  await until('the summarizer is asked', () => provider.received.length > before);
  const messages = (await ask('GET', `${pod.url}/api/threads/${chat.id}/messages`)).body.items;
  provider.reply(NOTHING);
  await tell(chat, says('Rather this.'), { replaces: messages[0].id });
  goOn();
  const [failed] = await untilCount(chat, 'summary_failed', 1);
  expect(failed.data).toMatchObject({
    error: expect.stringContaining('came too late'),
    model: MODEL.anthropic,
    usage: { input: 120 },
  });
  await untilCount(chat, 'agent_state_delta', 1);
  expect((await ask('GET', `${chat.url}/state`)).body.items).toEqual([]);
  const { items } = (await ask('GET', `${pod.url}/api/threads/${chat.id}/requests`)).body;
  expect(items.filter(({ purpose }: { purpose: string }) => purpose === 'summary')).toHaveLength(2);
});

test('CTX-7 the summarizer leaves the threads of child runs alone, until a person writes there', async () => {
  const space = await newSpace(pod.url);
  const brief = (text: string) => `Do it. ⟦${says(text)}⟧`;
  provider.reply(NOTHING);
  const before = provider.received.length;
  const { body } = await ask('POST', `${space.url}/chats`, {
    title: 'x',
    goal: brief('All is done.'),
    mode: 'parallel_agents',
    agents: [
      { role: 'assistant', brief: brief('One is done.') },
      { role: 'assistant', brief: brief('Two is done.') },
    ],
  });
  await framesOf(pod.url, body.run.id);
  const parent: Chat = { id: body.chat.id, url: `${space.url}/chats/${body.chat.id}` };
  await until('the parent is reconciled', async () => {
    const deltas = await eventsOf(parent, 'agent_state_delta');
    return deltas.some(({ data }) => data.source === 'summarizer');
  });
  const { rows } = await database.pool.query<{ id: string }>(
    'select id from threads where parent_run = $1 and owner is null and wake_at is null',
    [body.run.id],
  );
  expect(rows).toHaveLength(3);
  expect(provider.received.length - before).toBe(1);
  const child: Chat = { id: rows[0]!.id, url: `${space.url}/chats/${rows[0]!.id}` };
  provider.reply(NOTHING);
  await tell(child, says('Go on.'));
  const [delta] = await untilCount(child, 'agent_state_delta', 1);
  expect(delta.data).toMatchObject({ source: 'summarizer' });
});
