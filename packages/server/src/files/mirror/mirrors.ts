// The mirrors of a pod: the visible folders if the pod owns them, otherwise private ones. Each is opened when it is
// first needed.

import { join } from 'node:path';
import type { Bus } from '../../bus/bus.ts';
import type { DatabaseSettings, Pool } from '../../db/pool.ts';
import type { Faults } from '../../faults.ts';
import { FILES_CHANGED } from '../topics.ts';
import type { Mirrors, Workspaces } from '../workspace-files.ts';
import { exists, makeFolders, readdir } from './disk/calls.ts';
import type { Chats } from './out/chats.ts';
import { MirrorClosed, type Log } from './disk/disk.ts';
import { Mirror } from './mirror.ts';
import { homeId, Owner, type Role } from './owner.ts';

/**
 * Chats are written once no run has ended for this long, and at the latest this long after the first one did. Writing
 * competes with runs, which people wait for.
 */
const CALM_MS = 500;
const LATEST_MS = 15_000;
/** Its folder exists from the first start. */
const DEFAULT_WORKSPACE = '00000000-0000-7000-8000-000000000001';

export interface MirrorsOptions {
  readonly pool: Pool;
  /** A direct connection, without a pooler in front, for the lock. */
  readonly database: DatabaseSettings;
  readonly home: string;
  readonly workspaces: Workspaces;
  readonly log: Log;
  readonly now: () => Date;
  readonly faults?: Faults | undefined;
  /** If absent, no chats are written to disk. */
  readonly chats?: Chats | undefined;
}

export interface DiskMirrors extends Mirrors {
  /** Whether this pod owns the visible folders; null while the database is down. */
  readonly role: Role['kind'] | null;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Another pod changed files of a workspace, or renamed or removed it; null: of any workspace. */
  changedElsewhere(workspaceId: string | null): void;
  /** A run of these threads ended, on any pod, or the threads were renamed or removed; null: any thread. */
  chatsChanged(threadIds: readonly string[] | null): void;
}

