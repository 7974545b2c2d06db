// Approvals in the AI SDK's own chat: the run parks, the response ends, and the answer goes on with the same message.

import { lastAssistantMessageIsCompleteWithApprovalResponses, type ChatStatus, type UIMessage } from 'ai';
import { beforeAll, expect, test } from 'vitest';
import { ask, readRun, until } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';
import { PlainChat, shown } from './chat-client.ts';
import { listen } from './listen.ts';

const world = usePod();
// The default: external effects are asked for.
beforeAll(async () => void (await world.database.pool.query('update workspaces set policy = null')));
const api = () => `${world.url}/api/chat`;
let chats = 0;
const name = () => `approvals-${(chats += 1)}`;
const external = (note: string) => ({ tool: 'external', input: { note } });
const script = (calls: unknown[]) =>
  JSON.stringify({ steps: [{ text: 'May I?', calls }, { text: 'Thank you.' }] });
const open = (id: string, automatic = true) =>
  new PlainChat({
    id,
    api: api(),
    ...(automatic && { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses }),
  });
const questions = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval.id] : [],
  );
/** The chat sends the answer by itself; done when it has got all that follows. */
const answer = async (chat: PlainChat, id: string, approved: boolean, status: ChatStatus = 'ready') => {
  const ends = chat.becomes(status);
  await chat.addToolApprovalResponse({ id, approved });
  await ends;
};
const effects = (note: string) =>
  count(world.database, "effects where kind = 'external' and note = $1", [note]);

test.each([
  [true, 'output-available', 1],
  [false, 'output-denied', 0],
] as const)(
  'PLUS-1 an approval answered with %s goes on in the same message, and another tab’s replay is the same',
  async (approved, state, made) => {
    const id = name();
    const chat = open(id);
    await chat.sendMessage({ text: script([external(id), { tool: 'pure', input: { note: 'p' } }]) });
    expect(chat.status).toBe('ready');
    expect(shown(chat.lastMessage)).toEqual([
      ['text', 'May I?'],
      ['external', 'approval-requested'],
      ['pure', 'output-available'],
      'data-approval',
    ]);
    // A tab that comes now sees the question, and no open stream.
    const other = open(id);
    await other.resumeStream();
    expect(shown(other.lastMessage)).toEqual(shown(chat.lastMessage));
    const run = chat.lastMessage!.id;
    expect((await readRun(world.url, run)).status).toBe('running');

    const [question] = questions(chat.lastMessage);
    await answer(chat, question!, approved);
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage!.id).toBe(run);
    const whole = [
      ['text', 'May I?'],
      ['external', state],
      ['pure', 'output-available'],
      'data-approval',
      ['text', 'Thank you.'],
    ];
    expect(shown(chat.lastMessage)).toEqual(whole);
    expect(await effects(id)).toBe(made);
    // The other tab says the same a little later, and gets what it missed.
    await answer(other, question!, approved);
    expect(shown(other.lastMessage)).toEqual(whole);
    expect(await effects(id)).toBe(made);
  },
);

test('PLUS-1 an answer that contradicts an earlier one is refused with the earlier one', async () => {
  const id = name();
  const [chat, other] = [open(id), open(id)];
  await chat.sendMessage({ text: script([external(id)]) });
  await other.resumeStream();
  const [question] = questions(chat.lastMessage);
  await answer(chat, question!, true);
  await answer(other, question!, false, 'error');
  expect(other.error?.message).toContain('The approval was already decided: approve');
  expect(await effects(id)).toBe(1);
});

test('PLUS-1 of two questions one may be answered first: the response ends until the other is', async () => {
  const id = name();
  const chat = open(id, false);
  await chat.sendMessage({ text: script([external(`${id}a`), external(`${id}b`)]) });
  const [first, second] = questions(chat.lastMessage);
  await chat.addToolApprovalResponse({ id: first!, approved: true });
  await chat.sendMessage();
  expect(chat.status).toBe('ready');
  expect(await effects(`${id}a`)).toBe(0);
  await chat.addToolApprovalResponse({ id: second!, approved: false });
  await chat.sendMessage();
  expect(shown(chat.lastMessage)).toEqual([
    ['text', 'May I?'],
    ['external', 'output-available'],
    ['external', 'output-denied'],
    'data-approval',
    'data-approval',
    ['text', 'Thank you.'],
  ]);
  expect([await effects(`${id}a`), await effects(`${id}b`)]).toEqual([1, 0]);
});

test('PLUS-1 a client that resumes from the beginning sees decisions that were made elsewhere', async () => {
  const id = name();
  const chat = open(id);
  await chat.sendMessage({ text: script([external(id)]) });
  const [question] = questions(chat.lastMessage);
  const approvals = `${world.url}/api/v1/workspaces/default/approvals`;
  const decided = { decision: 'edit', input: { note: `${id} edited` }, comment: 'as I said' };
  expect((await ask('POST', `${approvals}/${question}`, decided)).status).toBe(200);
  const run = chat.lastMessage!.id;
  await until('the run is done', async () => (await readRun(world.url, run)).status === 'done');
  // The run has ended: the chat has nothing to resume, and the same message again is a whole replay.
  await chat.resumeStream();
  expect(shown(chat.lastMessage)).toContainEqual(['external', 'approval-requested']);
  const { frames } = await (
    await listen(api(), {}, { id, messages: [chat.messages[0]], trigger: 'submit-message' })
  ).toEnd();
  const inputs = frames
    .filter(({ data }) => data.type === 'tool-input-available')
    .map(({ data }) => data.input);
  expect(inputs).toEqual([{ note: id }, { note: `${id} edited` }]);
  expect(frames.find(({ data }) => data.data?.decision)!.data).toMatchObject({
    type: 'data-approval',
    id: question,
    data: { decision: 'edit', comment: 'as I said', kind: 'call', tool: 'external' },
  });
  expect(await effects(`${id} edited`)).toBe(1);
});

test('PLUS-1 a message instead of an answer waits behind the question, and an answer in its history counts', async () => {
  const id = name();
  const chat = open(id, false);
  await chat.sendMessage({ text: script([external(id)]) });
  const [question] = questions(chat.lastMessage);
  await chat.addToolApprovalResponse({ id: question!, approved: true, reason: 'go on' });
  await chat.sendMessage({ text: JSON.stringify({ steps: [{ text: 'and this' }] }) });
  expect(shown(chat.lastMessage)).toEqual([['text', 'and this']]);
  expect(await effects(id)).toBe(1);
});
