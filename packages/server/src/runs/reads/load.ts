// The load of the whole server, for operators: pods, the queue, and open runs by state.

import type { Queryable } from '../../db/pool.ts';
import type { Load } from '../../telemetry/metrics.ts';

/** Reads only rows that are open: it takes as long with a million runs that have ended. */
export async function readLoad(client: Queryable): Promise<Load> {
  const { rows } = await client.query<
    Load['states'] & { pods: number; depth: number; age: number | null; approvals: number }
  >({
    name: 'read_load',
    text: `with asking as (select run_id from approvals where decision is null),
      open as (
        select case when status = 'queued' then 'queued'
            when pause_requested_at is not null then 'paused'
            when id in (select run_id from asking) then 'waiting'
            else 'running' end as state
          from runs where status in ('queued', 'running')),
      counted as (
        select count(*) filter (where state = 'queued')::int as queued,
            count(*) filter (where state = 'running')::int as running,
            count(*) filter (where state = 'waiting')::int as waiting,
            count(*) filter (where state = 'paused')::int as paused
          from open),
      due as (
        select count(*)::int as depth, extract(epoch from clock_timestamp() - min(wake_at))::float8 as age
          from threads where owner is null and wake_at <= clock_timestamp())
      select counted.*, due.*, (select count(*)::int from pods) as pods, (select count(*)::int from asking) as approvals
        from counted, due`,
  });
  const { pods, depth, age, approvals, queued, running, waiting, paused } = rows[0]!;
  return {
    pods,
    queue: { depth, ageSeconds: Math.max(0, age ?? 0) },
    approvals,
    states: { queued, running, waiting, paused },
  };
}
