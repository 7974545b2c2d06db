// How a request gets the database: through the scope of one workspace. A request names the workspace itself, or something in it
// (a thread, a run), and the lookup leads from there to the workspace. A workspace that the principal may not use is answered as if
// neither it nor anything in it existed.

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Bus } from '../../bus/bus.ts';
import type { Pool } from '../../db/pool.ts';
import { FILES_CHANGED } from '../../files/topics.ts';
import { mayUse, onlyWorkspace, type Principal } from '../../identity/principal.ts';
import type { ServerScope, WorkspaceScope } from '../../identity/scope.ts';
import type { LogTailCache } from '../../log/tail-cache.ts';
import type { FactWorld } from '../../runs/facts/world.ts';
import { workspaceOfRun } from '../../runs/reads/read-runs.ts';
import type { Origin, ThreadOriginCache } from '../../threads/origin-cache.ts';
import {
  DEFAULT_NAME,
  DEFAULT_WORKSPACE,
  findWorkspace,
  GRACE_DAYS,
  type Found,
} from '../../workspaces/workspaces.ts';
import type { App, HttpContext } from '../app.ts';
import { Problem } from './problem.ts';
import { notFound } from './shared.ts';

declare module 'hono' {
  interface ContextVariableMap {
    scopes: Scopes;
    /** The scope of the workspace in the URL, once a route has asked for it. */
    urlScope: Promise<WorkspaceScope> | undefined;
  }
}

export const workspaceParam = z.object({
  id: z.string().min(1).max(64).openapi({ description: 'The workspace’s id or name.', example: 'default' }),
});

interface Lookups {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly originOf: ThreadOriginCache;
  readonly recent: LogTailCache;
}

/** Register before the routes. */
export function provideScopes(app: App, lookups: Lookups): void {
  const scopes = new Scopes(lookups);
  app.use('/api/*', async (c, next) => {
    c.set('scopes', scopes);
    await next();
  });
}

/** The workspace in the URL, looked up once; 404 if the principal may use no such workspace, 410 if it was removed. */
export function scopeIn(c: Context): Promise<WorkspaceScope> {
  const known = c.get('urlScope');
  if (known) return known;
  const found = c.get('scopes').named(c.get('principal'), c.req.param('id')!);
  c.set('urlScope', found);
  return found;
}

/**
 * Like `scopeIn`, without a query if the name is cached. The workspace may have been renamed or removed since: only for a request
 * whose statement finds out by itself.
 */
export function cachedScopeIn(c: Context): Promise<WorkspaceScope> {
  return c.get('scopes').cached(c.get('principal'), c.req.param('id')!);
}

/** Like `cachedScopeIn`, for a workspace that the settings name; null if there is none. */
export function cachedScopeNamed(c: Context, name: string): Promise<WorkspaceScope | null> {
  return c
    .get('scopes')
    .cached(c.get('principal'), name)
    .catch(() => null);
}

/** The removed workspace in the URL; null if it is not removed. */
export function removedScopeIn(c: Context): Promise<WorkspaceScope | null> {
  return c.get('scopes').removed(c.get('principal'), c.req.param('id')!);
}

/** The workspace that a query or a body names; the default workspace if it names none. */
export function scopeNamed(c: Context, given: string | undefined): Promise<WorkspaceScope> {
  const scopes = c.get('scopes');
  return given === undefined ? scopes.default(c.get('principal')) : scopes.named(c.get('principal'), given);
}

/** For a route that names no workspace. */
export function serverScope(c: Context): ServerScope {
  return c.get('scopes').server(c.get('principal'));
}

/** The workspace of a thread; null if the principal may use no such thread. */
export function findScopeOfThread(c: Context, threadId: string): Promise<ThreadScope | null> {
  return c.get('scopes').ofThread(c.get('principal'), threadId);
}

/** The workspace of a thread; 404 if the principal may use no such thread. */
export async function scopeOfThread(c: Context, threadId: string, what = 'thread'): Promise<ThreadScope> {
  const scope = await findScopeOfThread(c, threadId);
  if (!scope) throw notFound(what, threadId);
  return scope;
}

/** The workspace of a run; null if the principal may use no such run. */
export function findScopeOfRun(c: Context, runId: string): Promise<WorkspaceScope | null> {
  return c.get('scopes').ofRun(c.get('principal'), runId);
}

