// The stored events of a run, searchable and virtualized.

import { useVirtualizer } from '@tanstack/react-virtual';
import { Search } from 'lucide-react';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { duration, number } from '../ui/format.tsx';
import { Value } from '../ui/value.tsx';
import type { RunLogEvent } from './log.ts';

/** The number of characters of an event's data on a line. */
const LINE = 300;

const written = new WeakMap<RunLogEvent, string>();

function textOf(event: RunLogEvent): string {
  let text = written.get(event);
  if (text === undefined) {
    text = JSON.stringify(event.data);
    written.set(event, text);
  }
  return text;
}

interface EventLogProps {
  readonly events: readonly RunLogEvent[];
  readonly count: number;
}

export function EventLog({ events, count }: EventLogProps) {
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query.trim().toLowerCase());
  const shown = useMemo(
    () =>
      wanted === ''
        ? events
        : events.filter(
            (event) =>
              event.type === wanted || `${event.type} ${textOf(event)}`.toLowerCase().includes(wanted),
          ),
    // `events` is mutated in place; `count` tells when it has grown.
    [events, count, wanted],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => shown[index]!.seq,
    estimateSize: () => 34,
    overscan: 10,
  });
  const first = events[0]?.at ?? null;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-3 border-b px-4 py-2 sm:px-6">
        <label className="flex min-w-0 flex-1 items-center gap-2 rounded-lg border border-strong/60 bg-page px-2.5 focus-within:border-accent">
          <Search className="size-4 shrink-0 text-soft" aria-hidden="true" />
          <input
            type="search"
            aria-label="Search events"
            placeholder="Type or text, such as tool_end or /notes"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="w-full min-w-0 bg-transparent py-1.5 text-sm outline-none"
          />
        </label>
        <p role="status" className="shrink-0 text-xs text-soft tabular-nums">
          {wanted === '' ? number(count) : `${number(shown.length)} of ${number(count)}`}
          <span className="max-sm:sr-only"> events</span>
        </p>
      </div>
      <div
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Events"
        data-quiet-focus
        className="min-h-0 flex-1 overflow-y-auto"
      >
        {shown.length === 0 && (
          <p className="p-8 text-center text-sm text-soft">
            {count === 0 ? 'The run has not started: its log is empty.' : 'No matching events.'}
          </p>
        )}
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className="absolute top-0 left-0 w-full border-b"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line event={shown[index]!} first={first} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Line({ event, first }: { readonly event: RunLogEvent; readonly first: string | null }) {
  const [open, setOpen] = useState(false);
  const after = first === null ? '' : `+${duration(Date.parse(event.at) - Date.parse(first))}`;
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-baseline gap-3 px-4 py-1.5 text-left font-mono text-xs -outline-offset-2 hover:bg-hover sm:px-6"
      >
        <span className="w-9 shrink-0 text-right text-soft tabular-nums">{event.seq}</span>
        <span className="w-16 shrink-0 text-right text-soft tabular-nums max-sm:hidden">{after}</span>
        <span className={`w-28 shrink-0 truncate ${COLOUR[event.type] ?? ''}`}>{event.type}</span>
        <span className="min-w-0 flex-1 truncate text-soft">{textOf(event).slice(0, LINE)}</span>
      </button>
      {open && (
        <div className="px-4 pb-3 sm:px-6">
          <p className="mb-1 text-xs text-soft">
            <time dateTime={event.at}>{event.at}</time>
          </p>
          <Value value={event.data} />
        </div>
      )}
    </>
  );
}

const COLOUR: Partial<Record<RunLogEvent['type'], string>> = {
  error: 'text-bad',
  canceled: 'text-bad',
  approval: 'text-warn',
  approval_end: 'text-warn',
  message: 'text-accent',
  message_start: 'text-accent',
  message_end: 'text-accent',
  tool_start: 'text-good',
  tool_end: 'text-good',
  file_updated: 'text-good',
};
