// A message that waits its turn goes to the run that is at work, which takes it in at its next step; its own run ends canceled.

import type { Pod } from '../../actors/pod.ts';
import type { Pool } from '../../db/pool.ts';

export type Steered =
  | { readonly outcome: 'steered'; readonly steered: string }
  | { readonly outcome: 'not_waiting' | 'nothing_at_work' | 'queue_full' };

/** Again, it finds what it did. */
export async function steerQueued(
  { pool, pod }: { pool: Pool; pod: Pod },
  run: { readonly id: string; readonly thread_id: string },
): Promise<Steered> {
  const { rows } = await pool.query<Steered & { owner: string | null }>({
    name: 'steer_queued',
    text: 'select * from steer_queued($1)',
    values: [run.id],
  });
  const { owner, ...answer } = rows[0]!;
  if (answer.outcome === 'steered') await pod.wake(run.thread_id, owner);
  return answer;
}
