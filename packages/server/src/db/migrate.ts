// Brings a database's schema up to date: applies the new numbered files of sql/migrations/, each once, and the changed
// files of sql/functions/ (`definitions.ts`). All of it is one transaction, so a start that is killed half-way leaves
// nothing behind. Concurrent starts queue on an advisory lock. A database that is up to date costs one query and no
// lock. A database that is newer than the code is refused.

import { readdir, readFile } from 'node:fs/promises';
import {
  applyDefinitions,
  DEFINITIONS_TABLE,
  outdated,
  readDefinitions,
  type Definition,
} from './definitions.ts';
import { connect, type Connection, type DatabaseSettings } from './pool.ts';

/** The advisory lock that is held while a schema is created or changed. */
export const MIGRATION_LOCK = 4400;
/** The table of applied migrations. */
export const MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())';

/** The package's SQL folder. Tests pass a changed copy. */
const SQL = new URL('../../sql/', import.meta.url);

const UNDEFINED_TABLE = '42P01';

class MigrationError extends Error {
  readonly code = 'migration_failed';
}

export interface Migrated {
  /** The names of the migrations that this call applied. */
  readonly migrations: readonly string[];
  /** The functions, views and triggers that were created, replaced or dropped. */
  readonly definitions: readonly string[];
}

/** What has been applied to a database, as its own tables say. */
interface Applied {
  readonly migrations: readonly string[];
  /** The hash of each definition's text, by name. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** `onWarning` is told what a migration could not do, in a sentence for people. */
export async function migrate(
  settings: DatabaseSettings,
  sql: URL = SQL,
  onWarning: (sentence: string) => void = () => undefined,
): Promise<Migrated> {
  const client = await connect(settings);
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING' && message !== undefined) onWarning(message);
  });
  try {
    const known = await migrationNames(sql);
    const definitions = await readDefinitions(sql);
    const before = await readApplied(client);
    refuseForeign(before.migrations, known);
    if (isCurrent(before, known, definitions)) return { migrations: [], definitions: [] };

    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    // Another start may have migrated the database in the meantime, or a restore may have filled it.
    const applied = await readApplied(client);
    refuseForeign(applied.migrations, known);
    if (isCurrent(applied, known, definitions)) return { migrations: [], definitions: [] };
    await client.query('begin');
    await client.query(`${MIGRATIONS_TABLE}; ${DEFINITIONS_TABLE}`);
    const pending = known.filter((name) => !applied.migrations.includes(name));
    for (const name of pending) {
      await client.query(await migrationText(name, sql));
      await client.query('insert into migrations (name) values ($1)', [name]);
    }
    const changed = await applyDefinitions(client, definitions, applied.definitions);
    await client.query('commit');
    return { migrations: pending, definitions: changed };
  } finally {
    // Closing the connection releases the lock, and rolls back a failed transaction.
    await client.end();
  }
}

export interface MigrationState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied by another version: a newer one, or one from before the first release. */
  readonly foreign: readonly string[];
  /** Functions, views and triggers that differ from those of this version. */
  readonly outdated: readonly string[];
}

/** Which migrations are applied and which are pending. Changes nothing. */
export async function migrationState(settings: DatabaseSettings): Promise<MigrationState> {
  const client = await connect(settings);
  try {
    const applied = await readApplied(client);
    const known = await migrationNames();
    return {
      applied: applied.migrations,
      pending: known.filter((name) => !applied.migrations.includes(name)),
      foreign: applied.migrations.filter((name) => !known.includes(name)),
      outdated: outdated(await readDefinitions(SQL), applied.definitions),
    };
  } finally {
    await client.end();
  }
}

/** Throws unless the schema is that of this version. */
export async function assertMigrated(settings: DatabaseSettings): Promise<void> {
  const { applied, pending, outdated: changed } = await migrationState(settings);
  refuseForeign(applied, await migrationNames());
  if (pending.length === 0 && changed.length === 0) return;
  const lacks = pending.length > 0 ? `lacks ${pending.join(', ')}` : 'has functions of another version';
  throw new MigrationError(
    `the database ${lacks}, and CONTINUO_MIGRATE is off; run "continuo migrate" with this version first`,
  );
}

export function migrationText(name: string, sql: URL = SQL): Promise<string> {
  return readFile(new URL(`migrations/${name}`, sql), 'utf8');
}

export async function migrationNames(sql: URL = SQL): Promise<readonly string[]> {
  const names = await readdir(new URL('migrations/', sql));
  return names.filter((name) => /^\d{3}_.*\.sql$/.test(name)).toSorted();
}

/**
 * Whether a schema was created before the first release, when migrations had other names. Its data cannot be converted.
 */
export function isBeforeFirstRelease(schema: readonly string[]): boolean {
  return schema.includes('001_ground.sql');
}

const READ_MIGRATIONS = 'select name, null as hash from migrations';
const READ_DEFINITIONS = 'select name, hash from definitions';

/**
 * Takes one query if both tables exist. An empty database has neither; one that was just restored has no `definitions`.
 */
async function readApplied(client: Connection): Promise<Applied> {
  const read = async (text: string) => (await client.query<{ name: string; hash: string | null }>(text)).rows;
  const rows = await read(`${READ_MIGRATIONS} union all ${READ_DEFINITIONS} order by name`).catch(
    async (error: unknown) => {
      if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
      const found = await client.query<{ migrations: boolean }>(
        "select to_regclass('migrations') is not null as migrations",
      );
      return found.rows[0]!.migrations ? read(`${READ_MIGRATIONS} order by name`) : [];
    },
  );
  return {
    migrations: rows.filter(({ hash }) => hash === null).map(({ name }) => name),
    definitions: new Map(rows.flatMap(({ name, hash }) => (hash === null ? [] : [[name, hash]]))),
  };
}

function isCurrent(applied: Applied, known: readonly string[], definitions: readonly Definition[]): boolean {
  return (
    known.every((name) => applied.migrations.includes(name)) &&
    outdated(definitions, applied.definitions).length === 0
  );
}

function refuseForeign(applied: readonly string[], known: readonly string[]): void {
  if (isBeforeFirstRelease(applied)) {
    throw new MigrationError(
      'the database was created by a Continuo from before the first release, and its tables cannot be converted; ' +
        'start with a new home (--home, CONTINUO_HOME) or an empty database (DATABASE_URL), and copy the files ' +
        'that you want to keep from the workspaces folder of the old home',
    );
  }
  const foreign = applied.filter((name) => !known.includes(name));
  if (foreign.length === 0) return;
  throw new MigrationError(
    `the database was migrated by a newer Continuo (${foreign.join(', ')}); run that version or newer`,
  );
}
