// Waiting for a condition: what must come is awaited, however busy the machine is.

/** Asks until the answer is neither null, undefined nor false; `what` is for the error when it never is. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  { within = 60_000, every = 10 } = {},
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = performance.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false)
      return answer as Exclude<T, null | undefined | false>;
    if (performance.now() > deadline) throw new Error(`waited ${within / 1000} s in vain until ${what}`);
    await pause(every);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
