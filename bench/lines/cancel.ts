// From asking for a cancel to the model's connection closing, and to the end of the stream.

import type { Canceled } from '../load/cancels.ts';
import { pause } from '../measure/clock.ts';
import { digits, median, quantile } from '../measure/numbers.ts';
import type { Seen } from '../programs/fake-model.ts';
import type { Stage } from '../stage.ts';
import { continuoModel } from '../systems/continuo.ts';
import { judged, type Line, type Row } from './line.ts';

const ABORTED_MS = 5;
const ENDED_MS = 15;
/** What it may take more when another pod was asked. */
const ELSEWHERE_MS = 10;

interface Round {
  readonly aborted: readonly number[];
  readonly ended: readonly number[];
}

export const cancel: Line = {
  key: 'cancel',
  measure: async (stage) => {
    const here = await stage.withPods('cancel_here', 1, ([pod]) => rounds(stage, pod!.url, pod!.url));
    const there = await stage.withPods('cancel_there', 2, ([pod, other]) =>
      rounds(stage, pod!.url, other!.url),
    );
    return [...rows('here', here, 0), ...rows('elsewhere', there, ELSEWHERE_MS)];
  },
};

async function rounds(stage: Stage, base: string, cancelAt: string): Promise<Round[]> {
  const done: Round[] = [];
  const order = { base, cancelAt, model: continuoModel('fake-10-1000') };
  await stage.load.ask('cancel', { ...order, count: 5 });
  for (let round = 0; round < stage.options.rounds; round += 1) {
    await stage.model.ask('seen');
    const canceled = await stage.load.ask<Canceled[]>('cancel', { ...order, count: stage.many(40, 10) });
    await pause(50);
    const hungUp = new Map(
      (await stage.model.ask<Seen[]>('seen')).map(({ tag, hungUpAt }) => [tag, hungUpAt]),
    );
    done.push({
      aborted: canceled.map(({ tag, askedAt }) => (hungUp.get(tag) ?? Infinity) - askedAt),
      ended: canceled.map(({ askedAt, endedAt }) => endedAt - askedAt),
    });
  }
  return done;
}

function rows(where: 'here' | 'elsewhere', done: readonly Round[], more: number): Row[] {
  const by = where === 'here' ? 'the pod that runs it' : 'another pod';
  const row = (what: keyof Round, line: string, most: number): Row => {
    const p50 = median(done.map((round) => median(round[what])));
    const p99 = median(done.map((round) => quantile(round[what], 0.99)));
    return {
      key: `cancel-${what}-${where}`,
      line: `cancel, asked of ${by}: ${line}, p50`,
      target: `≤ ${most} ms`,
      measured: `${digits(p50, 'ms')} (p99 ${digits(p99, 'ms')})`,
      verdict: judged(p50 <= most),
    };
  };
  return [row('aborted', 'model aborted', ABORTED_MS + more), row('ended', 'stream ended', ENDED_MS + more)];
}
