// The `ai-sdk` dialect, judged by the client of the `ai` package: its schema of chunks, its transport and its reader.

import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { aiSdk, type NewEvent } from '@continuo/protocol';
import {
  answer,
  ask,
  ASKED,
  begin,
  call,
  done,
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

/** The message that a client has after a response; every chunk passes its schema, and an error throws. */
async function read(frames: readonly object[], before?: UIMessage): Promise<UIMessage> {
  const body = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('') + 'data: [DONE]\n\n';
  const transport = new DefaultChatTransport({ fetch: async () => new Response(body) });
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'c',
    messageId: undefined,
    messages: [],
    abortSignal: undefined,
  });
  let last = before;
  for await (const message of readUIMessageStream({
    stream,
    terminateOnError: true,
    ...(before && { message: structuredClone(before) }),
  }))
    last = message;
  return last!;
}

const types = (frames: readonly object[]) => frames.map((frame) => (frame as { type: string }).type);
const shown = (message: UIMessage) =>
  message.parts.map((part) =>
    'text' in part
      ? `${part.type} ${part.text}`
      : isToolUIPart(part)
        ? `${part.toolCallId} ${part.state}`
        : part.type,
  );

const call1 = call('m1_0', 'read', { path: '/a' });
const withTools: NewEvent[] = [
  ...begin,
  start('m1'),
  thought('m1', 'Let me '),
  thought('m1', 'look.'),
  token('m1', 'I '),
  token('m1', 'look.'),
  end('m1', 'I look.', call1),
  usage('m1'),
  ...tool('m1_0', 'read', { path: '/a' }, { text: 'hi' }),
  { type: 'file_updated', data: { path: '/b', v: 1, file: 'f', call: 'm1_0' } },
  start('m2'),
  token('m2', 'It says hi.'),
  end('m2', 'It says hi.'),
  usage('m2'),
  ...final('It says hi.'),
];

test('PLUS-1 a run is one message: a step for each model call, with reasoning, text and tools', async () => {
  const frames = respond(aiSdk, logged(withTools));
  expect(types(frames)).toEqual([
    'start',
    'start-step',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-delta',
    'reasoning-end',
    'text-start',
    'text-delta',
    'text-delta',
    'text-end',
    'tool-input-available',
    'data-usage',
    'data-tool-start',
    'tool-output-available',
    'data-file-updated',
    'finish-step',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'data-usage',
    'finish-step',
    'finish',
  ]);
  const message = await read(frames);
  expect(message).toMatchObject({
    id: RUN,
    role: 'assistant',
    metadata: { usage: { input: 20, output: 10 }, cost: 0.5 },
  });
  expect(message.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'Let me look.', state: 'done' },
    { type: 'text', text: 'I look.', state: 'done' },
    {
      type: 'dynamic-tool',
      toolName: 'read',
      toolCallId: `${RUN}:m1_0`,
      state: 'output-available',
      input: { path: '/a' },
      output: { text: 'hi' },
    },
    { type: 'data-file-updated', data: { path: '/b', v: 1 } },
    { type: 'step-start' },
    { type: 'text', text: 'It says hi.', state: 'done' },
  ]);
});

test('PLUS-1 a message that is superseded is closed and marked, in its own step', async () => {
  const log: NewEvent[] = [
    ...begin,
    start('m1'),
    token('m1', 'half a '),
    { type: 'state', data: { status: 'running', attempt: 2, supersedes: 'm1' } },
    start('m2'),
    token('m2', 'whole'),
    end('m2', 'whole'),
    ...final('whole'),
  ];
  const frames = respond(aiSdk, logged(log));
  expect(types(frames).slice(2, 8)).toEqual([
    'text-start',
    'text-delta',
    'text-end',
    'data-superseded',
    'finish-step',
    'data-attempt',
  ]);
  expect(shown(await read(frames))).toEqual([
    'step-start',
    'text half a ',
    'data-superseded',
    'step-start',
    'text whole',
  ]);
});

test.each([
  ['canceled', { type: 'canceled', data: { reason: 'user_cancelled' } }, 'abort'],
  ['error', { type: 'error', data: { code: 'x', error: 'the model is away' } }, 'error'],
] as const)('PLUS-1 a run that ends %s closes what is open, and says why last', async (status, why, last) => {
  const log: NewEvent[] = [
    ...begin,
    start('m1'),
    token('m1', 'so f'),
    why,
    { type: 'state', data: { status } },
  ];
  const frames = respond(aiSdk, logged(log));
  expect(types(frames).slice(-3)).toEqual(['text-end', 'finish-step', last]);
  if (last === 'abort') expect(shown(await read(frames))).toEqual(['step-start', 'text so f']);
  else await expect(read(frames)).rejects.toThrow('the model is away');
});

