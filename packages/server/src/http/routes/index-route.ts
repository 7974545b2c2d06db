// GET /api: where to start.

import { createRoute, z } from '@hono/zod-openapi';
import type { App } from '../app.ts';
import { json } from '../kernel/shared.ts';
import { VERSION } from '../kernel/version.ts';

export function indexRoute(app: App): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api',
      tags: ['health'],
      summary: 'The version and the main routes',
      responses: {
        200: json(z.record(z.string(), z.string()), 'The version, and the addresses of the most used routes'),
      },
    }),
    (c) =>
      c.json(
        {
          name: 'Continuo',
          version: VERSION,
          docs: '/docs',
          openapi: '/openapi.json',
          workspaces: '/api/v1/workspaces',
          chats: '/api/v1/workspaces/default/chats',
          runs: '/api/runs',
          ready: '/readyz',
        },
        200,
      ),
  );
}
