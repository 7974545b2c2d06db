// Many clients that follow one stream.

import type { IncomingMessage } from 'node:http';
import { pause } from '../measure/clock.ts';
import { streaming } from './dialects.ts';
import { Marks } from './marks.ts';
import { connections, read } from './request.ts';

export interface Follow {
  readonly url: string;
  readonly count: number;
  /** What stands once in every frame. */
  readonly mark: string;
}

export interface Followed {
  readonly frames: number;
  readonly fewest: number;
  readonly most: number;
  /** Streams that ended as they should. */
  readonly complete: number;
}

interface Follower {
  readonly response: IncomingMessage;
  readonly marks: Marks;
  readonly done: Promise<boolean>;
}

const agent = connections();
let followers: Follower[] = [];

/** Resolves when all of them have the head of their response. */
export async function follow({ url, count, mark }: Follow): Promise<void> {
  const signal = AbortSignal.timeout(300_000);
  followers = [];
  // Not all at once: a server's queue of connections to accept is shorter than that.
  for (let at = 0; at < count; at += 50) {
    const some = Array.from({ length: Math.min(50, count - at) }, () => streaming({ agent, url, signal }));
    followers.push(...(await Promise.all(some)).map((response) => watch(response, mark)));
  }
}

export async function ended(): Promise<Followed> {
  const done = await Promise.all(followers.map((follower) => follower.done));
  const counts = followers.map((follower) => follower.marks.count);
  return {
    frames: counts.reduce((sum, count) => sum + count, 0),
    fewest: Math.min(...counts),
    most: Math.max(...counts),
    complete: done.filter(Boolean).length,
  };
}

/** Resolves when each of them has this many frames: for streams without an end. */
export async function received({ frames }: { readonly frames: number }): Promise<void> {
  while (followers.some(({ marks }) => marks.count < frames)) await pause(20);
}

export function leave(): void {
  for (const { response } of followers) response.destroy();
  followers = [];
}

function watch(response: IncomingMessage, mark: string): Follower {
  const marks = new Marks(mark);
  const done = read(response, (chunk) => void marks.take(chunk)).then(
    () => true,
    () => false,
  );
  return { response, marks, done };
}
