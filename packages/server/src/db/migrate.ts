// Applies the numbered files of sql/ in order, each in a transaction of its own, once. Concurrent
// starts queue on an advisory lock. A database that is newer than the code is refused.

import { readdir, readFile } from 'node:fs/promises';
import { connect, type DatabaseSettings } from './pool.ts';

const MIGRATION_LOCK = 4400;
const folder = new URL('../../sql/', import.meta.url);

class MigrationError extends Error {
  readonly code = 'migration_failed';
}

export async function migrate(settings: DatabaseSettings): Promise<readonly string[]> {
  const client = await connect(settings);
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
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
      const sql = await readFile(new URL(name, folder), 'utf8');
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

export async function migrationNames(): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /^\d{3}_.*\.sql$/.test(name)).toSorted();
}
