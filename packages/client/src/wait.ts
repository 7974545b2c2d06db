// The delay before the next try.

const FIRST_MS = 250;
const LONGEST_MS = 5000;

/** Doubles from 0.25 s to 5 s, with up to 50 % random reduction, so that clients do not reconnect all at once. */
export function backoffMs(tries: number, chance: number): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 30));
  return Math.round(most * (1 - chance / 2));
}

/** Resolves after the delay, or as soon as the signal aborts. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
