// A chat's pipe: its log in the `workspace` dialect, as one stream across all its runs and sessions, or as pages.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import { schemas, workspace } from '@continuo/protocol';
import { logEnd } from '../../threads/read-threads.ts';
import type { App, HttpContext } from '../app.ts';
import { CHAT, chatParam, noChat } from './chats.ts';
import { pageAfter, positionOf } from '../dialects/dialect-stream.ts';
import { limitQuery, page, problems, wantsJson } from '../kernel/shared.ts';
import { beginsAfter } from '../kernel/sse.ts';
import { scopeIn } from '../kernel/scope.ts';

const tags = ['chats'];
const BINDING = { dialect: workspace };

export function chatEventRoutes(app: App, context: HttpContext): void {
  const { streams } = context;
  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/events`,
      tags,
      summary: 'Follow a chat, or page through its events',
      description:
        'Server-sent events of all its runs and sessions, from the chat’s beginning, or from `after` (or the `Last-Event-ID` ' +
        'header) on; `after=latest` begins now. The stream has no end. With `Accept: application/json` or `format=json`, a page; ' +
        '`next` is null when there is nothing more now. docs/dialects.md tells what is sent.',
      request: {
        params: chatParam,
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
            'application/json': { schema: page(schemas.frame) },
          },
        },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { chat } = c.req.valid('param');
      const { workspaceId, db } = await scopeIn(c);
      const end = await logEnd(db, workspaceId, chat);
      if (end === null) throw await noChat(context, workspaceId, chat);
      const given = c.req.header('last-event-id') || c.req.valid('query').after || '0';
      const cursor = given === 'latest' ? String(end) : given;
      const scope = { threadId: chat, run: null };
      const from = await positionOf(db, c.env.outgoing, workspace, scope, cursor);
      const { limit, format } = c.req.valid('query');
      if (format === 'json' || (format === undefined && wantsJson(c))) {
        const body = await pageAfter(db, workspace, scope, from, { last: end, limit });
        return c.body(body, 200, { 'content-type': 'application/json' });
      }
      if (c.req.method === 'HEAD')
        return c.body(null, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
      streams.follow(c.env.outgoing, { binding: BINDING, scope, from, headers: beginsAfter(cursor) });
      return RESPONSE_ALREADY_SENT;
    },
  );
}
