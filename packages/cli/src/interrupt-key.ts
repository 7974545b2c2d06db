// Handles Ctrl-C while something is watched. At a terminal it is read as a key, because under npx one press would
// arrive as two signals. Otherwise it is the signal.

export const CTRL_C = 3;

export interface Keys {
  /** Gives the terminal to a prompt. */
  release(): void;
  capture(): void;
  close(): void;
}

/** `typed` gets everything else that is typed, which is not echoed. */
export function onInterrupt(pressed: () => void, typed?: (keys: Buffer) => void): Keys {
  // If stdout is a pipe to a pager, the keys belong to the pager.
  const terminal = process.stdin.isTTY && process.stdout.isTTY ? process.stdin : null;
  const onData = (data: Buffer) => {
    for (const byte of data) if (byte === CTRL_C) pressed();
    typed?.(data.filter((byte) => byte !== CTRL_C) as Buffer);
  };
  const capture = () => {
    terminal?.setRawMode(true);
    terminal?.on('data', onData);
    terminal?.resume();
  };
  const release = () => {
    terminal?.off('data', onData);
    terminal?.setRawMode(false);
    terminal?.pause();
  };
  process.on('SIGINT', pressed);
  capture();
  return {
    release,
    capture,
    close: () => {
      process.off('SIGINT', pressed);
      release();
    },
  };
}
