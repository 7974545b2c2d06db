// The rows of assignments. Each statement checks in itself that the assignment is still the one that its caller means: an owner by
// its attempt, an executor by its claim. A caller that is too late matches no row and changes nothing.

import type { ExecutorEvent } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import { parseStored } from '../limits/json-depth.ts';
import type { AssignmentKey } from './topics.ts';

/** The owner of the thread is the one that offered the assignment, and wants the answer. */
const CURRENT = `exists (select from threads t join runs r on r.thread_id = t.id
  where r.id = a.run_id and t.attempt = a.attempt and r.ended_at is null and r.cancel_requested_at is null)`;

interface Offer extends AssignmentKey {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly executor: string;
  readonly role: string;
  readonly attempt: number;
  /** JSON. */
  readonly request: string;
}

/** Ends what former owners of the thread offered for this run. False if this owner is a former one itself. */
export async function offerAssignment(client: Queryable, offer: Offer): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'offer_assignment',
    text: `with former as (update assignments set status = 'ended', reason = 'superseded', request = null, ended_at = clock_timestamp()
        where run_id = $1 and message <> $2 and status <> 'ended'),
      posted as (delete from assignment_events where run_id = $1)
      insert into assignments as a (run_id, message, workspace_id, thread_id, executor, attempt, request, role)
      select $1, $2, $3, t.id, $5, $6, $7, $8 from threads t where t.id = $4 and t.attempt = $6
      on conflict (run_id, message) do update set executor = excluded.executor, role = excluded.role, attempt = excluded.attempt, request = excluded.request,
        status = 'waiting', reason = null, claim = null, claimed_by = null, claims = 0, lease_until = null, last_seq = 0,
        offered_at = clock_timestamp(), ended_at = null`,
    values: [
      offer.runId,
      offer.message,
      offer.workspaceId,
      offer.threadId,
      offer.executor,
      offer.attempt,
      offer.request,
      offer.role,
    ],
  });
  return rowCount === 1;
}

/** What an executor asks for. */
export interface AssignmentFilter {
  readonly executor: string;
  /** Null: any workspace. */
  readonly workspaceId: string | null;
  /** Null: any role. */
  readonly role: string | null;
}

interface ClaimRequest extends AssignmentFilter {
  readonly claim: string;
  readonly by: string | null;
  readonly leaseSeconds: number;
}

export interface ClaimedRow extends AssignmentKey {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly executor: string;
  readonly claim: string;
  /** JSON. */
  readonly request: string;
}

/** The assignment that has waited longest; null if none waits. */
export async function claimAssignment(client: Queryable, request: ClaimRequest): Promise<ClaimedRow | null> {
  const { rows } = await client.query<ClaimedRow>({
    name: 'claim_assignment',
    text: `with next as (select a.run_id, a.message from assignments a
        where a.executor = $1 and a.status = 'waiting' and ($2::uuid is null or a.workspace_id = $2)
          and ($6::text is null or a.role = $6) and ${CURRENT}
        order by a.offered_at limit 1 for update of a skip locked)
      update assignments a set status = 'claimed', claim = $3, claimed_by = $4, claims = a.claims + 1, last_seq = 0,
        lease_until = clock_timestamp() + make_interval(secs => $5)
      from next where a.run_id = next.run_id and a.message = next.message
      returning a.run_id as "runId", a.message, a.workspace_id as "workspaceId", a.thread_id as "threadId", a.executor,
        a.claim, a.request`,
    values: [
      request.executor,
      request.workspaceId,
      request.claim,
      request.by,
      request.leaseSeconds,
      request.role,
    ],
  });
  return rows[0] ?? null;
}

/** Gives an assignment back that was claimed for a program that is gone. */
export async function returnClaim(client: Queryable, { runId, message, claim }: ClaimedRow): Promise<void> {
  await client.query({
    name: 'return_assignment',
    text: `update assignments set status = 'waiting', claim = null, claimed_by = null, lease_until = null
      where run_id = $1 and message = $2 and claim = $3 and status = 'claimed' and last_seq = 0`,
    values: [runId, message, claim],
  });
}

