// Limits how many pieces of work run at the same time. Waiting work takes turns by key, so that a key with much work
// does not delay a key with little.

interface Waiter {
  readonly start: () => void;
}

export class FairLimiter {
  readonly #most: number;
  #running = 0;
  /** In order of turns: the key served last comes last. A key without waiters has no entry. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(most: number) {
    this.#most = most;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Runs `work` when its turn comes. An abort while it waits removes it from the queue and throws the signal's reason.
   */
  async run<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#most) this.#running += 1;
    else await this.#turn(key, signal);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  #turn(key: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        const left = this.#waiting.get(key)!.filter((each) => each !== waiter);
        if (left.length > 0) this.#waiting.set(key, left);
        else this.#waiting.delete(key);
        reject(signal!.reason as Error);
      };
      const waiter: Waiter = {
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const queue = this.#waiting.get(key);
      if (queue) queue.push(waiter);
      else this.#waiting.set(key, [waiter]);
    });
  }

  #startNext(): void {
    const next = this.#waiting.entries().next().value;
    if (!next) return;
    const [key, queue] = next;
    this.#waiting.delete(key);
    const waiter = queue.shift()!;
    if (queue.length > 0) this.#waiting.set(key, queue);
    this.#running += 1;
    waiter.start();
  }
}
