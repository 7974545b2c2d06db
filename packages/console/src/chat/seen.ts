// The last event of each chat that the person has seen, stored in the browser. Later events happened while the person was away.

import { useEffect, useEffectEvent, useState } from 'react';

const KEPT = 'continuo-seen';
/** Chats with the latest visits; older ones are forgotten. */
const MOST_CHATS = 300;
/** A shorter absence does not count. */
const AWAY_MS = 60_000;

interface Visit {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The visit from which the person returned: when they opened the chat, or showed its tab again. Null if they were not away. */
export function useReturn(
  chat: string,
  seq: number,
): { readonly from: Visit | null; readonly dismiss: () => void } {
  const [from, setFrom] = useState(() => awaySince(read()[chat]));
  const leave = useEffectEvent(() => write(chat, { seq, at: Date.now() }));
  useEffect(() => {
    const onVisibilityChange = () => {
      if (document.visibilityState === 'hidden') leave();
      else setFrom((now) => awaySince(read()[chat]) ?? now);
    };
    leave();
    document.addEventListener('visibilitychange', onVisibilityChange);
    return () => {
      document.removeEventListener('visibilitychange', onVisibilityChange);
      // Events that arrived while the tab was hidden were not seen.
      if (document.visibilityState === 'visible') leave();
    };
  }, [chat]);
  return { from, dismiss: () => setFrom(null) };
}

function awaySince(visit: Visit | undefined): Visit | null {
  return visit && Date.now() - visit.at >= AWAY_MS ? visit : null;
}

function read(): Record<string, Visit> {
  return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Record<string, Visit>;
}

function write(chat: string, visit: Visit): void {
  const visits = Object.entries({ ...read(), [chat]: visit }).toSorted(
    ([, one], [, other]) => other.at - one.at,
  );
  localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(visits.slice(0, MOST_CHATS))));
}
