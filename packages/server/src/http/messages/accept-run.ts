// Accepts a run: for a new message, or as a retry of one.

import { z } from '@hono/zod-openapi';
import type { Run } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import {
  type MessageRequest,
  enqueue,
  type Enqueue,
  findByIdempotencyKey,
} from '../../runs/accept/enqueue.ts';
import { toWireRun, readRun } from '../../runs/reads/read-runs.ts';
import type { HttpContext } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { factWorld } from '../kernel/scope.ts';
import { notFound } from '../kernel/shared.ts';

export const idempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({ description: 'Stored for 24 hours: repeating a request with its key returns the same run.' }),
});

interface Accepted {
  readonly run: Run;
  readonly headers: Record<string, string>;
}

export async function accept(
  context: HttpContext,
  scope: WorkspaceScope,
  request: Enqueue,
  missing = async (): Promise<Problem> => notFound('thread', request.threadId),
): Promise<Accepted> {
  const outcome = await enqueue(factWorld(context, scope), request);
  if (outcome.kind === 'no_thread') throw await missing();
  if (outcome.kind === 'workspace_removed') throw workspaceRemoved();
  if (outcome.kind === 'key_reused') throw keyReused();
  if (outcome.kind === 'queue_full') throw queueFull();
  if (outcome.kind === 'taken') throw new NameTaken();
  if (outcome.kind === 'busy') throw threadBusy(outcome.runId);
  if (outcome.kind === 'no_message') throw noMessage();
  if (outcome.kind === 'queued') return { run: outcome.run, headers: { location: locationOf(outcome.run) } };
  return acceptedRun(scope.db, outcome.runId, outcome.kind === 'replayed');
}

/**
 * The run that an earlier request with the same idempotency key created; null if there is none. Used when the request would be
 * refused now.
 */
export async function findAccepted({ db }: WorkspaceScope, asked: MessageRequest): Promise<Accepted | null> {
  const outcome = await findByIdempotencyKey(db, asked);
  if (outcome?.kind === 'key_reused') throw keyReused();
  return outcome?.kind === 'replayed' ? acceptedRun(db, outcome.runId, true) : null;
}

async function acceptedRun(db: Queryable, runId: string, replayed: boolean): Promise<Accepted> {
  const run = await readRun(db, runId);
  if (!run) throw notFound('run', runId);
  const replay = replayed ? { 'idempotency-replayed': 'true' } : {};
  return { run: toWireRun(run), headers: { location: locationOf(run), ...replay } };
}

/** A concurrent request has used the same client id. */
export class NameTaken extends Error {
  override readonly message = 'a thread, a run or a message already has this client id';
}

function locationOf(run: Run): string {
  return `/api/runs/${run.id}`;
}

function workspaceRemoved(): Problem {
  return new Problem({
    status: 410,
    code: 'workspace_removed',
    detail:
      'The workspace of this thread was removed; the thread accepts no messages until the workspace is restored.',
  });
}

export function queueFull(): Problem {
  return new Problem({
    status: 429,
    code: 'queue_full',
    detail:
      '100 messages are queued in the thread, and it accepts no more; wait for some to be answered, or cancel them.',
    headers: { 'retry-after': '1' },
  });
}

function threadBusy(runId: string): Problem {
  return new Problem({
    status: 409,
    code: 'thread_busy',
    detail: `Run ${runId} is still open, and the message has the policy reject; send it again later, or with another policy.`,
    extra: { run_id: runId },
  });
}

function noMessage(): Problem {
  return new Problem({
    status: 422,
    code: 'unknown_message',
    detail:
      'replaces: this is not the message of a person that started a run of this thread, or the chat was rewound to before it.',
  });
}

function keyReused(): Problem {
  return new Problem({
    status: 422,
    code: 'idempotency_key_reused',
    detail: 'This Idempotency-Key was used with a different request in the last 24 hours; use a new key.',
  });
}
