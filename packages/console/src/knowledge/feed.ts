// The workspace's change feed in this tab: one stream, however many components show knowledge, and none while no page does. It
// starts at the `as_of` of the first read. Changes are kept for a while, so that a read that was in flight meanwhile can catch
// up with them. A tab that has been hidden for a while closes the stream and resumes it from its position.

import type { EntityPatch } from '@continuo/protocol';
import { client } from '../data/client.ts';
import type { EntityChange } from './apply.ts';

/** How many changes are kept. */
const KEPT = 1000;
/** How long the stream stays open without a page that needs it: the next page may need it, too. */
const LINGER_MS = 10_000;
const HIDDEN_MS = 60_000;
const RETRY_MS = 3000;

interface FeedListener {
  change(change: EntityChange): void;
  /** The stream cannot continue from its position: everything must be read again. */
  lost(): void;
}

export interface Feed {
  /** Keeps the stream open until the returned function is called. */
  hold(this: void): () => void;
  /** Tells the feed of a read. Returns the changes since; null if the feed does not know them all. */
  since(this: void, asOf: number): readonly EntityChange[] | null;
  /** The kept changes of an entity. */
  changesOf(this: void, entity: string): readonly EntityChange[];
  /** Resolves once the feed has a position: from then on it misses no change. */
  started(this: void): Promise<void>;
}

export function createFeed(listener: FeedListener): Feed {
  let holders = 0;
  /** Where the kept changes begin, and the last change so far; null before the first read. */
  let position: { from: number; last: number } | null = null;
  let kept: EntityChange[] = [];
  let stream: AbortController | null = null;
  let closing: ReturnType<typeof setTimeout> | undefined;
  let waiting: (() => void)[] = [];

  const stop = () => {
    stream?.abort();
    stream = null;
  };
  const forget = () => {
    stop();
    position = null;
    kept = [];
  };
  const wanted = () => holders > 0 && position !== null && !stream;
  const run = async () => {
    const controller = (stream = new AbortController());
    const { signal } = controller;
    try {
      for await (const { seq, type, data } of client.workspaces.stream({ after: position!.last, signal })) {
        position!.last = seq;
        if (type === 'entity_patch') take({ ...(data as EntityPatch), seq });
      }
    } catch {
      // The server does not know the position: the database is another one, or was set back.
      if (signal.aborted) return;
      forget();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      listener.lost();
    }
  };
  const take = (change: EntityChange) => {
    kept.push(change);
    if (kept.length > KEPT) position!.from = kept.shift()!.seq;
    listener.change(change);
  };
  document.addEventListener('visibilitychange', () => {
    clearTimeout(closing);
    if (document.visibilityState === 'visible') {
      if (wanted()) void run();
    } else closing = setTimeout(stop, HIDDEN_MS);
  });

  return {
    hold: () => {
      holders += 1;
      clearTimeout(closing);
      if (wanted()) void run();
      return () => {
        holders -= 1;
        if (holders > 0) return;
        closing = setTimeout(() => {
          forget();
          listener.lost();
        }, LINGER_MS);
      };
    },
    since: (asOf) => {
      if (position === null) {
        position = { from: asOf, last: asOf };
        for (const resolve of waiting) resolve();
        waiting = [];
        if (wanted()) void run();
        return [];
      }
      return asOf < position.from ? null : kept.filter(({ seq }) => seq > asOf);
    },
    changesOf: (entity) => kept.filter(({ entity_id }) => entity_id === entity),
    started: () => (position === null ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
  };
}
