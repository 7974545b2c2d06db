// A pod dies in the middle of a message: a client that followed it reconnects to another pod, and has the answer
// once, with the unfinished message marked or withdrawn.

import { HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  brokenInvariants,
  freshDatabase,
  holdEffects,
  startPod,
  waitedFor,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { PlainChat, shown } from './chat-client.ts';
import { listen } from './listen.ts';

let database: TestDatabase;
let survivor: TestPod;
beforeAll(async () => {
  database = await freshDatabase();
  // The default: external effects are asked for.
  await database.pool.query('update workspaces set policy = null');
  survivor = await startPod({ databaseUrl: database.url });
});
afterAll(async () => {
  await survivor.end();
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

// Long enough for several appends, however slowly they are written: the pod dies after the third.
const text = 'one two three four five six seven eight nine ten '.repeat(8);
const content = JSON.stringify({
  steps: [
    { reasoning: 'hm', text, delay_ms: 5, calls: [{ tool: 'idempotent', input: { note: 'x' } }] },
    { text: 'Done.' },
  ],
});

/** A pod that dies after a few words; `meanwhile` is done with it, and the other has taken over when this resolves. */
async function dying(meanwhile: (url: string) => Promise<unknown>): Promise<() => Promise<void>> {
  const victim = await startPod({ databaseUrl: database.url, fault: 'append.after.token#3' });
  const release = await holdEffects(database);
  await meanwhile(victim.url);
  await victim.exited;
  expect(victim.hits).toHaveLength(1);
  await waitedFor(database, 'effects');
  return release;
}

test('PLUS-1 the AI SDK’s chat resumes at another pod', async () => {
  let url = '';
  const chat = new PlainChat({
    id: 'killed',
    // As a balancer would.
    fetch: (path, init) => fetch(`${url}${path as string}`, init),
  });
  const release = await dying((victim) => {
    url = victim;
    return chat.sendMessage({ text: content });
  });
  expect(chat.status).toBe('error');
  const [half] = shown(chat.lastMessage).filter((part) => Array.isArray(part) && part[0] === 'text') as [
    [string, string],
  ];
  expect(text.startsWith(half[1])).toBe(true);
  url = survivor.url;
  const streaming = chat.becomes('streaming');
  const resumed = chat.resumeStream();
  await streaming;
  await release();
  await resumed;
  expect(chat.status).toBe('ready');
  expect(chat.messages).toHaveLength(2);
  expect(shown(chat.lastMessage)).toEqual([
    ['reasoning', 'hm'],
    ['text', expect.stringMatching(/^one /)],
    'data-superseded',
    ['reasoning', 'hm'],
    ['text', text],
    ['idempotent', 'output-available'],
    ['text', 'Done.'],
  ]);
});

test('PLUS-1 a pod that is stopped in good order breaks the stream off: its client knows that this is not the end', async () => {
  const victim = await startPod({ databaseUrl: database.url });
  const post = (id: string, step: object) => {
    const message = { id, role: 'user', parts: [{ type: 'text', text: JSON.stringify({ steps: [step] }) }] };
    return listen(`${victim.url}/api/chat`, {}, { id: 'drained', messages: [message] });
  };
  const asking = await post('u1', { calls: [{ tool: 'external', input: { note: 'x' } }] });
  expect((await asking.toEnd()).rest).toContain('[DONE]');
  // It waits behind the question, and nothing holds the pod back.
  const waiting = await post('u2', { text: 'later' });
  victim.kill('SIGTERM');
  await expect(waiting.toEnd()).rejects.toThrow('terminated');
  expect(await victim.exited).toMatchObject({ code: 0 });
});

test('PLUS-1 AG-UI’s agent repeats its run at another pod', async () => {
  const question = { id: 'u1', role: 'user' as const, content };
  const named = { threadId: 'killed', runId: 'r1' };
  // An HttpAgent would do, but for a rejection of its own that nobody handles.
  const release = await dying(async (victim) => {
    const input = { ...named, messages: [question], tools: [], context: [] };
    await expect((await listen(`${victim}/api/ag-ui`, {}, input)).toEnd()).rejects.toThrow('terminated');
  });
  const agent = new HttpAgent({
    url: `${survivor.url}/api/ag-ui`,
    threadId: named.threadId,
    initialMessages: [question],
  });
  const ends = agent.runAgent({ runId: named.runId });
  await release();
  await ends;
  expect(agent.messages.map((message) => [message.role, message.content])).toEqual([
    ['user', content],
    // Clients keep all reasoning that a snapshot does not have: it was emptied.
    ['reasoning', ''],
    ['reasoning', 'hm'],
    ['assistant', text],
    ['tool', expect.any(String)],
    ['assistant', 'Done.'],
  ]);
  expect(agent.state).toMatchObject({ status: 'done', attempt: 2 });
});
