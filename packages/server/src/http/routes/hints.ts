// A workspace's hints as one stream, so that a screen with many chats needs only one connection.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, z } from '@hono/zod-openapi';
import type { App, HttpContext } from '../app.ts';
import { problems } from '../kernel/shared.ts';
import { scopeIn } from '../kernel/scope.ts';
import { workspaceParam } from './workspaces.ts';

export function hintRoutes(app: App, { streams, hints }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/hints',
      tags: ['workspaces'],
      summary: 'Hear which chats have changed',
      description:
        'Server-sent events `hint` `{chats, files, servers}`: the ids of chats whose state, title, queue or approvals have changed, and ' +
        'whether files or MCP servers have. A hint only says where to look. It has no id and is not repeated: after a new connection, look at everything ' +
        'once. The stream has no end.',
      request: { params: workspaceParam },
      responses: {
        200: { description: 'The hints', content: { 'text/event-stream': { schema: z.string() } } },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      if (c.req.method === 'HEAD')
        return c.body(null, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
      streams.followHints(c.env.outgoing, (listener) => hints.listen(workspaceId, listener));
      return RESPONSE_ALREADY_SENT;
    },
  );
}
