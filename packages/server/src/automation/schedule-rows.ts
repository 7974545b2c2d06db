// The rows of schedules, and of the outcomes of their times.

import { v7 as uuidv7 } from 'uuid';
import type { NewSchedule, Schedule, ScheduleTime } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { StoredPrincipal } from '../identity/principal.ts';
import type { Start } from './start-run.ts';
import { TIMES_SHOWN, timesAfter, type Timing } from './times.ts';

/** The most schedules of a workspace. */
export const MOST_SCHEDULES = 100;
/** How many times are kept of each schedule. */
const TIMES_KEPT = 100;
const TIMES_LISTED = 10;

export interface ScheduleRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly start: string;
  readonly missed: Schedule['missed'];
  readonly overlap: Schedule['overlap'];
  readonly paused: boolean;
  readonly principal: string;
  readonly next_at: Date | null;
  readonly last_run: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly now: Date;
}

type TimeRow = Omit<ScheduleTime, 'at' | 'decided_at' | 'chat_id'> & {
  readonly schedule_id: string;
  readonly at: Date;
  readonly decided_at: Date;
  readonly thread_id: string | null;
};

export type NewTime = Pick<TimeRow, 'at' | 'outcome' | 'manual' | 'earlier'> & {
  readonly reason?: string;
  readonly threadId?: string | null;
  readonly runId?: string | null;
};

export const timingOf = ({ cron, time_zone }: Pick<ScheduleRow, 'cron' | 'time_zone'>): Timing => ({
  cron,
  timeZone: time_zone,
});

export function startOf({ start }: Pick<ScheduleRow, 'start'>): Start {
  return JSON.parse(start) as Start;
}

export async function readSchedules(
  client: Queryable,
  workspaceId: string,
  id: string | null = null,
): Promise<Schedule[]> {
  // The times first: a schedule whose time is shown as decided has its next time.
  const times = await client.query<TimeRow>(
    `select t.* from schedules s cross join lateral (
        select * from schedule_times where schedule_id = s.id order by at desc limit $3) t
      where s.workspace_id = $1 and ($2::uuid is null or s.id = $2)`,
    [workspaceId, id, TIMES_LISTED],
  );
  const { rows } = await client.query<ScheduleRow>(
    `select *, clock_timestamp() as now from schedules where workspace_id = $1 and ($2::uuid is null or id = $2)
      order by name`,
    [workspaceId, id],
  );
  const bySchedule = Map.groupBy(times.rows, ({ schedule_id }) => schedule_id);
  return rows.map((row) => toWire(row, bySchedule.get(row.id) ?? []));
}

/** Stores a schedule. A new one has no `id`. Null if the workspace has no such schedule, or has the most it may have. */
export async function putSchedule(
  client: Queryable,
  workspaceId: string,
  { id, schedule, principal }: { id: string | null; schedule: NewSchedule; principal: StoredPrincipal },
): Promise<string | null> {
  const { name, cron, time_zone, missed, overlap, paused, ...start } = schedule;
  const next = paused ? null : nextAfter({ cron, timeZone: time_zone }, await databaseTime(client));
  const values = [workspaceId, name, cron, time_zone, JSON.stringify(start), missed, overlap, paused, next];
  const { rows } =
    id === null
      ? await client.query<{ id: string }>(
          `insert into schedules (workspace_id, name, cron, time_zone, start, missed, overlap, paused, next_at, id, principal)
            select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
            where (select count(*) from schedules where workspace_id = $1) < $12 returning id`,
          [...values, uuidv7(), JSON.stringify(principal), MOST_SCHEDULES],
        )
      : await client.query<{ id: string }>(
          `update schedules set name = $2, cron = $3, time_zone = $4, start = $5, missed = $6, overlap = $7, paused = $8,
              next_at = $9, principal = $11, updated_at = clock_timestamp()
            where workspace_id = $1 and id = $10 returning id`,
          [...values, id, JSON.stringify(principal)],
        );
  return rows[0]?.id ?? null;
}

/** Pauses or resumes. A resumed schedule continues with its next time; times that passed while it was paused do not count as missed. */
export async function pauseSchedule(
  client: Queryable,
  workspaceId: string,
  id: string,
  paused: boolean,
): Promise<boolean> {
  const { rows } = await client.query<ScheduleRow>(
    'select *, clock_timestamp() as now from schedules where workspace_id = $1 and id = $2 for no key update',
    [workspaceId, id],
  );
  const row = rows[0];
  if (!row) return false;
  if (row.paused === paused) return true;
  await client.query(
    'update schedules set paused = $2, next_at = $3, updated_at = clock_timestamp() where id = $1',
    [id, paused, paused ? null : nextAfter(timingOf(row), row.now)],
  );
  return true;
}

export async function deleteSchedule(client: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from schedules where workspace_id = $1 and id = $2', [
    workspaceId,
    id,
  ]);
  return rowCount === 1;
}

/** Records the outcome of a time, and when the schedule is due next. */
export async function recordTime(
  client: Queryable,
  { id, workspace_id }: ScheduleRow,
  time: NewTime,
  nextAt: Date | null,
): Promise<void> {
  await client.query(
    `insert into schedule_times (schedule_id, workspace_id, at, outcome, manual, earlier, reason, thread_id, run_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      workspace_id,
      time.at,
      time.outcome,
      time.manual,
      time.earlier,
      time.reason ?? null,
      time.threadId ?? null,
      time.runId ?? null,
    ],
  );
  await client.query(
    `update schedules set next_at = $2, last_run = case when $3 then $4::uuid else last_run end where id = $1`,
    [id, nextAt, time.outcome === 'started', time.runId ?? null],
  );
  await client.query(
    `delete from schedule_times where schedule_id = $1 and at < (
        select at from schedule_times where schedule_id = $1 order by at desc offset $2 limit 1)`,
    [id, TIMES_KEPT - 1],
  );
}

function nextAfter(timing: Timing, after: Date): Date | null {
  return timesAfter(timing, after, 1)[0] ?? null;
}

async function databaseTime(client: Queryable): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]!.now;
}

function toWire(row: ScheduleRow, times: readonly TimeRow[]): Schedule {
  const { id, workspace_id, name, cron, time_zone, missed, overlap, paused, next_at } = row;
  const further = next_at === null ? [] : timesAfter(timingOf(row), next_at, TIMES_SHOWN - 1);
  return {
    id,
    workspace_id,
    name,
    cron,
    time_zone,
    ...startOf(row),
    plan_id: startOf(row).plan_id ?? null,
    missed,
    overlap,
    paused,
    next_at: next_at?.toISOString() ?? null,
    next_times: next_at === null ? [] : [next_at, ...further].map((time) => time.toISOString()),
    times: times.map(toWireTime),
    principal: JSON.parse(row.principal) as Schedule['principal'],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function toWireTime({
  at,
  outcome,
  manual,
  earlier,
  reason,
  thread_id,
  run_id,
  decided_at,
}: TimeRow): ScheduleTime {
  return {
    at: at.toISOString(),
    outcome,
    manual,
    earlier,
    reason,
    chat_id: thread_id,
    run_id,
    decided_at: decided_at.toISOString(),
  };
}
