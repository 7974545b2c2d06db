// Runs work that must not leave anything incomplete when it is interrupted by Ctrl-C or a stop signal.

import { onStopSignal } from '@continuo/server/signals';
import { CommandError, EXIT } from './failure.ts';

/** `left` describes the result of an interruption. A second Ctrl-C does not wait for the cleanup. */
export async function interruptible<T>(
  left: () => string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const leaving = new AbortController();
  const signals = onStopSignal({
    drain: () => leaving.abort(),
    force: () => process.exit(EXIT.interrupted),
  });
  try {
    return await work(leaving.signal);
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    throw new CommandError(`Interrupted; ${left()}`, { code: 'interrupted', exitCode: EXIT.interrupted });
  } finally {
    signals.release();
  }
}
