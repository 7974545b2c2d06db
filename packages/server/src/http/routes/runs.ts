// Runs: their state, their events, their end.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import { runs, schemas } from '@continuo/protocol';
import { requestCancel } from '../../runs/facts/cancel.ts';
import { publicRun, readListedRun, readRun, type StoredRun } from '../../runs/reads/read-runs.ts';
import { steerQueued } from '../../runs/facts/steer.ts';
import { explain } from '../../runs/reads/why.ts';
import { readRunEvents, seqOf } from '../../log/statements.ts';
import { accept, idempotencyHeader, queueFull } from '../messages/accept-run.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { positionAtStart } from '../dialects/dialect-stream.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeOf } from '../dialects/run-stream.ts';
import {
  body,
  idParam,
  invalidCursor,
  json,
  limitQuery,
  notFound,
  page,
  problems,
  refuseNul,
  wantsJson,
} from '../kernel/shared.ts';

const tags = ['runs'];
const BINDING = { dialect: runs };

export function runRoutes(app: App, context: HttpContext): void {
  const { pool, streams, recent } = context;
  const find = async (id: string): Promise<StoredRun> => {
    const run = await readRun(pool, id);
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
      const run = await readListedRun(pool, id);
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
        'Server-sent events from `after` (or the `Last-Event-ID` header) on; the stream ends after the terminal `state`. ' +
        'With `Accept: application/json` or `format=json`, a page.',
      request: {
        params: idParam,
        headers: z.object({ 'last-event-id': z.string().optional() }),
        query: z.object({
          after: z.string().optional(),
          limit: limitQuery,
          format: z.enum(['json', 'sse']).optional(),
        }),
      },
      responses: {
        200: {
          description: 'The events',
          content: {
            'text/event-stream': { schema: z.string() },
            'application/json': { schema: page(schemas.event) },
          },
        },
        204: { description: 'The run has ended, and the cursor is at its end' },
        ...problems(400, 404),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { after: queried, limit, format } = c.req.valid('query');
      const given = c.req.header('last-event-id') || queried || '0';
      const asJson = format === 'json' || (format === undefined && wantsJson(c));
      const place = given === '0' && !asJson && c.req.method === 'GET' ? recent.place(id) : null;
      if (place) {
        const scope = scopeOf({ id, thread_id: place.threadId, startAfter: place.startAfter });
        streams.follow(c.env.outgoing, { binding: BINDING, scope, from: positionAtStart(runs, scope) });
        return RESPONSE_ALREADY_SENT;
      }
      const run = await find(id);
      const seq = await seqAfter(context, run, given);
      if (asJson) {
        return c.body(await eventsPage(context, run, { given, seq, limit }), 200, {
          'content-type': 'application/json',
        });
      }
      // 204 tells an EventSource that reconnects after the end to stop.
      if (seq === run.lastSeq) return c.body(null, 204);
      if (c.req.method === 'HEAD')
        return c.body(null, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const from = { seq, state: null, part: 0 };
      streams.follow(c.env.outgoing, { binding: BINDING, scope: scopeOf(run), from });
      return RESPONSE_ALREADY_SENT;
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/runs/{id}/cancel',
      tags,
      summary: 'Cancel a run',
      description: 'After a 200 the run ends `canceled`, and never with `final`. Repeating it is fine.',
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
      // Does nothing if there is no such run.
      await requestCancel(context, id, reason);
      const run = await find(id);
      if (run.status === 'done' || run.status === 'error') {
        throw new Problem({
          status: 409,
          code: 'run_ended',
          detail: `The run is ${run.status}; only a queued or running run can be canceled.`,
        });
      }
      return c.json(publicRun(run), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/runs/{id}/steer',
      tags,
      summary: 'Give the message of a queued run to the run that is at work',
      description:
        'In one step: the run at work takes the message in, with its files, and the queued run ends `canceled`. ' +
        'Repeating it is fine.',
      request: { params: idParam },
      responses: { 200: json(schemas.run, 'The run that takes it in'), ...problems(400, 404, 409, 429) },
    }),
    async (c) => {
      const run = await find(c.req.valid('param').id);
      const answer = await steerQueued(context, run);
      if (answer.outcome === 'queue_full') throw queueFull();
      if (answer.outcome !== 'steered') throw notSteered(answer.outcome);
      return c.json(publicRun(await find(answer.steered)), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/runs/{id}/retry',
      tags,
      summary: 'Run the same message again',
      description: 'For a failed or canceled run: a new run from the same message.',
      request: { params: idParam, headers: idempotencyHeader },
      responses: {
        202: json(schemas.accepted, 'The new run is queued'),
        ...problems(400, 404, 409, 410, 422, 429),
      },
    }),
    async (c) => {
      const run = await find(c.req.valid('param').id);
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
          detail: `Its message was taken in by run ${run.steered_into}; send it again as a new message.`,
        });
      }
      const origin = await context.originOf(run.thread_id);
      if (!origin) throw notFound('thread', run.thread_id);
      const accepted = await accept(context, {
        workspaceId: origin.workspaceId,
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
      summary: 'What the run waits for',
      request: { params: idParam },
      responses: { 200: json(schemas.why, 'In a sentence and as fields'), ...problems(400, 404) },
    }),
    async (c) => {
      const run = await find(c.req.valid('param').id);
      const starting = (podId: string, workspaceId: string) =>
        podId === context.pod.id ? context.mcp.startingIn(workspaceId) : [];
      return c.json(await explain(pool, run, starting), 200);
    },
  );
}

function notSteered(outcome: 'not_waiting' | 'nothing_at_work'): Problem {
  const detail = {
    not_waiting:
      'Only a run that waits its turn with a message of its own can give it away; this one does not.',
    nothing_at_work: 'No run is at work that could take the message in; it waits its turn and is next.',
  };
  return new Problem({ status: 409, code: outcome, detail: detail[outcome] });
}

/** The thread's seq of the last event that the client has. */
async function seqAfter({ pool }: HttpContext, run: StoredRun, given: string): Promise<number> {
  if (!/^\d{1,9}$/.test(given))
    throw invalidCursor(given, 'is not the id of an event; ids are whole numbers from 1.');
  const after = Number(given);
  if (after === 0) return run.startAfter;
  const seq = await seqOf(pool, run.thread_id, run.id, run.startAfter, after);
  if (seq === null) throw invalidCursor(given, 'is ahead of the log: the run has no event with that id yet.');
  return seq;
}

/** A page of events, with their data as stored. */
async function eventsPage(
  { pool }: HttpContext,
  run: StoredRun,
  { given, seq, limit }: { given: string; seq: number; limit: number },
): Promise<string> {
  const rows = await readRunEvents(pool, {
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
