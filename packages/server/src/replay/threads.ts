// Reads the threads of a database one by one, each as it is at one moment: its log, and what else the database says about it.

import type { RunStatus } from '@continuo/protocol';
import type { Connection } from '../db/pool.ts';
import type { StoredEvent } from '../log/event.ts';
import { readThreadEvents } from '../log/statements.ts';
import { readSnapshot } from '../runs/loop/snapshots.ts';
import type { ThreadState } from '../threads/fold.ts';

const EVENTS_PER_PAGE = 5000;

export interface StoredThread {
  readonly log: readonly StoredEvent[];
  readonly runs: readonly { readonly id: string; readonly status: RunStatus }[];
  /** Null if there is none that this version can read. */
  readonly snapshot: ThreadState | null;
}

/** Newest first. */
export async function threadIds(client: Connection, limit: number | null): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>('select id from threads order by id desc limit $1', [
    limit,
  ]);
  return rows.map(({ id }) => id);
}

export async function readThread(
  client: Connection,
  threadId: string,
  signal?: AbortSignal,
): Promise<StoredThread> {
  await client.query('begin isolation level repeatable read, read only');
  try {
    const log: StoredEvent[] = [];
    for (;;) {
      signal?.throwIfAborted();
      const page = await readThreadEvents(client, threadId, log.length, EVENTS_PER_PAGE);
      log.push(...page);
      if (page.length < EVENTS_PER_PAGE) break;
    }
    const { rows: runs } = await client.query<{ id: string; status: RunStatus }>(
      'select id, status from runs where thread_id = $1 order by ordinal',
      [threadId],
    );
    return { log, runs, snapshot: await readSnapshot(client, threadId) };
  } finally {
    await client.query('rollback');
  }
}
