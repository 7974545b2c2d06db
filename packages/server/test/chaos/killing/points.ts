// Kills pods one after another: at a named point of their work, or at random (null).

import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@continuo/testkit';
import type { Fleet } from './fleet.ts';
import type { Chance } from '../support/seeded.ts';

/** Before, inside and after the commit of an append with an event of these types. */
export const pointsAround = (types: readonly string[]): readonly string[] =>
  types.flatMap((type) => ['before', 'inside', 'after'].map((moment) => `append.${moment}.${type}`));

interface Killing {
  readonly fleet: Fleet;
  readonly random: Chance;
  readonly points: readonly (string | null)[];
  /** Has the pods work, so that each of them comes to its point. */
  readonly keepBusy: () => Promise<void>;
}

export async function killAtEach({ fleet, random, points, keepBusy }: Killing): Promise<void> {
  for (const point of random.shuffled(points)) {
    fleet.fill(3);
    await fleet.atLeast(2);
    const victim = random.pick(fleet.live);
    let died = false;
    void victim.exited.then(() => (died = true));
    if (point !== null) victim.arm(point);
    else {
      await keepBusy();
      await pause(random.between(0, 100));
      victim.kill('SIGKILL');
    }
    await until(`the pod has died at ${point}`, async () => {
      if (!died) await keepBusy();
      return died;
    });
  }
}
