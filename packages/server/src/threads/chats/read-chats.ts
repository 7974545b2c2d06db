// Chats, their sessions and their audit trail, as the API shows them.

import type { AttachedFile, Chat, ChatMessage, Session, SessionState } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { parseStored } from '../../limits/json-depth.ts';
import { beginning, chatName, SAID } from './chat-files.ts';
import { WAITING_SEQ, type Page } from '../read-threads.ts';

/** Maximum characters of a chat's goal in lists. */
const GOAL_CHARACTERS = 200;

interface ChatRow {
  id: string;
  workspace_id: string;
  title: string | null;
  said: string | null;
  role: string | null;
  model: string | null;
  mode: Chat['mode'];
  parent_run: string | null;
  created_at: Date;
  active_at: Date;
  active_us: string;
  updated_at: Date | null;
  archived_at: Date | null;
  pinned_at: Date | null;
  removed_at: Date | null;
  stopping: boolean;
  pausing: boolean;
  session_id: string | null;
  session_state: SessionState;
  session_reason: string;
  session_started_at: Date;
  session_changed_at: Date;
  active_run: string | null;
  queued: number;
  steers: number;
  waiting: number;
  runs: number;
  input: number;
  output: number;
  cost: number | null;
}

const CHATS = `select t.id, t.workspace_id, t.title, ${SAID}, t.role, t.model, t.mode, t.parent_run, t.created_at, t.active_at, t.archived_at, t.pinned_at, t.removed_at,
    to_char(t.active_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as active_us,
    (select e.at from events e where e.thread_id = t.id order by e.seq desc limit 1) as updated_at,
    s.id as session_id, s.state as session_state, s.reason as session_reason,
    s.started_at as session_started_at, s.changed_at as session_changed_at,
    a.id as active_run, coalesce(t.stop_requested_at is not null or a.cancel_requested_at is not null, false) as stopping,
    coalesce(a.pause_requested_at is not null, false) as pausing,
    u.queued, u.runs, u.input, u.output, u.cost,
    (select count(*)::int from approvals w where w.run_id = a.id and w.decision is null
      and (w.expires_at is null or w.expires_at > clock_timestamp())) as waiting,
    (select count(*)::int from messages m
      where m.thread_id = t.id and m.ordinal = a.ordinal and m.seq >= ${WAITING_SEQ}) as steers
  from threads t
  left join lateral (
    select * from sessions where thread_id = t.id order by started_at desc, id desc limit 1) s on true
  left join lateral (
    select r.id, r.ordinal, r.cancel_requested_at, r.pause_requested_at from runs r
    where r.thread_id = t.id and r.status in ('queued', 'running') order by r.ordinal limit 1) a on true
  left join lateral (
    select count(*) filter (where r.status = 'queued')::int as queued, count(*) filter (where r.status is not null and r.usage is not null)::int as runs,
      coalesce(sum((r.usage ->> 'input')::float8), 0) as input, coalesce(sum((r.usage ->> 'output')::float8), 0) as output,
      sum(r.cost) as cost
    from (
      select status, usage, cost from runs where thread_id = t.id
      union all select null, usage, cost from calls_outside_runs where thread_id = t.id) r) u on true`;

/** Includes removed chats. Null if the workspace has no such chat. */
export async function readChat(client: Queryable, workspaceId: string, id: string): Promise<Chat | null> {
  const { rows } = await client.query<ChatRow>({
    name: 'read_chat_row',
    text: `${CHATS} where t.id = $1 and t.workspace_id = $2`,
    values: [id, workspaceId],
  });
  return rows[0] ? toWireChat(rows[0]) : null;
}

export interface ChatQuery {
  readonly archived: boolean;
  /** Null: whether or not it is pinned. */
  readonly pinned: boolean | null;
  readonly removed: boolean;
  readonly state: SessionState | null;
  /** Only the chats that this run opened; null for the chats of people. */
  readonly parentRun: string | null;
  readonly after: { readonly at: string; readonly id: string } | null;
  readonly limit: number;
}

