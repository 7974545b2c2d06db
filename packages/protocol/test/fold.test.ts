// The folds that the run loop, the dialects, the view and the console share: arguments, the lifecycle of calls, usage and
// messages. What each consumer makes of invalid arguments stands side by side.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessagePart } from '@continuo/engine';
import { agent, agUi, aiSdk, foldView, workspace, type Dialect, type NewEvent } from '@continuo/protocol';
import { readArguments, toWireInput } from '../src/fold/arguments.ts';
import { callsAfter, everyOpenCall, hasStarted, type Call, type CallStage } from '../src/fold/calls.ts';
import { readableParts, supersededBy, textAfter, type MessageText } from '../src/fold/messages.ts';
import { addSpent, addUsage } from '../src/fold/usage.ts';
import { answer, ask, begin, call, end, logged, RUN, start, thought, token, tool } from './logs.ts';

const RAW = '{"path": "/a';
const invalid: MessagePart = {
  kind: 'tool_call',
  callId: 'c1',
  tool: 'read',
  input: { kind: 'invalid', text: RAW },
};

describe('arguments', () => {
  test('JSON is its value, whatever it is', () => {
    for (const value of [{}, { path: '/a' }, [1], 'text', 0, null]) {
      expect(readArguments({ kind: 'json', value })).toEqual({ ok: true, value });
      expect(toWireInput({ ok: true, value })).toBe(value);
    }
  });

  test('what is not JSON is kept as the model wrote it, with a problem that quotes its beginning', () => {
    const text = `${RAW}${'x'.repeat(1000)}`;
    const read = readArguments({ kind: 'invalid', text });
    expect(read).toEqual({
      ok: false,
      raw: text,
      problem: `the input is not valid JSON: ${text.slice(0, 200)}`,
    });
    expect(toWireInput(read)).toEqual({ raw: text });
  });

  // The call ends without a start, so that each dialect has to present the arguments itself.
  const log = logged([
    ...begin,
    start('m1'),
    end('m1', '', invalid),
    {
      type: 'tool_end',
      data: { call: 'c1', tool: 'read', output: { error: 'no' }, success: false, outcome: 'canceled' },
    },
  ]);
  const framesOf = <State>(dialect: Dialect<State>): unknown[] => {
    let state = dialect.initial;
    return log.flatMap((event) => {
      const [next, frames] = dialect.step(state, event);
      state = next;
      return frames.map(({ data }) => data);
    });
  };

  test('workspace and agent present invalid arguments as { raw }', () => {
    for (const frames of [framesOf(workspace), framesOf(agent)])
      expect(frames).toContainEqual({ call: 'c1', tool: 'read', input: { raw: RAW } });
  });

  test('ai-sdk presents invalid arguments as the text', () => {
    expect(framesOf(aiSdk)).toContainEqual({
      type: 'tool-input-available',
      toolCallId: `${RUN}:c1`,
      toolName: 'read',
      input: RAW,
      dynamic: true,
    });
  });

  test('ag-ui presents invalid arguments as a JSON string', () => {
    expect(framesOf(agUi({ threadId: 't', runId: 'r', messages: null }))).toContainEqual({
      type: 'TOOL_CALL_ARGS',
      toolCallId: `${RUN}:c1`,
      delta: JSON.stringify(RAW),
    });
  });

  test('the view presents invalid arguments as { raw }', () => {
    const events = log.map((event) => ({ ...event, run_id: RUN, run_seq: event.runSeq, at: null }));
    expect(foldView(events).turns[0]!.items.at(-1)).toMatchObject({ kind: 'call', input: { raw: RAW } });
  });
});