/** The workspace of a run; 404 if the principal may use no such run. */
export async function scopeOfRun(c: Context, runId: string): Promise<WorkspaceScope> {
  const scope = await findScopeOfRun(c, runId);
  if (!scope) throw notFound('run', runId);
  return scope;
}

/** The dependencies of the functions that write facts, for a request in this scope. */
export function factWorld(
  { pod, bus }: Pick<HttpContext, 'pod' | 'bus'>,
  { db, principal }: WorkspaceScope,
): FactWorld {
  return { pool: db, pod, bus, principal };
}

/** Refuses a key that may use one workspace only. `action` completes "may not …". */
export function refuseLimitedKey(c: Context, action: string): void {
  const principal = c.get('principal');
  if (principal.kind !== 'key' || onlyWorkspace(principal) === null) return;
  throw new Problem({
    status: 403,
    code: 'key_limited',
    detail: `The key ${principal.name} is limited to one workspace and may not ${action}. Use a key for the whole server.`,
  });
}

export function workspaceNotFound(given: string): Problem {
  return new Problem({
    status: 404,
    code: 'workspace_not_found',
    detail: `There is no workspace with the id or name ${JSON.stringify(given.slice(0, 64))}. GET /api/v1/workspaces lists what there is.`,
  });
}

export interface ThreadScope extends WorkspaceScope {
  readonly origin: Origin;
}

class Scopes {
  readonly #lookups: Lookups;
  /** Ids of workspaces by the name or id in a URL. */
  readonly #ids = new Map<string, string>();

  constructor(lookups: Lookups) {
    this.#lookups = lookups;
    const forget = () => this.#ids.clear();
    lookups.bus.subscribe(FILES_CHANGED, { message: forget, rescan: forget });
  }

  server(principal: Principal): ServerScope {
    return { principal, only: onlyWorkspace(principal), db: this.#lookups.pool };
  }

  async default(principal: Principal): Promise<WorkspaceScope> {
    if (!mayUse(principal, DEFAULT_WORKSPACE)) throw workspaceNotFound(DEFAULT_NAME);
    return this.#scope(principal, DEFAULT_WORKSPACE);
  }

  async named(principal: Principal, given: string): Promise<WorkspaceScope> {
    const found = await this.#find(principal, given);
    if (!found) throw workspaceNotFound(given);
    if (found.removed) throw workspaceRemoved(found);
    this.#ids.set(given, found.id);
    return this.#scope(principal, found.id);
  }

  async cached(principal: Principal, given: string): Promise<WorkspaceScope> {
    const id = this.#ids.get(given);
    return id !== undefined && mayUse(principal, id)
      ? this.#scope(principal, id)
      : this.named(principal, given);
  }

  async removed(principal: Principal, given: string): Promise<WorkspaceScope | null> {
    const found = await this.#find(principal, given);
    return found?.removed ? this.#scope(principal, found.id) : null;
  }

  async ofThread(principal: Principal, threadId: string): Promise<ThreadScope | null> {
    const origin = await this.#lookups.originOf(threadId);
    if (!origin || !mayUse(principal, origin.workspaceId)) return null;
    return { ...this.#scope(principal, origin.workspaceId), origin };
  }

  async ofRun(principal: Principal, runId: string): Promise<WorkspaceScope | null> {
    const { pool, recent } = this.#lookups;
    // An open run of this pod needs no query.
    const place = recent.place(runId);
    if (place) return this.ofThread(principal, place.threadId);
    const workspaceId = await workspaceOfRun(pool, runId);
    return workspaceId !== null && mayUse(principal, workspaceId)
      ? this.#scope(principal, workspaceId)
      : null;
  }

  /** Null if the principal may use no such workspace. */
  async #find(principal: Principal, given: string): Promise<Found | null> {
    if (given.length > 64 || given.includes('\0')) return null;
    const found = await findWorkspace(this.#lookups.pool, given);
    return found && mayUse(principal, found.id) ? found : null;
  }

  #scope(principal: Principal, workspaceId: string): WorkspaceScope {
    return { principal, workspaceId, db: this.#lookups.pool };
  }
}

function workspaceRemoved({ id, name }: Found): Problem {
  return new Problem({
    status: 410,
    code: 'workspace_removed',
    detail:
      `The workspace ${name} was removed. For ${GRACE_DAYS} days after that, ` +
      `POST /api/v1/workspaces/${id}/restore with an empty body restores it.`,
  });
}
