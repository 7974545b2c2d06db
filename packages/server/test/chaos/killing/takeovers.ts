// How long a run waits for its next pod: from the moment its pod was killed until the successor's event.

import type { TestDatabase } from '../../client/database.ts';
import { readHolds } from './fleet.ts';

export interface Kill {
  readonly point: string;
  readonly pid: number;
  /** Milliseconds since 1970, taken before the signal. */
  readonly at: number;
}

/** Milliseconds, in order of length. Only runs that the very next hold took over count. */
export async function takeoverTimes(database: TestDatabase, kills: readonly Kill[]): Promise<number[]> {
  const { rows } = await database.pool.query<{ thread_id: string; attempt: number; at: Date }>(
    "select thread_id, attempt, at from events where type = 'state' and data->>'status' = 'running' and (data->>'attempt')::int > 1",
  );
  const began = new Map(rows.map((row) => [`${row.thread_id} ${row.attempt}`, row.at.getTime()]));
  const killedAt = new Map(kills.map((kill) => [kill.pid, kill.at]));
  const times: number[] = [];
  for (const { thread_id, attempt, pid } of await readHolds(database)) {
    const killed = killedAt.get(pid);
    const taken = began.get(`${thread_id} ${attempt + 1}`);
    if (killed !== undefined && taken !== undefined && taken >= killed) times.push(taken - killed);
  }
  return times.toSorted((a, b) => a - b);
}

/** `p50 12 ms, max 34 ms (5 takeovers)` */
export function summary(times: readonly number[]): string {
  if (times.length === 0) return 'none';
  return `p50 ${times[Math.floor((times.length - 1) / 2)]} ms, max ${times.at(-1)} ms (${times.length} takeovers)`;
}
