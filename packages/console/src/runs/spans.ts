// What took how long in a run: the bars of its timeline, from the times of its events.

import type { RunLogEvent } from './log.ts';

export type SpanKind = 'model' | 'tool' | 'wait';

export interface Span {
  readonly key: string;
  readonly kind: SpanKind;
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Null while it lasts. */
  to: number | null;
  /** The event that it began with. */
  readonly seq: number;
  /** How it ended, if not well. */
  problem: string | null;
  /** What more there is to say, such as its tokens. */
  note: string | null;
}

interface RunTimes {
  readonly queued_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export function spansOf(run: RunTimes, events: readonly RunLogEvent[]): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, Span>();
  const begin = (
    key: string,
    kind: SpanKind,
    label: string,
    { seq, at }: Pick<RunLogEvent, 'seq' | 'at'>,
  ) => {
    const span = {
      key: `${key}@${seq}`,
      kind,
      label,
      from: Date.parse(at),
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
  begin('queue', 'wait', 'In the queue', { seq: 0, at: run.queued_at });
  const first = events[0]?.at ?? run.started_at ?? run.ended_at;
  if (first) end('queue', first);
  for (const event of events) {
    switch (event.type) {
      case 'message_start':
        begin(`message ${event.data.message}`, 'model', event.data.model, event);
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
        begin(`call ${event.data.call}`, 'tool', event.data.title ?? event.data.tool, event);
        break;
      case 'tool_end':
        end(`approval ${event.data.call}`, event.at, 'no answer');
        end(
          `call ${event.data.call}`,
          event.at,
          event.data.success ? null : (event.data.outcome ?? 'failed'),
        );
        break;
      case 'approval':
        begin(`approval ${event.data.call}`, 'wait', `Approval of ${event.data.tool}`, event);
        break;
      case 'approval_end':
        end(`approval ${event.data.call}`, event.at, DECIDED[event.data.decision] ?? null);
        break;
      case 'session':
        if (event.data.to_state === 'paused') begin('pause', 'wait', 'Paused', event);
        else end('pause', event.at);
        break;
      case 'state':
        if (event.data.status !== 'running') {
          for (const key of open.keys()) end(key, event.at, 'the run ended');
        } else if (event.data.supersedes !== undefined) {
          // Nobody was there to say when it broke off.
          end(`message ${event.data.supersedes}`, event.at, 'begun again');
        }
        break;
      default:
        break;
    }
  }
  return spans;
}

const ENDED = { complete: null, error: 'failed', interrupted: 'stopped' } as const;
const DECIDED: Partial<Record<string, string>> = { deny: 'denied', expired: 'expired', skip: 'skipped' };