/** Records that an executor asks for work, and until when it waits. */
export async function recordExecutor(
  client: Queryable,
  { executor, workspaceId, role }: AssignmentFilter,
  waitSeconds: number,
): Promise<void> {
  await client.query({
    name: 'record_executor',
    text: `insert into executors as e (name, workspace_id, role, waits_until)
      values ($1, $2, $4, clock_timestamp() + make_interval(secs => $3))
      on conflict (name, workspace_id, role) do update set waits_until = greatest(e.waits_until, excluded.waits_until)`,
    values: [executor, workspaceId, waitSeconds, role],
  });
}

export interface Claim extends AssignmentKey {
  readonly claim: string;
  readonly leaseSeconds: number;
}

/** Stores the next batch of events. False if the claim is not the current one, or the batch is not the next one. */
export async function postEvents(
  client: Queryable,
  { runId, message, claim, leaseSeconds }: Claim,
  { seq, events, isLast }: { readonly seq: number; readonly events: string; readonly isLast: boolean },
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'post_assignment_events',
    text: `with posted as (update assignments a set last_seq = $4, lease_until = clock_timestamp() + make_interval(secs => $5),
          status = case when $6 then 'answered' else 'claimed' end
        where a.run_id = $1 and a.message = $2 and a.claim = $3 and a.status = 'claimed' and a.last_seq = $4 - 1 and ${CURRENT}
        returning a.workspace_id)
      insert into assignment_events (run_id, message, claim, seq, workspace_id, events)
      select $1, $2, $3, $4, workspace_id, $7 from posted`,
    values: [runId, message, claim, seq, leaseSeconds, isLast, events],
  });
  return rowCount === 1;
}

/** Extends the lease. False if the claim is not the current one. */
export async function extendLease(client: Queryable, claim: Claim): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'extend_assignment',
    text: `update assignments a set lease_until = clock_timestamp() + make_interval(secs => $4)
      where a.run_id = $1 and a.message = $2 and a.claim = $3 and a.status = 'claimed' and ${CURRENT}`,
    values: [claim.runId, claim.message, claim.claim, claim.leaseSeconds],
  });
  return rowCount === 1;
}

export interface AssignmentStatus {
  readonly status: 'waiting' | 'claimed' | 'answered' | 'ended';
  readonly claim: string | null;
  readonly lastSeq: number;
  readonly reason: string | null;
  /** Its owner still wants the answer. */
  readonly isCurrent: boolean;
  readonly isCanceled: boolean;
}

export async function readStatus(
  client: Queryable,
  { runId, message }: AssignmentKey,
): Promise<AssignmentStatus | null> {
  const { rows } = await client.query<AssignmentStatus>({
    name: 'read_assignment_status',
    text: `select a.status, a.claim, a.last_seq as "lastSeq", a.reason, ${CURRENT} as "isCurrent",
        exists (select from runs r where r.id = a.run_id and r.cancel_requested_at is not null) as "isCanceled"
      from assignments a where a.run_id = $1 and a.message = $2`,
    values: [runId, message],
  });
  return rows[0] ?? null;
}

export interface OwnersView {
  readonly status: AssignmentStatus['status'];
  readonly claim: string | null;
  readonly claims: number;
  /** Milliseconds until the lease ends; null while nobody has claimed it. */
  readonly leaseMs: number | null;
  /** The batches after the given one, in order. */
  readonly batches: readonly {
    readonly seq: number;
    readonly events: readonly ExecutorEvent[];
    /** In characters, as JSON. */
    readonly size: number;
  }[];
}

