// Threads, runs and messages, as the API shows them.

import type { ListedRun, Message, Run, RunStatus, Thread } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';

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
  error: string | null;
  usage: string | null;
  cost: number | null;
  limits: string | null;
  steered_into: string | null;
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
    ...shown(row),
    ordinal: row.ordinal,
    startAfter: row.start_after,
    lastSeq: row.last_seq,
  };
}

/** A run, with what its chat is called and the message that it answers. */
export async function readListedRun(client: Queryable, id: string): Promise<ListedRun | null> {
  const run = await readRun(client, id);
  if (!run) return null;
  const { rows } = await client.query<{ title: string | null; said: string }>({
    name: 'read_listed_run',
    text: `select t.title, readable(m.content) ->> 'text' as said from messages m join threads t on t.id = m.thread_id where m.id = $1`,
    values: [run.message_id],
  });
  return rows[0] ? { ...publicRun(run), ...rows[0] } : null;
}

/** Of a message, as much as a list shows. */
const LISTED_CHARACTERS = 200;

export interface WantedRuns {
  readonly threadId: string | null;
  readonly statuses: readonly RunStatus[] | null;
  /** The run after which the page begins. */
  readonly after: { readonly at: string; readonly id: string } | null;
  readonly limit: number;
}

/** A workspace's runs, newest first. Their ids tell nothing about time: those of some clients' runs are made from the client's ids. */
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
  const items = rows.slice(0, limit).map((row) => ({ ...shown(row), title: row.title, said: row.said }));
  return { items, next: last && `${last.queued_us}_${last.id}` };
}

/** A run as the wire shows it. */
export function publicRun(stored: StoredRun): Run {
  const { ordinal: _p, startAfter: _s, lastSeq: _l, ...run } = stored;
  return run;
}

function shown(row: RunRow): Run {
  return {
    id: row.id,
    thread_id: row.thread_id,
    message_id: row.message_id,
    status: row.status,
    model: row.model,
    role: row.role,
    retry_of: row.retry_of,
    steered_into: row.steered_into,
    blocked_by: row.blocked_by,
    queued_at: row.queued_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    cancel_requested_at: row.cancel_requested_at?.toISOString() ?? null,
    error: row.error === null ? null : (JSON.parse(row.error) as Run['error']),
    limits: row.limits === null ? null : (JSON.parse(row.limits) as Run['limits']),
    cost: row.cost,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Run['usage']),
  };
}

interface ThreadRow {
  id: string;
  workspace_id: string;
  title: string | null;
  created_at: Date;
  created_us: string;
  session_id: string | null;
  session_state: NonNullable<Thread['session']>['state'];
  active_run: string | null;
}

const THREADS = `select t.id, t.workspace_id, t.title, t.created_at,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_us,
    s.id as session_id, s.state as session_state,
    (select r.id from runs r where r.thread_id = t.id and r.status in ('queued', 'running') order by r.ordinal limit 1) as active_run
  from threads t
  left join lateral (select id, state from sessions where thread_id = t.id order by started_at desc, id desc limit 1) s on true`;

export async function insertThread(
  client: Queryable,
  workspaceId: string,
  id: string,
  title: string | null,
): Promise<Thread> {
  const { rows } = await client.query<{ created_at: Date }>({
    name: 'insert_thread',
    text: 'insert into threads (id, workspace_id, title) values ($1, $2, $3) returning created_at',
    values: [id, workspaceId, title],
  });
  const created_at = rows[0]!.created_at.toISOString();
  return { id, workspace_id: workspaceId, title, created_at, session: null, active_run: null };
}

export async function readThread(client: Queryable, id: string): Promise<Thread | null> {
  const { rows } = await client.query<ThreadRow>({
    name: 'read_thread_row',
    text: `${THREADS} where t.id = $1 and t.removed_at is null`,
    values: [id],
  });
  return rows[0] ? shownThread(rows[0]) : null;
}

/** Where the log of a thread ends, in a workspace or in any; null if there is no such thread. */
export async function logEnd(
  client: Queryable,
  workspaceId: string | null,
  threadId: string,
): Promise<number | null> {
  const { rows } = await client.query<{ seq: number }>({
    name: 'log_end',
    text: `select coalesce((select max(seq) from events where thread_id = t.id), 0) as seq
      from threads t where t.id = $1 and ($2::uuid is null or t.workspace_id = $2) and t.removed_at is null`,
    values: [threadId, workspaceId],
  });
  return rows[0]?.seq ?? null;
}

export interface Page<T> {
  readonly items: T[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

/** Newest first. */
export async function listThreads(
  client: Queryable,
  workspaceId: string,
  after: { at: string; id: string } | null,
  limit: number,
): Promise<Page<Thread>> {
  const { rows } = await client.query<ThreadRow>({
    name: 'list_threads',
    text: `${THREADS} where t.workspace_id = $1 and t.removed_at is null and ($2::timestamptz is null or (t.created_at, t.id) < ($2, $3::uuid))
      order by t.created_at desc, t.id desc limit $4`,
    values: [workspaceId, after?.at ?? null, after?.id ?? null, limit + 1],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  return {
    items: rows.slice(0, limit).map(shownThread),
    next: last ? `${last.created_us}_${last.id}` : null,
  };
}

function shownThread(row: ThreadRow): Thread {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    title: row.title,
    created_at: row.created_at.toISOString(),
    session: row.session_id === null ? null : { id: row.session_id, state: row.session_state },
    active_run: row.active_run,
  };
}

/** From here on: what a run at work was sent and has not taken in yet, which then gets its place among the others. */
export const WAITING_SEQ = 2_000_000_000;

interface MessageRow {
  id: string;
  run_id: string;
  ordinal: number;
  seq: number;
  role: 'user' | 'assistant';
  content: string;
  created_at: Date;
  rewound: boolean;
}

/** In reading order. */
export async function listMessages(
  client: Queryable,
  threadId: string,
  after: { ordinal: number; seq: number },
  limit: number,
): Promise<Page<Message>> {
  const { rows } = await client.query<MessageRow>({
    name: 'list_messages',
    text: `select m.id, m.run_id, m.ordinal, m.seq, m.role, m.content, m.created_at, r.rewound
      from messages m join runs r on r.id = m.run_id
      where m.thread_id = $1 and (m.ordinal, m.seq) > ($2, $3) order by m.ordinal, m.seq limit $4`,
    values: [threadId, after.ordinal, after.seq, limit + 1],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  const items = rows.slice(0, limit).map((row): Message => {
    const content = JSON.parse(row.content) as Pick<Message, 'ended' | 'files'> & { text: string };
    return {
      id: row.id,
      role: row.role,
      content: content.text,
      run_id: row.run_id,
      ...(content.files && { files: content.files }),
      ...(content.ended && { ended: content.ended }),
      ...(row.rewound && { rewound: true }),
      ...(row.seq >= WAITING_SEQ && { waiting: true }),
      created_at: row.created_at.toISOString(),
    };
  });
  return { items, next: last ? `${last.ordinal}.${last.seq}` : null };
}
