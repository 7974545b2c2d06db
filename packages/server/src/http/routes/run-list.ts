// The runs of a workspace, across all its chats.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas, type RunStatus } from '@continuo/protocol';
import { listRuns } from '../../runs/reads/read-runs.ts';
import type { App } from '../app.ts';
import { json, limitQuery, page, problems, timeCursor } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

const OPEN: readonly RunStatus[] = ['queued', 'running'];

export function runListRoutes(app: App): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/runs',
      tags: ['runs'],
      summary: 'List runs, newest first',
      request: {
        params: workspaceParam,
        query: z.object({
          chat: z.uuid().optional(),
          status: z
            .enum(['open', ...schemas.runStatus.options])
            .optional()
            .openapi({ description: 'Only runs with this status; `open`: queued or running.' }),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.listedRun), 'A page of runs'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { chat = null, status, after, limit } = c.req.valid('query');
      const { workspaceId, db } = await scopeIn(c);
      const cursor = after === undefined ? null : timeCursor(after);
      const statuses = status === undefined ? null : status === 'open' ? OPEN : [status];
      return c.json(await listRuns(db, workspaceId, { threadId: chat, statuses, after: cursor, limit }), 200);
    },
  );
}
