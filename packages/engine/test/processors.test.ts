import { afterEach, expect, test, vi } from 'vitest';
import { createAgentProcessor, initialAgentState } from '@continuo/engine';
import type { AgentOutput, AgentState, EngineEvent, StreamEvent } from '@continuo/engine';
import { answer, call, only, play, start, stop, typesOf } from './support/play.ts';

afterEach(() => void vi.restoreAllMocks());

const conversation: StreamEvent[] = [
  start,
  { type: 'reasoning_block_start', at: 1 },
  { type: 'reasoning_delta', at: 2, text: 'let me see' },
  { type: 'reasoning_block_stop', at: 3, metadata: { signature: 'abc' } },
  { type: 'text_block_start', at: 4 },
  { type: 'text_delta', at: 5, text: 'I will ' },
  { type: 'text_delta', at: 6, text: 'look.' },
  { type: 'text_block_stop', at: 7 },
  ...call('a', 'search', '{"query":', '"tea"}'),
  { type: 'tool_result', at: 8, callId: 'a', tool: 'search', output: { found: 3 } },
  stop,
];

test('ENG-3 a processor is pure: frozen states and inputs, the same answer every time', () => {
  const processor = createAgentProcessor({ small: { input: 1, output: 1 } });
  const steps: { state: AgentState; event: EngineEvent; answered: unknown }[] = [];
  let state = deepFreeze(initialAgentState);
  const pending: EngineEvent[] = [...conversation];
  for (let event = pending.shift(); event !== undefined; event = pending.shift()) {
    const answered = deepFreeze(processor(state, deepFreeze(event)));
    steps.push({ state, event, answered });
    state = answered[0];
    pending.unshift(...answered[1]);
  }
  expect(steps.length).toBeGreaterThan(conversation.length);
  for (const { state: before, event, answered } of steps) expect(processor(before, event)).toEqual(answered);
});

test('ENG-3 there is no clock: times are those of the events', async () => {
  const now = vi.spyOn(Date, 'now');
  const events = await play(answer('Hello'));
  expect(now).not.toHaveBeenCalled();
  expect(only(events, 'assistant_message', 'conversation_end', 'turn_response').map(({ at }) => at)).toEqual([
    4, 4, 4,
  ]);
});

test('ENG-4 deltas become one assistant_message with its parts in order', async () => {
  const [message, ...more] = only(await play(conversation), 'assistant_message');
  expect(more).toEqual([]);
  expect(message).toEqual({
    type: 'assistant_message',
    at: 9,
    messageId: 'message-1',
    text: 'I will look.',
    parts: [
      { kind: 'reasoning', text: 'let me see', metadata: { signature: 'abc' } },
      { kind: 'text', text: 'I will look.' },
      { kind: 'tool_call', callId: 'a', tool: 'search', input: { kind: 'json', value: { query: 'tea' } } },
    ],
    ended: 'complete',
    reason: 'end',
    usage: { input: 1, output: 1 },
  });
});

test('ENG-4 the model and the metadata of the message are carried along', async () => {
  const events = answer('Hi').map((event) =>
    event.type === 'message_stop' ? { ...event, metadata: { responseId: 'r-1' } } : event,
  );
  expect(only(await play(events), 'assistant_message')).toMatchObject([
    { model: 'small', metadata: { responseId: 'r-1' } },
  ]);
});

test('ENG-4 tool events become tool_use_message and tool_result_message', async () => {
  const events = await play(conversation);
  expect(only(events, 'tool_use_message', 'tool_result_message')).toEqual([
    {
      type: 'tool_use_message',
      at: 3,
      messageId: 'message-1',
      callId: 'a',
      tool: 'search',
      input: { kind: 'json', value: { query: 'tea' } },
    },
    { type: 'tool_result_message', at: 8, callId: 'a', tool: 'search', output: { found: 3 }, failed: false },
  ]);
});

test('ENG-4 a failed tool result says so', async () => {
  const result: StreamEvent = {
    type: 'tool_result',
    at: 5,
    callId: 'a',
    tool: 't',
    output: 'no',
    failed: true,
  };
  expect(only(await play([start, result, stop]), 'tool_result_message')).toMatchObject([{ failed: true }]);
});

