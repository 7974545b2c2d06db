// The outcomes that docs/engine.md promises for malformed streams.

import { expect, test } from 'vitest';
import { AgentEngine, createAgentProcessor, initialAgentState } from '@continuo/engine';
import type { Driver, EngineEvent, StreamEvent } from '@continuo/engine';
import { answer, call, only, play, start, stop, typesOf } from './support/play.ts';

const typed = (event: unknown): StreamEvent => event as StreamEvent;

test('ENG-2 a driver that throws is a stream_error, with the text so far', async () => {
  const events = await play({ events: answer('Hel', 'lo').slice(0, 4), thrown: new Error('socket hang up') });
  expect(only(events, 'stream_error', 'error_occurred')).toEqual([
    { type: 'stream_error', at: 3, code: 'driver_failed', message: 'socket hang up' },
    { type: 'error_occurred', at: 3, code: 'driver_failed', message: 'socket hang up' },
  ]);
  expect(only(events, 'assistant_message')).toMatchObject([{ text: 'Hello', ended: 'error' }]);
  expect(only(events, 'turn_response')).toMatchObject([{ ended: 'error', messageId: 'message-1' }]);
});

test.each([
  ['a string', 'no credit', 'no credit'],
  ['something odd', Object.create(null), 'The driver threw something that is not an error.'],
  ['nothing', undefined, 'The driver threw something that is not an error.'],
])('ENG-2 a driver that throws %s is a stream_error too', async (_what, thrown, message) => {
  expect(only(await play({ events: [], thrown }), 'stream_error')).toEqual([
    { type: 'stream_error', at: 0, code: 'driver_failed', message },
  ]);
});

test.each<[string, Driver]>([
  [
    'throws when it is called',
    () => {
      throw new Error('no key');
    },
  ],
  ['gives nothing to iterate', () => undefined as unknown as AsyncIterable<StreamEvent>],
  [
    'yields something that is not an event',
    async function* () {
      yield typed(null);
    },
  ],
])('ENG-2 a driver that %s has failed', async (_what, driver) => {
  const seen: EngineEvent[] = [];
  const engine = new AgentEngine({ driver, presenters: [(_id, event) => void seen.push(event)] });
  await engine.receive('agent', { id: '1', role: 'user', content: 'hi' });
  expect(only(seen, 'stream_error')).toMatchObject([{ code: 'driver_failed' }]);
  expect(typesOf(seen)).toEqual(['stream_error', 'error_occurred', 'turn_response']);
});

test('ENG-2 a stream that stops early was cut', async () => {
  const events = await play(answer('Hel', 'lo').slice(0, 3));
  expect(only(events, 'stream_error')).toMatchObject([{ code: 'stream_cut', at: 2 }]);
  expect(only(events, 'assistant_message')).toMatchObject([{ text: 'Hel', ended: 'error' }]);
});

test('ENG-2 a stream with no event at all is empty', async () => {
  const events = await play([]);
  expect(only(events, 'stream_error')).toMatchObject([{ code: 'stream_empty', at: 0 }]);
  expect(only(events, 'turn_response')).toMatchObject([{ messageId: null, ended: 'error', durationMs: 0 }]);
});

test('ENG-4 an error or an interruption before anything was produced gives no message', async () => {
  const ends: StreamEvent[] = [
    { type: 'stream_error', at: 5, code: 'overloaded', message: 'try later' },
    { type: 'stream_interrupted', at: 5, reason: 'user' },
  ];
  for (const end of ends) {
    const events = await play([start, { type: 'text_block_start', at: 1 }, end]);
    expect(only(events, 'assistant_message')).toEqual([]);
    expect(only(events, 'turn_response')).toMatchObject([{ messageId: null }]);
  }
});

test('ENG-4 a complete message may be empty', async () => {
  expect(only(await play([start, stop]), 'assistant_message')).toMatchObject([
    { text: '', parts: [], ended: 'complete' },
  ]);
});

test('ENG-4 an interrupted message keeps its text and its finished calls, not the unfinished one', async () => {
  const events = await play([
    start,
    { type: 'text_delta', at: 1, text: 'I will' },
    ...call('a', 'read', '{}'),
    { type: 'tool_input_start', at: 4, callId: 'b', tool: 'write' },
    { type: 'tool_input_delta', at: 4, callId: 'b', text: '{"path"' },
    { type: 'stream_interrupted', at: 5, reason: 'user' },
  ]);
  expect(only(events, 'tool_use_message').map(({ callId }) => callId)).toEqual(['a']);
  expect(only(events, 'assistant_message')).toMatchObject([
    { text: 'I will', ended: 'interrupted', parts: [{ kind: 'text' }, { kind: 'tool_call', callId: 'a' }] },
  ]);
});

test('ENG-4 starts may be missing: the id of the message and the name of the tool are then empty', async () => {
  const events = await play([
    { type: 'text_delta', at: 1, text: 'Hello' },
    { type: 'tool_input_delta', at: 2, callId: 'a', text: '{}' },
    { type: 'tool_input_stop', at: 3, callId: 'a' },
    stop,
  ]);
  expect(only(events, 'conversation_start')).toEqual([{ type: 'conversation_start', at: 1, messageId: '' }]);
  expect(only(events, 'tool_planned')).toMatchObject([{ callId: 'a', tool: '' }]);
  expect(only(events, 'assistant_message')).toMatchObject([
    { messageId: '', text: 'Hello', parts: [{ kind: 'text' }, { kind: 'tool_call', tool: '' }] },
  ]);
});

