// Accepts a message: the message, its queued run and the thread's `wake_at` commit together. If no pod owns the thread, this
// pod claims it in the same transaction, and starts at once from the claim snapshot.

import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { sqlState, transaction, type Pool, type Queryable } from '../../db/pool.ts';
import type { AttachedFile, Run, ThreadScope } from '@continuo/protocol';
import { toStored, type StoredPrincipal } from '../../identity/principal.ts';
import { THREAD_CHANGED } from '../../threads/topics.ts';
import { ClaimSnapshot } from '../facts/facts.ts';
import type { FactWorld } from '../facts/world.ts';

/**
 * What a message does to a thread with an open run: it is queued, is refused, cancels the open runs, cancels and rewinds them, or
 * steers the running run.
 */
type BusyPolicy = 'enqueue' | 'reject' | 'interrupt' | 'rollback' | 'steer';

/** The caller's request, before defaults are filled in. */
export interface MessageRequest {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly message:
    | {
        /** Set if the client named the message. */
        readonly id?: string | undefined;
        readonly content: string;
        readonly policy?: BusyPolicy | undefined;
        /** What the thread is about from this message on; what it was about before, if absent. */
        readonly scope?: ThreadScope | undefined;
        /** A part of it is untrusted content. */
        readonly untrusted?: true | undefined;
        /** The id of an earlier message. That message and everything after it are rewound. */
        readonly replaces?: string | undefined;
      }
    | { readonly retryOf: string; readonly id: string; readonly replaces?: string | undefined };
  /** Creates the thread together with the message, as this chat. */
  readonly chat?: {
    readonly title: string | null;
    readonly role: string | null;
    readonly model: string | null;
    readonly mode?: string;
  };
  /** What decides about the run's steps; absent for the role's model. */
  readonly directive?: { readonly mode: string; readonly [field: string]: unknown } | undefined;
  /** The caller's explicit choices. An idempotency key compares these, and not defaults or files, which may change. */
  readonly chosen: unknown;
  readonly idempotencyKey: string | null;
}

export interface Enqueue extends MessageRequest {
  readonly files?: readonly AttachedFile[] | undefined;
  /** Set if the client named the run. */
  readonly runId?: string | undefined;
  readonly model: string;
  readonly role: string;
  /** The limits that the message and its role set. JSON drops undefined fields. */
  readonly limits: Run['limits'];
}

export type Enqueued =
  | { readonly kind: 'queued'; readonly run: Run }
  /** The message steers a running run. */
  | { readonly kind: 'steered'; readonly runId: string }
  | { readonly kind: 'replayed'; readonly runId: string }
  | { readonly kind: 'busy'; readonly runId: string }
  /** A thread, a run or a message with that id exists already. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'no_message' }
  | { readonly kind: 'no_thread' }
  | { readonly kind: 'workspace_removed' }
  | { readonly kind: 'queue_full' }
  | { readonly kind: 'key_reused' };

interface Row {
  owner: string | null;
  claimed_attempt: number | null;
  workspace_id: string;
  ordinal: number;
  queued_at: Date;
  blocked_by: string | null;
  /** Like `content`, only set if the thread was claimed. */
  log_seq: number | null;
  content: string | null;
  steered: string | null;
  title_wanted: boolean;
}

export async function enqueue(world: FactWorld, request: Enqueue): Promise<Enqueued> {
  const { pool, by, ids, begin } = prepare(world, request);
  try {
    if (request.idempotencyKey === null) {
      const row = await insertRun(pool, request, ids, by);
      begin(row);
      return accepted(request, ids, row, by.principal);
    }
    return await enqueueOnce(pool, request, ids, by, begin);
  } catch (error) {
    const refused = refusal(error);
    if (refused) return refused;
    throw error;
  }
}

/**
 * Like `enqueue`, in the caller's transaction and without an idempotency key. A refusal undoes nothing else in the transaction. Call
 * `announce` after the commit.
 */
