// The `ag-ui` dialect, judged by the real HttpAgent, which checks every event and their order. What it takes without a
// word (a patch that does not apply, an event that it does not know) it warns of: a warning fails the test.

import { HttpAgent, type Message } from '@ag-ui/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { agUi, type NewEvent } from '@continuo/protocol';
import {
  answer,
  ask,
  ASKED,
  begin,
  call,
  end,
  final,
  logged,
  respond,
  RUN,
  start,
  thought,
  token,
  tool,
  usage,
} from './logs.ts';

const warned = vi.spyOn(console, 'warn');
beforeEach(() => warned.mockClear());
afterEach(() => expect(warned.mock.calls).toEqual([]));

const question: Message = { id: 'u1', role: 'user', content: 'hello' };
const dialect = agUi({ threadId: 'thread', runId: 'run', messages: [question] });
const type = (frame: object) => (frame as { type: string }).type;

/** An agent that is answered with these responses, one after the other. */
function agentOf(...responses: (readonly object[])[]): HttpAgent {
  const bodies = responses.map((frames) =>
    frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''),
  );
  return new HttpAgent({
    url: 'http://localhost/api/ag-ui',
    threadId: 'thread',
    initialMessages: [question],
    fetch: async () => new Response(bodies.shift(), { headers: { 'content-type': 'text/event-stream' } }),
  });
}

const withTools: NewEvent[] = [
  ...begin,
  start('m1'),
  thought('m1', 'Let me '),
  token('m1', 'I '),
  thought('m1', 'look.'),
  token('m1', 'look.'),
  end('m1', 'I look.', call('m1_0', 'read', { path: '/a' })),
  usage('m1'),
  ...tool('m1_0', 'read', { path: '/a' }, { text: 'hi' }),
  { type: 'file_updated', data: { path: '/b', v: 1, file: 'f', call: 'm1_0' } },
  start('m2'),
  token('m2', 'It says hi.'),
  end('m2', 'It says hi.'),
  usage('m2'),
  ...final('It says hi.'),
];

test('PLUS-1 a run is messages, tool calls with results, reasoning, and a state that follows', async () => {
  const frames = respond(dialect, logged(withTools));
  expect(frames.map(type).slice(0, 2)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT']);
  expect(JSON.stringify(frames)).not.toContain('null');
  const agent = agentOf(frames);
  const { result } = await agent.runAgent();
  expect(result).toEqual({ text: 'It says hi.', sources: [] });
  expect(agent.messages).toEqual([
    question,
    { id: `${RUN}/r1`, role: 'reasoning', content: 'Let me ' },
    expect.objectContaining({
      id: `${RUN}/m1`,
      role: 'assistant',
      content: 'I look.',
      toolCalls: [
        { id: `${RUN}:m1_0`, type: 'function', function: { name: 'read', arguments: '{"path":"/a"}' } },
      ],
    }),
    { id: `${RUN}:m1_0/result`, role: 'tool', toolCallId: `${RUN}:m1_0`, content: '{"text":"hi"}' },
    { id: `${RUN}/r2`, role: 'reasoning', content: 'look.' },
    { id: `${RUN}/m2`, role: 'assistant', content: 'It says hi.' },
  ]);
  expect(agent.state).toEqual({
    run: RUN,
    status: 'done',
    attempt: 1,
    files: [{ path: '/b', v: 1, file: 'f' }],
    usage: { input: 20, output: 10 },
    cost: 0.5,
  });
  expect(frames.at(-1)).toEqual({
    type: 'RUN_FINISHED',
    threadId: 'thread',
    runId: 'run',
    outcome: { type: 'success' },
    result,
    usage: [{ model: 'offline/script', inputTokens: 20, outputTokens: 10, totalTokens: 30 }],
  });
});

test.each([['with reasoning', [thought('m1', 'hm')]] as const, ['without', []] as const])(
  'PLUS-1 a superseded message is withdrawn, %s',
  async (_, thoughts) => {
    const log: NewEvent[] = [
      ...begin,
      start('m1'),
      ...thoughts,
      token('m1', 'half a '),
      { type: 'state', data: { status: 'running', attempt: 2, supersedes: 'm1' } },
      start('m2'),
      token('m2', 'whole'),
      end('m2', 'whole'),
      ...final('whole'),
    ];
    const agent = agentOf(respond(dialect, logged(log)));
    await agent.runAgent();
    expect(agent.messages.filter(({ content }) => content !== '')).toEqual([
      question,
      { id: `${RUN}/m2`, role: 'assistant', content: 'whole' },
    ]);
    expect(agent.state).toMatchObject({ attempt: 2, status: 'done' });
  },
);

test('PLUS-1 a run that fails ends with RUN_ERROR, one that is canceled with that outcome', async () => {
  const cut = [...begin, start('m1'), thought('m1', 'hm'), token('m1', 'so f')];
  const failed = respond(
    dialect,
    logged([
      ...cut,
      { type: 'error', data: { code: 'x', error: 'away' } },
      { type: 'state', data: { status: 'error' } },
    ]),
  );
  expect(failed.at(-1)).toEqual({ type: 'RUN_ERROR', message: 'away', code: 'x' });
  const errors: unknown[] = [];
  const agent = agentOf(failed);
  await agent.runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.message) });
  expect(errors).toEqual(['away']);
  expect(agent.messages.at(-1)).toMatchObject({ content: 'so f' });

  const canceled: NewEvent[] = [
    ...cut,
    { type: 'canceled', data: { reason: 'user_cancelled' } },
    { type: 'state', data: { status: 'canceled' } },
  ];
  const outcomes: unknown[] = [];
  const other = agentOf(respond(dialect, logged(canceled)));
  await other.runAgent({}, { onRunFinishedEvent: ({ outcome }) => void outcomes.push(outcome) });
  expect(outcomes).toEqual(['cancelled']);
  expect(other.state).toMatchObject({ status: 'canceled' });
});

