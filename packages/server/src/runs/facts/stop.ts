// A stop is a durable fact that any pod accepts: the open runs of a thread are canceled, and its session ends.

import type { SessionState } from '@continuo/protocol';
import type { Pod } from '../../actors/pod.ts';
import type { Pool } from '../../db/pool.ts';

interface Stop {
  /** False where there was neither an open run nor a live session. */
  readonly asked: boolean;
  /** The latest session's state; null if there has been none. */
  readonly session: SessionState | null;
}

export async function requestStop(
  { pool, pod }: { pool: Pool; pod: Pod },
  threadId: string,
  reason: string,
): Promise<Stop> {
  const { rows } = await pool.query<Stop & { owner: string | null }>({
    name: 'stop_thread',
    text: 'select * from stop_thread($1, $2)',
    values: [threadId, reason],
  });
  const { asked, session, owner } = rows[0]!;
  if (asked) await pod.wake(threadId, owner);
  return { asked, session };
}
