// The executor protocol: a program claims the next answer of a run, posts the answer's events, and says that it is alive.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas, type Assignment } from '@continuo/protocol';
import type { Refusal } from '../../executors/claims.ts';
import type { ClaimedRow } from '../../executors/rows.ts';
import { onlyWorkspace } from '../../identity/principal.ts';
import { EXECUTOR_NAME, EXECUTOR_NAME_RULE } from '../../models/executor-model.ts';
import { parseStored } from '../../limits/json-depth.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeNamed, scopeOfRun } from '../kernel/scope.ts';
import { body, invalidField, json, problems, refuseNul } from '../kernel/shared.ts';

const tags = ['executors'];
const ASSIGNMENT = '/api/v1/runs/{id}/assignments/{answer}';
const assignmentParam = z.object({
  id: z.uuid(),
  answer: z
    .string()
    .regex(/^m\d{1,9}$/, 'must be the `message` of an assignment, such as m1')
    .openapi({ description: 'The `message` of the assignment.', example: 'm1' }),
});
const executorParam = z.object({
  name: z
    .string()
    .regex(EXECUTOR_NAME, `must be ${EXECUTOR_NAME_RULE}`)
    .openapi({ description: 'Models name it as `executor/<name>`.' }),
});
/** The most bytes of an executor's state. */
const STATE_BYTES = 256 * 1024;

export function executorRoutes(app: App, { claims }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/v1/executors/{name}/claim',
      tags,
      summary: 'Claim the next assignment of an executor',
      description:
        'With `wait`, the response comes when there is an assignment, and at the latest after that many seconds. The claim is lost without a post or a heartbeat for `lease_seconds`.',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: executorParam, body: body(schemas.claimRequest, false) },
      responses: {
        200: json(schemas.assignment, 'The assignment'),
        204: { description: 'No assignment came in time' },
        ...problems(400, 404, 410, 413, 415),
      },
    }),
    async (c) => {
      const { name } = c.req.valid('param');
      const { workspace, role, wait, by } = c.req.valid('json');
      refuseNul('by', by);
      refuseNul('role', role);
      const principal = c.get('principal');
      const workspaceId =
        workspace === undefined ? onlyWorkspace(principal) : (await scopeNamed(c, workspace)).workspaceId;
      const claimed = await whileConnected(c.env.outgoing, (signal) =>
        claims.claim({
          executor: name,
          workspaceId,
          role: role ?? null,
          by: by ?? null,
          waitSeconds: wait,
          signal,
        }),
      );
      return claimed ? c.json(toWireAssignment(claimed, claims.leaseSeconds), 200) : c.body(null, 204);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${ASSIGNMENT}/events`,
      tags,
      summary: 'Post events of an answer, and extend the lease',
      description:
        'Idempotent: a batch whose `seq` was posted before changes nothing. `finish` or `fail` ends the answer.',
      middleware: jsonBody(),
      request: { params: assignmentParam, body: body(schemas.postedEvents) },
      responses: {
        200: json(schemas.heldClaim, 'The events are stored'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const { id: runId, answer: message } = c.req.valid('param');
      const { claim, seq, events } = c.req.valid('json');
      refuseMalformed(events);
      await scopeOfRun(c, runId);
      const refusal = await claims.post({ runId, message, claim }, seq, events);
      if (refusal) throw refused(refusal, message);
      return c.json({ lease_seconds: claims.leaseSeconds }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: `${ASSIGNMENT}/heartbeat`,
      tags,
      summary: 'Extend the lease of a claim, and learn whether it is still valid',
      description:
        'With `wait`, the response comes after that many seconds, or at once when the claim is no longer valid, such as after a cancel. With `release`, the claim ends.',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: assignmentParam, body: body(schemas.heartbeatRequest) },
      responses: {
        200: json(schemas.heldClaim, 'The claim is still valid'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const { id: runId, answer: message } = c.req.valid('param');
      const { claim, wait, release } = c.req.valid('json');
      await scopeOfRun(c, runId);
      const held = { runId, message, claim };
      const refusal = release
        ? await claims.release(held)
        : await whileConnected(c.env.outgoing, (signal) =>
            claims.heartbeat(held, { waitSeconds: wait, signal }),
          );
      if (refusal) throw refused(refusal, message);
      return c.json({ lease_seconds: claims.leaseSeconds }, 200);
    },
  );
}

function refuseMalformed(events: z.infer<typeof schemas.postedEvents>['events']): void {
  const end = events.findIndex(({ type }) => type === 'finish' || type === 'fail');
  if (end !== -1 && end !== events.length - 1)
    throw invalidField(`events[${end + 1}]`, `follows ${events[end]!.type}, which must be the last event`);
  const last = events.at(-1);
  if (last?.type !== 'finish' || last.state === undefined) return;
  const bytes = Buffer.byteLength(JSON.stringify(last.state));
  if (bytes > STATE_BYTES)
    throw invalidField(
      `events[${events.length - 1}].state`,
      `has ${bytes} bytes; at most ${STATE_BYTES} are allowed`,
    );
}

function toWireAssignment(row: ClaimedRow, leaseSeconds: number): Assignment {
  return {
    run_id: row.runId,
    thread_id: row.threadId,
    workspace_id: row.workspaceId,
    message: row.message,
    executor: row.executor,
    claim: row.claim,
    lease_seconds: leaseSeconds,
    request: parseStored(row.request) as Assignment['request'],
  };
}

function refused(refusal: Refusal, message: string): Problem {
  switch (refusal.kind) {
    case 'not_found':
      return new Problem({
        status: 404,
        code: 'assignment_not_found',
        detail: `The run has no assignment ${message}.`,
      });
    case 'claim_lost':
      return new Problem({
        status: 409,
        code: 'claim_lost',
        detail:
          'The claim is no longer valid: its lease is over, or the run was taken over. Stop working on this assignment, and claim again.',
      });
    case 'already_answered':
      return new Problem({
        status: 409,
        code: 'already_answered',
        detail: 'The answer was finished. Nothing may follow finish or fail.',
      });
    case 'gap':
      return new Problem({
        status: 409,
        code: 'sequence_gap',
        detail: `The next batch has the seq ${refusal.expected}. Send the batches in order.`,
        extra: { expected: refusal.expected },
      });
    case 'canceled':
      return new Problem({
        status: 410,
        code: 'run_canceled',
        detail: 'The run was canceled. Stop working on this assignment.',
      });
    case 'over':
      return new Problem({
        status: 410,
        code: 'assignment_over',
        detail: 'The assignment is over. Stop working on it, and claim the next one.',
      });
  }
}
