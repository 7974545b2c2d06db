// The scope of a request below /workspaces/{id}. It is looked up once, when the route first asks for it, so that a route can
// report an invalid request first.

import type { Context } from 'hono';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { App, HttpContext } from '../app.ts';
import { workspaceIn } from '../routes/workspaces.ts';

declare module 'hono' {
  interface ContextVariableMap {
    findScope: () => Promise<WorkspaceScope>;
  }
}

/** Register before the routes. */
export function scopeRequests(app: App, { pool }: HttpContext): void {
  app.use('/api/v1/workspaces/:id/*', async (c, next) => {
    let scope: Promise<WorkspaceScope> | null = null;
    c.set('findScope', () => (scope ??= findScope(c, pool)));
    await next();
  });
}

/** The workspace in the URL; 404 if the principal may use no such workspace, 410 if it was removed. */
export function scopeIn(c: Context): Promise<WorkspaceScope> {
  return c.get('findScope')();
}

async function findScope(c: Context, pool: HttpContext['pool']): Promise<WorkspaceScope> {
  const { id, name } = await workspaceIn(c, pool, c.req.param('id')!);
  return { principal: c.get('principal'), workspaceId: id, name, db: pool };
}
