// Ctrl-C while something is watched. At a terminal it is read as a key: under npx one press would arrive as two
// signals. Elsewhere, and when somebody else sends it, it is the signal.

export const CTRL_C = 3;

export interface Keys {
  /** While a prompt has the terminal. */
  rest(): void;
  wake(): void;
  close(): void;
}

/** `typed` is told what else is typed meanwhile, which nobody sees. */
export function onInterrupt(pressed: () => void, typed?: (keys: Buffer) => void): Keys {
  // Beside a pager, the keys are the pager's.
  const terminal = process.stdin.isTTY && process.stdout.isTTY ? process.stdin : null;
  const onData = (data: Buffer) => {
    for (const byte of data) if (byte === CTRL_C) pressed();
    typed?.(data.filter((byte) => byte !== CTRL_C) as Buffer);
  };
  const wake = () => {
    terminal?.setRawMode(true);
    terminal?.on('data', onData);
    terminal?.resume();
  };
  const rest = () => {
    terminal?.off('data', onData);
    terminal?.setRawMode(false);
    terminal?.pause();
  };
  process.on('SIGINT', pressed);
  wake();
  return {
    rest,
    wake,
    close: () => {
      process.off('SIGINT', pressed);
      rest();
    },
  };
}
