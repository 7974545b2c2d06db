// A chat's pipe: its log in the `workspace` dialect, as one stream across all its runs and sessions, or as pages.

import { createRoute } from '@hono/zod-openapi';
import { schemas, workspace } from '@continuo/protocol';
import { logEnd } from '../../threads/read-threads.ts';
import type { App, HttpContext } from '../app.ts';
import { scopeIn } from '../kernel/scope.ts';
import { problems } from '../kernel/shared.ts';
import { pageAfter, positionOf } from '../streams/dialect-stream.ts';
import {
  answerWithEvents,
  cursorHeader,
  cursorIn,
  eventsQuery,
  eventsResponse,
  wantsPage,
} from '../streams/events-request.ts';
import { beginsAfter } from '../streams/sse.ts';
import { CHAT, chatParam, noChat } from './chats.ts';

const tags = ['chats'];
const BINDING = { dialect: workspace };

export function chatEventRoutes(app: App, { streams }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: `${CHAT}/events`,
      tags,
      summary: 'Follow a chat, or page through its events',
      description:
        'Server-sent events of all its runs and sessions, from the chat’s beginning, or after `after` (or the `Last-Event-ID` ' +
        'header); `after=latest` starts now. The stream does not end. With `Accept: application/json` or `format=json`, a page; ' +
        '`next` is null at the end of the log. docs/dialects.md describes the frames.',
      request: {
        params: chatParam,
        headers: cursorHeader,
        query: eventsQuery,
      },
      responses: {
        200: eventsResponse(schemas.frame),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { chat } = c.req.valid('param');
      const { after, limit, format } = c.req.valid('query');
      const scope = await scopeIn(c);
      const { workspaceId, db } = scope;
      const end = await logEnd(db, workspaceId, chat);
      if (end === null) throw await noChat(scope, chat);
      const given = cursorIn(c, after);
      const cursor = given === 'latest' ? String(end) : given;
      const source = { threadId: chat, run: null };
      const from = await positionOf(db, c.env.outgoing, workspace, source, cursor);
      return answerWithEvents(c, {
        asPage: wantsPage(c, format),
        page: () => pageAfter(db, workspace, source, from, { last: end, limit }),
        stream: (response) =>
          streams.follow(response, { binding: BINDING, source, from, headers: beginsAfter(cursor) }),
      });
    },
  );
}
