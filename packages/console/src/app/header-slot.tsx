// On a narrow screen a page puts its way back and its controls into the header of the console, before and after the title, so
// that two headers are not stacked.

import { useSyncExternalStore, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { createStore, useStore } from '../data/store.ts';

type Place = 'start' | 'end';

const slots = {
  start: createStore<HTMLElement | null>(null),
  end: createStore<HTMLElement | null>(null),
};
/** Where the sidebar is a drawer. */
const NARROW = matchMedia('(width < 48rem)');

export function HeaderSlot({ at }: { readonly at: Place }) {
  return (
    <div
      ref={slots[at].set}
      className={`flex shrink-0 items-center gap-1 empty:hidden ${at === 'end' ? 'ml-auto' : ''}`}
    />
  );
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      NARROW.addEventListener('change', changed);
      return () => NARROW.removeEventListener('change', changed);
    },
    () => NARROW.matches,
  );
}

interface InHeaderProps {
  readonly at?: Place;
  readonly children: ReactNode;
}

export function InHeader({ at = 'end', children }: InHeaderProps) {
  const place = useStore(slots[at]);
  return place && createPortal(children, place);
}

/** Leads to what the page is a part of. */
export const BACK = 'grid size-8 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink';
