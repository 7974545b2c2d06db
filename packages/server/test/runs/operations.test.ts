// What calls do to entities is said when they start, and once more when they end, however they end.

import { expect, test } from 'vitest';
import type { NewEvent } from '@continuo/protocol';
import { end, predictState } from '../../src/runs/loop/append-batch.ts';
import { EMPTY } from '../../src/threads/fold.ts';

const call = 'c1';
const operation = { action: 'read', entity_type: 'task', entity_name: 'Rent chairs', call } as const;
const events: NewEvent[] = [
  { type: 'state', data: { status: 'running', attempt: 1 } },
  {
    type: 'message_end',
    data: {
      message: 'm1',
      text: '',
      parts: [{ kind: 'tool_call', callId: call, tool: 'look', input: { kind: 'json', value: {} } }],
      ended: 'complete',
    },
  },
  { type: 'tool_start', data: { tool: 'look', input: {}, call } },
  { type: 'operation', data: { ...operation, status: 'start' } },
];
const after = (more: readonly NewEvent[]) =>
  predictState(
    EMPTY,
    [...events, ...more].map((event) => ({ runId: 'r1', event })),
    { threadId: 't1', attempt: 1, at: new Date(0) },
  ).run!;
const lastOf = (more: readonly NewEvent[]) =>
  end(after(more), 'canceled', [], { sent: [] }).entries.map(({ event }) => event);

test('CHAT-5 a run that ends in the middle of a call ends the call’s operation', () => {
  const asked = { approval: 'a1', call, tool: 'look' };
  const question: NewEvent[] = [
    { type: 'approval', data: { ...asked, kind: 'question', input: {}, paths: [], reason: 'How many?' } },
    { type: 'approval_end', data: { ...asked, decision: 'answer', input: {} } },
  ];
  for (const more of [[], question.slice(0, 1), question])
    expect(lastOf(more)).toMatchObject([
      { type: 'operation', data: { ...operation, status: 'error' } },
      { type: 'tool_end', data: { call, outcome: 'unknown' } },
      { type: 'state' },
    ]);
});

test('CHAT-5 a call that has ended does not end its operation again', () => {
  const ended: NewEvent[] = [
    { type: 'operation', data: { ...operation, status: 'success' } },
    { type: 'tool_end', data: { tool: 'look', output: {}, call, success: true } },
  ];
  expect(lastOf(ended)).toMatchObject([{ type: 'state' }]);
});
