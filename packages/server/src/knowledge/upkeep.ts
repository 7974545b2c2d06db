// What is done to knowledge later: folders that came from disk get their document, and removed entities are deleted when they can no
// longer be restored.

import type { Bus } from '../bus/bus.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { FILES_CHANGED } from '../files/topics.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import { RESTORABLE_DAYS } from './entities.ts';

/** Files come from disk one by one: a folder is complete when nothing has come for this long. */
const QUIET_MS = 2000;

export interface FolderKeeper {
  /** Resolves when work in progress has finished. */
  stop(): Promise<void>;
}

/** Gives each folder of documents that came from disk a document of its own, once its workspace is quiet. */
export function startFolderKeeper({
  pool,
  bus,
  workspaces,
  onError,
}: {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly workspaces: Workspaces;
  readonly onError: (error: Error) => void;
}): FolderKeeper {
  const waiting = new Map<string, NodeJS.Timeout>();
  const doing = new Set<Promise<void>>();
  let stopped = false;
  const complete = (workspaceId: string): void => {
    waiting.delete(workspaceId);
    const work: Promise<void> = completeFolders(pool, workspaceId)
      .then((added) => (added > 0 ? workspaces.moved(workspaceId) : undefined))
      .catch(onError)
      .finally(() => doing.delete(work));
    doing.add(work);
  };
  bus.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => {
      clearTimeout(waiting.get(workspaceId));
      if (!stopped) waiting.set(workspaceId, setTimeout(complete, QUIET_MS, workspaceId).unref());
    },
    rescan: () => {
      listWithParentless(pool).then((ids) => ids.forEach(complete), onError);
    },
  });
  return {
    stop: async () => {
      stopped = true;
      for (const timer of waiting.values()) clearTimeout(timer);
      await Promise.all(doing);
    },
  };
}

/** Returns how many documents were added. */
async function completeFolders(client: Queryable, workspaceId: string): Promise<number> {
  const { rows } = await client.query<{ added: number }>({
    name: 'complete_folders',
    text: 'select complete_folders($1) as added',
    values: [workspaceId],
  });
  return rows[0]!.added;
}

async function listWithParentless(client: Queryable): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select distinct workspace_id as id from parentless_documents',
  );
  return rows.map(({ id }) => id);
}

/** The workspaces that have entities which can no longer be restored. */
export async function listWithExpired(client: Queryable): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select distinct workspace_id as id from entities
      where removed_at < clock_timestamp() - make_interval(days => $1)`,
    [RESTORABLE_DAYS],
  );
  return rows.map(({ id }) => id);
}

export async function purgeEntities(client: Queryable, workspaceId: string): Promise<void> {
  await client.query('select purge_entities($1, clock_timestamp() - make_interval(days => $2))', [
    workspaceId,
    RESTORABLE_DAYS,
  ]);
}
