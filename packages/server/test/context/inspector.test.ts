// PLUS-8: what a model was sent can be shown later, exactly, with where each part comes from. Every other test file that drives a
// pod also rebuilds requests, when it checks the invariants of its logs.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelContext, SentRequest } from '@continuo/protocol';
import { ask, createThread, framesOf, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  unfaithfulRequests,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { newSpace, put } from '../files/support.ts';
import { ENV, type ProviderServer, startProvider } from '../models/server.ts';
import { MODEL } from '../models/support.ts';
import type { Reply } from '../models/wire/reply.ts';

const model = MODEL.anthropic;
let database: TestDatabase;
let server: ProviderServer;
let pod: TestPod;

const start = () => startPod({ databaseUrl: database.url, env: { ...ENV, ANTHROPIC_BASE_URL: server.url } });

beforeAll(async () => {
  [database, server] = await Promise.all([freshDatabase(), startProvider()]);
  pod = await start();
});
afterAll(async () => {
  const unfaithful = await unfaithfulRequests(pod.url, database.pool);
  await pod.end();
  const broken = [...unfaithful, ...(await brokenInvariants(database.pool))];
  await Promise.all([database.drop(), server[Symbol.asyncDispose]()]);
  expect(broken).toEqual([]);
});

const says = (text: string): Reply => ({ said: [{ kind: 'text', pieces: [text] }] });
const calls = (id: string, tool: string, input: object): Reply => ({
  said: [{ kind: 'call', id, tool, pieces: [JSON.stringify(input)] }],
});

type RunContext = ModelContext & { readonly requests: readonly SentRequest[] };

const contextOf = async (run: string, query = '') =>
  (await ask('GET', `${pod.url}/api/runs/${run}/context${query}`)).body as RunContext;

async function say(thread: string, content: string, replies: readonly Reply[], more: object = {}) {
  server.reply(...replies);
  const { body } = await ask('POST', `${pod.url}/api/threads/${thread}/messages`, {
    content,
    model,
    ...more,
  });
  await framesOf(pod.url, body.run.id);
  return body.run.id as string;
}

/** What the provider got: its system prompt, and the texts of the messages. */
function receivedAs(at: number) {
  const { system, messages, tools } = server.received[at]!.body as {
    system: { text: string }[];
    messages: { role: string; content: { text?: string; content?: { text: string }[] }[] }[];
    tools: { name: string }[];
  };
  return { system: system.map(({ text }) => text).join(), said: JSON.stringify(messages), tools };
}

test('PLUS-8 each request of a run is shown as it was sent, also after a restart and with changed sources', async () => {
  const space = await newSpace(pod.url);
  await put(space, 'AGENTS.md', 'Write in Latin.');
  await put(
    space,
    '.agents/skills/haiku/SKILL.md',
    '---\nname: haiku\ndescription: Writes haikus.\n---\n5, 7, 5.',
  );
  await put(space, 'pond.txt', 'an old pond\na frog leaps in\n');
  server.reply(calls('toolu_1', 'read', { path: '/pond.txt' }), says('I have read it.'));
  const before = server.received.length;
  const opened = await ask('POST', `${space.url}/chats`, {
    goal: 'Read the poem.',
    title: 'x',
    model,
    files: ['/pond.txt'],
  });
  const { chat, run } = opened.body as { chat: { id: string }; run: { id: string } };
  await framesOf(pod.url, run.id);
  const next = await say(chat.id, 'Thank you.', [says('You are welcome.')]);

  const check = async () => {
    const [first, second, later] = [
      await contextOf(run.id, '?message=m1'),
      await contextOf(run.id, '?message=m2'),
      await contextOf(next),
    ];
    for (const each of [first, second, later])
      expect(each).toMatchObject({ exact: true, problem: null, model });
    expect(second.requests.map(({ message, purpose }) => [message, purpose])).toEqual([
      ['m1', 'answer'],
      ['m2', 'answer'],
    ]);
    const placed = (context: RunContext, place: string) =>
      context.parts.filter((part) => part.place === place);
    expect(placed(first, 'system').map(({ kind, source }) => [kind, source.kind])).toEqual([
      ['base', 'text'],
      ['role', 'text'],
      ['guide', 'file'],
      ['skill', 'text'],
      ['skill', 'file'],
    ]);
    for (const [at, context] of [first, second, later].entries()) {
      const sent = receivedAs(before + at);
      expect(sent.system).toBe(
        placed(context, 'system')
          .map(({ text }) => text)
          .join('\n\n'),
      );
      expect(sent.tools.map(({ name }) => name)).toEqual(
        placed(context, 'tools').map(({ source }) => (source.kind === 'text' ? source.name : '')),
      );
    }
    expect(placed(first, 'history').map(({ kind }) => kind)).toEqual(['user']);
    expect(placed(first, 'history')[0]!.text).toContain('a frog leaps in');
    expect(placed(second, 'history').map(({ kind }) => kind)).toEqual(['user', 'assistant', 'tool']);
    expect(placed(second, 'history')[2]!.text).toContain('a frog leaps in');
    // A later run is shown the file's name and the summary of the result.
    expect(placed(later, 'history').map(({ kind }) => kind)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(placed(later, 'history')[0]!.text).not.toContain('a frog leaps in');
    expect(second.tokens.input).toBeGreaterThan(0);
    expect(second.cost).toBeGreaterThan(0);
    const shared = second.parts.reduce((sum, part) => sum + part.cost!, 0);
    expect(shared).toBeCloseTo(second.cost!, 8);
  };
  await check();
  await put(space, 'AGENTS.md', 'Write in Greek.');
  await put(space, 'pond.txt', 'a new pond\n');
  await pod.end();
  pod = await start();
  await check();
});

test('PLUS-8 what has a version is not stored again: it is rebuilt from the log and from versions of files', async () => {
  const space = await newSpace(pod.url);
  const skill = (description: string) => `---\nname: haiku\ndescription: ${description}\n---\n5, 7, 5.`;
  const files = (adjective: string) =>
    Promise.all([
      put(space, 'AGENTS.md', `Write ${adjective} Latin.`),
      put(space, 'agents/poet.md', `You are a ${adjective} poet.`),
      put(space, '.agents/skills/haiku/SKILL.md', skill(`Writes ${adjective} haikus.`)),
    ]);
  await files('good');
  const { project } = (await ask('POST', `${space.url}/projects`, { name: 'Moon' })).body;
  const content = `Very good craters. ${'They are deep. '.repeat(1000)}`;
  const survey = await ask('POST', `${space.url}/documents`, {
    project_id: project.id,
    title: 'Crater survey',
    content,
  });
  expect(survey.status).toBe(201);
  server.reply(says('Craters.'));
  const goal = 'What does the crater survey say?';
  const about = { title: 'x', model, role: 'poet', project_id: project.id };
  const opened = await ask('POST', `${space.url}/chats`, { goal, ...about });
  const { chat, run } = opened.body as { chat: { id: string }; run: { id: string } };
  await framesOf(pod.url, run.id);
  const item = { id: 'flag', kind: 'idea', title: 'Bring a good flag' };
  const state = `${space.url}/chats/${chat.id}/state`;
  await ask('PATCH', state, { agent_state_item_updates: [{ op: 'add', item }] });
  const next = await say(chat.id, goal, [says('As I said.')]);

  await files('bad');
  const document = `${space.url}/documents/${survey.body.id}`;
  expect((await ask('PATCH', document, { content: 'Very bad craters.' })).status).toBe(200);
  expect((await ask('DELETE', state)).status).toBe(200);
  const { exact, parts } = await contextOf(next);
  expect(exact).toBe(true);
  const good = parts.filter(({ place, text }) => place !== 'history' && text?.includes('good'));
  const named = good.map(({ kind, source }) => [kind, source.kind === 'file' ? source.path : source.kind]);
  expect(named).toEqual([
    ['role', '/agents/poet.md'],
    ['guide', '/AGENTS.md'],
    ['skill', '/.agents/skills/haiku/SKILL.md'],
    ['agent_state', 'event'],
    ['document', '/projects/moon/docs/Crater survey.md'],
  ]);
  const stored = await database.pool.query<{ text: string }>(
    'select text::text as text from context_texts where workspace_id = $1',
    [space.id],
  );
  expect(stored.rows.length).toBeGreaterThan(0);
  expect(stored.rows.filter(({ text }) => text.includes('good'))).toEqual([]);
});

test('PLUS-8 a change of the agent state between a request and its answer is not shown as part of the request', async () => {
  const space = await newSpace(pod.url);
  server.reply(says('Hello.'));
  const opened = await ask('POST', `${space.url}/chats`, { goal: 'Hello.', title: 'x', model });
  const { chat, run } = opened.body as { chat: { id: string }; run: { id: string } };
  await framesOf(pod.url, run.id);
  const state = `${space.url}/chats/${chat.id}/state`;
  const item = { id: 'flag', kind: 'idea', title: 'Bring a flag' };
  await ask('PATCH', state, { agent_state_item_updates: [{ op: 'add', item }] });
  server.reply({ said: [], instead: 'stall' });
  const before = server.received.length;
  const { body } = await ask('POST', `${pod.url}/api/threads/${chat.id}/messages`, { content: 'Go.', model });
  await until('the model is asked', () => server.received.length > before);
  const cleared = ask('DELETE', state);
  await until('the change waits, or is in the log', async () => {
    const { rows } = await database.pool.query(
      `select from threads where id = $1 and cardinality(state_edits) > 0
        union all select from events where thread_id = $1 and type = 'agent_state_delta' and data ->> 'cleared' = 'true'`,
      [chat.id],
    );
    return rows.length > 0;
  });
  await ask('POST', `${pod.url}/api/runs/${body.run.id}/cancel`, {});
  await framesOf(pod.url, body.run.id);
  expect((await cleared).status).toBe(200);
  const { exact, parts } = await contextOf(body.run.id);
  expect(exact).toBe(true);
  expect(parts.find(({ kind }) => kind === 'agent_state')!.text).toContain('Bring a flag');
});

test('PLUS-8 a request without an answer has a manifest, too: refused as too long, failed, and canceled', async () => {
  const thread = await createThread(pod.url);
  await say(thread, 'One.', [says('1.')]);
  await say(thread, 'Two.', [says('2.')]);
  const refusal = { status: 400, message: 'prompt is too long: 300000 tokens > 200000 maximum' };
  const shortened = await say(thread, 'Three.', [{ refusal }, says('3.')]);
  const { requests, ...last } = await contextOf(shortened);
  expect(requests.map((each) => [each.message, each.try])).toEqual([
    ['m1', 1],
    ['m1', 2],
  ]);
  expect(last).toMatchObject({ try: 2, exact: true });
  expect(last.left_out).toMatchObject([
    { what: expect.stringMatching(/turn/), why: expect.stringMatching(/tokens/) },
  ]);
  const first = await contextOf(shortened, '?try=1');
  expect(first).toMatchObject({ try: 1, exact: true, left_out: [] });
  expect(first.parts.length).toBeGreaterThan(last.parts.length);

  const failed = await say(thread, 'Four.', [{ refusal: { status: 400, message: 'No.' } }]);
  expect(await contextOf(failed)).toMatchObject({
    message: 'm1',
    exact: true,
    tokens: { input: null },
    cost: null,
  });

  server.reply({ said: [], instead: 'stall' });
  const before = server.received.length;
  const { body } = await ask('POST', `${pod.url}/api/threads/${thread}/messages`, {
    content: 'Five.',
    model,
  });
  await until('the model is asked', () => server.received.length > before);
  await ask('POST', `${pod.url}/api/runs/${body.run.id}/cancel`, {});
  await framesOf(pod.url, body.run.id);
  expect(await contextOf(body.run.id)).toMatchObject({ exact: true });
});

test('PLUS-8 the request for a title is shown, and requests of a thread are listed page by page', async () => {
  const space = await newSpace(pod.url);
  server.reply(says('A pond is water.'), says('Ponds'));
  const { body } = await ask('POST', `${space.url}/chats`, { goal: 'What is a pond?', model });
  const requests = `${pod.url}/api/threads/${body.chat.id}/requests`;
  const list = await until('the title is there', async () => {
    const { items } = (await ask('GET', requests)).body as { items: SentRequest[] };
    return items.length === 2 ? items : null;
  });
  expect(list.map(({ purpose, run_id }) => [purpose, run_id])).toEqual([
    ['answer', body.run.id],
    ['title', null],
  ]);
  const page = (await ask('GET', `${requests}?limit=1`)).body;
  const rest = (await ask('GET', `${requests}?limit=1&after=${page.next}`)).body;
  expect([page.items, rest.items, rest.next]).toEqual([[list[0]], [list[1]], null]);
  const title = (await ask('GET', `${pod.url}/api/threads/${body.chat.id}/context?seq=${list[1]!.seq}`))
    .body as ModelContext;
  expect(title).toMatchObject({ exact: true, purpose: 'title' });
  expect(title.parts.map(({ place, kind }) => [place, kind])).toEqual([
    ['system', 'task'],
    ['history', 'user'],
  ]);
  expect(title.parts[1]!.text).toContain('A pond is water.');
  expect(title.tokens.input).toBeGreaterThan(0);
});

test('PLUS-8 an unknown request is refused, and the answer lists the known ones', async () => {
  const thread = await createThread(pod.url);
  const run = await say(thread, 'One.', [says('1.')]);
  expect(await ask('GET', `${pod.url}/api/runs/${run}/context?message=m9`)).toMatchObject({
    status: 404,
    body: { code: 'request_not_found', detail: expect.stringContaining('m1') },
  });
  expect(await ask('GET', `${pod.url}/api/threads/${thread}/context?seq=1`)).toMatchObject({
    status: 404,
    body: { code: 'request_not_found' },
  });
  expect(await ask('GET', `${pod.url}/api/threads/${thread}/requests?after=x`)).toMatchObject({
    status: 400,
    body: { code: 'invalid_cursor' },
  });
});

test('PLUS-8 a request whose texts were purged says so, and a purged thread takes its manifests with it', async () => {
  const space = await newSpace(pod.url);
  server.reply(says('1.'));
  const { chat, run } = (await ask('POST', `${space.url}/chats`, { goal: 'One.', title: 'x', model })).body;
  await framesOf(pod.url, run.id);
  const before = await contextOf(run.id);
  const role = before.parts.find(({ kind }) => kind === 'role')!.text!;
  const deleted = await database.pool.query(
    'delete from context_texts where workspace_id = $1 and text::text = $2::text',
    [space.id, JSON.stringify(role)],
  );
  expect(deleted.rowCount).toBe(1);
  const context = await contextOf(run.id);
  expect(context).toMatchObject({
    exact: false,
    problem: expect.stringMatching(/^One part of the request cannot be shown any more/),
  });
  expect(context.parts.filter(({ text }) => text === null)).toMatchObject([{ kind: 'role' }]);
  await database.pool.query('select purge_thread($1)', [chat.id]);
  const left = await database.pool.query(
    `select from context_manifests where thread_id = $1 union all select from context_texts where owner_id = $1`,
    [chat.id],
  );
  expect(left.rowCount).toBe(0);
});