test('PLUS-1 an approval is an interrupt; the run that resumes goes on where the first one ended', async () => {
  const parked: NewEvent[] = [
    ...begin,
    start('m1'),
    end('m1', '', call('m1_0', 'send', { to: 'a' })),
    ask('m1_0', ASKED),
  ];
  const whole = logged([
    ...parked,
    answer('m1_0', ASKED, 'approve'),
    ...tool('m1_0', 'send', { to: 'a' }, { ok: true }),
    start('m2'),
    token('m2', 'thanks'),
    end('m2', 'thanks'),
    ...final('thanks'),
  ]);
  const next = agUi({ threadId: 'thread', runId: 'second', messages: [question] });
  const agent = agentOf(respond(dialect, logged(parked)), respond(next, whole, parked.length));
  await agent.runAgent();
  expect(agent.state).toMatchObject({ status: 'waiting' });
  expect(agent.pendingInterrupts).toEqual([
    {
      id: ASKED,
      reason: 'tool_call',
      message: 'rule 1 says ask',
      toolCallId: `${RUN}:m1_0`,
      responseSchema: expect.objectContaining({ required: ['approved'] }),
      metadata: { tool: 'send', input: { to: 'a' }, paths: ['/x'] },
    },
  ]);
  await agent.runAgent({
    resume: [{ interruptId: ASKED, status: 'resolved', payload: { approved: true } }],
  });
  expect(agent.pendingInterrupts).toEqual([]);
  expect(agent.state).toMatchObject({ status: 'done' });
  const once = agent.messages.map(({ role, content }) => [role, content]);
  expect(once).toEqual([
    ['user', 'hello'],
    ['assistant', undefined],
    ['tool', '{"ok":true}'],
    ['assistant', 'thanks'],
  ]);
});

test('PLUS-1 a steering message is a person’s message; a pause is a status of the run', async () => {
  const paused: NewEvent = {
    type: 'session',
    data: { session: 's', from_state: 'running', to_state: 'paused', reason: 'x' },
  };
  const log: NewEvent[] = [
    ...begin,
    paused,
    { type: 'session', data: { session: 's', from_state: 'paused', to_state: 'running', reason: 'x' } },
    { type: 'message', data: { id: 'u2', role: 'user', content: 'and hurry', steer: true } },
    start('m1'),
    token('m1', 'yes'),
    end('m1', 'yes'),
    ...final('yes'),
  ];
  const statuses: unknown[] = [];
  const agent = agentOf(respond(dialect, logged(log)));
  await agent.runAgent({}, { onStateChanged: ({ state }) => void statuses.push(state.status) });
  expect(statuses).toEqual(['running', 'paused', 'running', 'done']);
  expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
});
