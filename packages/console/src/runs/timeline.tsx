// A run's timeline: model calls, tools and waits, one under the other. Each leads to its moment in the replay.

import { useEffect, useState } from 'react';
import { duration } from '../ui/time.tsx';
import type { Run } from '../data/run-queries.ts';
import type { RunLogEvent } from './log.ts';
import { extentOf, spansOf, type Span, type SpanKind } from './spans.ts';

const LOOK: Record<SpanKind, string> = { model: 'bg-accent', tool: 'bg-good', wait: 'bg-strong/60' };
const WORD: Record<SpanKind, string> = { model: 'Model', tool: 'Tool', wait: 'Wait' };
const CLOCK_MS = 1000;

interface TimelineProps {
  readonly run: Run;
  readonly events: readonly RunLogEvent[];
  readonly show: (seq: number) => void;
}

export function Timeline({ run, events, show }: TimelineProps) {
  const spans = spansOf(run, events);
  const now = useClock(run.ended_at === null);
  const extent = extentOf(spans, now);
  const width = extent.to - extent.from;
  return (
    <div className="px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
        {(['model', 'tool', 'wait'] as const).map((kind) => (
          <span key={kind} className="inline-flex items-center gap-1.5">
            <span className={`h-2 w-4 rounded-sm ${LOOK[kind]}`} aria-hidden="true" />
            {`${WORD[kind]} ${duration(total(spans, kind, now))}`}
          </span>
        ))}
        <span className="ml-auto tabular-nums">{`${duration(width)} in all`}</span>
      </div>
      <ol className="mt-3 space-y-px" aria-label="Timeline">
        {spans.map((span) => (
          <li key={span.key}>
            <Bar span={span} now={now} extent={extent} show={() => show(span.seq)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Bar({
  span,
  now,
  extent,
  show,
}: {
  readonly span: Span;
  readonly now: number;
  readonly extent: { readonly from: number; readonly to: number };
  readonly show: () => void;
}) {
  const width = extent.to - extent.from;
  const left = ((span.from - extent.from) / width) * 100;
  const wide = (((span.to ?? now) - span.from) / width) * 100;
  const took = duration((span.to ?? now) - span.from);
  const open = span.to === null;
  return (
    <button
      type="button"
      onClick={show}
      title={[span.label, span.note].filter(Boolean).join(' · ')}
      className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover md:grid-cols-[minmax(0,15rem)_minmax(0,1fr)_4.5rem]"
    >
      <span className="min-w-0 truncate">
        <span className="sr-only">{WORD[span.kind]}: </span>
        {span.label}
        {span.problem && <span className="text-bad"> · {span.problem}</span>}
      </span>
      <span
        aria-hidden="true"
        className="relative col-span-2 row-start-2 mt-1 h-3 overflow-hidden rounded-sm bg-sunken md:col-span-1 md:row-start-auto md:mt-0"
      >
        <span
          className={`absolute inset-y-0 min-w-[3px] rounded-sm ${span.problem ? 'bg-bad' : LOOK[span.kind]} ${open ? 'breathe' : ''}`}
          style={{ left: `min(${left}%, calc(100% - 3px))`, width: `${wide}%` }}
        />
      </span>
      <span className="text-right text-xs text-soft tabular-nums">{open ? `${took}…` : took}</span>
    </button>
  );
}

function total(spans: readonly Span[], kind: SpanKind, now: number): number {
  return spans.reduce((sum, span) => (span.kind === kind ? sum + (span.to ?? now) - span.from : sum), 0);
}

/** The time, as long as it matters. */
function useClock(goes: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!goes) return;
    const clock = setInterval(() => setNow(Date.now()), CLOCK_MS);
    return () => clearInterval(clock);
  }, [goes]);
  return now;
}
