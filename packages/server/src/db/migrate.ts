// Applies the numbered files of sql/ in order, each in a transaction of its own, once. Concurrent
// starts queue on an advisory lock. A database that is newer than the code is refused.

import { readdir, readFile } from 'node:fs/promises';
import { connect, type DatabaseSettings } from './pool.ts';

/** Held while a schema is made or changed. */
export const MIGRATION_LOCK = 4400;
/** Where is written down what was applied. */
export const MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())';
const folder = new URL('../../sql/', import.meta.url);

class MigrationError extends Error {
  readonly code = 'migration_failed';
}

export async function migrate(settings: DatabaseSettings): Promise<readonly string[]> {
  const client = await connect(settings);
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(MIGRATIONS_TABLE);
    const known = await migrationNames();
    const { rows } = await client.query<{ name: string }>('select name from migrations order by name');
    const applied = new Set(rows.map((row) => row.name));
    const foreign = [...applied].filter((name) => !known.includes(name));
    if (foreign.length > 0) {
      throw new MigrationError(
        `the database was migrated by a newer Continuo (${foreign.join(', ')}); run that version or newer`,
      );
    }
    const pending = known.filter((name) => !applied.has(name));
    for (const name of pending) {
      const sql = await migrationText(name);
      await client.query('begin');
      await client.query(sql);
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query('commit');
    }
    return pending;
  } finally {
    await client.end();
  }
}

export interface MigrationState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied by a newer version. */
  readonly foreign: readonly string[];
}

/** What was applied and what was not; changes nothing. */
export async function migrationState(settings: DatabaseSettings): Promise<MigrationState> {
  const client = await connect(settings);
  try {
    const found = await client.query<{ there: boolean }>(
      "select to_regclass('migrations') is not null as there",
    );
    const { rows } = found.rows[0]!.there
      ? await client.query<{ name: string }>('select name from migrations order by name')
      : { rows: [] };
    const applied = rows.map((row) => row.name);
    const known = await migrationNames();
    return {
      applied,
      pending: known.filter((name) => !applied.includes(name)),
      foreign: applied.filter((name) => !known.includes(name)),
    };
  } finally {
    await client.end();
  }
}

export function migrationText(name: string): Promise<string> {
  return readFile(new URL(name, folder), 'utf8');
}

export async function migrationNames(): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /^\d{3}_.*\.sql$/.test(name)).toSorted();
}
