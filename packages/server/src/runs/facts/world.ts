// What a function that writes a fact needs: the database, the pod that wakes the thread's owner, and the bus on which the
// fact is announced.

import type { Pod } from '../../actors/pod.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Pool } from '../../db/pool.ts';
import { THREAD_CHANGED } from '../../threads/topics.ts';

export interface FactWorld {
  readonly pool: Pool;
  readonly pod: Pod;
  readonly bus: Bus;
}

/** The fact is committed: its owner looks at it, and screens that show the thread do. */
export async function announceFact(
  { pod, bus }: Pick<FactWorld, 'pod' | 'bus'>,
  threadId: string,
  owner: string | null,
  news?: unknown,
): Promise<void> {
  const woken = pod.wake(threadId, owner, news);
  void bus.publish(THREAD_CHANGED, { threadId, change: 'fact' });
  await woken;
}
