// The view's corners that logs of real runs do not have.

import { expect, test } from 'vitest';
import {
  foldView,
  neverBegan,
  prependEvents,
  waitingCalls,
  type NewEvent,
  type ViewEvent,
} from '../src/index.ts';

/** Events of runs, one run after the other. */
function log(...runs: readonly (readonly NewEvent[])[]): ViewEvent[] {
  let seq = 0;
  return runs.flatMap((events, index) =>
    events.map((event, place) => {
      seq += 1;
      return { ...event, seq, run_id: `r${index + 1}`, run_seq: place + 1, at: `t${seq}` };
    }),
  );
}

const begun: NewEvent = { type: 'state', data: { status: 'running', attempt: 1 } };
const ended = (status: 'done' | 'error'): NewEvent => ({ type: 'state', data: { status } });
const says = (id: string): NewEvent => ({ type: 'message', data: { id, role: 'user', content: id } });
const rewound = (to_seq: number): NewEvent => ({ type: 'rewound', data: { to_seq } });
const call = (message: string): NewEvent => ({
  type: 'message_end',
  data: {
    message,
    text: '',
    ended: 'complete',
    parts: [{ kind: 'tool_call', callId: 'c1', tool: 'read', input: { kind: 'json', value: message } }],
  },
});
const result = (output: string): NewEvent => ({
  type: 'tool_end',
  data: { tool: 'read', call: 'c1', output, success: true },
});

const fates = (events: readonly ViewEvent[], cut: number) => {
  const view = foldView(events.slice(cut));
  prependEvents(view, events.slice(0, cut));
  return view.turns.map(({ forgotten }) => forgotten);
};

test('running a message again rewinds its earlier run, whichever page has it', () => {
  const events = log(
    [begun, says('a'), ended('error')],
    [begun, says('a'), ended('error')],
    [begun, says('a'), ended('done')],
    [begun, says('b'), ended('done')],
  );
  for (let cut = 1; cut < events.length; cut += 1)
    expect(fates(events, cut)).toEqual(['retried', 'retried', null, null]);
});

test('a turn that was retried and rewound is shown as rewound', () => {
  const events = log(
    [begun, says('a'), ended('error')],
    [begun, says('a'), ended('error')],
    [begun, rewound(0), says('b'), ended('done')],
  );
  for (let cut = 0; cut < events.length; cut += 1)
    expect(fates(events, cut)).toEqual(['rewound', 'rewound', null]);
});

test('a chat that is rewound to a point inside a run loses what came after that point, and not the run', () => {
  const events = log(
    [begun, says('a'), call('m1'), result('x'), ended('done')],
    [begun, rewound(2), says('b'), ended('done')],
  );
  for (let cut = 0; cut < events.length; cut += 1) {
    const view = foldView(events.slice(cut));
    prependEvents(view, events.slice(0, cut));
    expect(view.turns[0]!.items.map(({ forgotten }) => forgotten)).toEqual([false, true, true]);
    expect(view.turns.map(({ forgotten }) => forgotten)).toEqual([null, null]);
  }
});

test('calls of two messages may have the same id', () => {
  const [turn] = foldView(
    log([begun, says('a'), call('m1'), result('x'), call('m2'), result('y'), ended('done')]),
  ).turns;
  const calls = turn!.items.filter((item) => item.kind === 'call');
  expect(calls.map(({ input, output }) => [input, output])).toEqual([
    ['m1', 'x'],
    ['m2', 'y'],
  ]);
});

test('a run waits once nothing is left to do but to ask', () => {
  const approval: NewEvent = {
    type: 'approval',
    data: {
      approval: 'a1',
      kind: 'call',
      call: 'c1',
      tool: 'read',
      input: {},
      paths: [],
      reason: 'the policy',
    },
  };
  const view = foldView(log([begun, says('a'), call('m1'), approval]));
  expect(view.turns[0]!.state).toBe('waiting');
  expect(waitingCalls(view).map(({ approval: { id, reason } }) => [id, reason])).toEqual([
    ['a1', 'the policy'],
  ]);
  const decided: NewEvent = {
    type: 'approval_end',
    data: { approval: 'a1', call: 'c1', tool: 'read', decision: 'edit', input: 'other' },
  };
  const after = foldView(log([begun, says('a'), call('m1'), approval, decided]));
  expect(after.turns[0]!.state).toBe('running');
  expect(waitingCalls(after)).toEqual([]);
  expect(after.turns[0]!.items.at(-1)).toMatchObject({
    state: 'planned',
    input: 'other',
    approvals: [{ decision: 'edit' }],
  });
});

