// The bars of a run's timeline, from the times of its events.

import { callsAfter, supersededBy, type Call } from '@continuo/protocol';
import type { RunLogEvent } from './log.ts';

export type SpanKind = 'model' | 'tool' | 'child' | 'wait';

/** What the run spent its time on. `Server` is the rest: the server's own work between steps. */
export type Part = 'Takeover' | 'Tool' | 'Model' | 'Child' | 'Approval' | 'Paused' | 'Queue' | 'Server';

export interface Span {
  readonly key: string;
  readonly kind: SpanKind;
  readonly part: Part;
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Null while it lasts. */
  to: number | null;
  /** The first event of the span. */
  readonly seq: number;
  /** How the span ended, if not well. */
  problem: string | null;
  /** More about the span, such as its tokens. */
  note: string | null;
  /** The run that this span is. */
  child?: string;
}

export interface RunTimes {
  readonly model: string;
  readonly queued_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export function spansOf(run: RunTimes, events: readonly RunLogEvent[]): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, Span>();
  const begin = (
    key: string,
    part: Exclude<Part, 'Server'>,
    label: string,
    { seq, at }: Pick<RunLogEvent, 'seq' | 'at'>,
    from = Date.parse(at),
  ) => {
    const span = {
      key: `${key}@${seq}`,
      kind: KINDS[part],
      part,
      label,
      from,
      to: null,
      seq,
      problem: null,
      note: null,
    };
    spans.push(span);
    open.set(key, span);
  };
  const end = (key: string, at: string, problem: string | null = null) => {
    const span = open.get(key);
    if (!span) return;
    open.delete(key);
    span.to = Date.parse(at);
    span.problem = problem;
  };
  /** The event that started the pending model request. */
  let asked: RunLogEvent | null = null;
  let calls: readonly Call[] = [];
  let attempt = 1;
  let last: RunLogEvent | null = null;
  /** The run starts other runs; it asks no model itself. */
  let isConducted = false;
  begin('queue', 'Queue', 'Queued', { seq: 0, at: run.queued_at });
  const first = events[0]?.at ?? run.started_at ?? run.ended_at;
  if (first) end('queue', first);
  for (const event of events) {
    calls = callsAfter(calls, event);
    switch (event.type) {
      case 'message_start':
        // A text that the server writes itself.
        if (event.data.model !== SERVER)
          begin(`message ${event.data.message}`, 'Model', event.data.model, event, askedAt(event, asked));
        asked = null;
        break;
      case 'message':
        asked ??= open.size === 0 ? event : null;
        break;
      case 'message_end':
        end(`message ${event.data.message}`, event.at, ENDED[event.data.ended]);
        break;
      case 'usage': {
        const span = spans.findLast(({ key }) => key.startsWith(`message ${event.data.message}@`));
        const { input, output } = event.data.usage;
        if (span) span.note = `${input} tokens in, ${output} out`;
        break;
      }
      case 'tool_start':
        begin(`call ${event.data.call}`, 'Tool', event.data.title ?? event.data.tool, event);
        break;
      case 'tool_end':
        end(`approval ${event.data.call}`, event.at, 'no answer');
        end(
          `call ${event.data.call}`,
          event.at,
          event.data.success ? null : (event.data.outcome ?? 'failed'),
        );
        if (calls.every(hasEnded)) asked = event;
        break;
      case 'approval':
        begin(`approval ${event.data.call}`, 'Approval', `Approval of ${event.data.tool}`, event);
        break;
      case 'approval_end':
        end(`approval ${event.data.call}`, event.at, DECIDED[event.data.decision] ?? null);
        break;
      case 'session':
        if (event.data.to_state === 'paused') begin('pause', 'Paused', 'Paused', event);
        else end('pause', event.at);
        break;
      case 'child_start': {
        const { run: child, title, role } = event.data;
        isConducted = true;
        const shown = open.get('plan');
        // A plan that is repaired was not shown to anybody.
        if (shown && event.data.child === REPAIR) spans.splice(spans.indexOf(shown), 1);
        end('plan', event.at);
        begin(`child ${child}`, 'Child', title, event);
        Object.assign(open.get(`child ${child}`)!, { child, note: role });
        break;
      }
      case 'child_end': {
        const { run: child, status, child: name } = event.data;
        end(`child ${child}`, event.at, CHILD_ENDED[status]);
        if (status === 'done' && (name === PLANNING || name === REPAIR))
          begin('plan', 'Approval', 'Approval of the plan', event);
        break;
      }
      case 'state': {
        if (event.data.status !== 'running') {
          for (const key of open.keys()) end(key, event.at, 'the run ended');
          asked = null;
          break;
        }
        if (event.data.attempt > attempt && last && !isResting(open)) {
          begin('takeover', 'Takeover', 'No pod held the run', event, Date.parse(last.at));
          end('takeover', event.at);
        }
        const superseded = supersededBy(event.data);
        if (superseded) {
          const { message, cause } = superseded;
          // A lost pod could not log when it stopped: its last event is its last sign of life.
          const at = cause ? event.at : (last ?? event).at;
          end(`message ${message}`, at, cause ? (CAUSES[cause.code] ?? cause.code) : 'its pod was lost');
        }
        ({ attempt } = event.data);
        if (calls.every(hasEnded)) asked = event;
        break;
      }
      default:
        break;
    }
    last = event;
  }
  const isOver = run.ended_at !== null || isEnd(last);
  if (asked && !isConducted && open.size === 0 && !isOver) begin('asked', 'Model', run.model, asked);
  return spans;
}

