// The AI SDK's own client over real HTTP: its transport, its reader, and the chat that `useChat` is made of.

import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { ask, framesOf, readRun, send, until } from '@continuo/testkit';
import { count, holdEffects, usePod, waitedFor } from '@continuo/testkit/fixtures';
import { PlainChat, shown } from './chat-client.ts';
import { listen } from './listen.ts';

const world = usePod();
const api = () => `${world.url}/api/chat`;
let chats = 0;
const name = () => `chat ${(chats += 1)}/ä`;
const script = (...steps: unknown[]) => JSON.stringify({ steps });
const user = (id: string, text: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const post = (id: string, messages: UIMessage[], more: object = {}) =>
  ask('POST', api(), { id, messages, trigger: 'submit-message', ...more });
const runIn = (text: string) => /"messageId":"([0-9a-f-]{36})"/.exec(text)![1]!;

test('PLUS-1 the wire: headers, ids, [DONE], and the same message again is the same run', async () => {
  const chat = name();
  const messages = [user('u1', script({ text: 'hello' }))];
  const { status, headers, text } = await post(chat, messages);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  expect(headers.get('x-accel-buffering')).toBe('no');
  expect(headers.get('cache-control')).toContain('no-cache');
  expect(text).toMatch(/^id: 1\.1\ndata: \{"type":"start","messageId":"[0-9a-f-]{36}"\}\n\n|^id: 1\ndata: /);
  expect(text).toMatch(/"type":"finish".*\n\ndata: \[DONE\]\n\n$/);
  expect(text).not.toContain('\r');
  expect((await post(chat, messages)).text).toBe(text);
  expect(await count(world.database, 'runs where id = $1', [runIn(text)])).toBe(1);
});

test('PLUS-1 the transport and the reader accept a run with reasoning and tools', async () => {
  const transport = new DefaultChatTransport({ api: api() });
  const content = script(
    { reasoning: 'hm', text: 'Let me see. ', calls: [{ tool: 'pure', input: { note: 'x' } }] },
    { text: 'All is well.' },
  );
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: name(),
    messageId: undefined,
    messages: [user('u1', content)],
    abortSignal: undefined,
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  expect(shown(last)).toEqual([
    ['reasoning', 'hm'],
    ['text', 'Let me see. '],
    ['pure', 'output-available'],
    ['text', 'All is well.'],
  ]);
});

test('PLUS-1 the second message of a chat sees the first, and an error arrives as an error', async () => {
  const chat = new PlainChat({ id: name(), api: api() });
  await chat.sendMessage({ text: script({ text: 'one' }) });
  await chat.sendMessage({ text: script({ text: 'two' }) });
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(chat.messages.filter(({ role }) => role === 'assistant').map(shown)).toEqual([
    [['text', 'one']],
    [['text', 'two']],
  ]);
  const [first, second] = [chat.messages[1]!.id, chat.messages[3]!.id];
  const threads = await Promise.all(
    [first, second].map(async (id) => (await readRun(world.url, id)).thread_id),
  );
  expect(threads[0]).toBe(threads[1]);
  await chat.sendMessage({ text: script({ error: { code: 'model_error', message: 'the model is away' } }) });
  expect(chat.status).toBe('error');
  expect(chat.error?.message).toContain('the model is away');
});

test('PLUS-1 a dropped stream is resumed from its beginning, in this tab and in another', async () => {
  const id = name();
  const release = await holdEffects(world.database);
  const leave = new AbortController();
  const chat = new PlainChat({
    id,
    api: api(),
    // The network goes away under the first request, and comes back.
    fetch: (input, init) => fetch(input, init?.method === 'POST' ? { ...init, signal: leave.signal } : init),
  });
  const sent = chat.sendMessage({
    text: script(
      { text: 'Working. ', calls: [{ tool: 'idempotent', input: { note: id } }] },
      { text: 'Done.' },
    ),
  });
  await waitedFor(world.database, 'effects');
  await until('the message has two parts', async () => shown(chat.lastMessage).length === 2);
  leave.abort(new TypeError('network error'));
  await sent;
  expect(chat.status).toBe('error');
  const other = new PlainChat({ id, api: api() });
  const streaming = Promise.all([chat.becomes('streaming'), other.becomes('streaming')]);
  const resumed = Promise.all([chat.resumeStream(), other.resumeStream()]);
  await streaming;
  await release();
  await resumed;
  for (const each of [chat, other]) {
    expect(shown(each.lastMessage)).toEqual([
      ['text', 'Working. '],
      ['idempotent', 'output-available'],
      ['text', 'Done.'],
    ]);
    expect(each.status).toBe('ready');
  }
  expect(chat.messages).toHaveLength(2);
  expect(other.messages).toHaveLength(1);
  expect((await fetch(`${api()}/${encodeURIComponent(id)}/stream`)).status).toBe(204);
  expect((await fetch(`${api()}/never/stream`)).status).toBe(204);
});

test('PLUS-1 a client’s stop is only a disconnect; the chat’s own stop ends the run', async () => {
  const id = name();
  const release = await holdEffects(world.database);
  const chat = new PlainChat({ id, api: api() });
  const sent = chat.sendMessage({
    text: script({ calls: [{ tool: 'idempotent', input: { note: id } }] }, { text: 'Done.' }),
  });
  await waitedFor(world.database, 'effects');
  await until('the message has one part', async () => shown(chat.lastMessage).length === 1);
  await chat.stop();
  await sent;
  const run = chat.lastMessage!.id;
  expect((await readRun(world.url, run)).status).toBe('running');
  const listener = await listen(`${api()}/${encodeURIComponent(id)}/stream`);
  const stop = `${api()}/${encodeURIComponent(id)}/stop`;
  expect((await ask('POST', stop)).body).toEqual({ stopped: true });
  await release();
  const { frames, rest } = await listener.toEnd();
  expect(frames.at(-1)!.data).toEqual({ type: 'abort', reason: 'user_cancelled' });
  expect(rest).toBe('data: [DONE]\n\n');
  expect((await readRun(world.url, run)).status).toBe('canceled');
  expect((await ask('POST', `${api()}/never/stop`)).body).toEqual({ stopped: false });
});

test('PLUS-1 regenerate answers a message again, and rewinds what came after it', async () => {
  const chat = new PlainChat({ id: name(), api: api() });
  await chat.sendMessage({ text: script({ text: 'one' }) });
  const first = chat.lastMessage!.id;
  await chat.sendMessage({ text: script({ text: 'two' }) });
  await chat.regenerate({ messageId: first });
  expect(chat.messages).toHaveLength(2);
  expect(shown(chat.lastMessage)).toEqual([['text', 'one']]);
  const again = chat.lastMessage!.id;
  expect(again).not.toBe(first);
  expect(await readRun(world.url, again)).toMatchObject({ status: 'done', retry_of: first });
  const frames = await framesOf(world.url, again);
  expect(frames.map(({ event }) => event)).toContain('rewound');
});

test('PLUS-1 an edited message replaces what it said, each time that it is edited', async () => {
  const chat = new PlainChat({ id: name(), api: api() });
  const [a, b] = [script({ text: 'answer a' }), script({ text: 'answer b' })];
  await chat.sendMessage({ text: a });
  const messageId = chat.messages[0]!.id;
  const runs = new Set([chat.lastMessage!.id]);
  for (const [text, said] of [
    [b, 'answer b'],
    [a, 'answer a'],
  ] as const) {
    await chat.sendMessage({ text, messageId });
    expect(chat.messages).toHaveLength(2);
    expect(shown(chat.lastMessage)).toEqual([['text', said]]);
    runs.add(chat.lastMessage!.id);
  }
  expect(runs.size).toBe(3);
});

test('PLUS-1 ten tabs that send the same first message of a new chat get one run', async () => {
  const id = name();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post(id, [user('u1', script({ text: 'once' }))])),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const thread = (await readRun(world.url, runIn(answers[0]!.text))).thread_id;
  expect(await count(world.database, 'runs where thread_id = $1', [thread])).toBe(1);
});

