// What the code makes of recorded logs is what it made of them when they were recorded. README.md says what may be rewritten.

import { expect, test } from 'vitest';
import type { EventType } from '@continuo/protocol';
import { readExpected, readLogs, writeExpected } from './fixtures.ts';
import { firstDifference, PROJECTIONS, type ProjectionName } from '../../src/replay/projections.ts';

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
  verdict: true,
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

test.skipIf(recording)('PLUS-13 the recorded logs are many, and have every type of event', () => {
  expect(logs.length).toBeGreaterThanOrEqual(40);
  const recorded = new Set(logs.flatMap(({ events }) => events.map(({ type }) => type)));
  expect([...recorded].toSorted()).toEqual(EVENT_TYPES.toSorted());
});

test.skipIf(recording).each(Object.keys(PROJECTIONS) as ProjectionName[])(
  'PLUS-13 %s of every recorded log is as stored',
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
