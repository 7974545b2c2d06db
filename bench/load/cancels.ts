// Runs that are canceled in the middle of their answer, one after another.

import { now } from '../measure/clock.ts';
import { newThread, postMessage, streaming } from './dialects.ts';
import { Marks } from './marks.ts';
import { call, connections, read } from './request.ts';

export interface Cancels {
  /** Where runs are posted and followed. */
  readonly base: string;
  /** Where they are canceled. */
  readonly cancelAt: string;
  readonly model: string;
  readonly count: number;
}

export interface Canceled {
  readonly tag: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly endedAt: number;
}

/** Tokens that a run has streamed when it is canceled. */
const TOKENS = 10;

const posts = connections();
const streams = connections();
let asked = 0;

export async function cancel({ base, cancelAt, model, count }: Cancels): Promise<Canceled[]> {
  const canceled: Canceled[] = [];
  const signal = AbortSignal.timeout(120_000);
  while (canceled.length < count && !signal.aborted) {
    asked += 1;
    const tag = `bench-${900_000 + asked}`;
    const thread = await newThread(base, posts, signal);
    const run = await postMessage({ base, thread, model, content: tag, agent: posts, signal });
    const response = await streaming({ agent: streams, url: `${base}/api/runs/${run}/events`, signal });
    const [tokens, ends] = [new Marks('event: token\n'), new Marks('"status":"canceled"')];
    let [askedAt, answeredAt] = [0, 0];
    let answer: Promise<void> = Promise.resolve();
    await read(response, (chunk) => {
      tokens.take(chunk);
      ends.take(chunk);
      if (tokens.count < TOKENS || askedAt > 0) return;
      askedAt = now();
      const request = {
        agent: posts,
        url: `${cancelAt}/api/runs/${run}/cancel`,
        method: 'POST',
        body: {},
        signal,
      } as const;
      answer = call(request).then(() => {
        answeredAt = now();
      });
    });
    const endedAt = now();
    await answer;
    if (ends.count === 0) throw new Error(`run ${run} did not end canceled`);
    canceled.push({ tag, askedAt, answeredAt, endedAt });
  }
  return canceled;
}