test('PLUS-1 a chat’s id may be a thread’s, and a workspace has chats of its own', async () => {
  const id = name();
  const first = runIn((await post(id, [user('u1', script({ text: 'one' }))])).text);
  const thread = (await readRun(world.url, first)).thread_id as string;
  const second = runIn((await post(thread, [user('u2', script({ text: 'two' }))])).text);
  expect((await readRun(world.url, second)).thread_id).toBe(thread);
  await send(world.url, thread, { steps: [{ text: 'three' }] });
  await ask('POST', `${world.url}/api/v1/workspaces`, { name: 'other' });
  const there = await ask('POST', `${api()}?workspace=other`, {
    id,
    messages: [user('u1', script({ text: 'x' }))],
  });
  const other = await readRun(world.url, runIn(there.text));
  expect(other.thread_id).not.toBe(thread);
});

test('PLUS-1 a chat that was removed says so, and has nothing to resume', async () => {
  const id = name();
  const run = runIn((await post(id, [user('u1', script({ text: 'one' }))])).text);
  const chat = (await readRun(world.url, run)).thread_id as string;
  await ask('DELETE', `${world.url}/api/v1/workspaces/default/chats/${chat}`);
  const more = await post(id, [user('u2', script({ text: 'two' }))]);
  expect(more).toMatchObject({ status: 410, body: { code: 'chat_removed' } });
  expect((await fetch(`${api()}/${encodeURIComponent(id)}/stream`)).status).toBe(204);
});

test.each([
  [{ messages: [] }, 400, 'invalid_body'],
  [{ messages: [{ id: 'a', role: 'assistant', parts: [] }] }, 400, 'nothing_to_do'],
  [{ messages: [{ id: 'u', role: 'user', parts: [] }] }, 400, 'empty_message'],
  [
    { messages: [{ id: 'u', role: 'user', parts: [{ type: 'file', url: 'data:,x', mediaType: 'a/b' }] }] },
    400,
    'unsupported_part',
  ],
  [{ messages: [user('u', 'x')], model: 'no/such' }, 400, 'unknown_model'],
] as const)('PLUS-1 a request that cannot be understood is refused: %j', async (request, status, code) => {
  const answer = await ask('POST', api(), { id: name(), ...request });
  expect(answer).toMatchObject({ status, body: { code } });
});
