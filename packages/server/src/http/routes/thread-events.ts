// A thread's log in the `thread` dialect: as one stream across all its runs and sessions, or as pages in either direction.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas, thread, threadEventJson } from '@continuo/protocol';
import type { StoredEvent } from '../../log/event.ts';
import { readThreadEvents, readThreadEventsBefore } from '../../log/statements.ts';
import { logEnd } from '../../threads/read-threads.ts';
import type { App, HttpContext } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeOfThread } from '../kernel/scope.ts';
import { idParam, invalidCursor, notFound, problems } from '../kernel/shared.ts';
import {
  answerWithEvents,
  cursorHeader,
  cursorIn,
  eventsQuery,
  eventsResponse,
  wantsPage,
} from '../streams/events-request.ts';
import { beginsAfter } from '../streams/sse.ts';

const tags = ['threads'];
const { shape } = eventsQuery;
const BINDING = { dialect: thread, json: threadEventJson };

export function threadEventRoutes(app: App, { streams }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/threads/{id}/events',
      tags,
      summary: 'Follow a thread, or page through its events',
      description:
        'Server-sent events of all its runs and sessions, after `after` (or the `Last-Event-ID` header); `after=latest` starts now. ' +
        'The stream does not end. With `Accept: application/json` or `format=json`, a page: of the events after `after`, or of the last ' +
        'ones before `before`, in order; `before=latest` is the end of the log. `next` continues in the same direction; it is null ' +
        'when there are no more events.',
      request: {
        params: idParam,
        headers: cursorHeader,
        query: z.object({
          after: shape.after,
          before: z.string().optional(),
          limit: shape.limit,
          format: shape.format,
        }),
      },
      responses: {
        200: eventsResponse(schemas.threadEvent),
        ...problems(400, 404),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { after, before, limit, format } = c.req.valid('query');
      const { db, workspaceId } = await scopeOfThread(c, id);
      const end = await logEnd(db, workspaceId, id);
      if (end === null) throw notFound('thread', id);
      const asPage = wantsPage(c, format);
      if (before !== undefined && (!asPage || after !== undefined)) throw onlyBefore();
      const seq = before === undefined ? cursorToSeq(cursorIn(c, after), end) : cursorToSeq(before, end + 1);
      return answerWithEvents(c, {
        asPage,
        page: async () => {
          if (before !== undefined) {
            const events = await readThreadEventsBefore(db, id, seq, limit);
            const first = events[0]?.seq ?? 1;
            return pageOf(events, first > 1 ? first : null);
          }
          const events = await readThreadEvents(db, id, seq, limit);
          const last = events.at(-1)?.seq ?? seq;
          return pageOf(events, last < end ? last : null);
        },
        stream: (response) => {
          const from = { seq, state: null, part: 0 };
          const source = { threadId: id, run: null };
          streams.follow(response, { binding: BINDING, source, from, headers: beginsAfter(seq) });
        },
      });
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
    detail: 'before: `before` works only for JSON pages, without `after`; to continue a stream, use `after`.',
    extra: { errors: [{ path: 'before', message: 'is allowed only with format=json and without after' }] },
  });
}
