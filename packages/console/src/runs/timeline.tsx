// A run's timeline: model calls, tools, child runs and waits on one time axis. Each bar links to its moment in the replay.

import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../data/queries.ts';
import type { Run } from '../data/run-queries.ts';
import { useClock } from '../ui/clock.ts';
import { duration } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { familyOf, type TimelineRow } from './family.ts';
import { readEvents, type RunLogEvent } from './log.ts';
import { scaleOf, ticksOf, type Scale, type Tick } from './scale.ts';
import { partsOf, type Part, type SpanKind } from './spans.ts';

const STYLE: Record<SpanKind, string> = {
  model: 'bg-accent',
  tool: 'bg-good',
  child: 'bg-accent/35',
  wait: 'bg-strong/60',
};
const WORD: Record<SpanKind, string> = { model: 'Model', tool: 'Tool', child: 'Child run', wait: 'Wait' };
const PARTS: readonly { readonly part: Part; readonly word: string; readonly style: string }[] = [
  { part: 'Model', word: 'Model', style: STYLE.model },
  { part: 'Tool', word: 'Tool', style: STYLE.tool },
  { part: 'Child', word: 'Child runs', style: STYLE.child },
  { part: 'Queue', word: 'Queue', style: STYLE.wait },
  { part: 'Approval', word: 'Waiting for approval', style: STYLE.wait },
  { part: 'Paused', word: 'Paused', style: STYLE.wait },
  { part: 'Takeover', word: 'Takeover', style: STYLE.wait },
  { part: 'Server', word: 'Server', style: 'bg-sunken border' },
];
/** Hatching over a shortened wait. */
const CUT = 'bg-[repeating-linear-gradient(115deg,transparent_0_5px,var(--page)_5px_7px)]';
/** Up to this many child runs are unfolded from the start. */
const FEW_CHILDREN = 6;
/** The columns of every row: name, bar, duration. On a narrow screen the bar is below. */
const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 md:grid-cols-[minmax(0,15rem)_minmax(0,1fr)_5rem]';

interface TimelineProps {
  readonly run: Run;
  readonly events: readonly RunLogEvent[];
  readonly show: (seq: number) => void;
}