/** When the model was asked. Without `waited_ms`, the time of the event that started the request. */
function askedAt(event: RunLogEvent & { type: 'message_start' }, asked: RunLogEvent | null): number {
  const at = Date.parse(event.at);
  const { waited_ms } = event.data;
  return waited_ms === undefined ? Date.parse(asked?.at ?? event.at) : at - waited_ms;
}

function isResting(open: ReadonlyMap<string, Span>): boolean {
  return [...open.values()].some(({ part }) => part === 'Approval' || part === 'Paused' || part === 'Child');
}

function hasEnded({ stage }: Call): boolean {
  return stage.kind === 'ended';
}

function isEnd(event: RunLogEvent | null): boolean {
  return event?.type === 'state' && event.data.status !== 'running';
}

/** If spans overlap, the first of these counts. */
const ORDER = ['Takeover', 'Tool', 'Model', 'Child', 'Approval', 'Paused', 'Queue'] as const;

/** The duration of the run by category. Overlaps are counted once, so the sum is the whole duration. */
export function partsOf(spans: readonly Span[], now: number): ReadonlyMap<Part, number> {
  const times = [...new Set(spans.flatMap(({ from, to }) => [from, to ?? now]))].toSorted((a, b) => a - b);
  const parts = new Map<Part, number>();
  for (const [index, to] of times.entries()) {
    const from = times[index - 1] ?? to;
    const at = new Set(
      spans.filter((each) => each.from <= from && (each.to ?? now) >= to).map(({ part }) => part),
    );
    const part = ORDER.find((each) => at.has(each)) ?? 'Server';
    if (to > from) parts.set(part, (parts.get(part) ?? 0) + to - from);
  }
  return parts;
}

const KINDS = {
  Takeover: 'wait',
  Tool: 'tool',
  Model: 'model',
  Child: 'child',
  Approval: 'wait',
  Paused: 'wait',
  Queue: 'wait',
} as const satisfies Record<Exclude<Part, 'Server'>, SpanKind>;
const CAUSES: Partial<Record<string, string>> = {
  stream_cut: 'the provider cut the stream',
  model_stalled: 'the provider went silent',
};

const SERVER = 'continuo';
/** The names of the child runs that write a plan. */
const PLANNING = '~plan';
const REPAIR = '~repair';
const CHILD_ENDED = { done: null, error: 'failed', canceled: 'canceled' } as const;

const ENDED = { complete: null, error: 'failed', interrupted: 'stopped' } as const;
const DECIDED: Partial<Record<string, string>> = { deny: 'denied', expired: 'expired', skip: 'skipped' };
