// How long a run waits for its next pod: from the moment its pod was killed until the successor's event.

import type { TestDatabase } from '@continuo/testkit/fixtures';
import { readHolds } from './fleet.ts';

export interface Kill {
  readonly point: string;
  readonly pid: number;
  /** Milliseconds since 1970, taken before the signal. */
  readonly at: number;
}

export interface Takeover {
  /** Milliseconds from the kill to the successor's event. */
  readonly took: number;
  /** Whether the successor was there when the other was killed; a new pod first had to start. */
  readonly waiting: boolean;
}

/** The quickest first. Only runs that the very next hold took over count. */
export async function readTakeovers(database: TestDatabase, kills: readonly Kill[]): Promise<Takeover[]> {
  const { rows } = await database.pool.query<{ thread_id: string; attempt: number; at: Date }>(
    "select thread_id, attempt, at from events where type = 'state' and data->>'status' = 'running' and (data->>'attempt')::int > 1",
  );
  const began = new Map(rows.map((row) => [`${row.thread_id} ${row.attempt}`, row.at.getTime()]));
  const holds = await readHolds(database);
  const holdOf = new Map(holds.map((hold) => [`${hold.thread_id} ${hold.attempt}`, hold]));
  const takeovers: Takeover[] = [];
  for (const { thread_id, attempt, pid } of holds) {
    const kill = kills.find((each) => each.pid === pid);
    const begun = began.get(`${thread_id} ${attempt + 1}`);
    const next = holdOf.get(`${thread_id} ${attempt + 1}`);
    if (!kill || !next || begun === undefined || begun < kill.at) continue;
    takeovers.push({ took: begun - kill.at, waiting: next.registered.getTime() < kill.at });
  }
  return takeovers.toSorted((a, b) => a.took - b.took);
}

/** `p50 12 ms, max 34 ms (5 takeovers)`; the times come in order. */
export function summary(times: readonly number[]): string {
  if (times.length === 0) return 'none';
  return `p50 ${times[Math.floor((times.length - 1) / 2)]} ms, max ${times.at(-1)} ms (${times.length} takeovers)`;
}
