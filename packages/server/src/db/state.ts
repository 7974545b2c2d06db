// Whether the database answers, and whether its schema is current.

import { setTimeout as sleep } from 'node:timers/promises';
import { migrationNames } from './migrate.ts';
import type { Pool } from './pool.ts';

export interface DatabaseState {
  readonly database: string;
  readonly migrations: string;
}

/** How long to wait for the database's answer. */
const SILENT_MS = 2000;

export function databaseState(pool: Pool): Promise<DatabaseState> {
  return Promise.race([
    readDatabase(pool),
    sleep(SILENT_MS, { database: 'silent', migrations: 'unknown' }, { ref: false }),
  ]);
}

async function readDatabase(pool: Pool): Promise<DatabaseState> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from migrations');
    const applied = new Set(rows.map((row) => row.name));
    const missing = (await migrationNames()).filter((name) => !applied.has(name));
    return {
      database: 'ok',
      migrations: missing.length === 0 ? 'applied' : `missing: ${missing.join(', ')}`,
    };
  } catch {
    // The reason may contain addresses and user names, so it goes only to the log.
    return { database: 'unreachable', migrations: 'unknown' };
  }
}
