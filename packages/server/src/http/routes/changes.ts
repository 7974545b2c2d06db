// A workspace's change feed: as a stream that clients can resume, or as pages.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { lastChange, readChanges } from '../../files/changes.ts';
import type { App, HttpContext } from '../app.ts';
import { invalidCursor, json, limitQuery, page, problems } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { cursorHeader, cursorIn } from '../streams/events-request.ts';
import { answerWithStream } from '../streams/sse.ts';

const tags = ['files'];

export function changeRoutes(app: App, { streams }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/events',
      tags,
      summary: 'Follow the changes of the files',
      description:
        'Server-sent events `file_updated`, `file_moved`, `file_removed`, `entity_patch`, `content_published` and `content_unpublished`, after `after` (or the `Last-Event-ID` header); ' +
        '`after=latest` starts now. The stream does not end.',
      request: {
        params: workspaceParam,
        headers: cursorHeader,
        query: z.object({ after: z.string().optional() }),
      },
      responses: {
        200: { description: 'The changes', content: { 'text/event-stream': { schema: z.string() } } },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId, db } = await scopeIn(c);
      const given = cursorIn(c, c.req.valid('query').after);
      const last = await lastChange(db, workspaceId);
      const seq = given === 'latest' ? last : cursor(given, last);
      return answerWithStream(c, (response) => streams.followChanges(response, workspaceId, seq));
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/changes',
      tags,
      summary: 'Page through the changes of the files',
      description:
        '`next` is null at the end of the feed; to continue later, send the `seq` of the last item as `after`.',
      request: {
        params: workspaceParam,
        query: z.object({ after: z.string().default('0'), limit: limitQuery }),
      },
      responses: {
        200: json(page(schemas.change), 'A page of changes'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId, db } = await scopeIn(c);
      const { after, limit } = c.req.valid('query');
      const seq = cursor(after, await lastChange(db, workspaceId));
      const changes = await readChanges(db, workspaceId, { after: seq, limit: limit + 1 });
      const items = changes.slice(0, limit).map((change) => ({ ...change, at: change.at.toISOString() }));
      return c.json({ items, next: changes.length > limit ? String(items.at(-1)!.seq) : null }, 200);
    },
  );
}

function cursor(given: string, last: number): number {
  if (!/^\d{1,15}$/.test(given))
    throw invalidCursor(given, 'is not the id of an event; ids are whole numbers from 1.');
  if (Number(given) > last)
    throw invalidCursor(given, 'is ahead of the feed: there is no event with that id yet.');
  return Number(given);
}
