// A run as it was after any of its events: the chat's transcript, folded from the first events of the log.

import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { foldView, newView, type ChatView } from '@continuo/protocol';
import { ReplayProvider } from '../chat/replay-context.ts';
import { Transcript } from '../chat/transcript.tsx';
import { IconButton } from '../ui/button.tsx';
import { duration, number } from '../ui/format.tsx';
import type { RunLogEvent } from './log.ts';

interface ReplayProps {
  readonly chat: string;
  readonly events: readonly RunLogEvent[];
  readonly count: number;
  /** How many events are shown; null: all, including future ones. */
  readonly place: number | null;
  readonly move: (place: number | null) => void;
}

export function Replay({ chat, events, count, place, move }: ReplayProps) {
  const at = Math.min(place ?? count, count);
  const view = useFoldOf(events, at);
  const stops = useMemo(() => boundaries(events), [events, count]);
  const go = (next: number) => move(next >= count ? null : next);
  const before = stops.findLast((stop) => stop < at) ?? 0;
  const after = stops.find((stop) => stop > at) ?? count;
  const shown = events[at - 1];
  const words = shown
    ? `${shown.type} · ${duration(Date.parse(shown.at) - Date.parse(events[0]!.at))} in`
    : 'before the start';
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 border-b px-4 py-2 sm:px-6">
        <IconButton label="Previous message" disabled={at === 0} onClick={() => go(before)}>
          <ChevronLeft />
        </IconButton>
        <input
          type="range"
          aria-label="Position in the run"
          aria-valuetext={`Event ${at} of ${count}: ${words}`}
          min={0}
          max={count}
          value={at}
          onChange={(event) => go(Number(event.target.value))}
          className="min-w-0 flex-1 accent-accent"
        />
        <IconButton label="Next message" disabled={at === count} onClick={() => go(after)}>
          <ChevronRight />
        </IconButton>
        <p className="shrink-0 text-right text-xs text-soft tabular-nums sm:w-56">
          {number(at)} / {number(count)}
          <span className="max-sm:hidden"> · {words}</span>
        </p>
      </div>
      <ReplayProvider value={chat}>
        {at === 0 ? (
          <p className="m-auto p-8 text-center text-sm text-soft">Nothing has happened yet.</p>
        ) : (
          <Transcript view={view} older="none" loadOlder={nothingOlder} />
        )}
      </ReplayProvider>
    </div>
  );
}

const nothingOlder = async () => {};

/** Forwards, adds the new events to the fold; backwards, folds from the start. */
function useFoldOf(events: readonly RunLogEvent[], at: number): ChatView {
  const last = useRef<{ events: readonly RunLogEvent[]; at: number; view: ChatView }>(null);
  const known = last.current?.events === events && last.current.at <= at ? last.current : null;
  const view = foldView(events.slice(known?.at ?? 0, at), known?.view ?? newView());
  last.current = { events, at, view };
  return view;
}

/** The events that end a message, a call or the start of an approval. */
function boundaries(events: readonly RunLogEvent[]): number[] {
  return events.flatMap((event) =>
    event.type === 'message' ||
    event.type === 'message_end' ||
    event.type === 'approval' ||
    event.type === 'tool_end'
      ? [event.seq]
      : [],
  );
}
