// Health and metrics: is the process alive, can it serve requests, and what has it done?

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import type { Storage } from '../../db/storage.ts';
import type { App, HttpContext } from '../app.ts';
import { refuseLimitedKey } from '../kernel/scope.ts';
import { json, problems } from '../kernel/shared.ts';
import { VERSION } from '../kernel/version.ts';

export function healthRoutes(
  app: App,
  { databaseState, storage, pod, metrics, workspaces }: HttpContext,
): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/healthz',
      tags: ['health'],
      summary: 'Whether the process is alive',
      responses: { 200: json(z.object({ status: z.literal('ok') }), 'The process is alive') },
    }),
    (c) => c.json({ status: 'ok' as const }, 200),
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/readyz',
      tags: ['health'],
      summary: 'Whether the server is ready',
      responses: {
        200: json(schemas.ready, 'The server is ready'),
        503: json(schemas.ready, 'The server is not ready; the fields say why'),
      },
    }),
    async (c) => {
      const database = await databaseState();
      const room = await roomIn(storage, database.database === 'ok');
      const isReady =
        database.database === 'ok' &&
        database.migrations === 'applied' &&
        room === 'ok' &&
        pod.state === 'registered';
      return c.json(
        {
          status: isReady ? ('ready' as const) : ('unready' as const),
          ...database,
          storage: room,
          pod: pod.state,
          folders: workspaces.mirrors.problem() ?? 'ok',
          version: VERSION,
        },
        isReady ? 200 : 503,
      );
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/metrics',
      tags: ['health'],
      summary: 'Metrics for Prometheus',
      responses: {
        200: { description: 'Metrics', content: { 'text/plain': { schema: z.string() } } },
        ...problems(403),
      },
    }),
    async (c) => {
      refuseLimitedKey(c, 'read the metrics of the whole server');
      return c.text(await metrics.text(), 200, { 'content-type': metrics.contentType });
    },
  );
}

async function roomIn(storage: Storage, isDatabaseThere: boolean): Promise<'ok' | 'full' | 'unknown'> {
  if (isDatabaseThere) return storage.state();
  return (await storage.keepsDatabaseAway()) ? 'full' : 'unknown';
}
