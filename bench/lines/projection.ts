// What a dialect costs: the frames of each event of a long run, as values, before they are written as bytes.

import {
  agent,
  agUi,
  aiSdk,
  runs,
  workspace,
  type Dialect,
  type LogEvent,
  type NewEvent,
} from '@continuo/protocol';
import { tokenText } from '../load/text.ts';
import { digits, median } from '../measure/numbers.ts';
import { judged, type Line, type Row } from './line.ts';

const MOST_MICROSECONDS = 2;
/** Turns of a run: each thinks, says 50 tokens, and makes two calls. */
const TURNS = 40;
const PIECES = 50;

// Each has a state of its own; nobody here looks into it.
// oxlint-disable-next-line typescript/no-explicit-any
const DIALECTS: readonly Dialect<any>[] = [
  runs,
  workspace,
  agent,
  aiSdk,
  agUi({ threadId: 'thread', runId: 'run', messages: [] }),
];

export const projection: Line = {
  key: 'projection',
  measure: (stage) => {
    const log = longRun();
    const times = stage.many(400, 20);
    return DIALECTS.map((dialect): Row => {
      project(dialect, log, times);
      const spent = Array.from({ length: stage.options.rounds }, () => project(dialect, log, times));
      const each = median(spent);
      return {
        key: `projection-${dialect.name}`,
        line: `CPU of the ${dialect.name} dialect per event, framing aside`,
        target: `≤ ${MOST_MICROSECONDS} µs`,
        measured: digits(each, 'µs'),
        verdict: judged(each <= MOST_MICROSECONDS),
      };
    });
  },
};

/** Microseconds of CPU per event. */
function project(dialect: Dialect<unknown>, log: readonly LogEvent[], times: number): number {
  const before = process.cpuUsage();
  let frames = 0;
  for (let time = 0; time < times; time += 1) {
    let state = dialect.initial;
    for (const event of log) {
      const [next, made] = dialect.step(state, event);
      state = next;
      frames += made.length;
    }
  }
  const { user, system } = process.cpuUsage(before);
  if (frames < times) throw new Error(`${dialect.name} says next to nothing`);
  return (user + system) / (times * log.length);
}

export function longRun(): LogEvent[] {
  const place = { threadId: 'thread', runId: 'run', attempt: 1, at: new Date(0) };
  const events: NewEvent[] = [
    { type: 'state', data: { status: 'running', attempt: 1 } },
    { type: 'message', data: { id: 'message', role: 'user', content: 'What about it?' } },
    ...Array.from({ length: TURNS }, (_, turn) => turnOf(`m${turn + 1}`)).flat(),
    { type: 'final', data: { text: 'done', sources: [], message: `m${TURNS}` } },
    { type: 'state', data: { status: 'done' } },
  ];
  return events.map((event, index) => ({ ...event, ...place, seq: index + 1, runSeq: index + 1 }));
}

function turnOf(message: string): NewEvent[] {
  const model = 'offline/script';
  const calls = [`${message}_0`, `${message}_1`];
  const input = { path: '/notes/a.md' };
  const parts = calls.map((callId) => ({
    kind: 'tool_call' as const,
    callId,
    tool: 'read',
    input: { kind: 'json' as const, value: input },
  }));
  const pieces = Array.from({ length: PIECES }, (_, index) => tokenText(index));
  return [
    { type: 'message_start', data: { message, model } },
    ...pieces.slice(0, 10).map((text): NewEvent => ({ type: 'reasoning', data: { text, message } })),
    ...pieces.map((text): NewEvent => ({ type: 'token', data: { text, message } })),
    { type: 'message_end', data: { message, text: pieces.join(''), parts, ended: 'complete' } },
    {
      type: 'usage',
      data: { message, model, usage: { input: 10, output: PIECES }, cost: 0.001, duration_ms: 5 },
    },
    ...calls.map((call): NewEvent => ({
      type: 'tool_start',
      data: { tool: 'read', input, call, title: 'Read a.md' },
    })),
    ...calls.map((call): NewEvent => ({
      type: 'tool_end',
      data: { tool: 'read', output: { text: 'a' }, call, success: true },
    })),
  ];
}
