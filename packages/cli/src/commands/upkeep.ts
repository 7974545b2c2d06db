// Commands that work on the database itself, with or without a server: backup, restore, migrate.

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  backup,
  hasDatabase,
  loadConfig,
  migrate,
  openDatabase,
  restore,
  type OpenDatabase,
} from '@continuo/server/upkeep';
import { CommandError, EXIT } from '../failure.ts';
import { interruptible } from '../interrupt.ts';
import { bytes, plural, print, printJson, progress } from '../output.ts';

export interface Local {
  readonly json?: boolean;
  readonly home?: string;
}

interface DatabaseOptions extends Local {
  /** Whether to create the database if it does not exist. */
  readonly create: boolean;
}

export async function withDatabase<T>(
  { home, create }: DatabaseOptions,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  const env = { ...process.env, ...(home !== undefined && { CONTINUO_HOME: home }) };
  const config = await loadConfig({ env, cwd: process.cwd() });
  if (!create && !hasDatabase(config)) {
    throw new CommandError(`There is no database in ${config.home}.`, {
      code: 'no_database',
      exitCode: EXIT.notFound,
      hint: 'Name it with --home, CONTINUO_HOME or DATABASE_URL.',
    });
  }
  const database = await openDatabase(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export async function backUp(
  file: string,
  { force = false, ...local }: Local & { force?: boolean },
): Promise<void> {
  const target = resolve(file);
  // A folder is refused later, with a better message.
  if (!force && statSync(target, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new CommandError(`${file} already exists.`, {
      code: 'file_exists',
      exitCode: EXIT.conflict,
      hint: 'Name another file, or replace it with --force.',
    });
  }
  const bar = progress(local.json ?? false);
  const manifest = await interruptible(
    () => `${file} was not written.`,
    (signal) =>
      withDatabase({ ...local, create: false }, ({ settings }) =>
        backup({
          database: settings,
          file: target,
          now: () => new Date(),
          signal,
          onTable: ({ name, rows }, done, of) => bar.step(done, of, `${name}: ${plural(rows, 'row')}`),
        }),
      ),
  ).finally(() => bar.end());
  const { tables } = manifest;
  const sum = (key: 'rows' | 'bytes') => tables.reduce((total, table) => total + table[key], 0);
  if (local.json) return printJson({ file: target, ...manifest });
  print(
    `${plural(sum('rows'), 'row')} of ${plural(tables.length, 'table')}, ${bytes(sum('bytes'))}, are in ${file}`,
  );
}

export async function restoreFrom(file: string, local: Local): Promise<void> {
  const source = resolve(file);
  if (!existsSync(source)) {
    throw new CommandError(`There is no file ${file}.`, { code: 'file_not_found', exitCode: EXIT.notFound });
  }
  const bar = progress(local.json ?? false);
  const { manifest, migrated } = await interruptible(
    () => 'nothing was restored, and the database is empty.',
    (signal) =>
      withDatabase({ ...local, create: true }, ({ settings }) =>
        restore({
          database: settings,
          file: source,
          signal,
          onTable: ({ name, rows }, done, of) => bar.step(done, of, `${name}: ${plural(rows, 'row')}`),
        }),
      ),
  ).finally(() => bar.end());
  if (local.json) return printJson({ file: source, migrated, ...manifest });
  const rows = manifest.tables.reduce((total, table) => total + table.rows, 0);
  print(`${plural(rows, 'row')} as of ${manifest.made_at} are restored. Start with: continuo`);
}

export async function migrateSchema(local: Local): Promise<void> {
  const { migrations, definitions } = await withDatabase({ ...local, create: true }, ({ settings }) =>
    migrate(settings),
  );
  if (local.json) return printJson({ applied: migrations, definitions });
  const applied = migrations.length > 0 ? migrations : definitions;
  print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
}