/** Most recently active first. */
export async function listChats(
  client: Queryable,
  workspaceId: string,
  { archived, pinned, removed, state, parentRun, after, limit }: ChatQuery,
): Promise<Page<Chat>> {
  const { rows } = await client.query<ChatRow>({
    name: parentRun === null ? 'list_chat_rows' : 'list_child_chat_rows',
    text: `${CHATS} where t.workspace_id = $1 and ${parentRun === null ? 't.parent_run is null and $8::uuid is null' : 't.parent_run = $8'} and (t.removed_at is not null) = $2
        and ($2 or (t.archived_at is not null) = $3) and ($9::boolean is null or (t.pinned_at is not null) = $9) and ($4::text is null or coalesce(s.state, 'idle') = $4)
        and ($5::timestamptz is null or (t.active_at, t.id) < ($5, $6::uuid))
      order by t.active_at desc, t.id desc limit $7`,
    values: [
      workspaceId,
      removed,
      archived,
      state,
      after?.at ?? null,
      after?.id ?? null,
      limit + 1,
      parentRun,
      pinned,
    ],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  return { items: rows.slice(0, limit).map(toWireChat), next: last && `${last.active_us}_${last.id}` };
}

function toWireChat(row: ChatRow): Chat {
  const state = row.session_id === null ? 'idle' : row.session_state;
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    title: row.title,
    goal: row.said === null ? null : beginning(row.said).slice(0, GOAL_CHARACTERS).toWellFormed(),
    path: `/chats/${chatName(row)}`,
    role: row.role,
    model: row.model,
    mode: row.mode,
    parent_run: row.parent_run,
    created_at: row.created_at.toISOString(),
    active_at: row.active_at.toISOString(),
    updated_at: (row.updated_at ?? row.created_at).toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
    pinned_at: row.pinned_at?.toISOString() ?? null,
    removed_at: row.removed_at?.toISOString() ?? null,
    state,
    reason: reasonOf(row, state),
    session:
      row.session_id === null
        ? null
        : {
            id: row.session_id,
            state: row.session_state,
            reason: row.session_reason,
            started_at: row.session_started_at.toISOString(),
            changed_at: row.session_changed_at.toISOString(),
          },
    active_run: row.active_run,
    queued_runs: row.queued,
    waiting_steers: row.steers,
    waiting_approvals: row.waiting,
    usage: { runs: row.runs, input: row.input, output: row.output, cost: row.cost },
  };
}

/** Why the state is about to change, or what it waits for; null otherwise. */
function reasonOf({ stopping, pausing, waiting }: ChatRow, state: SessionState): Chat['reason'] {
  if (stopping) return 'stopping';
  if (pausing && state !== 'paused') return 'pausing';
  return waiting > 0 ? 'waiting' : null;
}

/** Newest first. */
export async function listSessions(
  client: Queryable,
  threadId: string,
  after: { at: string; id: string } | null,
  limit: number,
): Promise<Page<Session>> {
  const { rows } = await client.query<{
    id: string;
    state: SessionState;
    reason: string;
    started_at: Date;
    started_us: string;
    changed_at: Date;
  }>({
    name: 'list_sessions',
    text: `select id, state, reason, started_at, changed_at,
        to_char(started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as started_us
      from sessions where thread_id = $1 and ($2::timestamptz is null or (started_at, id) < ($2, $3::uuid))
      order by started_at desc, id desc limit $4`,
    values: [threadId, after?.at ?? null, after?.id ?? null, limit + 1],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  const items = rows.slice(0, limit).map(({ id, state, reason, started_at, changed_at }) => ({
    id,
    state,
    reason,
    started_at: started_at.toISOString(),
    changed_at: changed_at.toISOString(),
  }));
  return { items, next: last && `${last.started_us}_${last.id}` };
}

interface AuditRow {
  seq: number;
  part: number;
  role: ChatMessage['role'];
  message_type: ChatMessage['message_type'];
  run_id: string;
  rewound: boolean;
  message_id: string | null;
  content: string | null;
  files: string | null;
  ended: 'complete' | 'error' | 'interrupted' | null;
  reasoning_id: string | null;
  call: string | null;
  tool_name: string | null;
  tool_arguments: string | null;
  tool_output: string | null;
  tool_success: boolean | null;
  tool_result: string | null;
  created_at: Date;
}

/** Types of events that may have rows in the audit trail. */
const SAYING = "('message', 'message_end', 'tool_end', 'canceled', 'state')";

/** In the order of the log. A page covers `limit` events of these types, and a few of them have no row. */
export async function listChatMessages(
  client: Queryable,
  threadId: string,
  after: { seq: number; part: number },
  limit: number,
): Promise<Page<ChatMessage>> {
  // Without an upper bound, the view would be computed for the whole log.
  const bound = await client.query<{ seq: number | null }>({
    name: 'bound_of_chat_messages',
    text: `select seq from events where thread_id = $1 and seq >= $2 and type in ${SAYING} order by seq offset $3 limit 1`,
    values: [threadId, after.seq, limit],
  });
  const end = bound.rows[0]?.seq ?? null;
  const { rows } = await client.query<AuditRow>({
    name: 'list_chat_messages',
    text: `select c.*, coalesce(r.rewound, false) as rewound from (
        select * from chat_messages where thread_id = $1 and seq >= $2 and seq < $5 and (seq, part) > ($2, $3)
        order by seq, part limit $4) c
      left join runs r on r.id = c.run_id order by c.seq, c.part`,
    values: [threadId, after.seq, after.part, limit + 1, end ?? MOST_EVENTS],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  const next = last ? `${last.seq}.${last.part}` : end === null ? null : `${end}.-1`;
  return { items: rows.slice(0, limit).map(toWireMessage), next };
}

/** Sets how many lines of a tool's result the view `chat_messages` shows. With several pods, the last to start wins. */
export async function writeAuditSettings(client: Queryable, toolSummaryLines: number): Promise<void> {
  await client.query({
    text: 'update audit_settings set tool_summary_lines = $1 where tool_summary_lines <> $1',
    values: [toolSummaryLines],
  });
}

/** The largest possible seq. */
const MOST_EVENTS = 2_147_483_647;

function toWireMessage(row: AuditRow): ChatMessage {
  return {
    seq: row.seq,
    part: row.part,
    role: row.role,
    message_type: row.message_type,
    run_id: row.run_id,
    ...(row.rewound && { rewound: true }),
    ...(row.message_id !== null && { message_id: row.message_id }),
    ...(row.reasoning_id !== null && { reasoning_id: row.reasoning_id }),
    ...(row.content !== null && { content: row.content }),
    ...(row.files !== null && { files: JSON.parse(row.files) as AttachedFile[] }),
    ...(row.ended !== null && { ended: row.ended }),
    ...(row.call !== null && { call: row.call }),
    ...(row.tool_name !== null && { tool_name: row.tool_name }),
    ...(row.tool_arguments !== null && { tool_arguments: parseStored(row.tool_arguments) }),
    ...(row.tool_output !== null && { tool_output: parseStored(row.tool_output) }),
    ...(row.tool_success !== null && { tool_success: row.tool_success }),
    ...(row.tool_result !== null && { tool_result: row.tool_result }),
    created_at: row.created_at.toISOString(),
  };
}
