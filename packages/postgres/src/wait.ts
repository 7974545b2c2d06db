import { setTimeout as pause } from 'node:timers/promises';

interface Patience {
  /** Gives up after this many milliseconds. */
  readonly limit: number;
  readonly first?: number;
  readonly longest?: number;
}

/**
 * Calls `ask` repeatedly, with growing pauses, until it returns something other than undefined. Returns undefined when the time
 * limit is reached.
 */
export async function until<T>(
  patience: Patience,
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  const end = performance.now() + patience.limit;
  const longest = patience.longest ?? 50;
  for (let delay = patience.first ?? 2; ; delay = Math.min(delay * 1.5, longest)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() >= end) return undefined;
    await pause(delay);
  }
}
