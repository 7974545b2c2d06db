// A chat's transcript. Only what is near the screen is there; it stays at its end while one is there, and where one reads
// when something comes before or after it.

import type { ChatView } from '@continuo/protocol';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Loading } from '../ui/states.tsx';
import { RowView } from './row.tsx';
import { rowsOf } from './rows.ts';

/** How near the top older events are asked for, and how near the end counts as there, in pixels. */
const NEAR_TOP = 600;
const NEAR_END = 80;

interface TranscriptProps {
  readonly view: ChatView;
  readonly older: 'more' | 'loading' | 'none';
  readonly loadOlder: () => Promise<void>;
  /** Under the last row. */
  readonly children?: ReactNode;
}

export function Transcript({ view, older, loadOlder, children }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const rows = rowsOf(view);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]!.key,
    estimateSize: () => 90,
    overscan: 6,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
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
    if (foot.current) grown.observe(foot.current);
    if (scroller.current) grown.observe(scroller.current);
    return () => grown.disconnect();
  }, []);

  const loadMore = useEffectEvent(() => {
    if (older !== 'more' || (scroller.current?.scrollTop ?? Infinity) > NEAR_TOP) return;
    // What went wrong is asked for again with the next scroll.
    loadOlder().catch(() => undefined);
  });
  const look = () => {
    const element = scroller.current;
    if (!element) return;
    stick.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
    setAtEnd(stick.current);
    loadMore();
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
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={look}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        data-quiet-focus
        className="h-full overflow-y-auto [overflow-anchor:none]"
      >
        <div className="mx-auto max-w-3xl px-4 pt-6 pb-4 sm:px-6">
          {older === 'loading' && <Loading what="what was said before" />}
          <div className="relative w-full" style={{ height: total }}>
            {virtualizer.getVirtualItems().map(({ index, key, start }) => (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${start}px)` }}
              >
                <RowView row={rows[index]!} version={versionOf(rows[index]!)} />
              </div>
            ))}
          </div>
          <div ref={foot}>{children}</div>
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

function versionOf(row: ReturnType<typeof rowsOf>[number]): number {
  return row.kind === 'item' && row.turn.forgotten === null ? row.item.version : row.turn.version;
}
