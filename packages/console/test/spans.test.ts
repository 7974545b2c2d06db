// A timeline's bars and categories, from the log of a run.

import { expect, test } from 'vitest';
import { familyOf } from '../src/runs/family.ts';
import type { RunLogEvent } from '../src/runs/log.ts';
import { partsOf, spansOf } from '../src/runs/spans.ts';

const time = (ms: number) => new Date(ms).toISOString();
const logOf = (...entries: readonly [number, string, object][]) =>
  entries.map(
    ([ms, type, data], index) => ({ seq: index + 1, at: time(ms), type, data }) as unknown as RunLogEvent,
  );
const run = { model: 'compatible/x', queued_at: time(0), started_at: time(100), ended_at: null };
const shown = (events: RunLogEvent[], now: number, times: object = {}) => {
  const spans = spansOf({ ...run, ...times }, events);
  const bars = spans.map(({ part, from, to, problem }) => [part, from, to, problem]);
  return { bars, parts: Object.fromEntries(partsOf(spans, now)) };
};
const BEGUN = [
  [100, 'state', { status: 'running', attempt: 1 }],
  [100, 'message', { id: 'u', role: 'user', content: 'hi' }],
] as const satisfies readonly [number, string, object][];
const call = { kind: 'tool_call', callId: 'c', tool: 'read', input: { kind: 'json', value: {} } };

test('a pending model request has an open bar from the request on', () => {
  const { bars, parts } = shown(logOf(...BEGUN), 6100);
  expect(bars).toEqual([
    ['Queue', 0, 100, null],
    ['Model', 100, null, null],
  ]);
  expect(parts).toEqual({ Queue: 100, Model: 6000 });
});

test('the categories of a run add up to its duration, the server’s own work included', () => {
  const events = logOf(
    ...BEGUN,
    [3000, 'message_start', { message: 'm1', model: 'compatible/x', waited_ms: 2500 }],
    [4000, 'message_end', { message: 'm1', text: '', parts: [call], ended: 'complete' }],
    [4100, 'approval', { call: 'c', tool: 'read' }],
    [5100, 'approval_end', { call: 'c', tool: 'read', decision: 'approve' }],
    [5200, 'tool_start', { call: 'c', tool: 'read', input: {} }],
    [5900, 'tool_end', { call: 'c', tool: 'read', success: true }],
    [7000, 'message_start', { message: 'm2', model: 'compatible/x', waited_ms: 1000 }],
    [8000, 'message_end', { message: 'm2', text: 'ok', parts: [], ended: 'complete' }],
    [8010, 'state', { status: 'done' }],
  );
  const { parts } = shown(events, 9999, { ended_at: time(8000) });
  expect(parts).toEqual({
    Queue: 100,
    Server: 400 + 100 + 100 + 100,
    Model: 3500 + 2000,
    Approval: 1000,
    Tool: 700,
  });
  expect(Object.values(parts).reduce((sum, each) => sum + each, 0)).toBe(8000);
});

test('a stream that the provider cut is distinct from a lost pod', () => {
  const start = [500, 'message_start', { message: 'm1', model: 'compatible/x', waited_ms: 400 }] as const;
  const cause = { code: 'stream_cut', error: 'compatible ended the answer early' };
  const cut = logOf(
    ...BEGUN,
    [...start],
    [900, 'state', { status: 'running', attempt: 1, supersedes: 'm1', cause }],
  );
  expect(shown(cut, 1000).bars.slice(1)).toEqual([
    ['Model', 100, 900, 'the provider cut the stream'],
    ['Model', 900, null, null],
  ]);
  const lost = logOf(
    ...BEGUN,
    [...start],
    [2500, 'state', { status: 'running', attempt: 2, supersedes: 'm1' }],
  );
  expect(shown(lost, 3000)).toEqual({
    bars: [
      ['Queue', 0, 100, null],
      ['Model', 100, 500, 'its pod was lost'],
      ['Takeover', 500, 2500, null],
      ['Model', 2500, null, null],
    ],
    parts: { Queue: 100, Model: 400 + 500, Takeover: 2000 },
  });
});

const child = { run: 'r1', thread: 't1', title: 'Write the plan', role: 'planner' };

test('child runs are bars of their own, the wait for a plan’s approval is one, and claiming a waiting run is no takeover', () => {
  const events = logOf(
    ...BEGUN,
    [200, 'child_start', { child: '~plan', ...child }],
    [2200, 'state', { status: 'running', attempt: 2 }],
    [2200, 'child_end', { child: '~plan', run: 'r1', thread: 't1', status: 'done' }],
    [5200, 'child_start', { child: 'a', ...child, run: 'r2', title: 'Step A' }],
    [6200, 'child_end', { child: 'a', run: 'r2', thread: 't2', status: 'error' }],
    [6300, 'state', { status: 'error' }],
  );
  expect(shown(events, 9999, { ended_at: time(6300) })).toEqual({
    bars: [
      ['Queue', 0, 100, null],
      ['Child', 200, 2200, null],
      ['Approval', 2200, 5200, null],
      ['Child', 5200, 6200, 'failed'],
    ],
    parts: { Queue: 100, Server: 100, Child: 3000, Approval: 3000 },
  });
});

test('an unfolded child run has its own bars below it, in its parent’s time', () => {
  const events = logOf(
    ...BEGUN,
    [200, 'child_start', { child: 'work#1', ...child, title: 'Round 1' }],
    [3000, 'child_end', { child: 'work#1', run: 'r1', thread: 't1', status: 'done' }],
    [3000, 'state', { status: 'done' }],
  );
  const log = logOf(
    [400, 'state', { status: 'running', attempt: 1 }],
    [400, 'message', { id: 'u', role: 'user', content: 'hi' }],
    [1000, 'message_start', { message: 'm1', model: 'compatible/x', waited_ms: 600 }],
    [2900, 'message_end', { message: 'm1', text: 'ok', parts: [], ended: 'complete' }],
    [2950, 'state', { status: 'done' }],
  );
  const parent = { id: 'r0', ...run, ended_at: time(3000) };
  const names = ({ rows }: ReturnType<typeof familyOf>) =>
    rows.map(({ span, depth }) => `${'  '.repeat(depth)}${span.label} ${span.from}-${span.to}`);
  expect(names(familyOf(parent, events, new Map()))).toEqual(['Queued 0-100', 'Round 1 200-3000']);
  const unfolded = familyOf(parent, events, new Map([['r1', log]]));
  expect(names(unfolded)).toEqual([
    'Queued 0-100',
    'Round 1 200-3000',
    '  Queued 200-400',
    '  compatible/x 400-2900',
  ]);
  expect(unfolded.leaves.map(({ label }) => label)).toEqual(['Queued', 'Queued', 'compatible/x']);
});
