// A cancel is a durable fact that any pod accepts. From then on, the run can only end canceled. If the run is ending at the
// same time, the lock of its row decides which comes first.

import { Canceled } from './facts.ts';
import { announceFact, principalJson, type FactWorld } from './world.ts';

export async function requestCancel(world: FactWorld, runId: string, reason: string): Promise<void> {
  const { rows } = await world.pool.query<{ thread_id: string; owner: string | null }>({
    name: 'request_cancel',
    text: `with asked as (
        update runs set cancel_requested_at = clock_timestamp(), cancel_reason = $2, cancel_requested_by = $3
        where id = $1 and status in ('queued', 'running') and cancel_requested_at is null
        returning thread_id
      )
      update threads t set wake_at = least(t.wake_at, clock_timestamp()) from asked where t.id = asked.thread_id
      returning t.id as thread_id, t.owner`,
    values: [runId, reason, principalJson(world)],
  });
  const asked = rows[0];
  if (asked) await announceFact(world, asked.thread_id, asked.owner, new Canceled(runId, reason));
}

/** Cancels every open run of a workspace. */
export async function cancelAllIn(world: FactWorld, workspaceId: string, reason: string): Promise<void> {
  const { rows } = await world.pool.query<{ id: string }>(
    `select r.id from runs r join threads t on t.id = r.thread_id
      where t.workspace_id = $1 and r.status in ('queued', 'running') and r.cancel_requested_at is null`,
    [workspaceId],
  );
  for (const { id } of rows) await requestCancel(world, id, reason);
}
