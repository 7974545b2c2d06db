// How many events a page is behind its chat after a reconnection. The end of the log is fetched once, when the
// connection is back.

import { useEffect, useState } from 'react';
import type { StreamState } from '@continuo/client';
import { client } from '../data/client.ts';

export function useLag(chat: string, { kind }: StreamState, seq: number): number {
  const [lost, setLost] = useState(false);
  const [end, setEnd] = useState(0);
  useEffect(() => {
    if (kind === 'reconnecting') setLost(true);
    if (kind !== 'open' || !lost) return;
    const abort = new AbortController();
    client.threads
      .events(chat, { before: 'latest', limit: 1 }, { signal: abort.signal })
      .then(({ items }) => setEnd(items.at(-1)?.seq ?? 0))
      .then(() => setLost(false))
      // The connection was lost again; the next reconnection asks again.
      .catch(() => undefined);
    return () => abort.abort();
  }, [chat, kind, lost]);
  return Math.max(0, end - seq);
}
