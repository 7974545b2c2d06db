// Which workspace a thread lives in. That never changes, so it is asked for once.

import type { Pool } from '../db/pool.ts';

/** Threads that are remembered; the oldest are asked for again. */
const THREADS_KEPT = 100_000;

export interface WorkspaceOf {
  /** Null if there is no such thread. */
  (threadId: string): Promise<string | null> | string;
  remember(threadId: string, workspaceId: string): void;
}

export function createWorkspaceOf(pool: Pool): WorkspaceOf {
  const known = new Map<string, string>();
  const remember = (threadId: string, workspaceId: string): void => {
    known.set(threadId, workspaceId);
    if (known.size > THREADS_KEPT) known.delete(known.keys().next().value!);
  };
  const find = async (threadId: string): Promise<string | null> => {
    const { rows } = await pool.query<{ workspace_id: string }>({
      name: 'workspace_of',
      text: 'select workspace_id from threads where id = $1',
      values: [threadId],
    });
    const found = rows[0]?.workspace_id ?? null;
    if (found !== null) remember(threadId, found);
    return found;
  };
  return Object.assign((threadId: string) => known.get(threadId) ?? find(threadId), { remember });
}
