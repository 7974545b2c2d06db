// Runs, as the API shows them.

import type { ListedRun, Run, RunStatus } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import type { Page } from '../../threads/read-threads.ts';

interface RunRow {
  id: string;
  thread_id: string;
  message_id: string;
  ordinal: number;
  status: RunStatus;
  model: string;
  role: string;
  retry_of: string | null;
  blocked_by: string | null;
  start_after: number;
  last_seq: number | null;
  queued_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  cancel_requested_at: Date | null;
  cancel_requested_by: string | null;
  principal: string;
  error: string | null;
  usage: string | null;
  cost: number | null;
  limits: string | null;
  steered_into: string | null;
  parent_run: string | null;
}

export interface StoredRun extends Run {
  readonly ordinal: number;
  /** The thread's seq after which the run's events come. */
  readonly startAfter: number;
  /** The thread's seq of its last event, once it has ended. */
  readonly lastSeq: number | null;
}

export async function readRun(client: Queryable, id: string): Promise<StoredRun | null> {
  const { rows } = await client.query<RunRow>({
    name: 'read_run',
    text: `select r.*, case when r.status = 'queued' then (
        select b.id from runs b
        where b.thread_id = r.thread_id and b.ordinal < r.ordinal and b.status in ('queued', 'running')
        order by b.ordinal desc limit 1) end as blocked_by,
        coalesce(r.first_seq - 1, (select max(seq) from events e where e.thread_id = r.thread_id), 0) as start_after
      from runs r join threads t on t.id = r.thread_id and t.removed_at is null where r.id = $1`,
    values: [id],
  });
  const row = rows[0];
  if (!row) return null;
  return {
    ...runFromRow(row),
    ordinal: row.ordinal,
    startAfter: row.start_after,
    lastSeq: row.last_seq,
  };
}

/** Null if there is no such run. */
export async function workspaceOfRun(client: Queryable, id: string): Promise<string | null> {
  const { rows } = await client.query<{ workspace_id: string }>({
    name: 'workspace_of_run',
    text: 'select workspace_id from runs where id = $1',
    values: [id],
  });
  return rows[0]?.workspace_id ?? null;
}

/** A run with its chat's title and the text of the message that it answers. */
export async function readListedRun(client: Queryable, id: string): Promise<ListedRun | null> {
  const run = await readRun(client, id);
  if (!run) return null;
  const { rows } = await client.query<{ title: string | null; said: string }>({
    name: 'read_listed_run',
    text: `select t.title, readable(m.content) ->> 'text' as said from messages m join threads t on t.id = m.thread_id where m.id = $1`,
    values: [run.message_id],
  });
  return rows[0] ? { ...toWireRun(run), ...rows[0] } : null;
}

/** Maximum characters of a message in a list. */
const LISTED_CHARACTERS = 200;

export interface WantedRuns {
  readonly threadId: string | null;
  readonly statuses: readonly RunStatus[] | null;
  /** The run after which the page begins. */
  readonly after: { readonly at: string; readonly id: string } | null;
  readonly limit: number;
}

/** A workspace's runs, newest first. They are not sorted by id, because an id that is derived from a client id has no time in it. */
export async function listRuns(
  client: Queryable,
  workspaceId: string,
  { threadId, statuses, after, limit }: WantedRuns,
): Promise<Page<ListedRun>> {
  const { rows } = await client.query<RunRow & { queued_us: string; title: string | null; said: string }>({
    name: 'list_runs',
    text: `select r.*, to_char(r.queued_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as queued_us, t.title, left(readable(m.content) ->> 'text', $6) as said, case when r.status = 'queued' then (
        select b.id from runs b
        where b.thread_id = r.thread_id and b.ordinal < r.ordinal and b.status in ('queued', 'running')
        order by b.ordinal desc limit 1) end as blocked_by
      from runs r join threads t on t.id = r.thread_id join messages m on m.id = r.message_id
      where t.workspace_id = $1 and t.removed_at is null and ($2::uuid is null or r.thread_id = $2)
        and ($3::text[] is null or r.status = any ($3))
        and ($4::timestamptz is null or (r.queued_at, r.id) < ($4, $5::uuid))
      order by r.queued_at desc, r.id desc limit $7`,
    values: [
      workspaceId,
      threadId,
      statuses,
      after?.at ?? null,
      after?.id ?? null,
      LISTED_CHARACTERS,
      limit + 1,
    ],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  const items = rows.slice(0, limit).map((row) => ({ ...runFromRow(row), title: row.title, said: row.said }));
  return { items, next: last && `${last.queued_us}_${last.id}` };
}

/** A run as the wire shows it. */
export function toWireRun(stored: StoredRun): Run {
  const { ordinal: _p, startAfter: _s, lastSeq: _l, ...run } = stored;
  return run;
}

function runFromRow(row: RunRow): Run {
  return {
    id: row.id,
    thread_id: row.thread_id,
    message_id: row.message_id,
    status: row.status,
    model: row.model,
    role: row.role,
    principal: JSON.parse(row.principal) as Run['principal'],
    retry_of: row.retry_of,
    steered_into: row.steered_into,
    parent_run: row.parent_run,
    blocked_by: row.blocked_by,
    queued_at: row.queued_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    cancel_requested_at: row.cancel_requested_at?.toISOString() ?? null,
    cancel_requested_by:
      row.cancel_requested_by === null
        ? null
        : (JSON.parse(row.cancel_requested_by) as Run['cancel_requested_by']),
    error: row.error === null ? null : (JSON.parse(row.error) as Run['error']),
    limits: row.limits === null ? null : (JSON.parse(row.limits) as Run['limits']),
    cost: row.cost,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Run['usage']),
  };
}

/**
 * The seq after which a fold must begin to know the state after the event `last`: before the run that is open or ends at
 * `last`, or `last` itself if there is none. Null if the thread has no event `at` yet.
 */
export async function foldAfter(
  client: Queryable,
  threadId: string,
  { at, last }: { readonly at: number; readonly last: number },
): Promise<number | null> {
  const { rows } = await client.query<{ after: number }>({
    name: 'fold_after',
    text: `select coalesce((select min(first_seq) - 1 from runs
        where thread_id = $1 and first_seq <= $3 and (last_seq is null or last_seq >= $3)), $3) as after
      from events where thread_id = $1 and seq = $2`,
    values: [threadId, at, last],
  });
  return rows[0]?.after ?? null;
}
