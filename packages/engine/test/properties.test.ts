// Properties of every stream, each tried on 10,000 streams.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentEngine } from '@continuo/engine';
import type { EngineEvent, MessageEvent, StreamEvent } from '@continuo/engine';
import { answer, only, play, scriptedDriver } from './support/play.ts';
import type { Script } from './support/play.ts';
import { malformed, resplit, wellFormed } from './support/streams.ts';

const runs = { numRuns: 10_000 };

const textOf = (events: readonly EngineEvent[]) =>
  only(events, 'text_delta')
    .map(({ text }) => text)
    .join('');

const messagesOf = (events: readonly EngineEvent[]): MessageEvent[] =>
  only(events, 'assistant_message', 'tool_use_message', 'tool_result_message');

test('ENG-4 any well-formed stream gives one assistant message with the text of its deltas', async () => {
  await fc.assert(
    fc.asyncProperty(wellFormed, async (events) => {
      const seen = await play(events);
      const stopped = only(events, 'message_stop')[0]!;
      expect(only(seen, 'assistant_message')).toMatchObject([
        { text: textOf(events), ended: 'complete', reason: stopped.reason, usage: stopped.usage },
      ]);
      const called = only(events, 'tool_input_stop').map(({ callId }) => callId);
      expect(only(seen, 'tool_use_message').map(({ callId }) => callId)).toEqual(called);
      expect(only(seen, 'turn_response')).toMatchObject([
        { ended: 'complete', usage: stopped.usage, durationMs: stopped.at - events[0]!.at },
      ]);
    }),
    runs,
  );
});

test('ENG-9 any malformed stream has a defined outcome and never makes receive reject', async () => {
  await fc.assert(
    fc.asyncProperty(malformed, async (script) => {
      const seen = await play(script);
      expectPassedThrough(script, seen);
      expectOneEnding(seen);
      expectMessagesOfWhatCame(seen);
      expectOrderlyStates(seen);
    }),
    runs,
  );
});

test('ENG-4 splitting deltas differently never changes the messages', async () => {
  const cuts = fc.array(fc.nat(4), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        wellFormed,
        malformed.map(({ events }) => events),
      ),
      cuts,
      async (events, sizes) => {
        const [whole, split] = [await play(events), await play(resplit(events, sizes))];
        expect(messagesOf(split)).toEqual(messagesOf(whole));
        expect(only(split, 'turn_response')).toEqual(only(whole, 'turn_response'));
      },
    ),
    runs,
  );
});

test('ENG-1 two interleaved receives give what two separate ones give', async () => {
  const ticks = fc.array(fc.nat(4), { maxLength: 12 });
  const paced = fc
    .tuple(
      fc.oneof(
        wellFormed.map((events): Script => ({ events })),
        malformed,
      ),
      ticks,
    )
    .map(([script, pace]): Script => ({ ...script, ticks: pace }));
  await fc.assert(
    fc.asyncProperty(paced, paced, async (one, two) => {
      const seen: Record<string, EngineEvent[]> = { one: [], two: [] };
      const engine = new AgentEngine<Script>({
        driver: scriptedDriver,
        presenters: [(agentId, event) => void seen[agentId]!.push(event)],
      });
      await Promise.all([engine.receive('one', one), engine.receive('two', two)]);
      expectOneEnding(seen['one']!);
      expectOneEnding(seen['two']!);
      expect(seen['one']).toEqual(await play(one));
      expect(seen['two']).toEqual(await play(two));
    }),
    runs,
  );
});

test('ENG-4 a long answer costs time in proportion to its length', { timeout: 20_000 }, async () => {
  const [first, block, delta, ...rest] = answer('a few words ');
  const deltas = Array<StreamEvent>(200_000).fill(delta!);
  const [message] = only(await play([first!, block!].concat(deltas, rest)), 'assistant_message');
  expect(message?.text).toHaveLength(200_000 * 12);
});

const isEnd = ({ type }: EngineEvent) =>
  type === 'message_stop' || type === 'stream_error' || type === 'stream_interrupted';

