// A timeline's bars and categories, from the log of a run.

import { expect, test } from 'vitest';
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
