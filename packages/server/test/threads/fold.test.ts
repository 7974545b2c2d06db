// State is a fold of the log, and the next step a decision on it: nothing else is remembered. RUN-16.

import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  isTerminal,
  readArguments,
  type EventData,
  type EventType,
  type LogEvent,
  type SessionState,
} from '@continuo/protocol';
import type { StoredEvent } from '../../src/log/event.ts';
import { readForFold } from '../../src/log/statements.ts';
import { decide as decideWith, type Facts } from '../../src/runs/loop/decide.ts';
import { keptInput } from '../../src/runs/steps/call-values.ts';
import { EMPTY, fold, foldAll, type ThreadState } from '../../src/threads/fold.ts';
import type { AnyTool } from '../../src/tools/registry.ts';
import { createLoop, DECISION_RULES, play, requestCancel, useLog } from '../runs/support.ts';

const world = useLog();
const look: AnyTool = {
  name: 'look',
  description: 'Looks.',
  effect: 'pure',
  input: z.object({}),
  run: () => Promise.resolve({ seen: true }),
};
const act: AnyTool = { ...look, name: 'act', effect: 'external' };
const guarded: AnyTool = { ...act, name: 'guarded' };
const forbidden: AnyTool = { ...act, name: 'forbidden' };
const RULES = [
  { tool: '*', action: 'allow' },
  { tool: 'guarded', action: 'ask' },
  { tool: 'forbidden', action: 'deny' },
];
const SCRIPTS = {
  done: {
    steps: [
      { reasoning: 'hm', text: 'one two', calls: [{ tool: 'look' }, { tool: 'act' }, { tool: 'gone' }] },
      { text: 'three' },
    ],
  },
  error: {
    steps: [
      { text: 'x', calls: [{ tool: 'act' }] },
      { text: 'half', error: { code: 'cut', message: 'no more' } },
    ],
  },
};

interface Life {
  readonly threadId: string;
  readonly runId: string;
  readonly events: readonly StoredEvent[];
}
const lives: Record<string, Life> = {};

beforeAll(async () => {
  for (const [name, script] of Object.entries(SCRIPTS))
    lives[name] = await play(world, script, { tools: [look, act] });
  lives.canceled = await canceled();
  lives.parked = await parked();
});

/** A run that waits for approval of two calls, with others beside them, until it is canceled. */
async function parked(): Promise<Life> {
  await world.pool.query('update workspaces set policy = $1', [JSON.stringify({ rules: RULES })]);
  const threadId = await world.thread();
  const calls = ['guarded', 'look', 'act', 'forbidden', 'guarded'].map((tool) => ({ tool }));
  const runId = await world.run(threadId, {
    steps: [
      { text: 'one', calls: [{ tool: 'look' }] },
      { text: 'two', calls },
    ],
  });
  const loop = await createLoop(world, { tools: [look, act, guarded, forbidden] });
  await loop.work(await loop.hold(threadId));
  await requestCancel(world, runId);
  await loop.work(await loop.hold(threadId));
  return { threadId, runId, events: await world.log(threadId) };
}

/** A run that is canceled in its first tool, with a second run behind it. */
async function canceled(): Promise<Life> {
  const threadId = await world.thread();
  const runId = await world.run(threadId, SCRIPTS.done);
  await world.run(threadId, SCRIPTS.error);
  const tool: AnyTool = { ...act, run: () => requestCancel(world, runId) };
  const loop = await createLoop(world, { tools: [look, tool] });
  await loop.work(await loop.hold(threadId));
  return { threadId, runId, events: await world.log(threadId) };
}

const limits = { steps: 100, tokens: null, cost: null, seconds: null };

function queued(id: string, cancel: string | null = null) {
  return {
    id,
    ordinal: 1,
    message: { id: 'x', content: '' },
    model: '',
    role: '',
    cancel,
    limits,
    queuedAt: 0,
    workspaceId: 'w',
    principal: { kind: 'local' as const },
    pause: false,
    rewindTo: null,
    steers: [],
    decisions: new Map(),
  };
}

