// Approvals: requests of runs to people, and people's decisions. A decision is a durable fact that any pod accepts. The run is
// woken when all its approvals are decided.

import { isDeepStrictEqual } from 'node:util';
import type { Approval, ApprovalDecision } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { parseStored } from '../../limits/json-depth.ts';
import type { Page } from '../../threads/read-threads.ts';
import { THREAD_CHANGED } from '../../threads/topics.ts';
import { principalJson, type FactWorld } from '../facts/world.ts';

interface Row {
  id: string;
  thread_id: string;
  run_id: string;
  call: string;
  tool: string;
  kind: Approval['kind'];
  input: string;
  paths: string;
  reason: string;
  asked_at: Date;
  expires_at: Date | null;
  decision: Approval['decision'];
  decided_input: string | null;
  comment: string | null;
  decided_at: Date | null;
  decided_by: string | null;
}

/** An undecided approval past its time counts as expired, even if its run has not noticed yet. */
const APPROVALS = `select a.id, a.thread_id, a.run_id, a.call, a.tool, a.kind, a.input, a.paths, a.reason, a.asked_at, a.expires_at,
    case when a.decision is null and a.expires_at <= clock_timestamp() then 'expired' else a.decision end as decision,
    a.decided_input, a.comment, a.decided_at, a.decided_by,
    to_char(a.asked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as asked_us
  from approvals a join threads t on t.id = a.thread_id and t.removed_at is null`;

const STATES = {
  waiting: 'a.decision is null and (a.expires_at is null or a.expires_at > clock_timestamp())',
  decided: '(a.decision is not null or a.expires_at <= clock_timestamp())',
  all: 'true',
} as const;

/** Newest first. */
export async function listApprovals(
  client: Queryable,
  workspaceId: string,
  {
    state,
    after,
    limit,
  }: { state: keyof typeof STATES; after: { at: string; id: string } | null; limit: number },
): Promise<Page<Approval>> {
  const { rows } = await client.query<Row & { asked_us: string }>({
    name: `list_approvals_${state}`,
    text: `${APPROVALS} where a.workspace_id = $1 and ${STATES[state]}
        and ($2::timestamptz is null or (a.asked_at, a.id) < ($2, $3::uuid))
      order by a.asked_at desc, a.id desc limit $4`,
    values: [workspaceId, after?.at ?? null, after?.id ?? null, limit + 1],
  });
  const last = rows.length > limit ? rows[limit - 1]! : null;
  return { items: rows.slice(0, limit).map(toWireApproval), next: last && `${last.asked_us}_${last.id}` };
}

export async function readApproval(
  client: Queryable,
  workspaceId: string,
  id: string,
): Promise<Approval | null> {
  const { rows } = await client.query<Row>({
    name: 'read_approval',
    text: `${APPROVALS} where a.workspace_id = $1 and a.id = $2`,
    values: [workspaceId, id],
  });
  return rows[0] ? toWireApproval(rows[0]) : null;
}

/** The thread's approvals with these ids, in the order in which they were requested. */
export async function readApprovalsIn(
  client: Queryable,
  threadId: string,
  ids: readonly string[],
): Promise<readonly Approval[]> {
  const { rows } = await client.query<Row>({
    name: 'read_approvals_in',
    text: `${APPROVALS} where a.thread_id = $1 and a.id = any($2) order by a.asked_at, a.id`,
    values: [threadId, ids],
  });
  return rows.map(toWireApproval);
}

/** Whether the run has an undecided approval. */
export async function isAsking(client: Queryable, runId: string): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'is_asking',
    text: `select from approvals a where a.run_id = $1 and ${STATES.waiting} limit 1`,
    values: [runId],
  });
  return rowCount === 1;
}

export interface Decision {
  readonly decision: ApprovalDecision;
  /** Only for `edit` and `answer`. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly comment?: string | undefined;
}

/** `approval` is its current state. `too_late`: another decision was made first. */
export type Decided =
  | { readonly kind: 'decided' | 'too_late' | 'expired' | 'run_ended'; readonly approval: Approval }
  | { readonly kind: 'not_found' };

export async function decideApproval(
  world: FactWorld,
  { workspaceId, id }: { workspaceId: string; id: string },
  { decision, input, comment }: Decision,
): Promise<Decided> {
  const { pool, pod, bus } = world;
  const { rows } = await pool.query<Row & { outcome: Decided['kind']; wake: boolean; owner: string | null }>({
    name: 'decide_approval',
    text: 'select d.outcome, d.wake, d.owner, (d.answer).* from decide_approval($1, $2, $3, $4, $5, $6) d',
    values: [
      workspaceId,
      id,
      decision,
      input === undefined ? null : JSON.stringify(input),
      comment ?? null,
      principalJson(world),
    ],
  });
  const row = rows[0]!;
  if (row.outcome === 'not_found') return { kind: 'not_found' };
  if (row.outcome === 'decided')
    void bus.publish(THREAD_CHANGED, { threadId: row.thread_id, change: 'fact' });
  if (row.wake) await pod.wake(row.thread_id, row.owner);
  const approval = toWireApproval(row);
  if (row.outcome === 'too_late' && isSame(approval, { decision, input, comment }))
    return { kind: 'decided', approval };
  return { kind: row.outcome, approval };
}

/** The same decision again, for example from a double click. */
function isSame(approval: Approval, { decision, input, comment }: Decision): boolean {
  return (
    approval.decision === decision &&
    approval.comment === (comment ?? null) &&
    isDeepStrictEqual(approval.decided_input, input)
  );
}

function toWireApproval(row: Row): Approval {
  return {
    id: row.id,
    chat_id: row.thread_id,
    run_id: row.run_id,
    call: row.call,
    tool: row.tool,
    kind: row.kind,
    ...(row.kind === 'question'
      ? { input: {}, schema: parseStored(row.input) as Record<string, unknown> }
      : { input: parseStored(row.input) }),
    paths: JSON.parse(row.paths) as string[],
    reason: row.reason,
    asked_at: row.asked_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    decision: row.decision,
    ...(row.decided_input !== null && { decided_input: parseStored(row.decided_input) }),
    comment: row.comment,
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by === null ? null : (JSON.parse(row.decided_by) as Approval['decided_by']),
  };
}
