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
      const during = async (name: string, work: () => Promise<unknown>): Promise<Worst> => {
        const { times } = await stage.watch(`${base}/healthz`, EVERY_MS, work);
        return { ms: Math.max(...times), during: name };
      };
      const found: Worst[] = [];
      for (const each of attacks) {
        const target = await each.prepare(base);
        found.push(await during(each.name, () => each.attack(target)));
      }
      const targets = await Promise.all(
        attacks.map(async (each) => ({ each, target: await each.prepare(base) })),
      );
      const all = () => Promise.all(targets.map(({ each, target }) => each.attack(target)));
      found.push(await during('all of them at once', all));
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