export async function enqueueIn(
  client: Queryable,
  world: FactWorld,
  request: Enqueue,
): Promise<{ readonly outcome: Enqueued; readonly announce: () => void }> {
  const { by, ids, begin } = prepare(world, request);
  await client.query('savepoint enqueue');
  try {
    const row = await insertRun(client, request, ids, by);
    return { outcome: accepted(request, ids, row, by.principal), announce: () => begin(row) };
  } catch (error) {
    const refused = refusal(error);
    if (!refused) throw error;
    await client.query('rollback to savepoint enqueue');
    return { outcome: refused, announce: () => undefined };
  }
}

/** The ids of the new run and message, and `begin`, which starts the committed run or wakes its thread's owner. */
function prepare(world: FactWorld, request: Enqueue) {
  const { pool, pod, bus } = world;
  const principal = toStored(world.principal);
  const claimant = pod.claimant;
  const ids = { run: request.runId ?? uuidv7(), message: request.message.id ?? uuidv7() };
  const begin = (row: Row): void => {
    if (claimant !== null && row.claimed_attempt !== null)
      pod.adopt(claimant, request.threadId, row.claimed_attempt, claimSnapshot(request, ids, row, principal));
    // The run is committed: if the wake is lost, a tick finds the run.
    else void pod.wake(request.threadId, row.owner).catch(() => undefined);
    void bus.publish(THREAD_CHANGED, { threadId: request.threadId, change: 'fact' });
  };
  return { pool, ids, begin, by: { claimant, principal } };
}

function refusal(error: unknown): Enqueued | null {
  switch (sqlState(error)) {
    case '23505':
      return { kind: 'taken' };
    case 'CN404':
      return { kind: 'no_thread' };
    case 'CN409':
      return { kind: 'busy', runId: (error as { detail: string }).detail };
    case 'CN410':
      return { kind: 'workspace_removed' };
    case 'CN422':
      return { kind: 'no_message' };
    case 'CN429':
      return { kind: 'queue_full' };
    default:
      return null;
  }
}

function accepted(request: Enqueue, ids: Ids, row: Row, principal: StoredPrincipal): Enqueued {
  return row.steered === null
    ? { kind: 'queued', run: queued(request, ids, row, principal) }
    : { kind: 'steered', runId: row.steered };
}

/** Idempotent: the same key with the same request returns the same run. A different request with that key is refused. */
async function enqueueOnce(
  pool: Pool,
  request: Enqueue,
  ids: Ids,
  by: By,
  begin: (row: Row) => void,
): Promise<Enqueued> {
  const { workspaceId, idempotencyKey } = request;
  const hash = hashOf(request);
  const outcome = await transaction(pool, async (client) => {
    // Keys expire after 24 hours. This one is deleted if it has expired, together with a few other expired ones.
    await client.query(
      `delete from idempotency_keys where created_at < now() - interval '24 hours' and ((workspace_id = $1 and key = $2) or ctid in (
        select ctid from idempotency_keys where created_at < now() - interval '24 hours' limit 20 for update skip locked))`,
      [workspaceId, idempotencyKey],
    );
    // A second request with the same key waits here for the first.
    const taken = await client.query(
      'insert into idempotency_keys (workspace_id, key, request_hash, response) values ($1, $2, $3, $4) on conflict do nothing',
      [workspaceId, idempotencyKey, hash, JSON.stringify({ run: ids.run })],
    );
    if (taken.rowCount === 1) {
      const row = await insertRun(client, request, ids, by);
      if (row.steered !== null)
        await client.query('update idempotency_keys set response = $3 where workspace_id = $1 and key = $2', [
          workspaceId,
          idempotencyKey,
          JSON.stringify({ run: row.steered }),
        ]);
      return { row };
    }
    return { earlier: (await findEarlier(client, request))! };
  });
  if (outcome.row) {
    begin(outcome.row);
    return accepted(request, ids, outcome.row, by.principal);
  }
  return replayed(outcome.earlier, hash);
}

/** The outcome of an earlier request with the same key. It may have been accepted even if it would be refused now. */
export async function findByIdempotencyKey(
  client: Queryable,
  asked: MessageRequest,
): Promise<Enqueued | null> {
  const earlier = asked.idempotencyKey === null ? null : await findEarlier(client, asked);
  return earlier && replayed(earlier, hashOf(asked));
}

interface Earlier {
  readonly request_hash: string;
  readonly response: string;
}

