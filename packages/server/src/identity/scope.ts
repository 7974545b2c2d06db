// A scope: one workspace, or all workspaces, as a principal may use them. Routes get a scope instead of the bare pool, so that
// every query has the workspace that it must be limited to.

import type { Pool } from '../db/pool.ts';
import type { Principal } from './principal.ts';

export interface WorkspaceScope {
  readonly principal: Principal;
  readonly workspaceId: string;
  readonly db: Pool;
}

/** The workspaces that a principal may use, for routes that name none. */
export interface ServerScope {
  readonly principal: Principal;
  /** The only workspace that the principal may use; null if it may use all. */
  readonly only: string | null;
  readonly db: Pool;
}
