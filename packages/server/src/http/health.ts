// Is the process there, and can it serve?

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { migrationNames } from '../db/migrate.ts';
import type { Pool } from '../db/pool.ts';
import type { App, HttpContext } from './app.ts';
import { json } from './shared.ts';

export function healthRoutes(app: App, { pool, pod }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/healthz',
      tags: ['health'],
      summary: 'The process is there',
      responses: { 200: json(z.object({ status: z.literal('ok') }), 'It is') },
    }),
    (c) => c.json({ status: 'ok' as const }, 200),
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/readyz',
      tags: ['health'],
      summary: 'The server can do its work',
      responses: {
        200: json(schemas.ready, 'It can'),
        503: json(schemas.ready, 'It cannot; the fields say why'),
      },
    }),
    async (c) => {
      const database = await databaseState(pool);
      const isReady =
        database.database === 'ok' && database.migrations === 'applied' && pod.state === 'registered';
      return c.json(
        { status: isReady ? ('ready' as const) : ('unready' as const), ...database, pod: pod.state },
        isReady ? 200 : 503,
      );
    },
  );
}

async function databaseState(pool: Pool): Promise<{ database: string; migrations: string }> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from migrations');
    const applied = new Set(rows.map((row) => row.name));
    const missing = (await migrationNames()).filter((name) => !applied.has(name));
    return {
      database: 'ok',
      migrations: missing.length === 0 ? 'applied' : `missing: ${missing.join(', ')}`,
    };
  } catch {
    // The reason may name addresses and users: the log has it, the caller need not.
    return { database: 'unreachable', migrations: 'unknown' };
  }
}
