// Stop signals. Under npm, one Ctrl-C arrives twice (the terminal signals the whole process group, and npm forwards its
// own copy), so a second signal within a second is ignored. A later one means that the user will not wait for the
// drain. The drain also ends after `withinMs`.

export interface StopSignals {
  /** Stops handling signals, so that the process can end. */
  release(): void;
}

export function onStopSignal(handlers: {
  readonly drain: (signal: NodeJS.Signals) => void;
  readonly force: (signal: NodeJS.Signals) => void;
  readonly withinMs?: number;
}): StopSignals {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let first: number | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (first === undefined) {
      first = now;
      handlers.drain(signal);
      if (handlers.withinMs !== undefined)
        setTimeout(() => handlers.force(signal), handlers.withinMs).unref();
    } else if (now - first > 1_000) {
      handlers.force(signal);
    }
  };
  for (const signal of signals) process.on(signal, listener);
  return {
    release: () => {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
