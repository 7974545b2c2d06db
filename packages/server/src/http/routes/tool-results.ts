// The full output of a call. Models see only summaries of earlier outputs and fetch the full one on demand.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { parseToolResultId, readToolResult } from '../../runs/reads/tool-results.ts';
import type { App } from '../app.ts';
import { findScopeOfRun } from '../kernel/scope.ts';
import { json, notFound, problems } from '../kernel/shared.ts';

export function toolResultRoutes(app: App): void {
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
      responses: { 200: json(schemas.toolResult, 'The call and its result'), ...problems(404) },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const parsed = parseToolResultId(id);
      const scope = parsed && (await findScopeOfRun(c, parsed.runId));
      const result = scope && (await readToolResult(scope.db, parsed));
      if (!result) throw notFound('tool_result', id.slice(0, 300));
      return c.json(result, 200);
    },
  );
}
