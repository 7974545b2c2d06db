// The moment of the chat that the page shows, for a link to it.

import { createStore } from '../data/store.ts';

/** Reads the event at the top of the page; null while the page follows the end of the chat. */
export const shownMoment = createStore<() => number | null>(() => null);

/** The event of the first row in view. */
export function firstSeqIn(scroller: HTMLElement): number | null {
  const { top } = scroller.getBoundingClientRect();
  const rows = [...scroller.querySelectorAll<HTMLElement>('[data-seq]')];
  // Rows in use stay mounted where they are, and the last ones may stand before the first.
  const inView = rows
    .map((row) => ({ row, box: row.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > top + 1 && box.height > 0)
    .sort((a, b) => a.box.top - b.box.top)[0];
  return inView ? Number(inView.row.dataset.seq) : null;
}
