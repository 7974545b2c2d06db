// The worst answer of /healthz while the server is attacked: one attack after another, and then all at once.

import { attacks } from '@continuo/testkit';
import { digits } from '../measure/numbers.ts';
import { judged, type Line } from './line.ts';

const MOST_MS = 100;
/** How long to wait between two requests: what holds the server for longer is seen. */
const EVERY_MS = 5;

interface Worst {
  readonly ms: number;
  readonly during: string;
}

export const attack: Line = {
  key: 'attack',
  measure: async (stage) => {
    const worst = await stage.withPods('attack', 1, async ([pod]) => {
      const base = pod!.url;
      const found: Worst[] = [];
      for (const each of attacks) {
        const target = await each.prepare(base);
        found.push(await worstDuring(base, each.name, () => each.attack(target)));
      }
      const targets = await Promise.all(
        attacks.map(async (each) => ({ each, target: await each.prepare(base) })),
      );
      found.push(
        await worstDuring(base, 'all of them at once', () =>
          Promise.all(targets.map(({ each, target }) => each.attack(target))),
        ),
      );
      return found.toSorted((a, b) => b.ms - a.ms)[0]!;
    });
    return [
      {
        key: 'attack-healthz',
        line: 'worst /healthz under attack',
        target: `≤ ${MOST_MS} ms`,
        measured: `${digits(worst.ms, 'ms')} (during: ${worst.during})`,
        verdict: judged(worst.ms <= MOST_MS),
      },
    ];
  },
};

/** Asks /healthz again and again until the attack is over. */
async function worstDuring(base: string, during: string, work: () => Promise<unknown>): Promise<Worst> {
  let isOver = false;
  const over = work().finally(() => (isOver = true));
  let ms = 0;
  while (!isOver) {
    const began = performance.now();
    const answer = await fetch(`${base}/healthz`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`/healthz answered ${answer.status} during: ${during}`);
    ms = Math.max(ms, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  await over;
  return { ms, during };
}
