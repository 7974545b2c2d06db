// Runs in a closed loop: so many at once, the next when one has ended, until the count or the time is reached.

import { now } from '../measure/clock.ts';
import { dialects, newThread } from './dialects.ts';
import { Marks } from './marks.ts';
import { connections, read } from './request.ts';
import { tokenText, wholeText } from './text.ts';

export interface Drive {
  readonly system: 'bare' | 'continuo';
  readonly base: string;
  readonly model: string;
  readonly tokens: number;
  readonly runs: number;
  readonly concurrency: number;
  readonly seconds: number;
  /** Reads every frame, and wants the whole text of the deltas to be what the model said. */
  readonly strict?: boolean;
}

export interface Driven {
  readonly completed: number;
  readonly seconds: number;
  /** Milliseconds from sending the request to the first token, run by run. */
  readonly first: readonly number[];
  /** Milliseconds from the last token to the end of the stream. */
  readonly tail: readonly number[];
  readonly deltas: readonly number[];
  /** What went wrong, in words; a run that failed is in none of the others. */
  readonly failures: readonly string[];
}

const posts = connections();
const streams = connections();
const threads: string[] = [];
let asked = 0;

/** Threads for the runs to come, made beforehand: a thread is older than most of its runs. */
export async function prepare({
  base,
  count,
}: {
  base: string;
  count: number;
}): Promise<{ seconds: number }> {
  const began = now();
  const signal = AbortSignal.timeout(120_000);
  threads.length = 0;
  const worker = async () => {
    while (threads.length < count) threads.push(await newThread(base, posts, signal));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return { seconds: (now() - began) / 1000 };
}

export async function drive(order: Drive): Promise<Driven> {
  const driven = {
    first: [] as number[],
    tail: [] as number[],
    deltas: [] as number[],
    failures: [] as string[],
  };
  const stopping = AbortSignal.timeout(order.seconds * 1000);
  // Requests that are in flight when the time is up get a little more time, and then count as failed.
  const signal = AbortSignal.timeout(order.seconds * 1000 + 30_000);
  const began = now();
  let begun = 0;
  const worker = async () => {
    while (begun < order.runs && !stopping.aborted && driven.failures.length < 20) {
      begun += 1;
      try {
        const { first, tail, deltas } = await (order.strict ? checked : one)(order, signal);
        driven.first.push(first);
        driven.tail.push(tail);
        driven.deltas.push(deltas);
      } catch (error) {
        driven.failures.push(error instanceof Error ? error.message : String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: order.concurrency }, worker));
  return { ...driven, completed: driven.first.length, seconds: (now() - began) / 1000 };
}

interface Run {
  readonly first: number;
  readonly tail: number;
  readonly deltas: number;
}

async function one(order: Drive, signal: AbortSignal, onChunk?: (chunk: Buffer) => void): Promise<Run> {
  const dialect = dialects[order.system];
  const [delta, end, last] = [
    new Marks(dialect.delta),
    new Marks(dialect.end),
    new Marks(tokenText(order.tokens - 1)),
  ];
  let [firstAt, lastAt] = [0, 0];
  const sentAt = now();
  const response = await dialect.begin(ask(order, signal));
  await read(response, (chunk) => {
    if (delta.take(chunk)) {
      lastAt = now();
      firstAt ||= lastAt;
    }
    end.take(chunk);
    last.take(chunk);
    onChunk?.(chunk);
  });
  const endedAt = now();
  if (end.count === 0 || last.count === 0) throw new Error('a run did not say all that it should');
  return { first: firstAt - sentAt, tail: endedAt - lastAt, deltas: delta.count };
}

async function checked(order: Drive, signal: AbortSignal): Promise<Run> {
  const chunks: Buffer[] = [];
  const run = await one(order, signal, (chunk) => chunks.push(chunk));
  const texts = Buffer.concat(chunks)
    .toString()
    .split('\n\n')
    .map((frame) => dialects[order.system].text(frame))
    .filter((text) => text !== null);
  if (texts.join('') !== wholeText(order.tokens)) throw new Error('the deltas are not what the model said');
  return { ...run, deltas: texts.length };
}

function ask({ base, model, system }: Drive, signal: AbortSignal) {
  asked += 1;
  const thread = system === 'continuo' ? threads.pop() : undefined;
  if (system === 'continuo' && thread === undefined) throw new Error('there are no threads left');
  return { base, model, content: `bench-${asked}`, posts, streams, signal, thread };
}
