// A run's timeline: model calls, tools and waits. Each bar links to its moment in the replay.

import { useEffect, useState } from 'react';
import { duration } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import type { Run } from '../data/run-queries.ts';
import type { RunLogEvent } from './log.ts';
import { scaleOf, type Scale } from './scale.ts';
import { partsOf, spansOf, type Part, type Span, type SpanKind } from './spans.ts';

const STYLE: Record<SpanKind, string> = { model: 'bg-accent', tool: 'bg-good', wait: 'bg-strong/60' };
const WORD: Record<SpanKind, string> = { model: 'Model', tool: 'Tool', wait: 'Wait' };
const PARTS: readonly { readonly part: Part; readonly word: string; readonly style: string }[] = [
  { part: 'Model', word: 'Model', style: STYLE.model },
  { part: 'Tool', word: 'Tool', style: STYLE.tool },
  { part: 'Queue', word: 'Queue', style: STYLE.wait },
  { part: 'Approval', word: 'Waiting for approval', style: STYLE.wait },
  { part: 'Paused', word: 'Paused', style: STYLE.wait },
  { part: 'Takeover', word: 'Takeover', style: STYLE.wait },
  { part: 'Server', word: 'Server', style: 'bg-sunken border' },
];
/** Hatching over a shortened wait. */
const CUT = 'bg-[repeating-linear-gradient(115deg,transparent_0_5px,var(--page)_5px_7px)]';
const CLOCK_MS = 1000;

interface TimelineProps {
  readonly run: Run;
  readonly events: readonly RunLogEvent[];
  readonly show: (seq: number) => void;
}

export function Timeline({ run, events, show }: TimelineProps) {
  const spans = spansOf(run, events);
  const now = useClock(run.ended_at === null);
  const scale = scaleOf(spans, now);
  const parts = partsOf(spans, now);
  return (
    <div className="px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
        {PARTS.filter(({ part }) => parts.has(part)).map(({ part, word, style }) => (
          <span key={part} className="inline-flex items-center gap-1.5">
            <span className={`h-2 w-4 rounded-sm ${style}`} aria-hidden="true" />
            {`${word} ${duration(parts.get(part)!)}`}
          </span>
        ))}
        {scale.cuts.length > 0 && (
          <span className="inline-flex items-center gap-1.5">
            <span className="h-2 w-4 overflow-hidden rounded-sm bg-strong/60" aria-hidden="true">
              <span className={`block h-full ${CUT}`} />
            </span>
            Long waits are shortened
          </span>
        )}
        <span className="ml-auto tabular-nums">{`${duration(scale.lasted)} in total`}</span>
      </div>
      <ol className="mt-3 space-y-px" aria-label="Timeline">
        {spans.map((span) => (
          <li key={span.key}>
            <Bar span={span} now={now} scale={scale} show={() => show(span.seq)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Bar({
  span,
  now,
  scale,
  show,
}: {
  readonly span: Span;
  readonly now: number;
  readonly scale: Scale;
  readonly show: () => void;
}) {
  const left = scale.place(span.from) * 100;
  const wide = scale.place(span.to ?? now) * 100 - left;
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
        <Visible text={span.label} />
        {span.problem && <span className="text-bad"> · {span.problem}</span>}
      </span>
      <span
        aria-hidden="true"
        className="relative col-span-2 row-start-2 mt-1 h-3 overflow-hidden rounded-sm bg-sunken md:col-span-1 md:row-start-auto md:mt-0"
      >
        <span
          className={`absolute inset-y-0 min-w-[3px] rounded-sm ${span.problem ? 'bg-bad' : STYLE[span.kind]} ${open ? 'breathe' : ''}`}
          style={{ left: `min(${left}%, calc(100% - 3px))`, width: `${wide}%` }}
        />
        {scale.cuts.map((cut) => (
          <span
            key={cut.from}
            className={`absolute inset-y-0 ${CUT}`}
            style={{ left: `${cut.from * 100}%`, width: `${(cut.to - cut.from) * 100}%` }}
          />
        ))}
      </span>
      <span className="text-right text-xs text-soft tabular-nums">{open ? `${took}…` : took}</span>
    </button>
  );
}

/** The current time, updated while `goes` is true. */
function useClock(goes: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!goes) return;
    const clock = setInterval(() => setNow(Date.now()), CLOCK_MS);
    return () => clearInterval(clock);
  }, [goes]);
  return now;
}
