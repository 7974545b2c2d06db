// A chat's transcript. Only what is near the screen is there; it stays at its end while one is there, and where one reads
// when something comes before or after it. Whoever moves up, however little, is left alone. Rows that somebody has opened stay, with
// what was typed there.

import type { ChatView } from '@continuo/protocol';
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../ui/button.tsx';
import { Loading } from '../ui/states.tsx';
import { RowView } from './row.tsx';
import { rowsOf, type Row } from './rows.ts';

/** How near the top older events are asked for, and how near the end counts as there, in pixels. */
const NEAR_TOP = 600;
const NEAR_END = 80;
/** No place is that near the end. */
const NOWHERE = -1;
/** What somebody has opened, or is at, in a row. */
const IN_USE = 'textarea, input:enabled, details[open], :focus';
const KEYS_UP = new Set(['ArrowUp', 'PageUp', 'Home', ' ']);

interface TranscriptProps {
  readonly view: ChatView;
  readonly older: 'more' | 'loading' | 'none';
  readonly loadOlder: () => Promise<void>;
  /** Under the last row. */
  readonly children?: ReactNode;
}

export function Transcript({ view, older, loadOlder, children }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const rows = rowsOf(view);
  const list = useRef<HTMLDivElement>(null);
  /** Those near the screen, and those that are in use. */
  const shown = (range: Range): number[] => {
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
    rangeExtractor: shown,
    anchorTo: 'end',
    followOnAppend: atEnd,
    scrollEndThreshold: atEnd ? NEAR_END : NOWHERE,
    useFlushSync: false,
  });

  // While somebody is at the end, the end stays in sight, whatever grows.
  const stick = useRef(true);
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
    if (older !== 'more' || (scroller.current?.scrollTop ?? Infinity) > NEAR_TOP) return;
    // What went wrong is asked for again with the next scroll.
    loadOlder().catch(() => undefined);
  });
  const seen = useRef({ top: 0, height: 0 });
  const letGoAt = useRef(0);
  /** `rests`: whoever was about to move up is done, and may not have moved. */
  const look = (rests = false) => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop: top, scrollHeight: height, clientHeight } = element;
    const near = height - top - clientHeight < NEAR_END;
    // What grows moves nobody; what becomes smaller moves up whoever is at the end.
    const moved = seen.current.top - top - Math.max(0, seen.current.height - height);
    if (near && (top > seen.current.top || (rests && top >= letGoAt.current))) stick.current = true;
    else if (!near && moved > 1) stick.current = false;
    seen.current = { top, height };
    setAtEnd(stick.current);
    loadMore();
  };
  // Before the page has moved: what streams in meanwhile must not move it back.
  const letGo = () => {
    const element = scroller.current;
    if (!stick.current || !element || element.scrollTop === 0) return;
    stick.current = false;
    // The event of how the page itself moved last may be still to come, and is no way down.
    seen.current = { top: element.scrollTop, height: element.scrollHeight };
    letGoAt.current = element.scrollTop;
    flushSync(() => setAtEnd(false));
  };
  // A page that was not enough to fill the screen above brings the next one.
  useEffect(() => {
    if (older === 'more') requestAnimationFrame(() => loadMore());
  }, [older]);
  const toEnd = () => {
    stick.current = true;
    setAtEnd(true);
    virtualizer.scrollToEnd();
  };

  return (
    <div className="relative min-h-0 flex-[1_0_10rem]">
      <div
        ref={scroller}
        onScroll={() => look()}
        onWheel={(event) => event.deltaY < 0 && letGo()}
        onTouchMove={letGo}
        onTouchEnd={() => look(true)}
        onKeyDown={(event) => KEYS_UP.has(event.key) && event.target === event.currentTarget && letGo()}
        onPointerDown={(event) => event.target === event.currentTarget && letGo()}
        onPointerUp={() => look(true)}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        data-quiet-focus
        className="h-full overflow-y-auto [overflow-anchor:none]"
      >
        <div ref={content} className="mx-auto max-w-3xl px-4 pt-6 pb-4 sm:px-6">
          {older === 'loading' && <Loading what="what was said before" />}
          <div ref={list} className="relative w-full" style={{ height: total }}>
            {virtualizer.getVirtualItems().map(({ index, key, start }) => (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                data-row={key}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${start}px)` }}
              >
                <RowView row={rows[index]!} version={versionOf(rows[index]!, view)} view={view} />
              </div>
            ))}
          </div>
          {children}
        </div>
      </div>
      {!atEnd && (
        <Button
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 !rounded-full shadow-md"
        >
          <ArrowDown className="size-4" aria-hidden="true" />
          To the end
        </Button>
      )}
    </div>
  );
}

function versionOf(row: Row, { fold }: ChatView): number {
  // What was said since may be the same message.
  if (row.kind === 'unbegun') return fold.said.size;
  const { turn } = row;
  if (row.kind !== 'item' || turn.forgotten !== null) return turn.version;
  // Where the whole run failed, its end says why.
  const failed = row.item.kind === 'answer' && row.item.error !== null;
  return failed ? turn.version : row.item.version;
}
