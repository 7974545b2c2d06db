// A workspace's hints as one stream, so that a screen with many chats needs only one connection.

import { createRoute, z } from '@hono/zod-openapi';
import type { App, HttpContext } from '../app.ts';
import { problems } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { answerWithStream } from '../streams/sse.ts';

export function hintRoutes(app: App, { streams, hints }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/hints',
      tags: ['workspaces'],
      summary: 'Follow hints about what has changed',
      description:
        'Server-sent events `hint` `{chats, files, servers, automation, executions}`: the ids of chats whose state, title, queue or approvals have changed, and ' +
        'whether files, MCP servers, or schedules, webhooks and triggers have; and the ids of commands that began, wrote output or ended. A hint only says what to read again. It has no id and is not repeated: after a new connection, read everything ' +
        'once. The stream does not end.',
      request: { params: workspaceParam },
      responses: {
        200: { description: 'The hints', content: { 'text/event-stream': { schema: z.string() } } },
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      return answerWithStream(c, (response) =>
        streams.followHints(response, (listener) => hints.listen(workspaceId, listener)),
      );
    },
  );
}
