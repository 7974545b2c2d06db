// Counts the bytes and messages that a server sends, and reports a flood.

import { FLOOD_BYTES, FLOOD_MESSAGES, FLOOD_WINDOW_MS } from './limits.ts';

export interface Gate {
  message(): void;
  bytes(count: number): void;
}

export function createGate(now: () => number, onFlood: (reason: string) => void): Gate {
  let began = now();
  let messages = 0;
  let bytes = 0;
  let flooded = false;

  const count = (moreMessages: number, moreBytes: number): void => {
    if (now() - began >= FLOOD_WINDOW_MS) {
      began = now();
      messages = 0;
      bytes = 0;
    }
    messages += moreMessages;
    bytes += moreBytes;
    if (flooded || (messages <= FLOOD_MESSAGES && bytes <= FLOOD_BYTES)) return;
    flooded = true;
    const what = messages > FLOOD_MESSAGES ? `${FLOOD_MESSAGES} messages` : `${FLOOD_BYTES} bytes`;
    onFlood(`it sent more than ${what} within ${FLOOD_WINDOW_MS / 1000} s`);
  };
  return { message: () => count(1, 0), bytes: (size) => count(0, size) };
}
