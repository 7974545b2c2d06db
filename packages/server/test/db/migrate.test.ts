// Migrations are applied once, functions whenever their text has changed; concurrent starts share the work; nothing goes backwards.

import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { migrate, migrationNames } from '../../src/db/migrate.ts';

const TABLES = "select table_name as name from information_schema.tables where table_schema = 'public'";

let admin: pg.Client;
const made: string[] = [];

beforeAll(async () => {
  const url = new URL(inject('templateUrl'));
  url.pathname = '/postgres';
  admin = new pg.Client(url.href);
  await admin.connect();
});

afterAll(async () => {
  for (const name of made) await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

const emptyDatabase = () => cloneOf('template1');
const migratedDatabase = () => cloneOf(new URL(inject('templateUrl')).pathname.slice(1));

async function cloneOf(template: string) {
  const name = `continuo_migrate_${randomBytes(6).toString('hex')}`;
  await admin.query(`create database ${name} template ${template}`);
  made.push(name);
  const url = new URL(inject('templateUrl'));
  url.pathname = `/${name}`;
  const query = async (sql: string) => {
    const client = new pg.Client(url.href);
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  };
  return { settings: { connection: url.href, applicationName: 'continuo-unit', leaseSeconds: 5 }, query };
}

/** A copy of the SQL that a test may change, as a newer version would have changed it. */
async function sqlCopy() {
  const folder = await mkdtemp(join(tmpdir(), 'continuo-sql-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(new URL('../../sql/', import.meta.url), folder, { recursive: true });
  const file = (path: string) => join(folder, 'functions', path);
  return {
    url: pathToFileURL(`${folder}/`),
    write: (path: string, text: string) => writeFile(file(path), text),
    edit: async (path: string, change: (text: string) => string) =>
      writeFile(file(path), change(await readFile(file(path), 'utf8'))),
    remove: (path: string) => rm(file(path)),
  };
}

test('eight servers that start at once on an empty database migrate it once', async () => {
  const { settings, query } = await emptyDatabase();
  const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(settings)));
  const names = await migrationNames();
  expect(names.length).toBeGreaterThan(0);
  expect(applied.flatMap(({ migrations }) => migrations)).toEqual(names);
  expect((await query('select name from migrations order by name')).rows.map(({ name }) => name)).toEqual(
    names,
  );
  expect((await query('select from workspaces')).rowCount).toBe(1);
});

test('a database that is up to date is left alone', async () => {
  const { settings, query } = await emptyDatabase();
  await migrate(settings);
  const all = 'select name, applied_at from migrations union all select name, applied_at from definitions';
  const before = (await query(all)).rows;
  expect(await migrate(settings)).toEqual({ migrations: [], definitions: [] });
  expect((await query(all)).rows).toEqual(before);
});

test('a database that a newer version migrated is refused with a sentence, and not touched', async () => {
  const { settings, query } = await emptyDatabase();
  await query(
    "create table migrations (name text primary key, applied_at timestamptz not null default now()); insert into migrations (name) values ('998_later.sql'), ('999_last.sql')",
  );
  const refused = migrate(settings);
  await expect(refused).rejects.toMatchObject({
    code: 'migration_failed',
    message: expect.stringMatching(
      /newer Continuo.*998_later\.sql, 999_last\.sql.*run that version or newer/,
    ),
  });
  expect((await query(TABLES)).rows).toEqual([{ name: 'migrations' }]);
  // The lock went with the connection: the next one need not wait.
  await expect(migrate(settings)).rejects.toMatchObject({ code: 'migration_failed' });
});

test('a migration that fails leaves nothing of itself', async () => {
  const { settings, query } = await emptyDatabase();
  await query('create table runs (mine boolean)');
  await expect(migrate(settings)).rejects.toMatchObject({ code: '42P07' });
  expect((await query(TABLES)).rows).toEqual([{ name: 'runs' }]);
  await query('drop table runs');
  expect((await migrate(settings)).migrations).toEqual(await migrationNames());
});

test('a database from before the first release is refused with a sentence that says what to do, and not touched', async () => {
  const { settings, query } = await emptyDatabase();
  await query(
    "create table migrations (name text primary key, applied_at timestamptz not null default now()); insert into migrations (name) values ('001_ground.sql'), ('002_fewer_statements.sql')",
  );
  await expect(migrate(settings)).rejects.toMatchObject({
    code: 'migration_failed',
    message: expect.stringMatching(
      /before the first release.*new home \(--home, CONTINUO_HOME\).*copy the files/,
    ),
  });
  expect((await query(TABLES)).rows).toEqual([{ name: 'migrations' }]);
});

test('two servers that start at once with a changed function apply it once, and nothing else', async () => {
  const { settings, query } = await migratedDatabase();
  const sql = await sqlCopy();
  await sql.edit('files/is_read_only.sql', (text) => text.replaceAll('/chats', '/conversations'));
  const started = await Promise.all([migrate(settings, sql.url), migrate(settings, sql.url)]);
  expect(started.flatMap(({ migrations }) => migrations)).toEqual([]);
  expect(started.flatMap(({ definitions }) => definitions)).toEqual(['function is_read_only']);
  expect((await query("select is_read_only('/conversations') as is")).rows).toEqual([{ is: true }]);
});

test('a function with other arguments or another result, and a view with other columns, replace the former ones', async () => {
  const { settings, query } = await migratedDatabase();
  const sql = await sqlCopy();
  // The view chat_messages uses both functions.
  await sql.edit('threads/summarized.sql', (text) =>
    text.replace('p_lines integer', 'p_lines integer, p_characters integer default 2000'),
  );
  await sql.edit('log/readable.sql', (text) =>
    text.replace('(p_data json)', '(p_log json)').replaceAll('p_data', 'p_log'),
  );
  await sql.edit('threads/titlings.sql', (text) => text.replace("data ->> 'model' as model, ", ''));
  expect((await migrate(settings, sql.url)).definitions).toEqual([
    'function readable',
    'function summarized',
    'view chat_messages',
    'view titlings',
  ]);
  const functions = await query(
    "select oid::regprocedure::text as name from pg_proc where proname in ('readable', 'summarized') order by 1",
  );
  expect(functions.rows).toEqual([
    { name: 'readable(json)' },
    { name: 'summarized(json,text,integer,integer)' },
  ]);
  await query('select from chat_messages');
  await expect(query('select model from titlings')).rejects.toMatchObject({ code: '42703' });
});

test('a function, view or trigger whose file is gone is dropped', async () => {
  const { settings, query } = await migratedDatabase();
  const sql = await sqlCopy();
  for (const path of ['runs/runs_not_in_removed.sql', 'runs/refuse_removed.sql', 'threads/titlings.sql'])
    await sql.remove(path);
  expect((await migrate(settings, sql.url)).definitions).toEqual([
    'trigger runs_not_in_removed on runs',
    'view titlings',
    'function refuse_removed',
  ]);
  const left = await query(`
    select from pg_trigger where tgname = 'runs_not_in_removed' union all select from pg_proc where proname = 'refuse_removed'
    union all select from pg_class where relname = 'titlings' union all
    select from definitions where name ~ 'runs_not_in_removed|refuse_removed|titlings'`);
  expect(left.rowCount).toBe(0);
});

test('what was dropped by hand, or by a migration, is made again with the next change', async () => {
  const { settings, query } = await migratedDatabase();
  await query('drop view chat_messages; drop trigger events_append_only on events');
  const sql = await sqlCopy();
  await sql.edit('files/is_read_only.sql', (text) => `${text}-- Changed.\n`);
  expect((await migrate(settings, sql.url)).definitions).toEqual([
    'function is_read_only',
    'view chat_messages',
    'trigger events_append_only on events',
  ]);
});

test('functions that cannot all be applied are left as they were, and the error names the one at fault', async () => {
  const { settings, query } = await migratedDatabase();
  const all = 'select * from definitions order by name';
  const before = (await query(all)).rows;
  const sql = await sqlCopy();
  await sql.edit('files/is_read_only.sql', (text) => text.replaceAll('/chats', '/conversations'));
  await sql.edit('runs/stop_thread.sql', (text) => text.replace('plpgsql', 'plpgsqll'));
  await expect(migrate(settings, sql.url)).rejects.toThrow(
    /function stop_thread cannot be applied: .*plpgsqll/,
  );
  expect((await query(all)).rows).toEqual(before);
  expect((await query("select is_read_only('/chats') as is")).rows).toEqual([{ is: true }]);
});

test('a server that is killed while it applies functions leaves them as they were', async () => {
  const { settings, query } = await migratedDatabase();
  const sql = await sqlCopy();
  await sql.edit('files/is_read_only.sql', (text) => text.replaceAll('/chats', '/conversations'));
  await sql.edit('runs/stop_thread.sql', (text) => `${text}select pg_terminate_backend(pg_backend_pid());\n`);
  await expect(migrate(settings, sql.url)).rejects.toThrow();
  expect((await query("select is_read_only('/chats') as is")).rows).toEqual([{ is: true }]);
  expect(await migrate(settings)).toEqual({ migrations: [], definitions: [] });
});

test('a file of sql/functions holds one definition, which has the name of the file', async () => {
  const { settings } = await emptyDatabase();
  const sql = await sqlCopy();
  await sql.edit('files/is_read_only.sql', (text) => text.replace('is_read_only', 'is_reserved'));
  await expect(migrate(settings, sql.url)).rejects.toThrow(/files\/is_read_only\.sql must hold one/);
});