async function findEarlier(
  client: Queryable,
  { workspaceId, idempotencyKey }: MessageRequest,
): Promise<Earlier | null> {
  const { rows } = await client.query<Earlier>(
    `select request_hash, response from idempotency_keys
      where workspace_id = $1 and key = $2 and created_at >= now() - interval '24 hours'`,
    [workspaceId, idempotencyKey],
  );
  return rows[0] ?? null;
}

function replayed({ request_hash, response }: Earlier, hash: string): Enqueued {
  if (request_hash !== hash) return { kind: 'key_reused' };
  return { kind: 'replayed', runId: (JSON.parse(response) as { run: string }).run };
}

function hashOf({ chat, threadId, message, chosen }: MessageRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([chat ? null : threadId, message, chosen]))
    .digest('hex');
}

interface Ids {
  readonly run: string;
  readonly message: string;
}

interface By {
  /** The pod that claims the thread if no pod owns it; null if this pod takes no work. */
  readonly claimant: string | null;
  readonly principal: StoredPrincipal;
}

/** The claim snapshot. Null if an earlier run is open, or if a conductor must read its agenda; otherwise the new run is the only fact. */
function claimSnapshot(
  request: Enqueue,
  ids: Ids,
  row: Row,
  principal: StoredPrincipal,
): ClaimSnapshot | null {
  if (row.blocked_by !== null || row.log_seq === null || request.directive) return null;
  const fact = {
    id: ids.run,
    ordinal: row.ordinal,
    model: request.model,
    role: request.role,
    limits: limitsOf(request),
    queued_at: row.queued_at,
    cancel_reason: null,
    message_id: ids.message,
    content: row.content,
    workspace_id: row.workspace_id,
    stop: false,
    pinged_at: null,
    title_wanted: row.title_wanted,
    state_edits: null,
    pause: false,
    rewind_to: null,
    steers: null,
    decisions: null,
    principal: JSON.stringify(principal),
    family: null,
    is_child: false,
  };
  return new ClaimSnapshot(row.log_seq, [fact]);
}

/** The run as it is when it is accepted. */
function queued(request: Enqueue, ids: Ids, row: Row, principal: StoredPrincipal): Run {
  return {
    id: ids.run,
    thread_id: request.threadId,
    message_id: ids.message,
    status: 'queued',
    model: request.model,
    role: request.role,
    principal,
    retry_of: 'retryOf' in request.message ? request.message.retryOf : null,
    steered_into: null,
    parent_run: null,
    blocked_by: row.blocked_by,
    queued_at: row.queued_at.toISOString(),
    started_at: null,
    ended_at: null,
    cancel_requested_at: null,
    cancel_requested_by: null,
    error: null,
    limits: request.limits,
    cost: null,
    usage: null,
  };
}

function limitsOf({ limits }: Enqueue): string | null {
  return limits === null ? null : JSON.stringify(limits);
}

async function insertRun(
  client: Queryable,
  request: Enqueue,
  ids: Ids,
  { claimant, principal }: By,
): Promise<Row> {
  const { message, files, chat, directive } = request;
  const directed = directive ? JSON.stringify(directive) : null;
  const content =
    'content' in message
      ? JSON.stringify({ text: message.content, files, scope: message.scope, untrusted: message.untrusted })
      : null;
  const limits = limitsOf(request);
  if (chat) {
    const { workspaceId, threadId, model, role } = request;
    const { rows } = await client.query<Row>({
      name: 'open_chat',
      text: 'select * from open_chat($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)',
      values: [
        workspaceId,
        chat.title,
        chat.role,
        chat.model,
        threadId,
        ids.run,
        ids.message,
        content,
        model,
        role,
        limits,
        claimant,
        JSON.stringify(principal),
        chat.mode ?? 'chat_mode',
        directed,
      ],
    });
    return rows[0]!;
  }
  const { rows } = await client.query<Row>({
    name: 'enqueue_run',
    text: 'select * from enqueue_run($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
    values: [
      request.threadId,
      ids.run,
      ids.message,
      content,
      request.model,
      request.role,
      limits,
      'retryOf' in message ? message.retryOf : null,
      claimant,
      ('content' in message && message.policy) || 'enqueue',
      message.replaces ?? null,
      JSON.stringify(principal),
      directed,
    ],
  });
  return rows[0]!;
}