export function createMirrors(options: MirrorsOptions): DiskMirrors {
  const { pool, home, workspaces, log, now, faults, chats } = options;
  const base = join(home, 'mirrors');
  const open = new Map<string, Mirror>();
  let closing: Promise<unknown> = Promise.resolve();
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
      chats,
      fresh: () => owner!.fresh(),
      confirm: () => owner!.confirm(),
      after: closing,
      closed: () => {
        if (open.get(workspaceId) === mirror) open.delete(workspaceId);
      },
      heldRemovalsChanged: () =>
        void workspaces
          .announce(workspaceId)
          .catch((error: Error) =>
            log.warn({ reason: error.message }, 'held removals could not be announced'),
          ),
      committed: (changed) =>
        void workspaces
          .committed(workspaceId, [changed])
          .catch((error: Error) =>
            log.warn({ reason: error.message }, 'a change on disk could not be announced'),
          ),
    });
    return mirror;
  };

  const get = (workspaceId: string, role: Role): Mirror => {
    const mirror = open.get(workspaceId) ?? create(workspaceId, role);
    open.set(workspaceId, mirror);
    return mirror;
  };

  const onRole = (role: Role | null): void => {
    closing = Promise.all([closing, ...[...open.values()].map((mirror) => mirror.close())]);
    open.clear();
    if (role?.kind !== 'owner') return;
    mirrored(base)
      .then((ids) => {
        if (owner?.role === role) for (const workspaceId of ids) get(workspaceId, role).hint();
      })
      .catch((error: Error) => log.warn({ reason: error.message }, 'the folders cannot be listed'));
  };

  const collected = new Set<string>();
  let collectTimer: NodeJS.Timeout | null = null;
  let collectingSince = 0;
  const collectChats = (ids: readonly string[]): void => {
    for (const id of ids) collected.add(id);
    if (collectTimer === null) {
      collectingSince = performance.now();
      collectTimer = setTimeout(hintChatsWithRetry, CALM_MS).unref();
    } else if (performance.now() - collectingSince < LATEST_MS) collectTimer.refresh();
  };
  const hintCollectedChats = async (): Promise<void> => {
    const ids = [...collected];
    collectTimer = null;
    collected.clear();
    const role = owner?.role;
    if (!chats || role?.kind !== 'owner') return;
    const found = Map.groupBy(await chats.find(ids), ({ workspaceId }) => workspaceId);
    if (owner?.role === role) for (const [id, some] of found) get(id, role).hintChats(some);
  };

  /** If the database is down, the query is repeated: finished chats must be written eventually. */
  const hintChatsWithRetry = (): void => {
    const ids = [...collected];
    hintCollectedChats().catch((error: Error) => {
      log.warn({ reason: error.message }, 'chats could not be written to the folders; retrying');
      collectChats(ids);
    });
  };

  return {
    get role() {
      return owner?.role?.kind ?? null;
    },
    start: async () => {
      await makeFolders(join(home, 'workspaces'));
      database = await databaseName(pool);
      owner = new Owner({ database: options.database, homeId: homeId(base), log, onRole });
      await owner.start();
    },
    stop: async () => {
      if (collectTimer) clearTimeout(collectTimer);
      await Promise.all([closing, ...[...open.values()].map((mirror) => mirror.close())]);
      await owner?.stop();
    },
    stage: (workspaceId, { path }, bytes) => open.get(workspaceId)?.stage(path, bytes) ?? null,
    flush: async (workspaceId, changes) => {
      const role = owner?.role;
      if (!role || (role.kind === 'private' && !open.has(workspaceId)))
        return changes.forEach(({ staged }) => staged?.discard());
      // The commit stands. A refused write is retried later, and `folder` and `problem` report it.
      await get(workspaceId, role)
        .catchUp(changes)
        .catch(() => undefined)
        .finally(() => changes.forEach(({ staged }) => staged?.discard()));
    },
    folder: async (workspaceId) => {
      for (;;) {
        const role = owner?.role;
        if (!role) throw new Error('the folders are not available: the database cannot be reached');
        try {
          return await get(workspaceId, role).folder();
        } catch (error) {
          if (!(error instanceof MirrorClosed) || owner?.role === role) throw error;
        }
      }
    },
    changedElsewhere: (workspaceId) => {
      const role = owner?.role;
      if (workspaceId === null) for (const mirror of open.values()) mirror.hint();
      else if (role?.kind === 'owner') get(workspaceId, role).hint();
      else open.get(workspaceId)?.hint();
    },
    problem: () => {
      for (const { problem } of open.values()) if (problem !== null) return problem;
      return null;
    },
    chatsChanged: (threadIds) => {
      if (!chats || owner?.role?.kind !== 'owner') return;
      if (threadIds === null) for (const mirror of open.values()) mirror.hintChats(null);
      else collectChats(threadIds);
    },
  };
}

export function subscribeMirrors(bus: Bus, mirrors: DiskMirrors): void {
  bus.subscribe(FILES_CHANGED, {
    // Changes made on this pod are flushed by the code that made them.
    message: ({ workspaceId }, origin) => {
      if (origin === 'elsewhere') mirrors.changedElsewhere(workspaceId);
    },
    rescan: () => mirrors.changedElsewhere(null),
  });
}

/** The workspaces that already have a mirror: people may have edited in it. */
async function mirrored(base: string): Promise<readonly string[]> {
  const ids = [DEFAULT_WORKSPACE];
  for (const name of await readdir(base)) if (await exists(join(base, name, 'ledger'))) ids.push(name);
  return [...new Set(ids)];
}

/** Identifies the database: a ledger is valid for one database only. */
async function databaseName(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `select oid || ' ' || (select min(applied_at) from migrations) as name
      from pg_database where datname = current_database()`,
  );
  return rows[0]!.name;
}
