// The context inspector: the requests that models were sent, rebuilt exactly.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { readManifests, readPreviousManifest, rebuildContext, toWireSent } from '../../runs/reads/context.ts';
import { readRun } from '../../runs/reads/read-runs.ts';
import type { App } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeOfRun, scopeOfThread } from '../kernel/scope.ts';
import { idParam, invalidCursor, json, limitQuery, notFound, page, problems } from '../kernel/shared.ts';

const tags = ['context'];

const attempt = z.coerce.number().int().min(1).max(1000).optional().meta({
  description:
    'The try, if the request was refused as too long and sent again with less; default: the last one.',
});

export function contextRoutes(app: App): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/runs/{id}/context',
      tags,
      summary: 'Show what a run sent to its model',
      description:
        'Rebuilds a request from the log, the versions and the texts that it was made of, and says whether its hash is the one that was stored when it was sent.',
      request: {
        params: idParam,
        query: z.object({
          message: z
            .string()
            .max(100)
            .optional()
            .meta({ description: 'The message of the answer, such as `m2`; default: the last one.' }),
          try: attempt,
        }),
      },
      responses: { 200: json(schemas.runContext, 'The request'), ...problems(400, 404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { message, try: wanted } = c.req.valid('query');
      const { db } = await scopeOfRun(c, id);
      const run = await readRun(db, id);
      if (!run) throw notFound('run', id);
      const requests = await readManifests(db, run.thread_id, {
        after: { seq: run.startAfter },
        runId: id,
      });
      const found = requests.findLast(
        (each) =>
          (message === undefined || each.message === message) &&
          (wanted === undefined || each.try === wanted),
      );
      if (!found)
        throw requestNotFound(
          `run ${id}`,
          requests.map((each) => each.message ?? ''),
        );
      const [context, previous] = await Promise.all([
        rebuildContext(db, found),
        readPreviousManifest(db, run.thread_id, requests[0]!.seq),
      ]);
      const all = requests.map(toWireSent);
      return c.json({ ...context, requests: all, previous: previous && toWireSent(previous) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/threads/{id}/requests',
      tags,
      summary: 'List the requests of a thread to models',
      description: 'In the order of the log, with those that belong to no run, such as titles.',
      request: {
        params: idParam,
        query: z.object({
          after: z.string().max(30).optional().meta({ description: 'The `next` of the page before.' }),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.sentRequest), 'The requests'), ...problems(400, 404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { after, limit } = c.req.valid('query');
      const { db } = await scopeOfThread(c, id);
      const requests = await readManifests(db, id, {
        ...(after !== undefined && { after: cursorIn(after) }),
        limit: limit + 1,
      });
      const items = requests.slice(0, limit);
      const last = items.at(-1);
      const next = last && requests.length > limit ? `${last.seq}.${last.try}` : null;
      return c.json({ items: items.map(toWireSent), next }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/threads/{id}/context',
      tags,
      summary: 'Show what a thread sent to a model',
      description: 'Any request of the thread, also one that belongs to no run, such as a title.',
      request: {
        params: idParam,
        query: z.object({
          seq: z.coerce
            .number()
            .int()
            .min(1)
            .max(2_147_483_647)
            .meta({ description: 'The request’s `seq`.' }),
          try: attempt,
        }),
      },
      responses: { 200: json(schemas.modelContext, 'The request'), ...problems(400, 404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { seq, try: wanted } = c.req.valid('query');
      const { db } = await scopeOfThread(c, id);
      const requests = await readManifests(db, id, { after: { seq: seq - 1 }, limit: 1000 });
      const found = requests.findLast(
        (each) => each.seq === seq && (wanted === undefined || each.try === wanted),
      );
      if (!found) throw requestNotFound(`thread ${id}`, []);
      return c.json(await rebuildContext(db, found), 200);
    },
  );
}

function cursorIn(given: string): { seq: number; try: number } {
  const match = /^(\d{1,9})\.(\d{1,4})$/.exec(given);
  if (!match) throw invalidCursor(given, 'is not the `next` of a page.');
  return { seq: Number(match[1]), try: Number(match[2]) };
}

function requestNotFound(whose: string, messages: readonly string[]): Problem {
  const known = [...new Set(messages)];
  const what =
    known.length === 0
      ? `There is no such request of ${whose} to a model. GET /api/threads/{id}/requests lists what there is.`
      : `There is no such request of ${whose} to a model. It has requests for the messages ${known.join(', ')}.`;
  return new Problem({ status: 404, code: 'request_not_found', detail: what });
}