const NOTHING_ELSE = {
  workspaceId: 'w',
  stop: false,
  pingedAt: null,
  titleWanted: false,
  isChild: false,
  stateEdits: [],
};
const decide = (state: ThreadState, facts: Facts, attempt: number) =>
  decideWith(state, facts, attempt, DECISION_RULES);

function factsOf(...runs: ReturnType<typeof queued>[]) {
  return { ...NOTHING_ELSE, now: 0, runs };
}

/** What the rows would say after this much of the log: its runs that have not ended. */
function factsAfter(events: readonly StoredEvent[], prefix: readonly StoredEvent[]): Facts {
  const ended = new Set(
    prefix
      .filter((event) => event.type === 'state' && isTerminal(event.data.status))
      .map(({ runId }) => runId),
  );
  const runs = [...new Set(events.flatMap(({ runId }) => runId ?? []))];
  return factsOf(...runs.filter((run) => !ended.has(run)).map((run) => queued(run)));
}

/** What may come next, read off the log by eye: no fold, no state. */
function legalSteps(prefix: readonly StoredEvent[], facts: Facts): string[] {
  const last = prefix.findLast(({ type, runId }) => type === 'state' && runId !== null);
  if (!last || (last.type === 'state' && isTerminal(last.data.status)))
    return [facts.runs.length > 0 ? 'start' : 'rest'];
  const own = prefix.filter(({ runId }) => runId === last.runId);
  const whole = own.findLastIndex(({ type }) => type === 'message_end');
  const message = own[whole];
  if (message?.type !== 'message_end') return ['call_model'];
  if (message.data.error) return ['fail'];
  const calls = message.data.parts.flatMap((part) => (part.kind === 'tool_call' ? [part.callId] : []));
  const answered = own.slice(whole).flatMap((event) => (event.type === 'tool_end' ? [event.data.call] : []));
  const asked = own.slice(whole).flatMap((event) => (event.type === 'approval' ? [event.data.call] : []));
  if (calls.some((call) => !answered.includes(call) && !asked.includes(call))) return ['run_tools'];
  if (calls.some((call) => !answered.includes(call))) return ['rest'];
  return calls.length > 0 ? ['call_model'] : ['finish'];
}

test.each(['done', 'error', 'canceled', 'parked'])(
  'RUN-16 after every prefix of a log (%s) a fresh actor knows the next step',
  (name) => {
    const { events } = lives[name]!;
    expect(events.length).toBeGreaterThan(15);
    for (let length = 0; length <= events.length; length += 1) {
      const prefix = events.slice(0, length);
      const state = foldAll(EMPTY, prefix);
      const facts = factsAfter(events, prefix);
      const [legal] = legalSteps(prefix, facts);
      const attempt = prefix.at(-1)?.attempt ?? 0;
      // The next owner of an open run says so first.
      expect(decide(state, facts, attempt + 1).kind).toBe(
        legal === 'start' || legal === 'rest' ? legal : 'take_over',
      );
      if (state.run) expect([length, decide(state, facts, attempt).kind]).toEqual([length, legal]);
    }
  },
);

test.each(['done', 'error', 'canceled', 'parked'])(
  'RUN-16 folding a log (%s) event by event, in pieces or at once gives the same state',
  (name) => {
    const { events } = lives[name]!;
    const whole = foldAll(EMPTY, events);
    for (let cut = 0; cut <= events.length; cut += 1) {
      expect(foldAll(foldAll(EMPTY, events.slice(0, cut)), events.slice(cut))).toEqual(whole);
    }
    let state: ThreadState = EMPTY;
    for (const event of events) {
      const before = structuredClone(state);
      const next = fold(state, event);
      expect(state).toEqual(before);
      expect(next.seq).toBe(event.seq);
      state = next;
    }
    expect(state).toEqual(whole);
  },
);

test.each(['done', 'error', 'canceled', 'parked'])(
  'RUN-16 a snapshot (%s), stored as JSON at any event, and the events after it give the same state',
  (name) => {
    const { events } = lives[name]!;
    const whole = foldAll(EMPTY, events);
    for (let at = 0; at <= events.length; at += 1) {
      const folded = foldAll(EMPTY, events.slice(0, at));
      const stored = JSON.parse(JSON.stringify(folded)) as ThreadState;
      expect(stored).toStrictEqual(folded);
      expect(foldAll(stored, events.slice(at))).toStrictEqual(whole);
    }
  },
);

