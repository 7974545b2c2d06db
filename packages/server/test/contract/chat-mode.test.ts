// chat_mode: the agent answers, acts with tools, and waits for the next message.

import { expect, test } from 'vitest';
import { ask, framesOf, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { newSpace } from '../files/support.ts';

const world = usePod();
const say = (...steps: unknown[]) => JSON.stringify({ steps });

test('WS-13 in chat_mode a message is answered, tools act at once, and the chat waits for the next one', async () => {
  const space = await newSpace(world.url);
  const goal = say(
    { text: 'I write it.', calls: [{ tool: 'write', input: { path: '/tea.md', content: 'Green.\n' } }] },
    { text: 'Written.' },
  );
  const opened = await ask('POST', `${space.url}/chats`, { goal, mode: 'chat_mode' });
  const { chat, run } = opened.body;
  expect((await framesOf(world.url, run.id)).map(({ event }) => event)).toEqual(
    expect.arrayContaining(['tool_start', 'file_updated', 'tool_end', 'final']),
  );
  expect((await ask('GET', `${space.url}/files/tea.md`)).text).toBe('Green.\n');
  const at = `${space.url}/chats/${chat.id}`;
  const waiting = await until('the chat is idle', async () => {
    const { body } = await ask('GET', at);
    return body.state === 'idle' && body;
  });
  expect(waiting).toMatchObject({ mode: 'chat_mode', active_run: null, reason: null });

  // Nothing happens by itself; the next message goes on where the last one ended, in the same session.
  const next = await ask('POST', at, {
    content: say(
      { text: 'One moment.', calls: [{ tool: 'read', input: { path: '/tea.md' } }] },
      { text: 'Green.' },
    ),
  });
  expect(next.status).toBe(202);
  const frames = await framesOf(world.url, next.body.run.id);
  expect(frames.find(({ event }) => event === 'final')!.data).toMatchObject({ text: 'Green.' });
  const { body } = await ask('GET', at);
  expect(body.session.id).toBe(waiting.session.id);
});
