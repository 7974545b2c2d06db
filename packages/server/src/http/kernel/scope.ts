// The scope of a request below /workspaces/{id}. It is looked up when a route asks for it, once: a route first says what is wrong
// with the request itself.

import type { Context } from 'hono';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { App, HttpContext } from '../app.ts';
import { workspaceIn } from '../routes/workspaces.ts';

declare module 'hono' {
  interface ContextVariableMap {
    findScope: () => Promise<WorkspaceScope>;
  }
}

/** Comes before the routes. */
export function scopeRequests(app: App, { pool }: HttpContext): void {
  app.use('/api/v1/workspaces/:id/*', async (c, next) => {
    let scope: Promise<WorkspaceScope> | null = null;
    c.set('findScope', () => (scope ??= findScope(c, pool)));
    await next();
  });
}

/** The workspace that the address names; 404 if there is none that the principal may use, 410 if it was removed. */
export function scopeIn(c: Context): Promise<WorkspaceScope> {
  return c.get('findScope')();
}

async function findScope(c: Context, pool: HttpContext['pool']): Promise<WorkspaceScope> {
  const { id, name } = await workspaceIn(c, pool, c.req.param('id')!);
  return { principal: c.get('principal'), workspaceId: id, name, db: pool };
}
