// Steers the running run with a queued message. The running run takes the message in at its next step; the message's own run is
// canceled.

import { announceFact, principalJson, type FactWorld } from './world.ts';

export type Steered =
  | { readonly outcome: 'steered'; readonly steered: string }
  | { readonly outcome: 'not_waiting' | 'nothing_at_work' | 'queue_full' };

/** Idempotent. */
export async function steerQueued(
  world: FactWorld,
  run: { readonly id: string; readonly thread_id: string },
): Promise<Steered> {
  const { rows } = await world.pool.query<Steered & { owner: string | null }>({
    name: 'steer_queued',
    text: 'select * from steer_queued($1, $2)',
    values: [run.id, principalJson(world)],
  });
  const { owner, ...answer } = rows[0]!;
  if (answer.outcome === 'steered') await announceFact(world, run.thread_id, owner);
  return answer;
}