test.each([
  ['', { kind: 'json', value: {} }],
  [' \n', { kind: 'json', value: {} }],
  ['[1]', { kind: 'json', value: [1] }],
  ['{"a":', { kind: 'invalid', text: '{"a":' }],
  ['sure!', { kind: 'invalid', text: 'sure!' }],
])('ENG-4 the tool input %j is read as %j', async (text, input) => {
  const events = await play([start, ...call('a', 'search', text), stop]);
  expect(only(events, 'tool_use_message')).toMatchObject([{ input }]);
});

test('ENG-4 interleaved calls are told apart by their ids, and parts keep the order of starts', async () => {
  const events = await play([
    start,
    { type: 'tool_input_start', at: 1, callId: 'a', tool: 'read' },
    { type: 'tool_input_start', at: 1, callId: 'b', tool: 'write' },
    { type: 'tool_input_delta', at: 2, callId: 'b', text: '[2' },
    { type: 'tool_input_delta', at: 2, callId: 'a', text: '[1' },
    { type: 'tool_input_delta', at: 2, callId: 'b', text: ']' },
    { type: 'tool_input_stop', at: 3, callId: 'b' },
    { type: 'tool_input_delta', at: 3, callId: 'a', text: ']' },
    { type: 'tool_input_stop', at: 4, callId: 'a' },
    stop,
  ]);
  expect(only(events, 'tool_use_message').map(({ tool, input }) => [tool, input])).toEqual([
    ['write', { kind: 'json', value: [2] }],
    ['read', { kind: 'json', value: [1] }],
  ]);
  expect(only(events, 'assistant_message')[0]!.parts).toMatchObject([{ callId: 'a' }, { callId: 'b' }]);
});

test('ENG-4 an empty block is a part only if it carries metadata', async () => {
  const events = await play([
    start,
    { type: 'text_block_start', at: 1 },
    { type: 'text_block_stop', at: 1 },
    { type: 'reasoning_block_start', at: 2 },
    { type: 'reasoning_block_stop', at: 2, metadata: { redacted: 'xyz' } },
    stop,
  ]);
  expect(only(events, 'assistant_message')[0]!.parts).toEqual([
    { kind: 'reasoning', text: '', metadata: { redacted: 'xyz' } },
  ]);
});

test('ENG-5 every state is reached, in the order of the stream', async () => {
  const states = (await play(conversation)).filter(({ type }) =>
    /^(conversation|tool_planned|tool_executing|error)/.test(type),
  );
  expect(states).toEqual([
    { type: 'conversation_start', at: 0, messageId: 'message-1' },
    { type: 'conversation_thinking', at: 1 },
    { type: 'conversation_responding', at: 4 },
    { type: 'tool_planned', at: 1, callId: 'a', tool: 'search' },
    { type: 'tool_executing', at: 3, callId: 'a', tool: 'search' },
    { type: 'conversation_end', at: 9, reason: 'end' },
  ]);
});

test('ENG-5 only the first of several text blocks changes the state to responding', async () => {
  const block: StreamEvent[] = [
    { type: 'text_block_start', at: 1 },
    { type: 'text_delta', at: 2, text: 'x' },
    { type: 'text_block_stop', at: 3 },
  ];
  expect(only(await play([start, ...block, ...block, stop]), 'conversation_responding')).toHaveLength(1);
});

test('ENG-5 text after reasoning changes the state to responding again', async () => {
  const events = await play([
    start,
    { type: 'text_delta', at: 1, text: 'x' },
    { type: 'reasoning_delta', at: 2, text: 'y' },
    { type: 'text_delta', at: 3, text: 'z' },
    stop,
  ]);
  expect(
    only(events, 'conversation_responding', 'conversation_thinking').map(({ type, at }) => [type, at]),
  ).toEqual([
    ['conversation_responding', 1],
    ['conversation_thinking', 2],
    ['conversation_responding', 3],
  ]);
});

test('ENG-5 an interruption and an error end the conversation with their reason', async () => {
  const interrupted = await play([start, { type: 'stream_interrupted', at: 5, reason: 'user_cancelled' }]);
  expect(only(interrupted, 'conversation_interrupted')).toEqual([
    { type: 'conversation_interrupted', at: 5, reason: 'user_cancelled' },
  ]);
  const failed = await play([
    start,
    { type: 'stream_error', at: 6, code: 'overloaded', message: 'try later' },
  ]);
  expect(only(failed, 'error_occurred')).toEqual([
    { type: 'error_occurred', at: 6, code: 'overloaded', message: 'try later' },
  ]);
});

