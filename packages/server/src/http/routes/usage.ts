// Token usage and cost of runs.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import type { Pool } from '../../db/pool.ts';
import { onlyWorkspace } from '../../identity/principal.ts';
import { sumUsage } from '../../runs/reads/usage.ts';
import type { App } from '../app.ts';
import { json, limitQuery, page, problems } from '../kernel/shared.ts';

export function usageRoutes(app: App, pool: Pool): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/usage',
      tags: ['usage'],
      summary: 'Sum tokens and cost by run, thread, role or model',
      request: {
        query: z.object({
          by: z.enum(['run', 'thread', 'role', 'model']).default('model'),
          thread_id: z.uuid().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.usageSum), 'The largest sums first'), ...problems(400) },
    }),
    async (c) => {
      const { by, thread_id, limit } = c.req.valid('query');
      return c.json(
        {
          items: await sumUsage(pool, by, {
            threadId: thread_id ?? null,
            workspaceId: onlyWorkspace(c.get('principal')),
            limit,
          }),
          next: null,
        },
        200,
      );
    },
  );
}
