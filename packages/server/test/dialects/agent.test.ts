// The agent's turn over real HTTP.

import { expect, test } from 'vitest';
import { ask, createThread, seen, send, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { listen, type SseFrame } from './listen.ts';

const world = usePod();
const stream = (runId = '') => `${world.url}/api/agent/stream${runId && `/${runId}`}`;
const turn = (script: unknown, more: object = {}) =>
  listen(stream(), {}, { message: JSON.stringify(script), scope: 'global', ...more });
const briefly = (frames: readonly SseFrame[]) =>
  frames.map(({ event, data }) =>
    [event, data.state ?? data.text ?? data.call ?? data.status ?? data.error].join(' ').trim(),
  );

test('CHAT-1 a message is answered in the same request, from session to done', async () => {
  const first = await turn({
    steps: [{ text: 'Look. ', calls: [{ tool: 'pure', input: { note: 'x' } }] }, { text: 'Seen.' }],
  });
  const { frames, rest } = await first.toEnd();
  expect(rest).toBe('');
  expect(briefly(frames.filter(({ event }) => event !== 'context_usage'))).toEqual([
    'session',
    'agent_state thinking',
    'text_delta Look.',
    'agent_state executing',
    'tool_call m1_0',
    'tool_result m1_0',
    'agent_state thinking',
    'text_delta Seen.',
    'done done',
  ]);
  expect(frames.filter(({ event }) => event === 'context_usage').map(({ data }) => data)).toMatchObject([
    { message: 'm1', tokens: expect.any(Number), usage: { output: expect.any(Number) } },
    { message: 'm2' },
  ]);
  const { session_id, run_id } = frames[0]!.data;
  expect(first.response.headers.get('content-location')).toBe(`/api/agent/stream/${run_id}`);

  const second = await turn({ steps: [{ text: 'Again.' }] }, { session_id });
  const again = await second.toEnd();
  expect(again.frames[0]!.data).toEqual({ session_id, run_id: expect.not.stringMatching(run_id) });
  const { body } = await ask('GET', `${world.url}/api/threads/${session_id}/messages`);
  expect(
    body.items
      .filter(({ role }: { role: string }) => role === 'assistant')
      .map(({ content }: { content: string }) => content),
  ).toEqual(['Look. ', 'Seen.', 'Again.']);
});

test('CHAT-2 text is on the wire before the call that follows it, and while that call is still running', async () => {
  const long = { tool: 'pure', input: { note: 'x', delay_ms: 600_000 } };
  const listener = await turn({ steps: [{ text: 'Look. ', calls: [long] }] });
  const frames = await listener.until(({ event }) => event === 'tool_call');
  expect(briefly(frames)).toContain('text_delta Look.');
  const { run_id } = frames[0]!.data;
  expect((await ask('GET', `${world.url}/api/runs/${run_id}`)).body.status).toBe('running');
  listener.close();
  expect((await ask('POST', `${world.url}/api/runs/${run_id}/cancel`)).status).toBe(200);
});

test('CHAT-1 a cut stream can be resumed after any frame, also between the frames of one event; at its end the answer is 204', async () => {
  const { frames } = await (
    await turn({
      steps: [
        { text: 'a b', calls: [{ tool: 'pure', input: { note: 'x' } }, { tool: 'none' }] },
        { text: 'c' },
      ],
    })
  ).toEnd();
  expect(frames.some(({ id }) => id.includes('.'))).toBe(true);
  const url = stream(frames[0]!.data.run_id);
  for (const [index, { id }] of frames.entries()) {
    if (index === frames.length - 1) {
      expect((await ask('GET', url, undefined, { 'last-event-id': id })).status).toBe(204);
      break;
    }
    for (const resumed of [await listen(url, { 'last-event-id': id }), await listen(`${url}?after=${id}`)]) {
      const rest = await resumed.toEnd();
      expect(rest.frames.map(({ raw }) => raw)).toEqual(frames.slice(index + 1).map(({ raw }) => raw));
    }
  }
  expect((await (await listen(url)).toEnd()).frames).toEqual(frames);
});

test('CHAT-1 a failed turn ends with error, then done; a canceled one says why', async () => {
  const failed = await (
    await turn({ steps: [{ text: 'I', error: { code: 'broken', message: 'it broke' } }] })
  ).toEnd();
  expect(failed.frames.slice(-2)).toMatchObject([
    { event: 'error', data: { code: 'broken', error: 'it broke' } },
    { event: 'done', data: { status: 'error' } },
  ]);
  const canceled = await turn({ steps: [{ text: 'on', hang: true }] });
  const [session] = await canceled.until(({ event }) => event === 'text_delta');
  await ask('POST', `${world.url}/api/runs/${session!.data.run_id}/cancel`, { reason: 'enough' });
  expect((await canceled.toEnd()).frames.at(-1)).toMatchObject({
    event: 'done',
    data: { status: 'canceled', reason: 'enough' },
  });
});

test('CHAT-1 a turn that waits behind another, and is canceled there, has its session and its done', async () => {
  const thread = await createThread(world.url);
  const busy = await send(world.url, thread, { steps: [{ text: 'on', hang: true }] });
  await seen(world.url, busy.id, 'token');
  const waiting = await turn({ steps: [{ text: 'never' }] }, { session_id: thread });
  const runId = waiting.response.headers.get('content-location')!.split('/').at(-1)!;
  await ask('POST', `${world.url}/api/runs/${runId}/cancel`);
  const { frames } = await waiting.toEnd();
  expect(briefly(frames)).toEqual(['session', 'agent_state thinking', 'done canceled']);
  await ask('POST', `${world.url}/api/runs/${busy.id}/cancel`);
});

test('CHAT-1 repeating a message under its Idempotency-Key streams the same run again from its beginning', async () => {
  const once = () =>
    listen(stream(), { 'idempotency-key': 'once' }, { message: '{"steps":[{"text":"one"}]}' });
  const first = await (await once()).toEnd();
  expect(await (await once()).toEnd()).toEqual(first);
});

test('a client that disconnects cancels nothing', async () => {
  const leaving = await turn({ steps: [{ tokens: 40, delay_ms: 2 }] });
  const [session] = await leaving.until(({ event }) => event === 'text_delta');
  leaving.close();
  const run = await until('the run has ended', async () => {
    const { body } = await ask('GET', `${world.url}/api/runs/${session!.data.run_id}`);
    return body.status !== 'running' && body;
  });
  expect(run.status).toBe('done');
});

test('CHAT-1 an invalid request is refused and creates no thread', async () => {
  const threads = async () => (await ask('GET', `${world.url}/api/threads?limit=1000`)).body.items.length;
  const before = await threads();
  const unknown = '0190a8f2-0000-7000-8000-000000000000';
  const refused: [object, number, string][] = [
    [{ scope: 'project', project_id: 'p' }, 400, 'invalid_body'],
    [{ scope: 'entity', entity: { id: unknown } }, 400, 'invalid_body'],
    [{ scope: 'project' }, 400, 'invalid_scope'],
    [{ project_id: unknown }, 400, 'invalid_scope'],
    [{ scope: 'project', project_id: unknown }, 404, 'project_not_found'],
    [{ scope: 'entity', entity: { type: 'task', id: unknown } }, 404, 'task_not_found'],
    [{ scope: 'galaxy' }, 400, 'invalid_body'],
    [{ message: '' }, 400, 'invalid_body'],
    [{ role: 'nobody' }, 400, 'unknown_role'],
    [{ session_id: 'x' }, 400, 'invalid_body'],
    [{ workspace: 'nowhere' }, 404, 'workspace_not_found'],
    [{ session_id: '0190a8f2-0000-7000-8000-000000000000' }, 404, 'session_not_found'],
  ];
  for (const [more, status, code] of refused) {
    expect(await ask('POST', stream(), { message: 'hi', ...more })).toMatchObject({ status, body: { code } });
  }
  expect(await threads()).toBe(before);
  expect(await ask('GET', stream('0190a8f2-0000-7000-8000-000000000000'))).toMatchObject({ status: 404 });
});
