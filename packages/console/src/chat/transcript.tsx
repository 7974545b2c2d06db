// A chat's transcript, virtualized. It follows its end while the person is there, and keeps its position when rows are
// added above or below. Any scroll up stops the following. Rows with open or focused elements stay mounted, so that
// typed text is kept.

import type { ChatView } from '@continuo/protocol';
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { ArrowDown, LoaderCircle } from 'lucide-react';
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../ui/button.tsx';
import { RowView } from './row.tsx';
import { indexAt, rowsOf, seqOf, type Row } from './rows.ts';
import { firstSeqIn, shownMoment } from './shown-moment.ts';
import { TranscriptActionsProvider, type TranscriptActions, type Way } from './transcript-actions.ts';
import { choicesFor, shownOf, variantsOf, type Choices } from './variants.ts';

/** In pixels: how near the top older events are loaded, by a person who stays at the end and by one who has scrolled up. */
const NEAR_TOP = 600;
const NEAR_TOP_SCROLLING = 3000;
/** In pixels: how near the end counts as the end. */
const NEAR_END = 80;
/** A threshold that no position meets. */
const NEVER_AT_END = -1;
/** Elements that a person has opened, or that have the focus. */
const IN_USE = 'textarea, input:enabled, details[open], :focus';
const KEYS_UP = new Set(['ArrowUp', 'PageUp', 'Home', ' ']);

interface TranscriptProps {
  readonly view: ChatView;
  readonly older: 'more' | 'loading' | 'none';
  readonly loadOlder: () => Promise<void>;
  /** The moment that the address names: the page goes there. Each visit has its own key. */
  readonly moment?: { readonly seq: number; readonly visit: string } | null;
  /** Below the last row. */
  readonly children?: ReactNode;
}

