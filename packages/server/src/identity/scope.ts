// A scope: one workspace, as a principal may use it. Routes get a scope instead of the bare pool, so that every query has the
// workspace that it must be limited to.

import type { Pool } from '../db/pool.ts';
import type { Principal } from './principal.ts';

export interface WorkspaceScope {
  readonly principal: Principal;
  readonly workspaceId: string;
  readonly db: Pool;
}