test('ENG-4 a late start sets the name', async () => {
  const events = await play([
    { type: 'tool_input_delta', at: 1, callId: 'a', text: '[1' },
    { type: 'tool_input_start', at: 2, callId: 'a', tool: 'read' },
    { type: 'tool_input_delta', at: 3, callId: 'a', text: ']' },
    { type: 'tool_input_stop', at: 4, callId: 'a' },
    start,
    stop,
  ]);
  expect(only(events, 'assistant_message')).toMatchObject([
    { messageId: 'message-1', parts: [{ tool: 'read', input: { kind: 'json', value: [1] } }] },
  ]);
  expect(only(events, 'conversation_start')).toHaveLength(1);
});

test('ENG-4 the first of two starts counts', async () => {
  const events = await play([
    start,
    { type: 'message_start', at: 1, messageId: 'another', model: 'large' },
    { type: 'tool_input_start', at: 1, callId: 'a', tool: 'read' },
    { type: 'tool_input_delta', at: 1, callId: 'a', text: '[1]' },
    { type: 'tool_input_start', at: 1, callId: 'a', tool: 'write' },
    { type: 'tool_input_stop', at: 2, callId: 'a' },
    stop,
  ]);
  const [message] = only(events, 'assistant_message');
  expect(message).toMatchObject({
    messageId: 'message-1',
    parts: [{ tool: 'read', input: { kind: 'json', value: [1] } }],
  });
  expect(message).not.toHaveProperty('model');
  expect(only(events, 'conversation_start', 'tool_planned')).toHaveLength(2);
});

test('ENG-4 a text block that starts while another is open ends that one', async () => {
  const events = await play([
    start,
    { type: 'text_block_start', at: 1 },
    { type: 'text_delta', at: 1, text: 'one' },
    { type: 'text_block_start', at: 2 },
    { type: 'text_delta', at: 2, text: 'two' },
    stop,
  ]);
  expect(only(events, 'assistant_message')).toMatchObject([
    {
      text: 'onetwo',
      parts: [
        { kind: 'text', text: 'one' },
        { kind: 'text', text: 'two' },
      ],
    },
  ]);
});

test('ENG-4 events for a call that was already emitted are ignored', async () => {
  const events = await play([start, ...call('a', 'read', '[1]'), ...call('a', 'write', '[2]'), stop]);
  expect(only(events, 'tool_use_message', 'tool_planned', 'tool_executing')).toHaveLength(3);
  expect(only(events, 'assistant_message')[0]!.parts).toMatchObject([{ tool: 'read' }]);
});

test.each(['end', 'tool_use', 'other'] as const)(
  'ENG-4 message_stop (%s) finishes a call left open',
  async (reason) => {
    const unfinished = call('a', 'read', '[1]').slice(0, -1);
    const events = await play([start, ...unfinished, { ...stop, reason } as StreamEvent]);
    expect(typesOf(events).slice(typesOf(events).indexOf('message_stop'))).toEqual([
      'message_stop',
      'tool_use_message',
      'tool_executing',
      'assistant_message',
      'conversation_end',
      'turn_response',
    ]);
    expect(only(events, 'assistant_message')[0]!.parts).toMatchObject([{ callId: 'a' }]);
  },
);

test.each(['length', 'filtered'] as const)(
  'ENG-4 message_stop (%s) drops a call left open',
  async (reason) => {
    const unfinished = call('a', 'remove').slice(0, -1);
    const events = await play([start, ...unfinished, { ...stop, reason } as StreamEvent]);
    expect(only(events, 'tool_use_message', 'tool_executing')).toEqual([]);
    expect(only(events, 'assistant_message')).toMatchObject([{ parts: [], reason }]);
  },
);

test('ENG-9 nothing is read after the end of a stream', async () => {
  const events = await play([
    ...answer('Hello'),
    { type: 'text_delta', at: 9, text: '!' },
    ...answer('again'),
  ]);
  expect(only(events, 'text_delta')).toHaveLength(1);
  expect(only(events, 'assistant_message')).toMatchObject([{ text: 'Hello' }]);
  expect(events.at(-1)).toMatchObject({ type: 'turn_response', ended: 'complete' });
});

test('ENG-7 a processor that has ended emits nothing more', () => {
  const processor = createAgentProcessor();
  let state = initialAgentState;
  const feed = (events: readonly EngineEvent[]): EngineEvent[] =>
    events.flatMap((event) => {
      const [next, outputs] = processor(state, event);
      state = next;
      return [...outputs, ...feed(outputs)];
    });
  expect(feed(answer('Hello')).at(-1)).toMatchObject({ type: 'turn_response' });
  expect(
    feed([...answer('again'), ...call('a', 'read'), { type: 'stream_interrupted', at: 1, reason: 'x' }]),
  ).toEqual([]);
});

test('ENG-8 an event of an unknown type reaches raw presenters and changes nothing', async () => {
  const odd = typed({ type: 'toString', at: 3 });
  const [first, ...rest] = answer('Hello');
  const events = await play([first!, odd, ...rest]);
  expect(events).toContain(odd);
  expect(events.filter((event) => event !== odd)).toEqual(await play(answer('Hello')));
});

test('ENG-6 a stream whose times go backwards has a duration of 0', async () => {
  const [first, ...rest] = answer('Hello');
  const events = await play([{ ...first!, at: 1000 }, ...rest]);
  expect(only(events, 'turn_response')).toMatchObject([{ durationMs: 0 }]);
});
