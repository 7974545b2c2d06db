// Waiting for a condition, however busy the machine is, but not for ever.

import { inspect } from 'node:util';

export interface UntilOptions {
  /** The limit in milliseconds. The default is below the 60 s that a test has, so that the message is seen. */
  readonly within?: number;
  /** The time between two checks in milliseconds. */
  readonly every?: number;
  /**
   * For a condition that changes with an event: subscribes `check` to that event and returns how to unsubscribe. The
   * condition is then checked at each event, and never by the clock.
   */
  readonly wake?: (check: () => void) => () => void;
}

type Found<T> = Exclude<T, null | undefined | false>;

/**
 * Checks until the answer is neither null, undefined nor false, and returns that answer. A check that throws counts as
 * "not yet". When the limit is over, `until` fails with `what` and with the last answer or error.
 */
export async function until<T>(
  what: string,
  check: () => T | Promise<T>,
  { within = 50_000, every = 10, wake }: UntilOptions = {},
): Promise<Found<T>> {
  const limit = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => limit.resolve('over'), within);
  // An event during a check is not lost: the next check then follows at once.
  let event = Promise.withResolvers<void>();
  const unsubscribe = wake?.(() => event.resolve());
  let last: NotYet = { seen: 'the first check has not ended' };
  try {
    for (;;) {
      const attempt = await Promise.race([tryOnce(check), limit.promise]);
      if (attempt === 'over') break;
      if ('found' in attempt) return attempt.found;
      last = attempt;
      const next = wake ? event.promise : new Promise<void>((resolve) => setTimeout(resolve, every));
      if ((await Promise.race([next, limit.promise])) === 'over') break;
      event = Promise.withResolvers();
    }
  } finally {
    clearTimeout(timer);
    unsubscribe?.();
  }
  throw new Error(`timed out after ${within / 1000} s waiting until ${what}; ${last.seen}`, {
    cause: last.error,
  });
}

interface NotYet {
  readonly seen: string;
  readonly error?: unknown;
}
type Attempt<T> = { readonly found: Found<T> } | NotYet;

async function tryOnce<T>(check: () => T | Promise<T>): Promise<Attempt<T>> {
  try {
    const answer = await check();
    if (answer !== null && answer !== undefined && answer !== false) return { found: answer as Found<T> };
    return { seen: `the last answer was ${inspect(answer)}` };
  } catch (error) {
    return { seen: `the last check failed: ${String(error)}`, error };
  }
}