export function Timeline({ run, events, show }: TimelineProps) {
  const now = useClock(run.ended_at === null);
  const navigate = useNavigate();
  const { logs, isUnfolded, toggle } = useChildren(run, events);
  const { rows, own, leaves } = familyOf(run, events, logs);
  const scale = scaleOf(leaves, now);
  const ticks = ticksOf(scale);
  const parts = partsOf(own, now);
  const open = ({ run: of, span }: TimelineRow) => {
    if (span.child !== undefined) return void navigate({ to: '/runs/$run', params: { run: span.child } });
    if (of === run.id) return show(span.seq);
    const search = { view: 'replay', at: span.seq };
    void navigate({ to: '/runs/$run', params: { run: of }, search });
  };
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
      </div>
      <Axis ticks={ticks} />
      <ol className="space-y-px" aria-label="Timeline">
        {rows.map((row) => (
          <li key={row.key} className="flex items-start">
            <Fold row={row} unfolded={isUnfolded(row)} toggle={toggle} />
            <Bar row={row} now={now} scale={scale} ticks={ticks} open={() => open(row)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The logs of the unfolded child runs. */
function useChildren(run: Run, events: readonly RunLogEvent[]) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const started = events.flatMap((event) => (event.type === 'child_start' ? [event.data.run] : []));
  const ended = new Set(events.flatMap((event) => (event.type === 'child_end' ? [event.data.run] : [])));
  const isOpen = (child: string) =>
    toggled.get(child) ?? (started.length <= FEW_CHILDREN && started.includes(child));
  const unfolded = [...new Set([...started, ...toggled.keys()])].filter(isOpen);
  const results = useQueries({
    queries: unfolded.map((child) => ({
      queryKey:
        run.ended_at !== null || ended.has(child)
          ? ['events-of-ended-run', child]
          : [...keys.runs, 'events', child],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => readEvents(child, [], signal),
    })),
  });
  const logs = new Map(
    unfolded.flatMap((child, index) => {
      const log = results[index]?.data;
      return log ? [[child, log] as const] : [];
    }),
  );
  return {
    logs,
    isUnfolded: ({ span }: TimelineRow) => span.child !== undefined && isOpen(span.child),
    toggle: (child: string) => setToggled((now) => new Map(now).set(child, !isOpen(child))),
  };
}

/** Also aligns the rows that cannot be unfolded. */
function Fold({
  row: { span, depth },
  unfolded,
  toggle,
}: {
  readonly row: TimelineRow;
  readonly unfolded: boolean;
  readonly toggle: (child: string) => void;
}) {
  const { child } = span;
  const style = { marginLeft: `${depth}rem`, marginRight: `-${depth}rem` };
  if (child === undefined) return <span className="w-6 shrink-0" style={style} />;
  return (
    <button
      type="button"
      aria-expanded={unfolded}
      aria-label={`Steps of ${span.label}`}
      onClick={() => toggle(child)}
      className="relative z-10 grid h-8 w-6 shrink-0 place-items-center rounded-md text-soft hover:bg-hover hover:text-ink"
      style={style}
    >
      <ChevronRight className={`size-4 ${unfolded ? 'rotate-90' : ''}`} aria-hidden="true" />
    </button>
  );
}

function Axis({ ticks }: { readonly ticks: readonly Tick[] }) {
  // A narrow screen has room for every other label.
  const isCrowded = ticks.length > 5;
  return (
    <div aria-hidden="true" className="mt-4 flex border-b pb-1 text-[0.6875rem] text-soft">
      <span className="w-6 shrink-0" />
      <div className={`${COLUMNS} min-w-0 flex-1 px-2`}>
        <span className="max-md:hidden">Step</span>
        <span className="relative col-span-2 h-4 md:col-span-1">
          {ticks.map(({ after, place }, index) => (
            <span
              key={after}
              className={`absolute whitespace-nowrap tabular-nums ${isCrowded && index % 2 === 1 ? 'max-md:hidden' : ''} ${place > 0.95 ? '-translate-x-full' : place > 0.02 ? '-translate-x-1/2' : ''}`}
              style={{ left: `${place * 100}%` }}
            >
              {after === 0 ? '0' : tickText(after)}
            </span>
          ))}
        </span>
        <span className="text-right max-md:hidden">Took</span>
      </div>
    </div>
  );
}

/** `1.0 s` is `1 s` on an axis. */
function tickText(after: number): string {
  return duration(after).replace('.0 s', ' s').replace(' min 0 s', ' min').replace(' h 0 min', ' h');
}

function Bar({
  row: { span, depth },
  now,
  scale,
  ticks,
  open,
}: {
  readonly row: TimelineRow;
  readonly now: number;
  readonly scale: Scale;
  readonly ticks: readonly Tick[];
  readonly open: () => void;
}) {
  const left = scale.place(span.from) * 100;
  const wide = scale.place(span.to ?? now) * 100 - left;
  const took = duration((span.to ?? now) - span.from);
  const isOpen = span.to === null;
  return (
    <button
      type="button"
      onClick={open}
      title={[span.label, span.note].filter(Boolean).join(' · ')}
      className={`${COLUMNS} min-w-0 flex-1 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover`}
    >
      <span className="min-w-0 truncate" style={{ paddingLeft: `${depth}rem` }}>
        <span className="sr-only">{WORD[span.kind]}: </span>
        <span className={span.kind === 'child' ? 'font-medium' : ''}>
          <Visible text={span.label} />
        </span>
        {span.problem && <span className="text-bad"> · {span.problem}</span>}
      </span>
      <span
        aria-hidden="true"
        className="relative col-span-2 row-start-2 mt-1 h-3 overflow-hidden rounded-sm bg-sunken md:col-span-1 md:row-start-auto md:mt-0"
      >
        {ticks.slice(1).map(({ after, place }) => (
          <span key={after} className="absolute inset-y-0 w-px bg-line" style={{ left: `${place * 100}%` }} />
        ))}
        <span
          className={`absolute inset-y-0 min-w-[3px] rounded-sm ${span.problem ? 'bg-bad' : STYLE[span.kind]} ${isOpen ? 'breathe' : ''}`}
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
      <span className="text-right text-xs text-soft tabular-nums">{isOpen ? `${took}…` : took}</span>
    </button>
  );
}
