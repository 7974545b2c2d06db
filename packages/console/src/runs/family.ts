// The rows of a timeline: the spans of a run, and below each child run the spans of that run, if it is unfolded.

import type { RunLogEvent } from './log.ts';
import { spansOf, type RunTimes, type Span } from './spans.ts';

export interface TimelineRow {
  readonly key: string;
  readonly span: Span;
  /** The run whose log has the span. */
  readonly run: string;
  readonly depth: number;
}

interface Family {
  readonly rows: readonly TimelineRow[];
  /** Of the run alone. */
  readonly own: readonly Span[];
  /** What shows when work was done: of an unfolded child run, its own spans. */
  readonly leaves: readonly Span[];
}

/** `logs` has the events of the child runs that are unfolded, as far as they are loaded. */
export function familyOf(
  run: RunTimes & { readonly id: string },
  events: readonly RunLogEvent[],
  logs: ReadonlyMap<string, readonly RunLogEvent[]>,
): Family {
  const own = spansOf(run, events);
  const rows: TimelineRow[] = [];
  const leaves: Span[] = [];
  const add = (spans: readonly Span[], of: string, depth: number) => {
    for (const span of spans) {
      rows.push({ key: `${of} ${span.key}`, span, run: of, depth });
      const log = span.child === undefined ? undefined : logs.get(span.child);
      if (log === undefined) leaves.push(span);
      else add(spansOf(timesOf(span), log), span.child!, depth + 1);
    }
  };
  add(own, run.id, 0);
  return { rows, own, leaves };
}

/** A child run is queued when its parent starts it. */
function timesOf({ from, to }: Span): RunTimes {
  const at = new Date(from).toISOString();
  return {
    model: 'Model',
    queued_at: at,
    started_at: at,
    ended_at: to === null ? null : new Date(to).toISOString(),
  };
}
