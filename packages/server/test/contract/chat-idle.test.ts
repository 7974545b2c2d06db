// Sessions that nobody uses: they complete when their time is over, and nothing is lost with them.

import { expect, test } from 'vitest';
import { ask, framesOf, seen, until } from '@continuo/testkit';
import { holdEffects, usePod, waitedFor } from '@continuo/testkit/fixtures';

const world = usePod({ CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS: '3' });
const OK = JSON.stringify({ steps: [{ text: 'ok' }] });

test('WS-7 an idle session completes when the time since the last ping is over, and the next message starts another', async () => {
  const chats = `${world.url}/api/v1/workspaces/default/chats`;
  const { chat, run } = (await ask('POST', chats, { goal: OK, title: 'x' })).body;
  const url = `${chats}/${chat.id}`;
  await framesOf(world.url, run.id);
  const pinged = await ask('POST', `${url}/ping`);
  expect(pinged.body).toEqual({ state: 'idle', expires_at: expect.any(String) });
  const { session } = await until('the chat is no longer idle', async () => {
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

  const next = await ask('POST', url, { content: 'Hello again.', model: 'offline/instant' });
  expect((await framesOf(world.url, next.body.run.id)).at(-1)!.data).toEqual({ status: 'done' });
  const sessions = (await ask('GET', `${url}/sessions`)).body.items;
  expect(sessions.map(({ state }: { state: string }) => state)).toEqual(['idle', 'completed']);
  const trail = (await ask('GET', `${url}/messages`)).body.items;
  expect(trail.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('WS-7 running, paused and waiting never time out, and the clock begins anew when an interaction ends', async () => {
  const chats = `${world.url}/api/v1/workspaces/default/chats`;
  await ask('PUT', `${world.url}/api/v1/workspaces/default/policy`, {
    rules: [
      { tool: 'external', action: 'ask' },
      { tool: 'idempotent', action: 'allow' },
    ],
  });
  const open = async (...steps: object[]) => {
    const { chat, run } = (await ask('POST', chats, { goal: JSON.stringify({ steps }), title: 'x' })).body;
    return { url: `${chats}/${chat.id}`, run: run.id as string };
  };
  const read = async ({ url }: { url: string }) => (await ask('GET', url)).body;
  const inState = (chat: { url: string }, state: string) =>
    until(`the chat is ${state}`, async () => {
      const body = await read(chat);
      return body.state === state && body;
    });
  const call = (tool: string) => ({ calls: [{ tool, input: { note: tool } }] });

  const release = await holdEffects(world.database);
  const paused = await open(call('idempotent'), { text: 'over' });
  await waitedFor(world.database, 'effects');
  await ask('POST', `${paused.url}/pause`);
  await release();
  await inState(paused, 'paused');
  const waiting = await open(call('external'), { text: 'over' });
  await seen(world.url, waiting.run, 'approval');
  const running = await open({ text: 'so far', hang: true });
  await seen(world.url, running.run, 'token');
  // Idle only now: when its time is over, the others have been in their states for longer than that.
  const idle = await open({ text: 'ok' });
  expect(await inState(idle, 'completed')).toMatchObject({ session: { reason: 'idle_timeout' } });
  expect((await read(paused)).state).toBe('paused');
  expect((await read(waiting)).session.state).not.toBe('completed');
  expect((await read(running)).state).toBe('running');
  for (const chat of [paused, waiting, running])
    expect((await ask('POST', `${chat.url}/ping`)).body.expires_at).toBeNull();

  const approvals = `${world.url}/api/v1/workspaces/default/approvals`;
  const { items } = (await ask('GET', approvals)).body;
  const asked = items.find(({ run_id }: { run_id: string }) => run_id === waiting.run);
  expect((await ask('POST', `${approvals}/${asked.id}`, { decision: 'approve' })).status).toBe(200);
  await ask('POST', `${paused.url}/resume`);
  for (const chat of [paused, waiting]) {
    expect((await framesOf(world.url, chat.run)).at(-1)!.data).toEqual({ status: 'done' });
    const { session } = await inState(chat, 'completed');
    const { ended_at: ended } = (await ask('GET', `${world.url}/api/runs/${chat.run}`)).body;
    expect(session.reason).toBe('idle_timeout');
    expect(Date.parse(session.changed_at) - Date.parse(ended)).toBeGreaterThanOrEqual(2_999);
    expect((await ask('GET', `${chat.url}/sessions`)).body.items).toHaveLength(1);
  }
  expect((await read(running)).state).toBe('running');
  await ask('POST', `${running.url}/stop`);
  expect((await framesOf(world.url, running.run)).at(-1)!.data).toEqual({ status: 'canceled' });
});
