// Ends a running command early, for every runner: when it reaches a limit, or when its run is canceled.

import type { Readable } from 'node:stream';
import type { Execution, Limit } from './runner.ts';
import { watchDisk, type Watch } from './watch.ts';

export interface Supervision {
  killedBy(): Limit | null;
  stop(): void;
}

/** Calls `end` once when the command must end. `more` are watches of the runner; each gets the function to call. */
export function supervise(
  { folders, limits, milliseconds, signal, onOutput }: Execution,
  output: Readable,
  end: () => void,
  more: (exceeded: (by: Limit) => void) => readonly Watch[] = () => [],
): Supervision {
  let killedBy: Limit | null = null;
  const kill = (by: Limit): void => {
    if (killedBy !== null) return;
    killedBy = by;
    end();
  };
  let size = 0;
  output.on('data', (piece: Buffer) => {
    if (killedBy === 'output') return;
    size += piece.length;
    onOutput(piece);
    if (size > limits.outputBytes) kill('output');
  });
  const onAbort = () => kill('canceled');
  signal.addEventListener('abort', onAbort);
  // It may have been canceled while the runner prepared it.
  if (signal.aborted) onAbort();
  const timer = setTimeout(() => kill('time'), milliseconds);
  const watches = [
    watchDisk(
      [
        {
          folders: [folders.scratch],
          bytes: limits.scratchBytes,
          entries: limits.entries,
          areEmpty: false,
        },
        {
          folders: [folders.upper, folders.tmp],
          bytes: limits.layerBytes,
          entries: limits.entries,
          areEmpty: true,
        },
      ],
      () => kill('scratch'),
    ),
    ...more(kill),
  ];
  return {
    killedBy: () => killedBy,
    stop: () => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
      for (const watch of watches) watch.stop();
    },
  };
}
