// Schedules: rows with a next time. The pod that claims a due row decides about its time, starts the run and moves the schedule
// to its next time, all in one transaction: a pod that dies in between leaves the row as it was, and another pod claims it.
//
// Invariant: a time starts at most one run. It is the key of its row in schedule_times, which commits with the run.

import type { Faults } from '../faults.ts';
import { transaction, type Queryable } from '../db/pool.ts';
import { DueWork } from '../actors/due-work.ts';
import { recordTime, startOf, timingOf, type NewTime, type ScheduleRow } from './schedule-rows.ts';
import { startRun, type Started, type StartWorld } from './start-run.ts';
import { dueTimes } from './times.ts';
import { AUTOMATION_CHANGED } from './topics.ts';

export interface ScheduleWorld extends StartWorld {
  readonly onError: (error: Error) => void;
  readonly faults?: Faults | undefined;
}

export function createScheduler(world: ScheduleWorld): DueWork {
  const { pool, bus, onError } = world;
  const work = new DueWork({
    doDue: async () => {
      while (await startDue(world));
    },
    untilNext: async () => {
      const { rows } = await pool.query<{ ms: number | null }>(
        `select extract(epoch from min(s.next_at) - clock_timestamp())::float8 * 1000 as ms from schedules s
          join workspaces w on w.id = s.workspace_id where s.next_at is not null and w.removed_at is null`,
      );
      return rows[0]!.ms;
    },
    onError,
  });
  bus.subscribe(AUTOMATION_CHANGED, { message: () => work.wake(), rescan: () => work.wake() });
  return work;
}

/** Handles one due schedule. False if there is none that this pod can claim. */
async function startDue(world: ScheduleWorld): Promise<boolean> {
  const done = await transaction(world.pool, async (client) => {
    const { rows } = await client.query<ScheduleRow & { next_at: Date }>(
      `select s.*, clock_timestamp() as now from schedules s join workspaces w on w.id = s.workspace_id
        where s.next_at <= clock_timestamp() and w.removed_at is null
        order by s.next_at limit 1 for no key update of s skip locked`,
    );
    const row = rows[0];
    if (!row) return null;
    await world.faults?.('schedule.claimed');
    const { at, earlier, isMissed, next } = dueTimes(timingOf(row), row.next_at, row.now);
    const time = { at, earlier, manual: false };
    const started = isMissed && row.missed === 'skip' ? null : await startAt(client, world, row, time);
    if (started === null)
      await recordTime(client, row, { ...time, outcome: 'missed', reason: 'no server was running' }, next);
    else await recordTime(client, row, started.time, next);
    await world.faults?.('schedule.started');
    return { workspaceId: row.workspace_id, announce: started?.announce };
  });
  if (!done) return false;
  await world.faults?.('schedule.committed');
  done.announce?.();
  void world.bus.publish(AUTOMATION_CHANGED, { workspaceId: done.workspaceId });
  return true;
}

interface StartedTime {
  readonly time: NewTime;
  readonly announce?: () => void;
}

/** Starts the run of a time, unless the schedule's last run is still open and the schedule skips such times. */
async function startAt(
  client: Queryable,
  world: StartWorld,
  row: ScheduleRow,
  time: Pick<NewTime, 'at' | 'earlier' | 'manual'>,
): Promise<StartedTime> {
  const open = row.overlap === 'skip' ? await openRun(client, row.last_run) : null;
  if (open)
    return {
      time: {
        ...time,
        outcome: 'skipped',
        reason: 'the last run is still open',
        threadId: open.thread_id,
        runId: open.id,
      },
    };
  const started: Started = await startRun(client, world, {
    workspaceId: row.workspace_id,
    start: startOf(row),
    principal: JSON.parse(row.principal),
  });
  if (!started.ok) return { time: { ...time, outcome: 'refused', reason: started.reason } };
  const { threadId, runId, announce } = started;
  return { time: { ...time, outcome: 'started', threadId, runId }, announce };
}

async function openRun(
  client: Queryable,
  runId: string | null,
): Promise<{ id: string; thread_id: string } | null> {
  if (runId === null) return null;
  const { rows } = await client.query<{ id: string; thread_id: string }>(
    "select id, thread_id from runs where id = $1 and status in ('queued', 'running')",
    [runId],
  );
  return rows[0] ?? null;
}

export type RunNow =
  | { readonly kind: 'none' }
  /** Its outcome: started, skipped or refused. */
  | { readonly kind: 'done'; readonly time: NewTime };

/** Starts a run of the schedule now, even if it is paused. Its next time stays as it is. */
export async function runNow(world: StartWorld, workspaceId: string, id: string): Promise<RunNow> {
  const done = await transaction(world.pool, async (client) => {
    const { rows } = await client.query<ScheduleRow>(
      `select *, clock_timestamp() as now from schedules where workspace_id = $1 and id = $2 for no key update`,
      [workspaceId, id],
    );
    const row = rows[0];
    if (!row) return null;
    const started = await startAt(client, world, row, { at: row.now, earlier: 0, manual: true });
    if (started.time.outcome === 'started') await recordTime(client, row, started.time, row.next_at);
    return started;
  });
  if (!done) return { kind: 'none' };
  done.announce?.();
  void world.bus.publish(AUTOMATION_CHANGED, { workspaceId });
  return { kind: 'done', time: done.time };
}
