// Caches the states of threads that this pod held recently, so that the next message need not wait until the log is read again.
// The log is append-only: a cached state whose seq is the end of the log is current, no matter which pod appended the events.

import { LRUCache } from 'lru-cache';
import type { ThreadState } from '../../threads/fold.ts';
import { estimate } from '../../context/history.ts';

/** Limits of the cache: threads, and tokens of all their histories together. */
const THREADS = 500;
const TOKENS = 4_000_000;

export interface CachedState {
  readonly state: ThreadState;
  /** The seq of the thread's stored snapshot; 0 without one. */
  readonly snapshotSeq: number;
}

export class ThreadStateCache {
  readonly #kept = new LRUCache<string, CachedState>({
    max: THREADS,
    maxSize: TOKENS,
    // A size is at least 1.
    sizeCalculation: ({ state }) => state.history.reduce((sum, { entry }) => sum + estimate(entry), 1),
  });

  /** Removes and returns the state of a thread whose log ends at `seq`, or null. The owner puts it back with `keep`. */
  take(threadId: string, seq: number): CachedState | null {
    const kept = this.takeOlder(threadId);
    return kept?.state.seq === seq ? kept : null;
  }

  /** Removes and returns the last known state of a thread. Its log may have grown since. */
  takeOlder(threadId: string): CachedState | null {
    const kept = this.#kept.get(threadId) ?? null;
    this.#kept.delete(threadId);
    return kept;
  }

  keep(threadId: string, known: CachedState): void {
    this.#kept.set(threadId, known);
  }
}