test.each(['done', 'error', 'canceled', 'parked'])(
  'RUN-16 what an actor reads to fold (%s), without the pieces of messages, gives the same state',
  async (name) => {
    const { threadId, events } = lives[name]!;
    const read = await readForFold(world.pool, threadId);
    expect(read.length).toBeLessThan(events.length);
    expect(foldAll(EMPTY, read)).toEqual(foldAll(EMPTY, events));
  },
);

test('RUN-3 the status that a log folds to is the status of the row', async () => {
  for (const [name, { runId, events }] of Object.entries(lives)) {
    const status = name === 'parked' ? 'canceled' : name;
    const last = events.findLast((event) => event.type === 'state' && event.runId === runId)!;
    expect(last.data).toEqual({ status });
    const { rows } = await world.pool.query<{ status: string }>('select status from runs where id = $1', [
      runId,
    ]);
    expect(rows).toEqual([{ status }]);
  }
});

test('tool results stand in the history in the order of their calls, whichever ended first', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  log.add('message', { id: 'u', role: 'user', content: 'go' });
  log.add('message_start', { message: 'm1', model: 'x' });
  log.add('message_end', {
    message: 'm1',
    text: '',
    parts: ['a', 'b', 'c'].map(toolCall),
    ended: 'complete',
  });
  for (const call of ['a', 'b', 'c']) log.add('tool_start', { tool: 't', input: {}, call });
  for (const call of ['c', 'a', 'b']) log.add('tool_end', { tool: 't', output: {}, call, success: true });
  const state = foldAll(EMPTY, log.events);
  expect(state.history.map(({ entry }) => (entry.role === 'tool' ? entry.callId : entry.role))).toEqual([
    'user',
    'assistant',
    'a',
    'b',
    'c',
  ]);
  expect(decide(state, factsOf(queued(log.run)), 1).kind).toBe('call_model');
});

test('WS-3 which files a model was refused is folded from the log', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  const refused = { model: 'x', files: [{ file: 'f', v: 2 }] };
  log.add('error', { error: 'no', code: 'file_refused', refused });
  log.add('state', { status: 'error' });
  expect(foldAll(EMPTY, log.events)).toMatchObject({ run: null, refused: [{ model: 'x', file: 'f', v: 2 }] });
});

test('RT-7 what a model refused as too long is known until the session ends, for that model alone', () => {
  const log = new Log();
  const idle = (session: string) =>
    log.add('session', { session, from_state: 'idle', to_state: 'running', reason: 'message' });
  idle('one');
  log.add('state', { status: 'running', attempt: 1 });
  const told = { message: 'm1', tokens: 5, limit: 5, turns_left_out: 1 };
  log.add('context_usage', { ...told, refused: { model: 'x', tokens: 40 } });
  log.add('context_usage', { ...told, refused: { model: 'y', tokens: 30 } });
  log.add('context_usage', { ...told, refused: { model: 'x', tokens: 20 } });
  log.add('context_usage', told);
  idle('one');
  expect(foldAll(EMPTY, log.events).tooLong).toEqual({ x: 20, y: 30 });
  idle('two');
  expect(foldAll(EMPTY, log.events).tooLong).toEqual({});
});

test('a run canceled in the queue changes nothing for the one that is running', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  const before = foldAll(EMPTY, log.events);
  const other = uuidv7();
  log.add('canceled', { reason: 'x' }, other);
  log.add('state', { status: 'canceled' }, other);
  expect(foldAll(EMPTY, log.events)).toEqual({ ...before, seq: 3 });
});

test('a cancel of a queued run is seen to before anything else; one of the active run after its takeover', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  const state = foldAll(EMPTY, log.events);
  const [active, waiting] = [queued(log.run, 'stop'), queued(uuidv7(), 'not needed')];
  expect(decide(state, factsOf(active, waiting), 1)).toMatchObject({ kind: 'drop', runs: [waiting] });
  expect(decide(state, factsOf(active), 2)).toMatchObject({ kind: 'take_over' });
  expect(decide(state, factsOf(active), 1)).toMatchObject({ kind: 'cancel', reason: 'stop' });
});

