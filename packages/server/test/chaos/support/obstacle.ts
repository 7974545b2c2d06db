// Something in the way of every commit: a deferred trigger that wants a lock, and a session that can take it.
// While it is taken, a transaction that wrote events, runs or effects waits in the middle of its COMMIT.

import pg from 'pg';
import type { Obstacle } from './cutting-proxy.ts';

const LOCK = 77_001;

export interface CommitObstacle extends Obstacle {
  close(): Promise<void>;
}

/** `patienceMs`: how long nobody may come for what is being committed before it goes on. */
export async function createObstacle(databaseUrl: string, patienceMs: number): Promise<CommitObstacle> {
  const holder = new pg.Client(databaseUrl);
  const watcher = new pg.Client(databaseUrl);
  await Promise.all([holder.connect(), watcher.connect()]);
  await watcher.query(`
    create function wait_at_obstacle() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${LOCK});
      return null;
    end $$`);
  for (const table of ['events', 'runs', 'effects']) {
    await watcher.query(`create constraint trigger obstacle after insert on ${table}
      deferrable initially deferred for each row execute function wait_at_obstacle()`);
  }
  const holds = async (sql: string, values: unknown[]): Promise<boolean> =>
    (await watcher.query<{ holds: boolean }>(`select exists (${sql}) as holds`, values)).rows[0]?.holds ??
    false;
  return {
    raise: async () => void (await holder.query(`select pg_advisory_lock(${LOCK})`)),
    lower: async () => void (await holder.query(`select pg_advisory_unlock(${LOCK})`)),
    reached: async (backend, ended) => {
      const waits = "select from pg_locks where pid = $1 and locktype = 'advisory' and not granted";
      while (!ended()) if (await holds(waits, [backend])) return true;
      return false;
    },
    contested: async (backend) => {
      const until = performance.now() + patienceMs;
      const waits = 'select from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))';
      while (!(await holds(waits, [backend])) && performance.now() < until);
    },
    close: async () => {
      await Promise.all([holder.end(), watcher.end()]);
    },
  };
}