/** What the owner has not seen yet. Null if another owner has offered it since. */
export async function readPosted(
  client: Queryable,
  { runId, message, attempt }: AssignmentKey & { readonly attempt: number },
  after: number,
): Promise<OwnersView | null> {
  const { rows } = await client.query<Omit<OwnersView, 'batches'> & { seq: number | null; events: string }>({
    name: 'read_posted',
    text: `select a.status, a.claim, a.claims, (extract(epoch from a.lease_until - clock_timestamp()) * 1000)::float8 as "leaseMs",
        e.seq, e.events
      from assignments a left join assignment_events e
        on e.run_id = a.run_id and e.message = a.message and e.claim = a.claim and e.seq > $4
      where a.run_id = $1 and a.message = $2 and a.attempt = $3 order by e.seq`,
    values: [runId, message, attempt, after],
  });
  const first = rows[0];
  if (!first) return null;
  const { status, claim, claims, leaseMs } = first;
  const batches = rows.flatMap(({ seq, events }) =>
    seq === null
      ? []
      : [{ seq, events: parseStored(events) as readonly ExecutorEvent[], size: events.length }],
  );
  return { status, claim, claims, leaseMs, batches };
}

/** Takes the claim away, if its lease is over: the assignment waits again if no event was posted, and ends otherwise. */
export async function expireClaim(
  client: Queryable,
  { runId, message, attempt }: AssignmentKey & { readonly attempt: number },
): Promise<'waiting' | 'ended' | null> {
  const { rows } = await client.query<{ status: 'waiting' | 'ended' }>({
    name: 'expire_assignment',
    text: `update assignments a set claim = null, status = case when last_seq = 0 then 'waiting' else 'ended' end,
        reason = 'lease_over', lease_until = null, ended_at = case when last_seq = 0 then null else clock_timestamp() end
      where a.run_id = $1 and a.message = $2 and a.attempt = $3 and a.status = 'claimed' and a.lease_until < clock_timestamp()
      returning a.status`,
    values: [runId, message, attempt],
  });
  return rows[0]?.status ?? null;
}

export async function endAssignment(
  client: Queryable,
  { runId, message, attempt }: AssignmentKey & { readonly attempt: number },
  reason: string,
): Promise<void> {
  await client.query({
    name: 'end_assignment',
    text: `with ended as (update assignments set status = 'ended', reason = $4, request = null, ended_at = clock_timestamp()
        where run_id = $1 and message = $2 and attempt = $3 and status <> 'ended' returning run_id, message)
      delete from assignment_events e using ended where e.run_id = ended.run_id and e.message = ended.message`,
    values: [runId, message, attempt, reason],
  });
}

/** The state that the executor stored with this message, as JSON; null if it stored none. */
export async function readState(
  client: Queryable,
  { runId, message }: AssignmentKey,
): Promise<string | null> {
  const { rows } = await client.query<{ state: string }>({
    name: 'read_executor_state',
    text: 'select state from executor_states where run_id = $1 and message = $2',
    values: [runId, message],
  });
  return rows[0]?.state ?? null;
}

export interface PendingAssignment {
  readonly executor: string;
  readonly isClaimed: boolean;
  readonly claimedBy: string | null;
  /** When an executor of this name last waited for work; null if none ever did. */
  readonly lastWaited: Date | null;
  readonly isWaitedFor: boolean;
}

/** The open assignment of a run, for people; null if it has none. */
export async function readPending(client: Queryable, runId: string): Promise<PendingAssignment | null> {
  const { rows } = await client.query<PendingAssignment>({
    name: 'read_pending_assignment',
    text: `select a.executor, a.status <> 'waiting' as "isClaimed", a.claimed_by as "claimedBy", e.waits_until as "lastWaited",
        coalesce(e.waits_until > clock_timestamp(), false) as "isWaitedFor"
      from assignments a left join lateral (select max(e.waits_until) as waits_until from executors e
        where e.name = a.executor and (e.workspace_id is null or e.workspace_id = a.workspace_id)
          and (e.role is null or e.role = a.role)) e on true
      where a.run_id = $1 and a.status <> 'ended' order by a.offered_at desc limit 1`,
    values: [runId],
  });
  return rows[0] ?? null;
}

/** Forgets assignments that ended long ago. */
export async function sweepAssignments(client: Queryable): Promise<void> {
  await client.query(
    `delete from assignments where status = 'ended' and ended_at < clock_timestamp() - interval '1 day'`,
  );
}
