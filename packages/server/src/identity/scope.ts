// A scope: one workspace, as a principal may use it. Routes get it instead of the bare pool, so that a query always has the
// workspace at hand that it is to be limited to.

import type { Pool } from '../db/pool.ts';
import type { Principal } from './principal.ts';

export interface WorkspaceScope {
  readonly principal: Principal;
  readonly workspaceId: string;
  /** The workspace's name. */
  readonly name: string;
  readonly db: Pool;
}
