// Sessions that nobody uses: they complete when their time is over, and nothing is lost with them.

import { expect, test } from 'vitest';
import { ask, framesOf, until, usePod } from './support.ts';

const world = usePod({ CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS: '3' });
const OK = JSON.stringify({ steps: [{ text: 'ok' }] });

test('WS-7 an idle session completes when the time since the last ping is over, and the next message starts another', async () => {
  const chats = `${world.url}/api/v1/workspaces/default/chats`;
  const { chat, run } = (await ask('POST', chats, { goal: OK, title: 'x' })).body;
  const url = `${chats}/${chat.id}`;
  await framesOf(world.url, run.id);
  const pinged = await ask('POST', `${url}/ping`);
  expect(pinged.body).toEqual({ state: 'idle', expires_at: expect.any(String) });
  const { session } = await until(async () => {
    const { body } = await ask('GET', url);
    return body.state !== 'idle' && body;
  });
  expect(session).toMatchObject({ state: 'completed', reason: 'idle_timeout' });
  expect(Date.parse(session.changed_at)).toBeGreaterThanOrEqual(Date.parse(pinged.body.expires_at) - 1);

  expect(await ask('POST', `${url}/stop`)).toMatchObject({
    status: 404,
    body: { code: 'nothing_to_stop', detail: expect.stringContaining('the last one is completed') },
  });
  expect((await ask('POST', `${url}/ping`)).body).toEqual({ state: 'completed', expires_at: null });
  expect((await ask('POST', `${url}/pause`)).body.detail).toBe(
    'A session that is completed cannot pause: it has ended; a new message starts a new session.',
  );

  const next = await ask('POST', url, { content: 'What did I say?', model: 'offline/instant' });
  expect((await framesOf(world.url, next.body.run.id)).at(-1)!.data).toEqual({ status: 'done' });
  const sessions = (await ask('GET', `${url}/sessions`)).body.items;
  expect(sessions.map(({ state }: { state: string }) => state)).toEqual(['idle', 'completed']);
  const trail = (await ask('GET', `${url}/messages`)).body.items;
  expect(trail.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});
