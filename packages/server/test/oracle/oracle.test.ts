// What the code makes of recorded logs is what it made of them when they were recorded. README.md says what may be rewritten.

import { expect, test } from 'vitest';
import type { EventType } from '@continuo/protocol';
import { readExpected, readLogs, writeExpected } from './fixtures.ts';
import { PROJECTIONS, type ProjectionName } from './projections.ts';

const EVENT_TYPES = Object.keys({
  state: true,
  session: true,
  rewound: true,
  message: true,
  mode: true,
  message_start: true,
  reasoning: true,
  token: true,
  message_end: true,
  context_usage: true,
  usage: true,
  tool_start: true,
  tool_end: true,
  approval: true,
  approval_end: true,
  file_updated: true,
  operation: true,
  entity_patch: true,
  plan_step: true,
  final: true,
  error: true,
  canceled: true,
  titled: true,
  child_start: true,
  child_end: true,
  summary: true,
  summary_failed: true,
  agent_state_delta: true,
} satisfies Record<EventType, true>);

const logs = readLogs();
const recording = process.env.CONTINUO_ORACLE === 'record';

test.skipIf(recording)('the recorded logs are many, and have every type of event', () => {
  expect(logs.length).toBeGreaterThanOrEqual(40);
  const recorded = new Set(logs.flatMap(({ events }) => events.map(({ type }) => type)));
  expect([...recorded].toSorted()).toEqual(EVENT_TYPES.toSorted());
});

test.skipIf(recording).each(Object.keys(PROJECTIONS) as ProjectionName[])(
  '%s of every recorded log is as stored',
  (projection) => {
    const differences = logs.flatMap(({ name, shows, events }) => {
      const lines = PROJECTIONS[projection](events);
      // `CONTINUO_ORACLE=state` rewrites that projection alone.
      if (process.env.CONTINUO_ORACLE === projection) writeExpected(projection, name, lines);
      const difference = firstDifference(readExpected(projection, name) ?? [], lines);
      return difference === null ? [] : [`${projection} of ${name} (${shows}): ${difference}`];
    });
    expect(differences.length, differences.slice(0, 5).join('\n\n')).toBe(0);
  },
);

function firstDifference(stored: readonly string[], now: readonly string[]): string | null {
  const length = Math.max(stored.length, now.length);
  const index = Array.from({ length }).findIndex((_, at) => stored[at] !== now[at]);
  if (index < 0) return null;
  const [old, made] = [stored[index] ?? '(the end)', now[index] ?? '(the end)'];
  // Of two long lines, what is around the first character that differs.
  let column = 0;
  while (column < old.length && old[column] === made[column]) column += 1;
  const from = Math.max(0, column - 80);
  const excerpt = (line: string) => `${from > 0 ? '…' : ''}${line.slice(from, from + 300)}`;
  return `line ${index + 1}\n  stored: ${excerpt(old)}\n  now:    ${excerpt(made)}`;
}