test('continuing a parked or paused run is not a takeover; continuing an unfinished step is', () => {
  const goesOn = (attempt: number): NewEvent => ({ type: 'state', data: { status: 'running', attempt } });
  const session = (to_state: 'paused' | 'running'): NewEvent => ({
    type: 'session',
    data: { session: 's', from_state: 'running', to_state, reason: 'asked' },
  });
  const asked: NewEvent = {
    type: 'approval',
    data: { approval: 'a', kind: 'call', call: 'c1', tool: 'read', input: {}, paths: [], reason: 'asked' },
  };
  const takeovers = (...events: NewEvent[]) =>
    foldView(log([begun, says('a'), ...events])).turns[0]!.takeovers;
  expect(takeovers(call('m1'), asked, goesOn(2))).toBe(0);
  expect(takeovers(session('paused'), goesOn(2), session('running'), goesOn(3))).toBe(1);
  expect(takeovers(call('m1'), goesOn(2), goesOn(2))).toBe(1);
});

test('a turn whose beginning is missing shows what there is, and says so', () => {
  const events = log([
    begun,
    says('a'),
    { type: 'message_start', data: { message: 'm1', model: 'x' } },
    { type: 'token', data: { text: 'on', message: 'm1' } },
  ]);
  const view = foldView(events.slice(3));
  expect(view.turns[0]).toMatchObject({
    whole: false,
    items: [{ kind: 'answer', parts: [{ kind: 'text', text: 'on' }] }],
  });
  prependEvents(view, events.slice(0, 3));
  expect(view.turns[0]).toMatchObject({
    whole: true,
    items: [{ kind: 'person' }, { kind: 'answer', model: 'x' }],
  });
});

test('a run that was canceled while it waited never began, whichever page it is on', () => {
  const events = log(
    [begun, says('a'), ended('done')],
    [
      { type: 'canceled', data: { reason: 'user_cancelled' } },
      { type: 'state', data: { status: 'canceled' } },
    ],
    [begun, says('b'), { type: 'canceled', data: { reason: 'user_cancelled' } }],
  );
  for (let cut = 0; cut < events.length; cut += 1) {
    const view = foldView(events.slice(cut));
    prependEvents(view, events.slice(0, cut));
    expect(view.turns.map(neverBegan)).toEqual([false, true, false]);
  }
});

test('what was thought and said has the time of its first piece', () => {
  const piece = (type: 'token' | 'reasoning', text: string): NewEvent => ({
    type,
    data: { message: 'm1', text },
  });
  const [turn] = foldView(
    log([begun, piece('reasoning', 'a'), piece('reasoning', 'b'), piece('token', 'c'), piece('token', 'd')]),
  ).turns;
  expect(turn!.items[0]).toMatchObject({
    parts: [
      { kind: 'thought', text: 'ab', from: 't2' },
      { kind: 'text', text: 'cd', from: 't4' },
    ],
  });
});

test('CHAT-5 the end of an operation replaces its start; a call may have several', () => {
  const operation = (status: 'start' | 'success', entity_name: string): NewEvent => ({
    type: 'operation',
    data: { action: 'read', entity_type: 'document', entity_name, status, call: 'c1' },
  });
  const events = log([
    begun,
    says('a'),
    call('m'),
    operation('start', 'A'),
    operation('success', 'A'),
    operation('start', 'B'),
  ]);
  const item = foldView(events).turns[0]!.items.find(({ kind }) => kind === 'call');
  expect(item).toMatchObject({
    operations: [
      { entity_name: 'A', status: 'success' },
      { entity_name: 'B', status: 'start' },
    ],
  });
});