/** Presenters see the driver's events up to its first end, or all of them and an error that says why there is none. */
function expectPassedThrough(script: Script, seen: readonly EngineEvent[]): void {
  const streamTypes = /^(message_st|text_|reasoning_|tool_input_|tool_result$|stream_)/;
  const passed = seen.filter(({ type }) => streamTypes.test(type)) as StreamEvent[];
  const end = script.events.findIndex(isEnd);
  if (end >= 0) return expect(passed).toEqual(script.events.slice(0, end + 1));
  const ended = script.events.length === 0 ? 'stream_empty' : 'stream_cut';
  const code = 'thrown' in script ? 'driver_failed' : ended;
  expect(passed.slice(0, -1)).toEqual(script.events);
  expect(passed.at(-1)).toMatchObject({ type: 'stream_error', code, at: script.events.at(-1)?.at ?? 0 });
}

/** One state event ends the conversation, one turn_response comes right after it and is the last event. */
function expectOneEnding(seen: readonly EngineEvent[]): void {
  const endings = only(seen, 'conversation_end', 'conversation_interrupted', 'error_occurred');
  const turns = only(seen, 'turn_response');
  expect([endings.length, turns.length]).toEqual([1, 1]);
  expect(seen.slice(-2)).toEqual([...endings, ...turns]);
  const [ended] = turns.map((turn) => turn.ended);
  const by = { message_stop: 'complete', stream_error: 'error', stream_interrupted: 'interrupted' };
  expect(ended).toBe(by[only(seen, 'message_stop', 'stream_error', 'stream_interrupted')[0]!.type]);
  expect(turns[0]!.durationMs).toBeGreaterThanOrEqual(0);
}

function expectMessagesOfWhatCame(seen: readonly EngineEvent[]): void {
  const [turn] = only(seen, 'turn_response');
  const messages = only(seen, 'assistant_message');
  const emitted = only(seen, 'tool_use_message').map(({ callId, tool, input }) => ({ callId, tool, input }));
  const results = only(seen, 'tool_result').map(({ callId, output }) => ({ callId, output }));
  expect(only(seen, 'tool_result_message')).toMatchObject(results);
  const [message] = messages;
  if (message === undefined) {
    expect([turn!.ended === 'complete', turn!.messageId, textOf(seen), emitted]).toEqual([
      false,
      null,
      '',
      [],
    ]);
    return;
  }
  expect(messages).toHaveLength(1);
  expect([message.ended, message.messageId, message.text]).toEqual([
    turn!.ended,
    turn!.messageId,
    textOf(seen),
  ]);
  const calls = message.parts.filter((part) => part.kind === 'tool_call');
  const byId = (one: { callId: string }, other: { callId: string }) => (one.callId < other.callId ? -1 : 1);
  expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length);
  expect(calls.map(({ callId, tool, input }) => ({ callId, tool, input })).toSorted(byId)).toEqual(
    emitted.toSorted(byId),
  );
}

/** The conversation starts once and first; a call is planned once, and executes at most once, after it was planned. */
function expectOrderlyStates(seen: readonly EngineEvent[]): void {
  const states = only(
    seen,
    'conversation_start',
    'conversation_thinking',
    'conversation_responding',
    'tool_planned',
    'tool_executing',
    'conversation_end',
  );
  states.forEach((state, index) => expect(state.type === 'conversation_start').toBe(index === 0));
  const planned: string[] = [];
  const executing: string[] = [];
  for (const state of only(seen, 'tool_planned', 'tool_executing')) {
    if (state.type === 'tool_planned') expect(planned).not.toContain(state.callId);
    else expect(executing).not.toContain(state.callId);
    if (state.type === 'tool_executing') expect(planned).toContain(state.callId);
    (state.type === 'tool_planned' ? planned : executing).push(state.callId);
  }
  expect(executing).toEqual(only(seen, 'tool_use_message').map(({ callId }) => callId));
}
