// Threads and their messages, as the API shows them.

import type { Message, Thread } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Queryable } from '../db/pool.ts';
import { THREAD_CHANGED } from './topics.ts';

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
  bus: Bus,
  { id, workspaceId, title }: { id: string; workspaceId: string; title: string | null },
): Promise<Thread> {
  const { rows } = await client.query<{ created_at: Date }>({
    name: 'insert_thread',
    text: 'insert into threads (id, workspace_id, title) values ($1, $2, $3) returning created_at',
    values: [id, workspaceId, title],
  });
  void bus.publish(THREAD_CHANGED, { threadId: id, change: 'fact' });
  const created_at = rows[0]!.created_at.toISOString();
  return { id, workspace_id: workspaceId, title, created_at, session: null, active_run: null };
}

export async function readThread(client: Queryable, id: string): Promise<Thread | null> {
  const { rows } = await client.query<ThreadRow>({
    name: 'read_thread_row',
    text: `${THREADS} where t.id = $1 and t.removed_at is null`,
    values: [id],
  });
  return rows[0] ? toWireThread(rows[0]) : null;
}

/** The last seq of a thread's log. Null if there is no such thread in the workspace. */
export async function logEnd(
  client: Queryable,
  workspaceId: string,
  threadId: string,
): Promise<number | null> {
  const { rows } = await client.query<{ seq: number }>({
    name: 'log_end',
    text: `select coalesce((select max(seq) from events where thread_id = t.id), 0) as seq
      from threads t where t.id = $1 and t.workspace_id = $2 and t.removed_at is null`,
    values: [threadId, workspaceId],
  });
  return rows[0]?.seq ?? null;
}

export interface Page<T> {
  readonly items: T[];
  /** The cursor of the next page; null on the last page. */
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
    text: `${THREADS} where t.workspace_id = $1 and t.removed_at is null and t.parent_run is null and ($2::timestamptz is null or (t.created_at, t.id) < ($2, $3::uuid))
      order by t.created_at desc, t.id desc limit $4`,
    values: [workspaceId, after?.at ?? null, after?.id ?? null, limit + 1],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  return {
    items: rows.slice(0, limit).map(toWireThread),
    next: last ? `${last.created_us}_${last.id}` : null,
  };
}

function toWireThread(row: ThreadRow): Thread {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    title: row.title,
    created_at: row.created_at.toISOString(),
    session: row.session_id === null ? null : { id: row.session_id, state: row.session_state },
    active_run: row.active_run,
  };
}

/** Steering messages that their run has not taken in yet have seqs from here on. They get their final seq when it does. */
export const WAITING_SEQ = 2_000_000_000;

interface MessageRow {
  id: string;
  run_id: string;
  ordinal: number;
  seq: number;
  role: 'user' | 'assistant';
  content: string;
  created_at: Date;
  principal: string | null;
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
    text: `select m.id, m.run_id, m.ordinal, m.seq, m.role, m.content, m.created_at, m.principal, r.rewound
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
      ...(row.principal !== null && { principal: JSON.parse(row.principal) as Message['principal'] }),
      ...(content.files && { files: content.files }),
      ...(content.ended && { ended: content.ended }),
      ...(row.rewound && { rewound: true }),
      ...(row.seq >= WAITING_SEQ && { waiting: true }),
      created_at: row.created_at.toISOString(),
    };
  });
  return { items, next: last ? `${last.ordinal}.${last.seq}` : null };
}
