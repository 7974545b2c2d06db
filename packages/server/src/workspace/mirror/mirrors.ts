// The mirrors of a pod: the visible folders if they are this pod's, else private ones, each opened when it is first needed.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSettings, Pool } from '../../db/pool.ts';
import type { Faults } from '../../faults.ts';
import type { Mirrors, Workspaces } from '../workspace.ts';
import type { Log } from './disk.ts';
import { Mirror, MirrorClosed } from './mirror.ts';
import { homeId, Owner, type Role } from './owner.ts';

/** Its folder is there from the first start. */
const DEFAULT_WORKSPACE = '00000000-0000-7000-8000-000000000001';

export interface MirrorsOptions {
  readonly pool: Pool;
  /** A connection without a pooler in front, for the lock. */
  readonly database: DatabaseSettings;
  readonly home: string;
  readonly workspaces: Workspaces;
  readonly log: Log;
  readonly now: () => Date;
  readonly faults?: Faults | undefined;
}

export interface DiskMirrors extends Mirrors {
  /** Whether the visible folders are this pod's; null while the database is away. */
  readonly role: Role['kind'] | null;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Another pod changed something in a workspace, or renamed or removed it; null: in some. */
  heard(workspaceId: string | null): void;
}

export function createMirrors(options: MirrorsOptions): DiskMirrors {
  const { pool, home, workspaces, log, now, faults } = options;
  const base = join(home, 'mirrors');
  const open = new Map<string, Mirror>();
  let database = '';
  let owner: Owner | null = null;

  const create = (workspaceId: string, role: Role): Mirror => {
    const own = role.kind === 'owner' ? base : join(base, `private-${role.slot}`);
    const mirror: Mirror = new Mirror({
      pool,
      workspaceId,
      of: `${workspaceId} ${database}`,
      visible: role.kind === 'owner',
      folders: join(home, 'workspaces'),
      own: join(own, workspaceId),
      maxFileBytes: workspaces.options.maxFileBytes,
      quotaBytes: workspaces.options.quotaBytes,
      log,
      now,
      faults,
      fresh: () => owner!.fresh(),
      confirm: () => owner!.confirm(),
      closed: () => {
        if (open.get(workspaceId) === mirror) open.delete(workspaceId);
      },
      committed: (changed) =>
        void workspaces
          .committed(workspaceId, [changed])
          .catch((error: Error) => log.warn({ reason: error.message }, 'a change on disk was not announced')),
    });
    return mirror;
  };

  const get = (workspaceId: string, role: Role): Mirror => {
    const mirror = open.get(workspaceId) ?? create(workspaceId, role);
    open.set(workspaceId, mirror);
    return mirror;
  };

  const onRole = (role: Role | null): void => {
    for (const mirror of open.values()) void mirror.close();
    open.clear();
    if (role?.kind !== 'owner') return;
    for (const workspaceId of mirrored(base)) get(workspaceId, role).hint();
  };

  return {
    get role() {
      return owner?.role?.kind ?? null;
    },
    start: async () => {
      mkdirSync(join(home, 'workspaces'), { recursive: true });
      database = await databaseName(pool);
      owner = new Owner({ database: options.database, homeId: homeId(base), log, onRole });
      await owner.start();
    },
    stop: async () => {
      await Promise.all([...open.values()].map((mirror) => mirror.close()));
      await owner?.stop();
    },
    stage: (workspaceId, { path }, bytes) => open.get(workspaceId)?.stage(path, bytes) ?? null,
    flush: async (workspaceId, changes) => {
      const role = owner?.role;
      if (!role || (role.kind === 'private' && !open.has(workspaceId)))
        return changes.forEach(({ staged }) => staged?.discard());
      // What is committed is committed: a disk that refuses is tried again, and `folder` says so.
      await get(workspaceId, role)
        .catchUp(changes)
        .catch((error: Error) => {
          if (!(error instanceof MirrorClosed))
            log.warn({ workspace: workspaceId, reason: error.message }, 'a change is not on disk yet');
        })
        .finally(() => changes.forEach(({ staged }) => staged?.discard()));
    },
    folder: async (workspaceId) => {
      for (;;) {
        const role = owner?.role;
        if (!role) throw new Error('the folders cannot be reached: the database is away');
        try {
          return await get(workspaceId, role).folder();
        } catch (error) {
          if (!(error instanceof MirrorClosed) || owner?.role === role) throw error;
        }
      }
    },
    heard: (workspaceId) => {
      const role = owner?.role;
      if (workspaceId === null) for (const mirror of open.values()) mirror.hint();
      else if (role?.kind === 'owner') get(workspaceId, role).hint();
      else open.get(workspaceId)?.hint();
    },
  };
}

/** The workspaces that have a mirror already: people may have edited in them. */
function mirrored(base: string): readonly string[] {
  const ids = readdirSync(base).filter((name) => existsSync(join(base, name, 'ledger')));
  return [...new Set([DEFAULT_WORKSPACE, ...ids])];
}

/** Tells databases apart: a ledger holds for one only. */
async function databaseName(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `select oid || ' ' || (select min(applied_at) from migrations) as name
      from pg_database where datname = current_database()`,
  );
  return rows[0]!.name;
}