test('a run that is taken over again and again without a finished step is failed', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  const next = () => decide(foldAll(EMPTY, log.events), factsOf(queued(log.run)), log.attempt);
  while (log.attempt < 21) {
    expect(next().kind).toBe('call_model');
    log.attempt += 1;
    log.add('state', { status: 'running', attempt: log.attempt });
  }
  expect(next()).toMatchObject({ kind: 'fail', code: 'too_many_attempts' });
});

test('a run that calls tools for ever is failed after its last model call', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  const next = () => decide(foldAll(EMPTY, log.events), factsOf(queued(log.run)), 1);
  for (let turn = 1; turn <= 100; turn += 1) {
    expect(next().kind).toBe('call_model');
    log.add('message_start', { message: `m${turn}`, model: 'x' });
    log.add('message_end', { message: `m${turn}`, text: '', parts: [toolCall('a')], ended: 'complete' });
    log.add('tool_end', { tool: 't', output: {}, call: 'a', success: true });
  }
  expect(next()).toMatchObject({ kind: 'fail', code: 'step_limit' });
});

test('a parked run is looked at as often as one likes: no try is counted, and no time', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  log.add('message_start', { message: 'm1', model: 'x' });
  log.add('message_end', { message: 'm1', text: '', parts: ['a', 'b'].map(toolCall), ended: 'complete' });
  const ask = (call: string) => ({
    approval: call,
    kind: 'call' as const,
    call,
    tool: 't',
    input: {},
    paths: [],
    reason: 'x',
  });
  log.clock = 2000;
  log.add('approval', ask('a'));
  const limited = { ...queued(log.run), limits: { ...limits, seconds: 5 } };
  const next = (now: number, attempt: number, cancel: string | null = null) =>
    decide(foldAll(EMPTY, log.events), { ...NOTHING_ELSE, now, runs: [{ ...limited, cancel }] }, attempt)
      .kind;
  expect(next(2000, 1)).toBe('run_tools');
  log.clock = 3000;
  log.add('tool_start', { tool: 't', input: {}, call: 'b' });
  log.add('tool_end', { tool: 't', output: {}, call: 'b', success: true });
  for (const attempt of [1, 2, 30, 999]) expect(next(1e12, attempt)).toBe('rest');
  expect(next(1e12, 30, 'stop')).toBe('take_over');
  expect(next(1e12, 1, 'stop')).toBe('cancel');
  // Somebody answers after an hour: of its five seconds the run has used three.
  log.clock = 3_600_000;
  log.add('tool_end', { tool: 't', output: {}, call: 'a', success: true });
  expect(next(3_601_999, 1)).toBe('call_model');
  expect(next(3_602_000, 1)).toBe('fail');
});

test('time in which a run is paused does not count, nor does it count twice that it also waits', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  log.add('message_end', { message: 'm1', text: '', parts: [toolCall('a')], ended: 'complete' });
  const becomes = (from_state: SessionState, to_state: SessionState) =>
    log.add('session', { session: 's', from_state, to_state, reason: 'x' }, log.run);
  log.clock = 1000;
  log.add('approval', {
    approval: 'x',
    kind: 'call',
    call: 'a',
    tool: 't',
    input: {},
    paths: [],
    reason: 'x',
  });
  log.clock = 50_000;
  becomes('running', 'paused');
  log.clock = 60_000;
  log.add('approval_end', { approval: 'x', call: 'a', tool: 't', decision: 'approve' });
  log.clock = 90_000;
  becomes('paused', 'running');
  const limited = { ...queued(log.run), limits: { ...limits, seconds: 5 } };
  const next = (now: number) =>
    decide(foldAll(EMPTY, log.events), { ...NOTHING_ELSE, now, runs: [limited] }, 1).kind;
  expect(next(93_999)).toBe('run_tools');
  expect(next(94_000)).toBe('fail');
});

