// The dependencies of functions that write facts: the database, the pod that wakes the thread's owner, the bus that announces the
// fact, and the principal that is stored with it.

import type { Pod } from '../../actors/pod.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Pool } from '../../db/pool.ts';
import { toStored, type Principal } from '../../identity/principal.ts';
import { THREAD_CHANGED } from '../../threads/topics.ts';

export interface FactWorld {
  readonly pool: Pool;
  readonly pod: Pod;
  readonly bus: Bus;
  /** On whose behalf the facts are written. */
  readonly principal: Principal;
}

/** The principal as its column stores it. */
export function principalJson({ principal }: Pick<FactWorld, 'principal'>): string {
  return JSON.stringify(toStored(principal));
}

/** Announces a committed fact to the thread's owner, and to screens that show the thread. */
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
