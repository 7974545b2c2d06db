// Caches what a thread was created with: its workspace, and the role and model that answer unless a message names others.
// These never change, so they are read once.

import { LRUCache } from 'lru-cache';
import type { Pool } from '../db/pool.ts';

/** Maximum number of cached threads. The least recently used is evicted first. */
const THREADS_KEPT = 100_000;

export interface Origin {
  readonly workspaceId: string;
  readonly role: string | null;
  readonly model: string | null;
}

export interface ThreadOriginCache {
  /** Null if there is no such thread. */
  (threadId: string): Promise<Origin | null> | Origin;
  remember(threadId: string, origin: Origin): void;
}

export function createThreadOriginCache(pool: Pool): ThreadOriginCache {
  const known = new LRUCache<string, Origin>({ max: THREADS_KEPT });
  const remember = (threadId: string, origin: Origin): void => void known.set(threadId, origin);
  const find = async (threadId: string): Promise<Origin | null> => {
    const { rows } = await pool.query<Origin>({
      name: 'origin_of',
      text: 'select workspace_id as "workspaceId", role, model from threads where id = $1',
      values: [threadId],
    });
    const found = rows[0] ?? null;
    if (found !== null) remember(threadId, found);
    return found;
  };
  return Object.assign((threadId: string) => known.get(threadId) ?? find(threadId), { remember });
}