test('a run whose time was over before it was parked fails', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  log.add('message_end', { message: 'm1', text: '', parts: [toolCall('a')], ended: 'complete' });
  log.clock = 5000;
  log.add('approval', {
    approval: 'x',
    kind: 'call',
    call: 'a',
    tool: 't',
    input: {},
    paths: [],
    reason: 'x',
  });
  const facts = {
    ...NOTHING_ELSE,
    now: 9000,
    runs: [{ ...queued(log.run), limits: { ...limits, seconds: 5 } }],
  };
  expect(decide(foldAll(EMPTY, log.events), facts, 2).kind).toBe('take_over');
  expect(decide(foldAll(EMPTY, log.events), facts, 1)).toMatchObject({ kind: 'fail', code: 'time_limit' });
});

test('a run rests for one thing at a time, and a pause comes before what its calls wait for', () => {
  const log = new Log();
  const rest = () => foldAll(EMPTY, log.events).run!.rest;
  const becomes = (from_state: SessionState, to_state: SessionState) =>
    log.add('session', { session: 's', from_state, to_state, reason: 'x' }, log.run);
  const about = { call: 'a', tool: 't', input: {}, paths: [], reason: 'x' };
  log.add('state', { status: 'running', attempt: 1 });
  log.add('message_end', { message: 'm1', text: '', parts: [toolCall('a')], ended: 'complete' });
  expect(rest()).toBeNull();
  log.clock = 1000;
  log.add('approval', { approval: 'x', kind: 'call', ...about });
  expect(rest()).toEqual({ for: 'approvals', since: 1000 });
  log.clock = 2000;
  becomes('running', 'paused');
  expect(rest()).toEqual({ for: 'resume', since: 1000 });
  becomes('paused', 'running');
  expect(rest()).toEqual({ for: 'approvals', since: 1000 });
  log.clock = 3000;
  log.add('approval_end', { approval: 'x', call: 'a', tool: 't', decision: 'approve' });
  expect(foldAll(EMPTY, log.events).run).toMatchObject({ rest: null, restedMs: 2000 });
  log.add('tool_start', { tool: 't', input: {}, call: 'a' });
  log.clock = 4000;
  log.add('approval', { approval: 'y', kind: 'question', ...about });
  expect(rest()).toEqual({ for: 'answer', since: 4000 });
  log.clock = 5000;
  log.add('approval_end', { approval: 'y', call: 'a', tool: 't', decision: 'answer', input: {} });
  expect(foldAll(EMPTY, log.events).run).toMatchObject({ rest: null, restedMs: 3000 });
});

test('arguments that are not JSON are kept with a problem, and the call is one to be ended', () => {
  const log = new Log();
  log.add('state', { status: 'running', attempt: 1 });
  const input = { kind: 'invalid', text: '{"path": "/a' } as const;
  const parts = [{ ...toolCall('a'), input }];
  log.add('message_end', { message: 'm1', text: '', parts, ended: 'complete' });
  const state = foldAll(EMPTY, log.events);
  const problem = 'the input is not valid JSON: {"path": "/a';
  expect(state.run!.calls[0]!.input).toEqual({ ok: false, raw: input.text, problem });
  expect(decide(state, factsOf(queued(log.run)), 1).kind).toBe('run_tools');
});

test.each([65, 5000])('arguments that are nested %i deep are refused, as a value and as a text', (depth) => {
  const text = '['.repeat(depth) + ']'.repeat(depth);
  for (const input of [
    readArguments({ kind: 'invalid', text }),
    readArguments({ kind: 'json', value: JSON.parse(text) as unknown }),
  ])
    expect(keptInput(input)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('64 levels') as string,
    });
  const fits = readArguments({ kind: 'json', value: [[1]] });
  expect(keptInput(fits)).toBe(fits);
});

function toolCall(callId: string) {
  return { kind: 'tool_call', callId, tool: 't', input: { kind: 'json', value: {} } } as const;
}

/** A log that is written by hand. */
class Log {
  readonly events: LogEvent[] = [];
  readonly run = uuidv7();
  attempt = 1;
  /** Milliseconds. */
  clock = 0;

  add<T extends EventType>(type: T, data: EventData[T], runId = this.run): void {
    const runSeq = this.events.filter((event) => event.runId === runId).length + 1;
    const place = {
      threadId: 't',
      seq: this.events.length + 1,
      runId,
      runSeq,
      attempt: this.attempt,
      at: new Date(this.clock),
    };
    this.events.push({ ...place, type, data } as LogEvent);
  }
}
