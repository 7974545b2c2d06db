// A ping says that a person is present. It restarts the idle time of the session.

import type { SessionState } from '@continuo/protocol';
import { THREAD_CHANGED } from '../../threads/topics.ts';
import type { FactWorld } from './world.ts';

export interface Pinged {
  readonly state: SessionState;
  /** When the idle session expires if nothing happens; null if it is not idle. */
  readonly expiresAt: Date | null;
}

export async function ping(
  { pool, bus }: Pick<FactWorld, 'pool' | 'bus'>,
  threadId: string,
  inactivitySeconds: number,
): Promise<Pinged | null> {
  const { rows } = await pool.query<{ state: SessionState | null; expires_at: Date }>({
    name: 'ping_thread',
    text: `update threads t set pinged_at = clock_timestamp() where t.id = $1
      returning t.pinged_at + make_interval(secs => $2) as expires_at,
        (select s.state from sessions s where s.thread_id = t.id order by s.started_at desc, s.id desc limit 1) as state`,
    values: [threadId, inactivitySeconds],
  });
  const [row] = rows;
  if (!row) return null;
  void bus.publish(THREAD_CHANGED, { threadId, change: 'fact' });
  return { state: row.state ?? 'idle', expiresAt: row.state === 'idle' ? row.expires_at : null };
}
