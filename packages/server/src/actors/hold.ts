// A hold: this pod's ownership of a thread, from claim to release, as the work on the thread sees it.

export interface Hold {
  readonly threadId: string;
  readonly attempt: number;
  /** The claim snapshot; null if the work must read the log and the facts itself. Opaque to the pod. */
  readonly claim: unknown;
  /** Aborts when this pod no longer owns the thread. Nothing may be appended after that. */
  readonly lost: AbortSignal;
  /** Aborts when the grace period of a draining pod is over: the step in flight must end at once. */
  readonly hurry: AbortSignal;
  /** The pod drains: release the thread before the next step. */
  readonly draining: boolean;
  /** Aborts when the pod begins to drain, for a step that waits for a person. */
  readonly stopping: AbortSignal;
  /** Called when the thread has new facts. `news` is a committed fact that the waker passes along; opaque to the pod. */
  onWake: ((news?: unknown) => void) | null;
  /** Whether this pod's lease is certainly still valid. Check it before an effect that the log cannot fence. */
  fresh(): boolean;
  /** `refusal` is the database's error; null if another owner took the thread. */
  lose(refusal?: Error | null): void;
}

/**
 * Works on a thread until there is nothing to do. Resolves to the time at which the thread is due again (null: only on a new
 * fact), or to `released` if its last append has already released the thread.
 */
export type Work = (hold: Hold) => Promise<{ readonly wakeAt: Date | null } | 'released'>;

export class LiveHold implements Hold {
  readonly threadId: string;
  readonly attempt: number;
  readonly claim: unknown;
  readonly hurry: AbortSignal;
  readonly fresh: () => boolean;
  readonly #lost = new AbortController();
  readonly #stopping = new AbortController();
  refusal: Error | null = null;
  onWake: Hold['onWake'] = null;

  constructor(threadId: string, attempt: number, claim: unknown, hurry: AbortSignal, fresh: () => boolean) {
    this.threadId = threadId;
    this.attempt = attempt;
    this.claim = claim;
    this.hurry = hurry;
    this.fresh = fresh;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  lose(refusal: Error | null = null): void {
    this.refusal ??= refusal;
    this.#lost.abort();
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get draining(): boolean {
    return this.#stopping.signal.aborted;
  }

  drain(): void {
    this.#stopping.abort();
  }
}
