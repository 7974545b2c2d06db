// What threads said last, as it was folded, so that the next message need not wait for its log to be read again. A log never
// changes what it has said: a state that stands at its end is the state, whoever wrote the log.

import type { ThreadState } from '../../threads/fold.ts';
import { estimate } from '../../context/history.ts';

/** Threads that are remembered, and tokens of their histories in all; the oldest are forgotten first. */
const THREADS = 500;
const TOKENS = 4_000_000;

interface Known {
  readonly state: ThreadState;
  /** Where the thread's snapshot stands; 0 if there is none. */
  readonly snapshotSeq: number;
}

export class ThreadStateCache {
  readonly #kept = new Map<string, Known & { readonly size: number }>();
  #size = 0;

  /** The state of a thread whose log ends at `seq`, if it is known. Whoever takes it brings it back. */
  take(threadId: string, seq: number): Known | null {
    const kept = this.#forget(threadId);
    return kept?.state.seq === seq ? kept : null;
  }

  keep(threadId: string, known: Known): void {
    this.#forget(threadId);
    const size = known.state.history.reduce((sum, { entry }) => sum + estimate(entry), 0);
    this.#kept.set(threadId, { ...known, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= THREADS && this.#size <= TOKENS) return;
      this.#forget(oldest);
    }
  }

  #forget(threadId: string): Known | null {
    const kept = this.#kept.get(threadId);
    if (!kept) return null;
    this.#kept.delete(threadId);
    this.#size -= kept.size;
    return kept;
  }
}