export function Transcript({ view, older, loadOlder, moment = null, children }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(moment === null);
  const variants = variantsOf(view);
  const [choices, setChoices] = useState<Choices>({});
  const [held, setHeld] = useState<string | null>(null);
  const shown = shownOf(variants, choices, held);
  const rows = rowsOf(shown.turns);
  const list = useRef<HTMLDivElement>(null);
  /** The rows near the viewport, and those in use. */
  const rendered = (range: Range): number[] => {
    const near = new Set(defaultRangeExtractor(range));
    const used = [...(list.current?.children ?? [])].filter((row) => row.querySelector(IN_USE));
    const keys = new Set(used.map((row) => (row as HTMLElement).dataset.row));
    if (keys.size > 0) rows.forEach(({ key }, index) => keys.has(key) && near.add(index));
    return [...near].sort((a, b) => a - b);
  };
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]!.key,
    estimateSize: () => 90,
    overscan: 6,
    rangeExtractor: rendered,
    anchorTo: 'end',
    followOnAppend: atEnd,
    scrollEndThreshold: atEnd ? NEAR_END : NEVER_AT_END,
  });

  // While the person is at the end, the end stays visible as content grows.
  const stick = useRef(moment === null);
  const last = rows.at(-1)?.key;
  const total = virtualizer.getTotalSize();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && stick.current) element.scrollTop = element.scrollHeight;
  }, [total, last, view.version]);
  useEffect(() => {
    const grown = new ResizeObserver(() => {
      const element = scroller.current;
      if (element && stick.current) element.scrollTop = element.scrollHeight;
    });
    if (content.current) grown.observe(content.current);
    if (scroller.current) grown.observe(scroller.current);
    return () => grown.disconnect();
  }, []);

  const loadMore = useEffectEvent(() => {
    const near = stick.current ? NEAR_TOP : NEAR_TOP_SCROLLING;
    if (older !== 'more' || (scroller.current?.scrollTop ?? Infinity) > near) return;
    // A failed load is tried again at the next scroll.
    loadOlder().catch(() => undefined);
  });
  const seen = useRef({ top: 0, height: 0 });
  const releasedAt = useRef(0);
  /** `gestureEnded`: a gesture that could have scrolled up is over, and may not have scrolled. */
  const onScroll = (gestureEnded = false) => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop: top, scrollHeight: height, clientHeight } = element;
    const near = height - top - clientHeight < NEAR_END;
    // Growing content does not scroll; shrinking content scrolls up a person who is at the end.
    const moved = seen.current.top - top - Math.max(0, seen.current.height - height);
    if (near && (top > seen.current.top || (gestureEnded && top >= releasedAt.current))) stick.current = true;
    else if (!near && moved > 1) stick.current = false;
    seen.current = { top, height };
    setAtEnd(stick.current);
    loadMore();
  };
  // Called before the scroll itself, so that streaming content does not scroll back to the end.
  const release = () => {
    const element = scroller.current;
    if (!stick.current || !element || element.scrollTop === 0) return;
    stick.current = false;
    // The scroll event of the last programmatic scroll may still arrive; it must not count as a scroll down.
    seen.current = { top: element.scrollTop, height: element.scrollHeight };
    releasedAt.current = element.scrollTop;
    flushSync(() => setAtEnd(false));
  };
  // If the loaded page did not fill the viewport, load the next.
  useEffect(() => {
    if (older === 'more') requestAnimationFrame(() => loadMore());
  }, [older]);
  const visited = useRef<string | null>(null);
  const [found, setFound] = useState<string | null>(null);
  /** Loads pages until the moment's event is there, then scrolls to its row. */
  const goToMoment = useEffectEvent(() => {
    if (!moment || visited.current === moment.visit || older === 'loading') return;
    stick.current = false;
    setAtEnd(false);
    if (view.firstSeq > moment.seq && older === 'more') {
      // A failed load leaves the page where it is.
      loadOlder().catch(() => (visited.current = moment.visit));
      return;
    }
    const said = view.turns.findLast(({ firstSeq }) => firstSeq <= moment.seq);
    // A variant that is folded is shown first.
    if (said && !shown.turns.includes(said)) return setChoices(choicesFor(said, variants));
    visited.current = moment.visit;
    const index = indexAt(rows, moment.seq);
    virtualizer.scrollToIndex(index, { align: 'start' });
    setFound(rows[index]?.key ?? null);
    scroller.current?.focus({ preventScroll: true });
  });
  useEffect(() => goToMoment(), [moment?.visit, older, view.firstSeq, choices]);
  const momentSeq = moment?.seq ?? null;
  useEffect(() => {
    shownMoment.set(() => {
      const element = scroller.current;
      if (stick.current || !element) return null;
      return isInView(element.querySelector('.found-row'), element) ? momentSeq : firstSeqIn(element);
    });
    return () => shownMoment.set(() => null);
  }, [momentSeq]);
  const scrollToEnd = () => {
    stick.current = true;
    setAtEnd(true);
    virtualizer.scrollToEnd();
  };
  const moved = useRef<{ readonly fork: string; readonly way: Way } | null>(null);
  const place = JSON.stringify([...shown.places].map(([{ run }, at]) => [run, at]));
  const lastTurn = shown.turns.at(-1) ?? null;
  const actions = useMemo(
    (): TranscriptActions => ({
      placeOf: (turn) => shown.places.get(turn),
      choose: ({ fork, index }, way) => {
        stick.current = false;
        setAtEnd(false);
        moved.current = { fork, way };
        setChoices((now) => ({ ...now, [fork]: index + (way === 'earlier' ? -1 : 1) }));
      },
      movedTo: ({ fork }) => {
        if (moved.current?.fork !== fork) return null;
        const { way } = moved.current;
        moved.current = null;
        return way;
      },
      last: lastTurn,
      hold: setHeld,
      follow: () => {
        setChoices({});
        stick.current = true;
        setAtEnd(true);
        virtualizer.scrollToEnd();
      },
    }),
    // Every event makes new places.
    [place, lastTurn],
  );

  return (
    <div className="relative min-h-0 flex-[1_0_10rem]">
      <div
        ref={scroller}
        onScroll={() => onScroll()}
        onWheel={(event) => event.deltaY < 0 && release()}
        onTouchMove={release}
        onTouchEnd={() => onScroll(true)}
        onKeyDown={(event) => KEYS_UP.has(event.key) && event.target === event.currentTarget && release()}
        onPointerDown={(event) => event.target === event.currentTarget && release()}
        onPointerUp={() => onScroll(true)}
        tabIndex={0}
        role="log"
        aria-label="Transcript"
        data-quiet-focus
        className="h-full overflow-y-auto [overflow-anchor:none]"
      >
        <div ref={content} className="mx-auto max-w-3xl px-4 pt-6 pb-4 sm:px-6">
          <div ref={list} className="relative w-full" style={{ height: total }}>
            <TranscriptActionsProvider value={actions}>
              {virtualizer.getVirtualItems().map(({ index, key, start }) => (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  data-row={key}
                  data-seq={beginningOf(rows[index]!)}
                  className={`absolute top-0 left-0 w-full ${key === found ? 'found-row' : ''}`}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <RowView row={rows[index]!} version={versionOf(rows[index]!, view)} view={view} />
                </div>
              ))}
            </TranscriptActionsProvider>
          </div>
          {shown.earlier === null ? (
            children
          ) : (
            <EarlierVariant
              show={() =>
                setChoices(
                  Object.fromEntries(Object.entries(choices).filter(([fork]) => fork !== shown.earlier)),
                )
              }
            />
          )}
        </div>
      </div>
      {/* Over the rows, which it does not move. */}
      {older === 'loading' && (
        <p
          role="status"
          className="pointer-events-none absolute top-3 left-1/2 flex -translate-x-1/2 items-center gap-2 rounded-full border bg-raised px-3 py-1 text-xs whitespace-nowrap text-soft shadow-md"
        >
          <LoaderCircle className="size-3.5 animate-spin" aria-hidden="true" />
          Loading earlier messages…
        </p>
      )}
      {!atEnd && (
        <Button
          onClick={scrollToEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 !rounded-full shadow-md"
        >
          <ArrowDown className="size-4" aria-hidden="true" />
          Jump to end
        </Button>
      )}
    </div>
  );
}

function EarlierVariant({ show }: { readonly show: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-sunken px-3 py-2 text-sm text-soft">
      <span className="mr-auto">This is an earlier variant. The model no longer sees it.</span>
      <Button className="!px-2 !py-1 !text-xs" onClick={show}>
        Show the latest
      </Button>
    </p>
  );
}

function isInView(row: Element | null, scroller: Element): boolean {
  if (!row) return false;
  const [box, view] = [row.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return box.bottom > view.top && box.top < view.bottom;
}

function beginningOf(row: Row): number | undefined {
  const seq = seqOf(row);
  return Number.isFinite(seq) ? seq : undefined;
}

function versionOf(row: Row, { fold }: ChatView): number {
  // A message sent since may be the same one again.
  if (row.kind === 'canceled-message') return fold.said.size;
  const { turn } = row;
  if (row.kind !== 'item' || turn.forgotten !== null) return turn.version;
  // If the whole run failed, its end row says why.
  const failed = row.item.kind === 'answer' && row.item.error !== null;
  // The run that wrote a plan shows it until the plan's own item does.
  const isChild = row.item.kind === 'child';
  return failed || isChild ? turn.version : row.item.version;
}
