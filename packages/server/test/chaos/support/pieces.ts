// A follower whose connection is cut again and again, and that comes back with the id that it saw last.

import { follow, isEnd, type Frame } from '@continuo/testkit';

export interface Pieces {
  readonly frames: readonly Frame[];
  /** How often it was cut. */
  readonly cuts: number;
}

/** Cut after every `every` events; each time it comes back to the next of the addresses. */
export async function followInPieces(urls: readonly string[], runId: string, every = 25): Promise<Pieces> {
  const frames: Frame[] = [];
  let cuts = 0;
  while (!isEnd(frames.at(-1))) {
    const piece: Frame[] = [];
    for await (const frame of follow(urls[cuts % urls.length]!, runId, frames.at(-1)?.id ?? 0)) {
      piece.push(frame);
      if (piece.length === every) break;
    }
    frames.push(...piece);
    cuts += 1;
  }
  return { frames, cuts };
}
