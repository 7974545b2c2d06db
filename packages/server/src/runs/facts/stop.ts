// A stop is a durable fact that any pod accepts. It cancels the open runs of a thread and ends its session.

import type { SessionState } from '@continuo/protocol';
import { announceFact, principalJson, type FactWorld } from './world.ts';

interface Stop {
  /** False if there was neither an open run nor a live session. */
  readonly asked: boolean;
  /** The latest session's state; null if there has been none. */
  readonly session: SessionState | null;
}

export async function requestStop(world: FactWorld, threadId: string, reason: string): Promise<Stop> {
  const { rows } = await world.pool.query<Stop & { owner: string | null }>({
    name: 'stop_thread',
    text: 'select * from stop_thread($1, $2, $3)',
    values: [threadId, reason, principalJson(world)],
  });
  const { asked, session, owner } = rows[0]!;
  if (asked) await announceFact(world, threadId, owner);
  return { asked, session };
}
