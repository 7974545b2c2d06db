// The full output of a call. Models see only summaries of earlier outputs and fetch the full one on demand.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { readToolResult } from '../../runs/reads/tool-results.ts';
import type { App, HttpContext } from '../app.ts';
import { json, notFound, problems } from '../kernel/shared.ts';

export function toolResultRoutes(app: App, { pool }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/tool-results/{id}',
      tags: ['tools'],
      summary: 'Read a call’s full result',
      request: {
        params: z.object({
          id: z.string().meta({ description: 'The run’s id, a colon, and the call’s id.' }),
        }),
      },
      responses: { 200: json(schemas.toolResult, 'The call and what came of it'), ...problems(404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const result = await readToolResult(pool, id);
      if (!result) throw notFound('tool_result', id.slice(0, 300));
      return c.json(result, 200);
    },
  );
}
