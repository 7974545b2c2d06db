// Letting others have their turn in a loop that can be long.

/** So many items at most are worked on between two turns. */
export const ITEMS_PER_TURN = 500;

/** breath: after whatever is due by now; fast: after the I/O that is waiting; micro: after the promises that are settled. */
const TURNS = {
  breath: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
  fast: () => new Promise<void>((resolve) => setImmediate(resolve)),
  micro: () => Promise.resolve(),
};

/** Throws the signal's reason if it is aborted, before or meanwhile. */
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
