// Messages in an open loop: so many a second, whether the server keeps up or not.

import { now, pause } from '../measure/clock.ts';
import { newThread, postMessage } from './dialects.ts';
import { connections } from './request.ts';

export interface Arrivals {
  readonly base: string;
  readonly model: string;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Arrived {
  readonly sent: readonly { readonly tag: string; readonly run: string; readonly sentAt: number }[];
  readonly seconds: number;
  readonly failures: readonly string[];
}

const agent = connections();
let asked = 0;

export async function arrive({ base, model, perSecond, seconds }: Arrivals): Promise<Arrived> {
  const count = perSecond * seconds;
  const signal = AbortSignal.timeout(seconds * 1000 + 60_000);
  const threads = await makeThreads(base, count, signal);
  const sent: { tag: string; run: string; sentAt: number }[] = [];
  const failures: string[] = [];
  const under: Promise<void>[] = [];
  const began = now();
  const post = async (thread: string) => {
    asked += 1;
    const tag = `bench-${asked}`;
    const sentAt = now();
    try {
      sent.push({
        tag,
        sentAt,
        run: await postMessage({ base, thread, model, content: tag, agent, signal }),
      });
    } catch (error) {
      failures.push(String(error));
    }
  };
  while (under.length < count && !signal.aborted) {
    const due = Math.min(count, Math.floor(((now() - began) / 1000) * perSecond));
    while (under.length < due) under.push(post(threads[under.length]!));
    await pause(1);
  }
  const lasted = (now() - began) / 1000;
  await Promise.all(under);
  return { sent, failures, seconds: lasted };
}

async function makeThreads(base: string, count: number, signal: AbortSignal): Promise<string[]> {
  const threads: string[] = [];
  const worker = async () => {
    while (threads.length < count) threads.push(await newThread(base, agent, signal));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return threads;
}
