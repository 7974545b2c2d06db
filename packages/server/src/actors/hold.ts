// A thread that this pod holds: what those who work on it may ask, and what they are told.

export interface Hold {
  readonly threadId: string;
  readonly attempt: number;
  /** What the claim told by itself; null where it must be asked for. The work knows what it means. */
  readonly told: unknown;
  /** Aborts when the thread is no longer ours: nothing may be written any more. */
  readonly lost: AbortSignal;
  /** Aborts when the pod is stopping and will not wait for the step to end. */
  readonly hurry: AbortSignal;
  /** The pod is stopping: let go at the next step. */
  readonly draining: boolean;
  /** Aborts when the pod begins to stop, for a step that would wait for a person. */
  readonly stopping: AbortSignal;
  /** Somebody wants something of the thread. `news` is what the waker knows to be committed; the work knows what it means. */
  onWake: ((news?: unknown) => void) | null;
  /** Whether the lease is surely still ours; ask before an effect that nothing fences. */
  fresh(): boolean;
  /** `refusal` is what the database said, where it was not another owner. */
  lose(refusal?: Error | null): void;
}

/**
 * Works on a thread until there is nothing to do; says when to look again, if at all, or that its last append has let
 * the thread go.
 */
export type Work = (hold: Hold) => Promise<{ readonly wakeAt: Date | null } | 'released'>;

export class LiveHold implements Hold {
  readonly threadId: string;
  readonly attempt: number;
  readonly told: unknown;
  readonly hurry: AbortSignal;
  readonly fresh: () => boolean;
  readonly #lost = new AbortController();
  readonly #stopping = new AbortController();
  refusal: Error | null = null;
  onWake: Hold['onWake'] = null;

  constructor(threadId: string, attempt: number, told: unknown, hurry: AbortSignal, fresh: () => boolean) {
    this.threadId = threadId;
    this.attempt = attempt;
    this.told = told;
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
