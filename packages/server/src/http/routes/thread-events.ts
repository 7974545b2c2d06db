// A thread's log in the `thread` dialect: as one stream across all its runs and sessions, or as pages in either direction.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import { schemas, thread, threadEventJson } from '@continuo/protocol';
import type { StoredEvent } from '../../log/event.ts';
import { readThreadEvents, readThreadEventsBefore } from '../../log/statements.ts';
import { logEnd } from '../../threads/read-threads.ts';
import type { App, HttpContext } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { idParam, invalidCursor, limitQuery, notFound, page, problems, wantsJson } from '../kernel/shared.ts';
import { beginsAfter } from '../kernel/sse.ts';

const tags = ['threads'];
const BINDING = { dialect: thread, json: threadEventJson };

export function threadEventRoutes(app: App, { pool, streams }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/threads/{id}/events',
      tags,
      summary: 'Follow a thread, or page through its events',
      description:
        'Server-sent events of all its runs and sessions, from `after` (or the `Last-Event-ID` header) on; `after=latest` begins now. ' +
        'The stream has no end. With `Accept: application/json` or `format=json`, a page: of the events after `after`, or of the last ' +
        'ones before `before`, in order; `before=latest` is the end of the log. `next` goes on in the same direction; it is null ' +
        'when there is nothing more now.',
      request: {
        params: idParam,
        headers: z.object({ 'last-event-id': z.string().optional() }),
        query: z.object({
          after: z.string().optional(),
          before: z.string().optional(),
          limit: limitQuery,
          format: z.enum(['json', 'sse']).optional(),
        }),
      },
      responses: {
        200: {
          description: 'The events',
          content: {
            'text/event-stream': { schema: z.string() },
            'application/json': { schema: page(schemas.threadEvent) },
          },
        },
        ...problems(400, 404),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { after, before, limit, format } = c.req.valid('query');
      const end = await logEnd(pool, null, id);
      if (end === null) throw notFound('thread', id);
      const asJson = format === 'json' || (format === undefined && wantsJson(c));
      if (before !== undefined) {
        if (!asJson || after !== undefined) throw onlyBefore();
        const events = await readThreadEventsBefore(pool, id, cursorToSeq(before, end + 1), limit);
        const first = events[0]?.seq ?? 1;
        return c.body(pageOf(events, first > 1 ? first : null), 200, { 'content-type': 'application/json' });
      }
      const seq = cursorToSeq(c.req.header('last-event-id') || after || '0', end);
      if (asJson) {
        const events = await readThreadEvents(pool, id, seq, limit);
        const last = events.at(-1)?.seq ?? seq;
        return c.body(pageOf(events, last < end ? last : null), 200, { 'content-type': 'application/json' });
      }
      if (c.req.method === 'HEAD')
        return c.body(null, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const from = { seq, state: null, part: 0 };
      const scope = { threadId: id, run: null };
      streams.follow(c.env.outgoing, { binding: BINDING, scope, from, headers: beginsAfter(seq) });
      return RESPONSE_ALREADY_SENT;
    },
  );
}

/** The cursor as a seq; `latest` stands for the end of the log. */
function cursorToSeq(given: string, latest: number): number {
  if (given === 'latest') return latest;
  if (!/^\d{1,9}$/.test(given))
    throw invalidCursor(given, 'is not the id of an event; ids are whole numbers from 1, or `latest`.');
  if (Number(given) > latest)
    throw invalidCursor(given, 'is ahead of the log: the thread has no event with that id yet.');
  return Number(given);
}

function pageOf(events: readonly StoredEvent[], next: number | null): string {
  return `{"items":[${events.map(threadEventJson).join(',')}],"next":${next === null ? 'null' : `"${next}"`}}`;
}

function onlyBefore(): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_query',
    detail: 'before: pages go back with `before` alone, as JSON; a stream goes on from `after`.',
    extra: { errors: [{ path: 'before', message: 'goes with format=json, and not with after' }] },
  });
}
