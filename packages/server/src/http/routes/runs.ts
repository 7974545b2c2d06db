// Runs: their state, their events, their end.

import { createRoute } from '@hono/zod-openapi';
import { runs, schemas } from '@continuo/protocol';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { requestCancel } from '../../runs/facts/cancel.ts';
import { toWireRun, readListedRun, readRun, type StoredRun } from '../../runs/reads/read-runs.ts';
import { steerQueued } from '../../runs/facts/steer.ts';
import { explain } from '../../runs/reads/why.ts';
import { findWaitingPlan } from '../../planning/states.ts';
import { readRunEvents, seqOf } from '../../log/statements.ts';
import { accept, idempotencyHeader, queueFull } from '../messages/accept-run.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { Problem } from '../kernel/problem.ts';
import { factWorld, scopeOfRun } from '../kernel/scope.ts';
import { body, idParam, invalidCursor, json, notFound, problems, refuseNul } from '../kernel/shared.ts';
import {
  answerWithEvents,
  cursorHeader,
  cursorIn,
  eventsQuery,
  eventsResponse,
  wantsPage,
} from '../streams/events-request.ts';
import { sourceOf, streamRun } from '../streams/run-stream.ts';

const tags = ['runs'];
const BINDING = { dialect: runs };

export function runRoutes(app: App, context: HttpContext): void {
  const { streams, recent } = context;
  const read = async ({ db }: WorkspaceScope, id: string): Promise<StoredRun> => {
    const run = await readRun(db, id);
    if (!run) throw notFound('run', id);
    return run;
  };

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/runs/{id}',
      tags,
      summary: 'Read a run',
      request: { params: idParam },
      responses: { 200: json(schemas.listedRun, 'The run'), ...problems(400, 404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { db } = await scopeOfRun(c, id);
      const run = await readListedRun(db, id);
      if (!run) throw notFound('run', id);
      return c.json(run, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/runs/{id}/events',
      tags,
      summary: 'Follow a run, or page through its events',
      description:
        'Server-sent events after `after` (or the `Last-Event-ID` header); the stream ends after the terminal `state`. ' +
        'With `Accept: application/json` or `format=json`, a page.',
      request: {
        params: idParam,
        headers: cursorHeader,
        query: eventsQuery,
      },
      responses: {
        200: eventsResponse(schemas.event),
        204: { description: 'The run has ended, and the cursor is at its end' },
        ...problems(400, 404),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { after, limit, format } = c.req.valid('query');
      const given = cursorIn(c, after);
      const asPage = wantsPage(c, format);
      const scope = await scopeOfRun(c, id);
      const place = given === '0' && !asPage ? recent.place(id) : null;
      if (place) {
        const { threadId, startAfter } = place;
        return streamRun(c, context, BINDING, sourceOf({ id, thread_id: threadId, startAfter }));
      }
      const run = await read(scope, id);
      const seq = await seqAfter(scope, run, given);
      // 204 tells an EventSource that reconnects after the end to stop.
      if (!asPage && seq === run.lastSeq) return c.body(null, 204);
      return answerWithEvents(c, {
        asPage,
        page: () => eventsPage(scope, run, { given, seq, limit }),
        stream: (response) => {
          const from = { seq, state: null, part: 0 };
          streams.follow(response, { binding: BINDING, source: sourceOf(run), from });
        },
      });
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/runs/{id}/cancel',
      tags,
      summary: 'Cancel a run',
      description: 'After a 200 the run ends `canceled`, never with `final`. Idempotent.',
      middleware: jsonBody({ limit: 16 * 1024 }),
      request: { params: idParam, body: body(schemas.cancelRequest, false) },
      responses: {
        200: json(schemas.run, 'The cancellation is accepted'),
        ...problems(400, 404, 409, 413, 415),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { reason = 'user_cancelled' } = c.req.valid('json');
      refuseNul('reason', reason);
      const scope = await scopeOfRun(c, id);
      await requestCancel(factWorld(context, scope), id, reason);
      const run = await read(scope, id);
      if (run.status === 'done' || run.status === 'error') {
        throw new Problem({
          status: 409,
          code: 'run_ended',
          detail: `The run is ${run.status}; only a queued or running run can be canceled.`,
        });
      }
      return c.json(toWireRun(run), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/runs/{id}/steer',
      tags,
      summary: 'Steer: give a queued run’s message to the running run',
      description:
        'Atomic: the running run gets the message with its files, and the queued run ends `canceled`. ' +
        'Idempotent.',
      request: { params: idParam },
      responses: { 200: json(schemas.run, 'The run that gets the message'), ...problems(400, 404, 409, 429) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const scope = await scopeOfRun(c, id);
      const answer = await steerQueued(factWorld(context, scope), await read(scope, id));
      if (answer.outcome === 'queue_full') throw queueFull();
      if (answer.outcome !== 'steered') throw notSteered(answer.outcome);
      return c.json(toWireRun(await read(scope, answer.steered)), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/runs/{id}/retry',
      tags,
      summary: 'Run the same message again',
      description: 'Starts a new run from the message of a failed or canceled run.',
      request: { params: idParam, headers: idempotencyHeader },
      responses: {
        202: json(schemas.accepted, 'The new run is queued'),
        ...problems(400, 404, 409, 410, 422, 429),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const scope = await scopeOfRun(c, id);
      const run = await read(scope, id);
      if (run.status !== 'error' && run.status !== 'canceled') {
        throw new Problem({
          status: 409,
          code: 'run_not_retryable',
          detail: `The run is ${run.status}; only a failed or canceled run can be retried.`,
        });
      }
      if (run.steered_into !== null) {
        throw new Problem({
          status: 409,
          code: 'run_not_retryable',
          detail: `The run’s message was given to run ${run.steered_into}; to repeat it, send it as a new message.`,
        });
      }
      const accepted = await accept(context, scope, {
        workspaceId: scope.workspaceId,
        threadId: run.thread_id,
        message: { id: run.message_id, retryOf: run.id },
        model: run.model,
        role: run.role,
        limits: run.limits,
        chosen: null,
        idempotencyKey: c.req.valid('header')['idempotency-key'] ?? null,
      });
      return c.json({ run: accepted.run }, 202, accepted.headers);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/runs/{id}/why',
      tags,
      summary: 'Explain what the run waits for',
      request: { params: idParam },
      responses: {
        200: json(schemas.why, 'The explanation, as a sentence and as fields'),
        ...problems(400, 404),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const scope = await scopeOfRun(c, id);
      const run = await read(scope, id);
      const startingOn = (podId: string, workspaceId: string) =>
        podId === context.pod.id ? context.mcp.startingIn(workspaceId) : [];
      const waitingPlan = (runId: string) => findWaitingPlan(scope.db, runId);
      return c.json(await explain(scope.db, run, { startingOn, waitingPlan }), 200);
    },
  );
}

function notSteered(outcome: 'not_waiting' | 'nothing_at_work'): Problem {
  const detail = {
    not_waiting:
      'Only a queued run with a message of its own can be steered into another run; this run is not one.',
    nothing_at_work: 'No run is running that could get the message; the queued run is next.',
  };
  return new Problem({ status: 409, code: outcome, detail: detail[outcome] });
}

/** The thread's seq of the last event that the client has. */
async function seqAfter({ db }: WorkspaceScope, run: StoredRun, given: string): Promise<number> {
  if (!/^\d{1,9}$/.test(given))
    throw invalidCursor(given, 'is not the id of an event; ids are whole numbers from 1.');
  const after = Number(given);
  if (after === 0) return run.startAfter;
  const seq = await seqOf(db, run.thread_id, run.id, run.startAfter, after);
  if (seq === null) throw invalidCursor(given, 'is ahead of the log: the run has no event with that id yet.');
  return seq;
}

/** A page of events, with their data as stored. */
async function eventsPage(
  { db }: WorkspaceScope,
  run: StoredRun,
  { given, seq, limit }: { given: string; seq: number; limit: number },
): Promise<string> {
  const rows = await readRunEvents(db, {
    threadId: run.thread_id,
    runId: run.id,
    after: seq,
    limit: limit + 1,
  });
  const items = rows
    .slice(0, limit)
    .map(
      (row) => `{"id":${row.runSeq},"type":"${row.type}","data":${row.json},"at":"${row.at.toISOString()}"}`,
    );
  const last = rows.slice(0, limit).at(-1);
  // An open run will have more events, so its last page still has a next one.
  const hasMore = rows.length > limit || run.ended_at === null;
  const next = hasMore ? `"${last?.runSeq ?? given}"` : 'null';
  return `{"items":[${items.join(',')}],"next":${next}}`;
}
