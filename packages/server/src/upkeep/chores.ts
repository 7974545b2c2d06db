// Periodic chores: removed workspaces, chats and entities are purged when their grace period is over, chunks without a version
// are swept, and texts that are still unindexed are indexed. Purging and sweeping run in a transaction that begins with
// a lock; a pod that does not get the lock skips the chore.

import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { sweepAssignments } from '../executors/rows.ts';
import { sweepChunks } from '../files/content.ts';
import { indexWords, listUnindexed } from '../files/words.ts';
import { listWithExpired, purgeEntities } from '../knowledge/upkeep.ts';
import { GRACE_DAYS, listExpired, purgeWorkspace } from '../workspaces/workspaces.ts';

const LOCK_CLASS = 4402;
const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

export interface Chores {
  /** Resolves when chores in progress have finished. */
  stop(): Promise<void>;
}

export function startChores(pool: Pool, onError: (error: Error) => void): Chores {
  let doing: Promise<void> = Promise.resolve();
  const turn = (): void => {
    doing = doChores(pool).catch(onError);
    timer = setTimeout(turn, EVERY_MS).unref();
  };
  let timer = setTimeout(turn, FIRST_MS).unref();
  return {
    stop: () => {
      clearTimeout(timer);
      return doing;
    },
  };
}

export async function doChores(pool: Pool): Promise<void> {
  for (const id of await listExpired(pool)) await alone(pool, (client) => purgeWorkspace(client, id));
  for (const id of await listExpiredChats(pool)) await alone(pool, (client) => purgeChat(client, id));
  for (const id of await listWithExpired(pool)) await alone(pool, (client) => purgeEntities(client, id));
  await alone(pool, sweepChunks);
  await alone(pool, sweepAssignments);
  for (const id of await listUnindexed(pool)) await indexWords(pool, id);
}

async function listExpiredChats(client: Queryable): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select id from threads where removed_at < clock_timestamp() - make_interval(days => $1) order by removed_at',
    [GRACE_DAYS],
  );
  return rows.map(({ id }) => id);
}

/** Purges a chat. If a run or a session is still open, stops it now; the next round purges the chat. */
async function purgeChat(client: Queryable, id: string): Promise<void> {
  const { rows } = await client.query<{ purged: boolean }>(
    'select purge_chat($1, clock_timestamp() - make_interval(days => $2)) as purged',
    [id, GRACE_DAYS],
  );
  if (!rows[0]!.purged) await client.query("select stop_thread($1, 'chat_removed', null)", [id]);
}

async function alone(pool: Pool, chore: (client: Queryable) => Promise<unknown>): Promise<void> {
  await transaction(pool, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_xact_lock($1, 0) as locked',
      [LOCK_CLASS],
    );
    if (rows[0]!.locked) await chore(client);
  });
}
