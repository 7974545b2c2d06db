// A workspace's change feed: as a stream that clients can resume, or as pages.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { lastChange, readChanges } from '../../files/changes.ts';
import type { App, HttpContext } from '../app.ts';
import { invalidCursor, json, limitQuery, page, problems } from '../kernel/shared.ts';
import { scopeIn } from '../kernel/scope.ts';
import { workspaceParam } from './workspaces.ts';

const tags = ['files'];

export function changeRoutes(app: App, { streams }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/events',
      tags,
      summary: 'Follow what happens to the files',
      description:
        'Server-sent events `file_updated`, `file_moved` and `file_removed`, from `after` (or the `Last-Event-ID` header) on; ' +
        '`after=latest` begins now. The stream has no end.',
      request: {
        params: workspaceParam,
        headers: z.object({ 'last-event-id': z.string().optional() }),
        query: z.object({ after: z.string().optional() }),
      },
      responses: {
        200: { description: 'The changes', content: { 'text/event-stream': { schema: z.string() } } },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId, db } = await scopeIn(c);
      const given = c.req.header('last-event-id') || c.req.valid('query').after || '0';
      const last = await lastChange(db, workspaceId);
      const seq = given === 'latest' ? last : cursor(given, last);
      if (c.req.method === 'HEAD')
        return c.body(null, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
      streams.followChanges(c.env.outgoing, workspaceId, seq);
      return RESPONSE_ALREADY_SENT;
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/changes',
      tags,
      summary: 'Page through what happened to the files',
      description:
        '`next` is null when there is nothing more now; the `seq` of the last item goes on from there later.',
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