test('ENG-6 one turn_response has the cost, the tokens and the duration', async () => {
  const usage = { input: 1_000_000, output: 500_000, cachedInput: 400_000, reasoning: 100 };
  const events = await play(
    [
      { type: 'message_start', at: 1000, messageId: 'message-1', model: 'small' },
      { type: 'text_delta', at: 1100, text: 'x' },
      { type: 'message_stop', at: 3500, reason: 'end', usage },
    ],
    { small: { input: 3, output: 15, cachedInput: 0.5 }, large: { input: 100, output: 100 } },
  );
  expect(only(events, 'turn_response')).toEqual([
    {
      type: 'turn_response',
      at: 3500,
      messageId: 'message-1',
      ended: 'complete',
      usage,
      cost: 0.6 * 3 + 0.4 * 0.5 + 0.5 * 15,
      durationMs: 2500,
    },
  ]);
});

test('ENG-6 cached input costs as much as other input unless it has a price', async () => {
  const usage = { input: 1_000_000, output: 0, cachedInput: 400_000 };
  const events = await play(
    [
      { type: 'message_start', at: 0, messageId: 'message-1', model: 'small' },
      { type: 'message_stop', at: 1, reason: 'end', usage },
    ],
    { small: { input: 3, output: 15 } },
  );
  expect(only(events, 'turn_response')).toMatchObject([{ cost: 3 }]);
});

test.each(['another', 'constructor', undefined])(
  'ENG-6 the cost of model %j, which has no price, is null',
  async (model) => {
    const named: StreamEvent =
      model === undefined ? start : { type: 'message_start', at: 0, messageId: 'message-1', model };
    const events = await play([named, stop], { small: { input: 3, output: 15 } });
    expect(only(events, 'turn_response')).toMatchObject([{ cost: null, usage: { input: 1, output: 1 } }]);
  },
);

test('ENG-6 more cached input than input does not make the turn cheaper than its input', async () => {
  const usage = { input: 1_000_000, output: 0, cachedInput: 9_000_000 };
  const events = await play(
    [
      { type: 'message_start', at: 0, messageId: 'message-1', model: 'small' },
      { type: 'message_stop', at: 1, reason: 'end', usage },
    ],
    { small: { input: 3, output: 15, cachedInput: 1 } },
  );
  expect(only(events, 'turn_response')).toMatchObject([{ cost: 1 }]);
});

test('ENG-6 an ended turn emits no second turn_response', () => {
  const processor = createAgentProcessor();
  const ended: EngineEvent = { type: 'conversation_end', at: 5, reason: 'end' };
  const [state, outputs] = processor(initialAgentState, ended);
  expect(typesOf(outputs)).toEqual(['turn_response']);
  expect(processor(state, ended)[1]).toEqual([]);
});

test('ENG-6 a turn without usage has no tokens and an unknown cost', async () => {
  const cut = answer('Hello').slice(0, 3);
  const events = await play(cut, { small: { input: 3, output: 15 } });
  expect(only(events, 'turn_response')).toEqual([
    {
      type: 'turn_response',
      at: 2,
      messageId: 'message-1',
      ended: 'error',
      usage: { input: 0, output: 0 },
      cost: null,
      durationMs: 2,
    },
  ]);
});

test('ENG-7 the agent processor combines the three, and outputs are re-injected to make the turn', () => {
  const processor = createAgentProcessor();
  let state = initialAgentState;
  const feed = (event: EngineEvent): readonly AgentOutput[] => {
    const [next, outputs] = processor(state, event);
    state = next;
    return outputs;
  };
  for (const event of answer('Hello').slice(0, -1)) feed(event);
  const outputs = feed(answer('Hello').at(-1)!);
  expect(typesOf(outputs)).toEqual(['assistant_message', 'conversation_end']);
  const [message, ended] = outputs;
  expect(feed(message!)).toEqual([]);
  expect(feed(ended!)).toMatchObject([{ type: 'turn_response', messageId: 'message-1' }]);
});

test('ENG-7 without the re-injected message the turn knows neither its id nor its tokens', () => {
  const processor = createAgentProcessor();
  const [state] = processor(initialAgentState, start);
  const ended: EngineEvent = { type: 'conversation_end', at: 5, reason: 'end' };
  expect(processor(state, ended)[1]).toMatchObject([{ messageId: null, usage: { input: 0, output: 0 } }]);
});

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
