// Checks whether the database can be reached, and whether its schema fits this version.

import {
  hasDatabase,
  isBeforeFirstRelease,
  migrationState,
  openDatabase,
  type Config,
} from '@continuo/server/upkeep';
import type { Check } from './check.ts';

const name = 'database';

export async function checkDatabase(config: Config): Promise<Check[]> {
  // Opening would create it.
  if (!hasDatabase(config)) {
    return [{ name, status: 'ok', says: 'none yet; the first start creates it' }];
  }
  try {
    const database = await openDatabase(config);
    try {
      return [state(database.kind, await migrationState(database.settings))];
    } finally {
      await database.close();
    }
  } catch (error) {
    return [unreachable(config, error)];
  }
}

function state(
  kind: 'embedded' | 'external',
  { applied, pending, foreign, outdated }: Awaited<ReturnType<typeof migrationState>>,
): Check {
  if (isBeforeFirstRelease(applied)) {
    return {
      name,
      status: 'bad',
      says: 'its schema is of a version from before the first release and cannot be converted',
      mend: 'Use a new home (--home) or an empty database (DATABASE_URL).',
    };
  }
  if (foreign.length > 0) {
    return {
      name,
      status: 'bad',
      says: `its schema is from a newer version (${foreign.join(', ')})`,
      mend: 'Update this package to the version that the database was last used with, or newer.',
    };
  }
  if (pending.length > 0) {
    return {
      name,
      status: 'warn',
      says: `${pending.length} migrations are not applied yet`,
      mend: 'continuo migrate applies them; so does starting the server.',
    };
  }
  if (outdated.length > 0) {
    return {
      name,
      status: 'warn',
      says: `${outdated.length} of its functions, views and triggers are another version's`,
      mend: 'continuo migrate brings them up to date; so does starting the server.',
    };
  }
  return {
    name,
    status: 'ok',
    says: `the ${kind} Postgres answers; all ${applied.length} migrations are applied`,
  };
}

function unreachable({ databaseUrl }: Config, error: unknown): Check {
  const reason =
    error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
  // The error of the embedded database already says what to do.
  if (databaseUrl === undefined) return { name, status: 'bad', says: reason };
  return {
    name,
    status: 'bad',
    says: `the database of DATABASE_URL cannot be used: ${reason}`,
    mend: 'Check that it runs, that its address, user and password are right, and that this machine may connect to it.',
  };
}
