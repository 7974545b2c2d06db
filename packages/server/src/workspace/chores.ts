// What has to be done now and then, by some pod: removed workspaces whose grace period is over are purged, and chunks
// that no version has are swept. Each chore is a transaction that begins with a lock; a pod that does not get it leaves
// the chore to the one that has it.

import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { sweepChunks } from './content.ts';
import { listExpired, purgeWorkspace } from './workspaces.ts';

const LOCK_CLASS = 4402;
const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

export interface Chores {
  /** Ends when what is being done is done. */
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
  await alone(pool, sweepChunks);
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