describe('calls', () => {
  const REQUEST = end('m1', '', call('a', 'send', { to: 'a' }), call('b', 'read', {}));
  const question: NewEvent = {
    type: 'approval',
    data: { approval: 'q1', kind: 'question', call: 'a', tool: 'send', input: {}, paths: [], reason: 'Who?' },
  };
  const unknown: NewEvent = {
    type: 'approval',
    data: {
      approval: 'p2',
      kind: 'unknown_outcome',
      call: 'a',
      tool: 'send',
      input: {},
      paths: [],
      reason: '',
    },
  };
  const [started, ended] = tool('a', 'send', {}, {});

  const after = (...events: readonly NewEvent[]): readonly Call[] =>
    events.reduce((calls, event) => callsAfter(calls, event), [] as readonly Call[]);
  const stages = (...events: readonly NewEvent[]): string[] =>
    after(REQUEST, ...events).map(({ stage }) => stage.kind);
  const first = (...events: readonly NewEvent[]): Call => after(REQUEST, ...events)[0]!;

  test('a call is requested, started and ended', () => {
    expect(stages()).toEqual(['requested', 'requested']);
    expect(stages(started!)).toEqual(['started', 'requested']);
    expect(stages(started!, ended!)).toEqual(['ended', 'requested']);
  });

  test('a call that waits is allowed or refused by the decision about its own approval', () => {
    expect(stages(ask('a', 'p1'))).toEqual(['waiting', 'requested']);
    for (const decision of ['approve', 'edit', 'retry'] as const)
      expect(stages(ask('a', 'p1'), answer('a', 'p1', decision))[0]).toBe('allowed');
    for (const decision of ['deny', 'skip', 'expired'] as const)
      expect(stages(ask('a', 'p1'), answer('a', 'p1', decision))[0]).toBe('refused');
    expect(stages(ask('a', 'p1'), answer('a', 'another', 'approve'))[0]).toBe('waiting');
    expect(stages(answer('a', 'p1', 'approve'))[0]).toBe('requested');
  });

  test('a person may change the input; what the model wrote is kept', () => {
    const edited = first(ask('a', 'p1'), answer('a', 'p1', 'edit', { to: 'b' }));
    expect(edited.requested).toEqual({ ok: true, value: { to: 'a' } });
    expect(edited.input).toEqual({ ok: true, value: { to: 'b' } });
    expect(edited.allowed).toMatchObject({ decision: 'edit' });
    const again = first(
      ask('a', 'p1'),
      answer('a', 'p1', 'edit', { to: 'b' }),
      started!,
      unknown,
      answer('a', 'p2', 'retry'),
    );
    expect(again.input).toEqual({ ok: true, value: { to: 'b' } });
    expect(again.allowed).toMatchObject({ decision: 'retry' });
  });

  test('a call that asks a question is still being made, and goes on when it is answered', () => {
    expect(first(started!, question).stage).toEqual({ kind: 'started', question: 'q1' });
    expect(first(started!, question).asked).toBeNull();
    expect(first(started!, question, answer('a', 'q1', 'answer', {})).stage).toEqual({
      kind: 'started',
      question: null,
    });
    expect(first(started!, question, answer('a', 'another', 'answer', {})).stage).toMatchObject({
      question: 'q1',
    });
  });

  test('a call whose outcome is unknown has started, whatever people decide about it', () => {
    expect(
      [first(), first(ask('a', 'p1')), first(ask('a', 'p1'), answer('a', 'p1', 'approve'))].map(hasStarted),
    ).toEqual([false, false, false]);
    const lost = [started!, unknown];
    expect(
      [
        first(started!),
        first(...lost),
        first(...lost, answer('a', 'p2', 'retry')),
        first(...lost, answer('a', 'p2', 'skip')),
        first(ended!),
      ].map(hasStarted),
    ).toEqual([true, true, true, true, true]);
  });

  test('the next message takes the place of the calls of the one before', () => {
    expect(after(REQUEST, started!, ended!, end('m2', 'done'))).toEqual([]);
  });

  test('every open call passes only where some call is open', () => {
    const waits = ({ kind }: CallStage) => kind === 'waiting';
    expect(everyOpenCall([], waits)).toBe(false);
    expect(everyOpenCall(after(REQUEST, ask('a', 'p1')), waits)).toBe(false);
    expect(everyOpenCall(after(REQUEST, ask('a', 'p1'), tool('b', 'read', {}, {})[1]!), waits)).toBe(true);
    expect(everyOpenCall(after(REQUEST, ended!, tool('b', 'read', {}, {})[1]!), waits)).toBe(false);
  });

  test('an event changes its own call alone, and no array that was handed out', () => {
    const events = fc.constantFrom(
      REQUEST,
      started!,
      ended!,
      question,
      unknown,
      ask('a', 'p1'),
      ask('b', 'p3'),
      answer('a', 'p1', 'approve'),
      answer('a', 'p2', 'skip'),
      answer('a', 'q1', 'answer', {}),
      answer('b', 'p3', 'deny'),
      token('m1', 'x'),
      answer('gone', 'p1', 'approve'),
    );
    fc.assert(
      fc.property(fc.array(events, { maxLength: 20 }), (log) => {
        let calls = after(REQUEST);
        for (const event of log) {
          const before = structuredClone(calls);
          const next = callsAfter(calls, event);
          expect(calls).toEqual(before);
          if (event.type === 'token') expect(next).toBe(calls);
          else if (event.type !== 'message_end')
            for (const [index, each] of next.entries())
              if (!('call' in event.data) || each.call !== event.data.call) expect(each).toBe(calls[index]);
          calls = next;
        }
      }),
    );
  });
});

