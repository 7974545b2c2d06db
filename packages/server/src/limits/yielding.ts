// Lets long loops yield to the event loop.

/** Maximum number of items to process between two yields. */
export const ITEMS_PER_TURN = 500;

/** When to continue. breath: after the timers that are due; fast: after pending I/O; micro: after settled promises. */
const TURNS = {
  breath: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
  fast: () => new Promise<void>((resolve) => setImmediate(resolve)),
  micro: () => Promise.resolve(),
};

/** Yields once. Throws the signal's reason if it is aborted before or during the yield. */
export async function yieldWithAbortCheck({
  mode,
  signal,
}: {
  readonly mode: keyof typeof TURNS;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  signal?.throwIfAborted();
  await TURNS[mode]();
  signal?.throwIfAborted();
}
