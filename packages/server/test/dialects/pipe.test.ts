// A chat's pipe over real HTTP: one stream across runs and sessions, from any cursor.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, seen, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { listen, type SseFrame } from './listen.ts';

/** The offline model is free; what an executor costs is not known. */
const COST = process.env.CONTINUO_TEST_EXECUTOR ? null : 0;
const world = usePod();
const pipe = (chat: string, query = '') =>
  `${world.url}/api/v1/workspaces/default/chats/${chat}/events${query}`;
const typesOf = (frames: readonly SseFrame[]) => frames.map(({ event }) => event);

test('WS-10 the pipe has messages, reasoning, calls, results and how the run ended', async () => {
  const chat = await createThread(world.url);
  const listener = await listen(pipe(chat));
  const run = await send(world.url, chat, {
    steps: [
      {
        reasoning: 'hm',
        text: 'Let me see. ',
        calls: [{ tool: 'pure', input: { note: 'x', path: 'a.md' } }],
      },
      { text: 'All is well.' },
    ],
  });
  const frames = await listener.until((frame) => frame.data.to_state === 'idle');
  listener.close();
  expect([...new Set(typesOf(frames))]).toEqual([
    'state_changed',
    'message',
    'thought',
    'chunk',
    'call',
    'observation',
    'done',
  ]);
  const data = (event: string) => frames.filter((frame) => frame.event === event).map((frame) => frame.data);
  expect(data('state_changed')).toMatchObject([
    { from_state: 'idle', to_state: 'running', reason: 'message' },
    { from_state: 'running', to_state: 'idle', reason: 'done' },
  ]);
  expect(data('message')).toMatchObject([{ role: 'user', run: run.id }]);
  expect(
    data('thought')
      .map(({ text }) => text)
      .join(''),
  ).toBe('hm');
  expect(
    data('chunk')
      .map(({ text }) => text)
      .join(''),
  ).toBe('Let me see. All is well.');
  expect(data('call')).toEqual([
    { tool: 'pure', path: 'a.md', call: 'm1_0', input: { note: 'x', path: 'a.md' } },
  ]);
  expect(data('observation')).toEqual([
    { tool: 'pure', output: 'x', data: { saw: 'x' }, call: 'm1_0', success: true },
  ]);
  expect(data('done')).toEqual([
    {
      message: 'All is well.',
      usage: expect.objectContaining({ input: expect.any(Number), output: expect.any(Number) }),
      metadata: { run: run.id, message: 'm2', sources: [], cost: COST },
    },
  ]);
});

test('WS-8 one stream continues through runs and sessions, and can be resumed after any frame', async () => {
  const chat = await createThread(world.url);
  const listener = await listen(pipe(chat));
  const first = await send(world.url, chat, { steps: [{ text: 'on and on', hang: true }] });
  await seen(world.url, first.id, 'token');
  await ask('POST', `${world.url}/api/runs/${first.id}/cancel`);
  await framesOf(world.url, first.id);
  const second = await send(world.url, chat, {
    steps: [{ error: { code: 'broken', message: 'the model broke' } }],
  });
  await framesOf(world.url, second.id);
  await send(world.url, chat, { steps: [{ text: 'again' }] });
  const frames = await listener.until(
    (frame) => frame.event === 'state_changed' && frame.data.reason === 'done',
  );
  listener.close();

  const ends = frames.filter(({ event }) => event === 'stopped' || event === 'state_changed');
  expect(ends.map(({ event, data }) => [event, data.to_state ?? data.partial_response, data.reason])).toEqual(
    [
      ['state_changed', 'running', 'message'],
      ['stopped', 'on and on', 'user_cancelled'],
      ['state_changed', 'cancelled', 'user_cancelled'],
      ['state_changed', 'running', 'message'],
      ['state_changed', 'error', 'the model broke'],
      ['state_changed', 'running', 'message'],
      ['state_changed', 'idle', 'done'],
    ],
  );
  expect(
    new Set(frames.filter(({ event }) => event === 'state_changed').map(({ data }) => data.session)).size,
  ).toBe(3);

  const last = frames.at(-1)!;
  for (const [index, { id }] of frames.slice(0, -1).entries()) {
    const again = await listen(pipe(chat), { 'last-event-id': id });
    const rest = await again.until((frame) => frame.id === last.id);
    again.close();
    expect(rest.map(({ raw }) => raw)).toEqual(frames.slice(index + 1).map(({ raw }) => raw));
  }
});

test('WS-4 after=latest begins at the end of the log, and returns that cursor', async () => {
  const chat = await createThread(world.url);
  const before = await send(world.url, chat, { steps: [{ text: 'before' }] });
  await framesOf(world.url, before.id);
  const listener = await listen(pipe(chat, '?after=latest'));
  await send(world.url, chat, { steps: [{ text: 'after' }] });
  const frames = await listener.until((frame) => frame.event === 'done');
  listener.close();
  expect(frames.filter(({ event }) => event === 'chunk').map(({ data }) => data.text)).toEqual(['after']);
  const again = await listen(pipe(chat), {
    'last-event-id': listener.response.headers.get('last-event-id')!,
  });
  expect(await again.until((frame) => frame.event === 'done')).toEqual(frames);
  again.close();
});

test('no such chat or workspace is 404, a bad cursor 400', async () => {
  const chat = await createThread(world.url);
  const other = (await ask('POST', `${world.url}/api/v1/workspaces`, { name: 'other' })).body.id;
  const none = '0190a8f2-0000-7000-8000-000000000000';
  expect(await ask('GET', pipe(none))).toMatchObject({ status: 404, body: { code: 'chat_not_found' } });
  expect(await ask('GET', pipe(chat).replace('default', other))).toMatchObject({
    status: 404,
    body: { code: 'chat_not_found' },
  });
  expect(await ask('GET', pipe(chat).replace('default', 'nowhere'))).toMatchObject({
    status: 404,
    body: { code: 'workspace_not_found' },
  });
  const removed = await createThread(world.url);
  await ask('DELETE', pipe(removed).replace('/events', ''));
  expect(await ask('GET', pipe(removed))).toMatchObject({ status: 410, body: { code: 'chat_removed' } });
  for (const cursor of ['x', '-1', '1', '0.1', '1.0', '99999999999', 'late']) {
    expect(await ask('GET', pipe(chat, `?after=${cursor}`))).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  }
});

test('WS-4 pages of JSON hold what the stream holds, in any size of page', async () => {
  const chat = await createThread(world.url);
  const calls = [{ tool: 'pure', input: { note: 'x' } }, { tool: 'none' }];
  const run = await send(world.url, chat, { steps: [{ text: 'a\u0000b', calls }, { text: 'c' }] });
  await framesOf(world.url, run.id);
  const listener = await listen(pipe(chat));
  const frames = await listener.until(({ data }) => data.to_state === 'idle');
  listener.close();
  for (const limit of [1, 3, frames.length, 1000]) {
    const items: { id: string; type: string; data: unknown }[] = [];
    for (let next: string | null = '0'; next !== null;) {
      const page = await ask('GET', pipe(chat, `?limit=${limit}&after=${next}`), undefined, {
        accept: 'application/json',
      });
      expect(page.status).toBe(200);
      expect(page.body.items.length).toBeLessThanOrEqual(limit);
      items.push(...page.body.items);
      next = page.body.next;
    }
    expect(items.map(({ id, type, data }) => ({ id, event: type, data }))).toEqual(
      frames.map(({ id, event, data }) => ({ id, event, data })),
    );
  }
  expect((await ask('GET', pipe(chat, '?format=json&after=latest'))).body).toEqual({ items: [], next: null });
});
