// Asks one address again and again, and tells how long each answer took. The load client does nothing else meanwhile, so what
// another process does to the server is not mixed up with what it does to itself.

import { now, pause } from '../measure/clock.ts';

interface Watched {
  readonly url: string;
  /** How long to wait between two requests: what holds the server for longer is seen. */
  readonly everyMs: number;
}

let isOver = true;
let watching: Promise<readonly number[]> | null = null;

export function watch(watched: Watched): void {
  if (watching) throw new Error('another address is being watched');
  isOver = false;
  watching = times(watched);
  // `watched` reports a failure.
  watching.catch(() => undefined);
}

/** Ends the watch. */
export async function watched(): Promise<readonly number[]> {
  if (!watching) throw new Error('no address is being watched');
  isOver = true;
  try {
    return await watching;
  } finally {
    watching = null;
  }
}

async function times({ url, everyMs }: Watched): Promise<readonly number[]> {
  const found: number[] = [];
  while (!isOver) {
    const began = now();
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    found.push(now() - began);
    await pause(everyMs);
  }
  return found;
}
