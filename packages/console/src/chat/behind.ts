// How far a page is behind its chat after the connection was gone: the log's end is asked for once, when it is back.

import { useEffect, useState } from 'react';
import type { StreamState } from '@continuo/client';
import { client } from '../data/client.ts';

export function useBehind(chat: string, { kind }: StreamState, seq: number): number {
  const [lost, setLost] = useState(false);
  const [end, setEnd] = useState(0);
  useEffect(() => {
    if (kind === 'reconnecting') setLost(true);
    if (kind !== 'open' || !lost) return;
    const gone = new AbortController();
    client.threads
      .events(chat, { before: 'latest', limit: 1 }, { signal: gone.signal })
      .then(({ items }) => setEnd(items.at(-1)?.seq ?? 0))
      .then(() => setLost(false))
      // It is gone again, and so is this question.
      .catch(() => undefined);
    return () => gone.abort();
  }, [chat, kind, lost]);
  return Math.max(0, end - seq);
}
