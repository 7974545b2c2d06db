// What the log gets of a model's answer, without a model, a database or a clock.

import type { EngineEvent } from '@continuo/engine';
import { expect, test } from 'vitest';
import { NO_ANSWER, present, type Answer, type ModelCall } from '../../src/runs/steps/present.ts';

const call: ModelCall = {
  runId: 'run-1',
  message: 'm2',
  model: 'offline/demo',
  askedAt: 1000,
  ratio: 1,
  request: { history: { tokens: 10, limit: 100, refused: null, turnsLeftOut: 0 }, sources: [] },
  history: [],
};

const ended = (parts: Extract<EngineEvent, { type: 'assistant_message' }>['parts'] = []): EngineEvent => ({
  type: 'assistant_message',
  at: 1400,
  messageId: 'm2',
  text: 'Hello',
  parts,
  ended: 'complete',
});

const toolCall = (callId: string) =>
  ({ kind: 'tool_call', callId, tool: 'read', input: { kind: 'json', value: {} } }) as const;

/** Presents the events one after the other, all at `now`. */
function presentAll(events: readonly EngineEvent[], { of = call, now = 1250 } = {}) {
  let answer: Answer = NO_ANSWER;
  const appended = events.flatMap((event) => {
    const presented = present(of, answer, event, now);
    answer = presented.answer;
    return presented.events;
  });
  return { answer, appended };
}

test('a message begins with how long the model was waited for, and each piece is an event', () => {
  const { answer, appended } = presentAll([
    { type: 'message_start', at: 1250, messageId: 'm2' },
    { type: 'reasoning_delta', at: 1260, text: 'Hm.' },
    { type: 'text_delta', at: 1300, text: 'Hello' },
    ended(),
  ]);
  expect(appended).toEqual([
    { type: 'message_start', data: { message: 'm2', model: 'offline/demo', waited_ms: 250 } },
    { type: 'reasoning', data: { text: 'Hm.', message: 'm2' } },
    { type: 'token', data: { text: 'Hello', message: 'm2' } },
  ]);
  expect(answer).toMatchObject({
    begun: true,
    pieces: 2,
    failure: null,
    end: { text: 'Hello' },
    usage: null,
  });
});

test('a message whose request left turns out says so, in the provider’s tokens', () => {
  const history = { tokens: 10, limit: 100, refused: 4000, turnsLeftOut: 3 };
  const of = { ...call, ratio: 1.5, request: { history, sources: [] } };
  const { appended } = presentAll([{ type: 'message_start', at: 1250, messageId: 'm2' }], { of });
  expect(appended[1]).toEqual({
    type: 'context_usage',
    data: {
      message: 'm2',
      tokens: 15,
      limit: 100,
      turns_left_out: 3,
      refused: { model: 'offline/demo', tokens: 4000 },
    },
  });
});

test('ids of calls are unique in the run, also within one message', () => {
  const earlier = {
    runId: 'run-1',
    entry: { role: 'assistant', id: 'run-1/m1', model: 'offline/demo', parts: [toolCall('call_1')] },
  } as unknown as ModelCall['history'][number];
  const { answer } = presentAll([ended([toolCall('call_1'), toolCall('call_1'), toolCall('call_3')])], {
    of: { ...call, history: [earlier, { ...earlier, runId: 'run-0' }] },
  });
  expect(answer.end?.parts.map((part) => part.kind === 'tool_call' && part.callId)).toEqual([
    'call_1_2',
    'call_1_3',
    'call_3',
  ]);
});

test('a broken stream is a failure, which the cut message names', () => {
  const { answer } = presentAll([
    { type: 'stream_error', at: 1300, code: 'model_error', message: 'reset', retryable: true },
    ended(),
  ]);
  expect(answer.failure).toEqual({ code: 'model_error', error: 'reset', retryable: true });
  expect(answer.end?.error).toEqual({ code: 'model_error', error: 'reset' });
});

test('the duration of a call includes the time until the model began to answer', () => {
  const { answer } = presentAll([
    {
      type: 'turn_response',
      at: 1900,
      messageId: 'm2',
      ended: 'complete',
      usage: { input: 7, output: 2 },
      cost: null,
      durationMs: 300,
    },
  ]);
  expect(answer.usage).toMatchObject({ usage: { input: 7, output: 2 }, cost: 0, duration_ms: 900 });
});