test('PLUS-1 a run that was canceled in the queue is an empty message', async () => {
  const log: NewEvent[] = [
    { type: 'canceled', data: { reason: 'user_cancelled' } },
    { type: 'state', data: { status: 'canceled' } },
  ];
  expect(types(respond(aiSdk, logged(log)))).toEqual(['start', 'abort']);
});

const parked: NewEvent[] = [
  ...begin,
  start('m1'),
  token('m1', 'May I?'),
  end('m1', 'May I?', call('m1_0', 'send', { to: 'a' }), call('m1_1', 'read', {})),
  ask('m1_0', ASKED),
  ...tool('m1_1', 'read', {}, { text: 'r' }),
];
const thanks = [start('m2'), token('m2', 'thanks'), end('m2', 'thanks'), ...final('thanks')];

test.each([
  [
    'approve',
    [answer('m1_0', ASKED, 'approve'), ...tool('m1_0', 'send', { to: 'a' }, { ok: true })],
    'output-available',
    { to: 'a' },
  ],
  [
    'edit',
    [answer('m1_0', ASKED, 'edit', { to: 'b' }), ...tool('m1_0', 'send', { to: 'b' }, { ok: true })],
    'output-available',
    { to: 'b' },
  ],
  [
    'deny',
    [
      answer('m1_0', ASKED, 'deny'),
      {
        type: 'tool_end',
        data: { call: 'm1_0', tool: 'send', output: { error: 'no' }, success: false, outcome: 'denied' },
      },
    ],
    'output-denied',
    { to: 'a' },
  ],
] as [string, NewEvent[], string, unknown][])(
  'PLUS-1 an approval ends the response; after %s the next one goes on with the same message, and a replay gives the same',
  async (decision, settled, state, input) => {
    const first = respond(aiSdk, logged(parked));
    expect(types(first).slice(-4)).toEqual([
      'data-tool-start',
      'tool-output-available',
      'finish-step',
      'finish',
    ]);
    const asked = await read(first);
    expect(asked.parts[2]).toMatchObject({ state: 'approval-requested', approval: { id: ASKED } });
    expect(asked.parts[4]).toMatchObject({ type: 'data-approval', data: { reason: 'rule 1 says ask' } });
    // As the client has it when somebody has answered.
    const answered = structuredClone(asked);
    Object.assign(answered.parts[2]!, {
      state: 'approval-responded',
      approval: { id: ASKED, approved: decision !== 'deny' },
    });
    const whole = logged([...parked, ...settled, ...thanks]);
    const second = respond(aiSdk, whole, parked.length);
    expect(types(second)[0]).toBe('start');
    const continued = await read(second, answered);
    expect(continued.parts[2]).toMatchObject({ state, input });
    const replayed = await read(respond(aiSdk, whole));
    expect(shown(continued)).toEqual(shown(replayed));
    expect(shown(replayed)).toEqual([
      'step-start',
      'text May I?',
      `${RUN}:m1_0 ${state}`,
      `${RUN}:m1_1 output-available`,
      'data-approval',
      'step-start',
      'text thanks',
    ]);
    expect(replayed.parts[4]).toMatchObject({ data: { decision, reason: 'rule 1 says ask' } });
  },
);

test('PLUS-1 denied calls and calls with invalid input end as errors', async () => {
  const log: NewEvent[] = [
    ...begin,
    start('m1'),
    end('m1', '', call('m1_0', 'send', {}), {
      kind: 'tool_call',
      callId: 'm1_1',
      tool: 'read',
      input: { kind: 'invalid', text: '{"pa' },
    }),
    {
      type: 'tool_end',
      data: {
        call: 'm1_0',
        tool: 'send',
        output: { error: 'denied: rule 2' },
        success: false,
        outcome: 'denied',
      },
    },
    { type: 'tool_start', data: { call: 'm1_1', tool: 'read', input: {} } },
    { type: 'tool_end', data: { call: 'm1_1', tool: 'read', output: { error: 'not JSON' }, success: false } },
    start('m2'),
    end('m2', ''),
    ...final(''),
  ];
  const { parts } = await read(respond(aiSdk, logged(log)));
  expect(parts[1]).toMatchObject({ state: 'output-error', errorText: 'denied: rule 2' });
  expect(parts[2]).toMatchObject({ state: 'output-error', errorText: 'not JSON', input: '{"pa' });
});

test('PLUS-1 steering messages and usage are parts of the message', async () => {
  const log: NewEvent[] = [
    ...begin,
    start('m1'),
    end('m1', ''),
    { type: 'message', data: { id: 'u2', role: 'user', content: 'and hurry', steer: true } },
    start('m2'),
    token('m2', 'yes'),
    end('m2', 'yes'),
    { type: 'final', data: { text: 'yes', sources: ['f1'], message: 'm2' } },
    done,
  ];
  expect(shown(await read(respond(aiSdk, logged(log))))).toEqual([
    'step-start',
    'data-steered',
    'step-start',
    'text yes',
    'data-sources',
  ]);
});