describe('usage', () => {
  test('counts are added by name, and a count that only one of them has is kept', () => {
    expect(addUsage(null, { input: 1, output: 2 })).toEqual({ input: 1, output: 2 });
    expect(
      addUsage({ input: 1, output: 2, reasoning: 3 }, { input: 10, output: 20, cachedInput: 5 }),
    ).toEqual({
      input: 11,
      output: 22,
      reasoning: 3,
      cachedInput: 5,
    });
  });

  test('an unknown cost leaves the sum as it is; the first known one begins it', () => {
    const usage = { input: 1, output: 1 };
    const none = addSpent({ usage: null, cost: null }, { usage, cost: null });
    expect(none).toEqual({ usage, cost: null });
    const some = addSpent(none, { usage, cost: 0.5 });
    expect(some).toEqual({ usage: { input: 2, output: 2 }, cost: 0.5 });
    expect(addSpent(some, { usage, cost: null }).cost).toBe(0.5);
  });

  test('neither summand is changed', () => {
    const [sum, more] = [Object.freeze({ input: 1, output: 1 }), Object.freeze({ input: 2, output: 2 })];
    expect(addUsage(sum, more)).toEqual({ input: 3, output: 3 });
  });
});

describe('messages', () => {
  const running = (supersedes?: string): NewEvent => ({
    type: 'state',
    data: { status: 'running', attempt: 2, ...(supersedes && { supersedes }) },
  });
  const textOf = (...events: readonly NewEvent[]) =>
    events.reduce((said, event) => textAfter(said, event), null as MessageText | null);

  test('a message’s text is its pieces, and reasoning is no part of it', () => {
    expect(textOf(start('m1'), thought('m1', 'hm'), token('m1', 'a'), token('m1', 'b'))).toEqual({
      message: 'm1',
      text: 'ab',
    });
    expect(textOf(token('m1', 'a'), end('m1', 'a'), token('m2', 'b'))).toEqual({ message: 'm2', text: 'b' });
  });

  test('a message that is superseded says nothing, and no other message loses its text', () => {
    expect(textOf(token('m1', 'a'), running('m1'))).toBeNull();
    expect(textOf(token('m1', 'a'), running('m2'))).toEqual({ message: 'm1', text: 'a' });
    expect(textOf(token('m1', 'a'), running())).toEqual({ message: 'm1', text: 'a' });
  });

  test('only a run that goes on supersedes a message, and says why where the stream failed', () => {
    const cause = { code: 'stream_cut', error: 'cut' };
    expect(supersededBy({ status: 'done' })).toBeNull();
    expect(supersededBy({ status: 'running', attempt: 1 })).toBeNull();
    expect(supersededBy({ status: 'running', attempt: 2, supersedes: 'm1' })).toEqual({
      message: 'm1',
      attempt: 2,
    });
    expect(supersededBy({ status: 'running', attempt: 2, supersedes: 'm1', cause })).toEqual({
      message: 'm1',
      attempt: 2,
      cause,
    });
  });

  test('people read text and reasoning, without calls and empty parts', () => {
    expect(
      readableParts([
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: '' },
        invalid,
        { kind: 'text', text: 'a' },
      ]),
    ).toEqual([
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: 'a' },
    ]);
  });
});
