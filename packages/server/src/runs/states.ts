// What threads said last, as it was folded, so that the next message need not wait for its log to be read again. A log never
// changes what it has said: a state that stands at its end is the state, whoever wrote the log.

import type { ThreadState } from './fold.ts';
import { estimate } from './history.ts';

/** Threads that are remembered, and tokens of their histories, in all and of one; the oldest are forgotten first. */
const THREADS = 500;
const TOKENS = 4_000_000;
const TOKENS_OF_ONE = 250_000;

export class States {
  readonly #kept = new Map<string, { readonly state: ThreadState; readonly size: number }>();
  #size = 0;

  /** The state of a thread whose log ends at `seq`, if it is known. Whoever takes it brings it back. */
  take(threadId: string, seq: number): ThreadState | null {
    const kept = this.#forget(threadId);
    return kept?.seq === seq ? kept : null;
  }

  keep(threadId: string, state: ThreadState): void {
    this.#forget(threadId);
    const size = state.history.reduce((sum, { entry }) => sum + estimate(entry), 0);
    if (size > TOKENS_OF_ONE) return;
    this.#kept.set(threadId, { state, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= THREADS && this.#size <= TOKENS) return;
      this.#forget(oldest);
    }
  }

  #forget(threadId: string): ThreadState | null {
    const kept = this.#kept.get(threadId);
    if (!kept) return null;
    this.#kept.delete(threadId);
    this.#size -= kept.size;
    return kept.state;
  }
}
