// Takes a message in: the message, its queued run and the thread's wake-up commit together. If nobody owns the
// thread, the pod that was asked claims it in the same transaction and begins at once.

import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Pod } from '../actors/pod.ts';
import { sqlState, transaction, type Pool, type Queryable } from '../db/pool.ts';
import type { Run } from '@continuo/protocol';

export interface Enqueue {
  readonly workspaceId: string;
  readonly threadId: string;
  readonly message: { readonly content: string } | { readonly retryOf: string; readonly id: string };
  readonly model: string;
  readonly role: string;
  /** What the message and its role ask for; JSON drops what is undefined. */
  readonly limits: Run['limits'];
  /** What the caller chose, before anything was filled in: the same request is the same after a change of defaults. */
  readonly chosen: unknown;
  readonly idempotencyKey: string | null;
}

export type Enqueued =
  | { readonly kind: 'queued'; readonly runId: string; readonly replayed: boolean }
  | { readonly kind: 'no_thread' }
  | { readonly kind: 'workspace_removed' }
  | { readonly kind: 'queue_full' }
  | { readonly kind: 'key_reused' };

interface Row {
  owner: string | null;
  claimed_attempt: number | null;
}

export async function enqueue({ pool, pod }: { pool: Pool; pod: Pod }, request: Enqueue): Promise<Enqueued> {
  const claimant = pod.claimant;
  const ids = { run: uuidv7(), message: 'id' in request.message ? request.message.id : uuidv7() };
  const begin = (row: Row): void => {
    if (claimant !== null && row.claimed_attempt !== null)
      return pod.adopt(claimant, request.threadId, row.claimed_attempt);
    // The row is committed: if this hint is lost, the owner's next look finds it.
    void pod.wake(request.threadId, row.owner).catch(() => undefined);
  };
  try {
    if (request.idempotencyKey === null) {
      begin(await insert(pool, request, ids, claimant));
      return { kind: 'queued', runId: ids.run, replayed: false };
    }
    return await once(pool, request, ids, claimant, begin);
  } catch (error) {
    if (sqlState(error) === 'CN404') return { kind: 'no_thread' };
    if (sqlState(error) === 'CN410') return { kind: 'workspace_removed' };
    if (sqlState(error) === 'CN429') return { kind: 'queue_full' };
    throw error;
  }
}

/** The same key with the same request gives the same run; another request under it is refused. */
async function once(
  pool: Pool,
  request: Enqueue,
  ids: { run: string; message: string },
  claimant: string | null,
  begin: (row: Row) => void,
): Promise<Enqueued> {
  const { workspaceId, idempotencyKey, threadId, message, chosen } = request;
  const hash = createHash('sha256')
    .update(JSON.stringify([threadId, message, chosen]))
    .digest('hex');
  const outcome = await transaction(pool, async (client) => {
    // Keys are kept for 24 hours: this one is forgotten if it is older, and a few others with it.
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
    if (taken.rowCount === 1) return { row: await insert(client, request, ids, claimant) };
    const { rows } = await client.query<{ request_hash: string; response: string }>(
      'select request_hash, response from idempotency_keys where workspace_id = $1 and key = $2',
      [workspaceId, idempotencyKey],
    );
    return { earlier: rows[0]! };
  });
  if (outcome.row) {
    begin(outcome.row);
    return { kind: 'queued', runId: ids.run, replayed: false };
  }
  if (outcome.earlier.request_hash !== hash) return { kind: 'key_reused' };
  return {
    kind: 'queued',
    runId: (JSON.parse(outcome.earlier.response) as { run: string }).run,
    replayed: true,
  };
}

async function insert(
  client: Queryable,
  request: Enqueue,
  ids: { run: string; message: string },
  claimant: string | null,
): Promise<Row> {
  const { message } = request;
  const { rows } = await client.query<Row>({
    name: 'enqueue_run',
    text: 'select * from enqueue_run($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      request.threadId,
      ids.run,
      ids.message,
      'content' in message ? JSON.stringify({ text: message.content }) : null,
      request.model,
      request.role,
      request.limits === null ? null : JSON.stringify(request.limits),
      'retryOf' in message ? message.retryOf : null,
      claimant,
    ],
  });
  return rows[0]!;
}
