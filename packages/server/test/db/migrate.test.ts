// Migrations are applied once, functions whenever their text has changed; concurrent starts share the work; nothing goes backwards.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate, migrationNames } from '../../src/db/migrate.ts';
import { sqlCopy } from './sql-copy.ts';

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
  await sql.edit('threads/calls_outside_runs.sql', (text) => text.replace("data ->> 'model' as model, ", ''));
  expect((await migrate(settings, sql.url)).definitions).toEqual([
    'function readable',
    'function summarized',
    'view calls_outside_runs',
    'view chat_messages',
  ]);
  const functions = await query(
    "select oid::regprocedure::text as name from pg_proc where proname in ('readable', 'summarized') order by 1",
  );
  expect(functions.rows).toEqual([
    { name: 'readable(json)' },
    { name: 'summarized(json,text,integer,integer)' },
  ]);
  await query('select from chat_messages');
  await expect(query('select model from calls_outside_runs')).rejects.toMatchObject({ code: '42703' });
});

test('a function, view or trigger whose file is gone is dropped', async () => {
  const { settings, query } = await migratedDatabase();
  const sql = await sqlCopy();
  for (const path of [
    'runs/runs_not_in_removed.sql',
    'runs/refuse_removed.sql',
    'threads/calls_outside_runs.sql',
  ])
    await sql.remove(path);
  expect((await migrate(settings, sql.url)).definitions).toEqual([
    'trigger runs_not_in_removed on runs',
    'view calls_outside_runs',
    'function refuse_removed',
  ]);
  const left = await query(`
    select from pg_trigger where tgname = 'runs_not_in_removed' union all select from pg_proc where proname = 'refuse_removed'
    union all select from pg_class where relname = 'calls_outside_runs' union all
    select from definitions where name ~ 'runs_not_in_removed|refuse_removed|calls_outside_runs'`);
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

test('two folders cannot define the same function', async () => {
  const { settings } = await emptyDatabase();
  const sql = await sqlCopy();
  await sql.write(
    'files/readable.sql',
    'create or replace function readable() returns void language sql as $$ select $$;\n',
  );
  await expect(migrate(settings, sql.url)).rejects.toThrow(
    /files\/readable\.sql.*log\/readable\.sql|log\/readable\.sql.*files\/readable\.sql/,
  );
});

test('functions that one statement calls agree on the types of their fields, and name them all', async () => {
  const { settings } = await emptyDatabase();
  const sql = await sqlCopy();
  const written = (parameters: string) =>
    sql.write(
      'files/on_append_file.sql',
      `create or replace function on_append_file(${parameters}) returns boolean language sql as $$ select true $$;\n`,
    );
  await written('p_seq integer, p_title integer');
  await expect(migrate(settings, sql.url)).rejects.toThrow(
    /on_append_(file|title)\.sql: p_title is \w+, but \w+ in/,
  );
  await written('p_seq integer, title text');
  await expect(migrate(settings, sql.url)).rejects.toThrow(/on_append_file\.sql: .* not as "title text"/);
});

test('a place for other functions that is misspelled is refused, and one without functions stays empty', async () => {
  const { settings, query } = await migratedDatabase();
  const sql = await sqlCopy();
  const calls = (each: string) => `create or replace function call_all() returns void language plpgsql as $$
begin
  ${each}
end $$;
`;
  await sql.write('files/call_all.sql', calls('/* each on_call_me_* perform {function}(); */'));
  await expect(migrate(settings, sql.url)).rejects.toThrow(/"\/\* each on_call_me_\* .* is not understood/);
  await sql.write('files/call_all.sql', calls('/* each on_call_me_*: perform {function}(); */'));
  expect((await migrate(settings, sql.url)).definitions).toEqual(['function call_all']);
  await query('select call_all()');
});

test('a function that is to fill a place, but fills none, is refused', async () => {
  const { settings } = await migratedDatabase();
  const sql = await sqlCopy();
  await sql.write(
    'files/on_purge_threads_files.sql',
    'create or replace function on_purge_threads_files(p_thread uuid) returns void language sql as $$ select $$;\n',
  );
  await expect(migrate(settings, sql.url)).rejects.toThrow(
    /files\/on_purge_threads_files\.sql: no function calls .*on_purge_thread_\*, on_purge_workspace_\*/,
  );
});

test('a function that other folders complete is applied again when one of them comes or goes', async () => {
  const { settings, query } = await migratedDatabase();
  const sql = await sqlCopy();
  await query('create table keepsakes (thread_id uuid)');
  await sql.write(
    'keepsakes/on_purge_thread_keepsakes.sql',
    'create or replace function on_purge_thread_keepsakes(p_thread uuid) returns void language sql as $$ delete from keepsakes where thread_id = p_thread $$;\n',
  );
  expect((await migrate(settings, sql.url)).definitions).toEqual([
    'function on_purge_thread_keepsakes',
    'function purge_thread',
  ]);
  const thread = '00000000-0000-7000-8000-000000000002';
  await query(`insert into keepsakes values ('${thread}'); select purge_thread('${thread}')`);
  expect((await query('select from keepsakes')).rowCount).toBe(0);
  expect((await migrate(settings)).definitions).toEqual([
    'function purge_thread',
    'function on_purge_thread_keepsakes',
  ]);
  await query(`select purge_thread('${thread}')`);
});

test('plans that were rows become goals, with their titles, descriptions, links and versions', async () => {
  const { settings, query } = await emptyDatabase();
  const sql = await sqlCopy();
  await sql.before('015');
  await migrate(settings, sql.url);
  const id = (n: number) => `01900000-0000-7000-8000-00000000000${n}`;
  const workspace = '00000000-0000-7000-8000-000000000001';
  const states = ['draft', 'active', 'done', 'canceled'];
  for (const [n, state] of states.entries())
    await query(`insert into entities (id, workspace_id, kind, project_id, version, title, state, fields, created_at, updated_at)
      values ('${id(n)}', '${workspace}', 'plan', null, 3, 'Plan ${n}', '${state}', '{"description": "What ${n}"}', now(), now())`);
  await query(`insert into entities (id, workspace_id, kind, project_id, version, title, state, fields, created_at, updated_at)
    values ('${id(9)}', '${workspace}', 'task', null, 1, 'A task', 'done', '{}', now(), now())`);
  await query(`insert into edges (id, workspace_id, from_id, to_id, rel, created_at)
    values ('${id(8)}', '${workspace}', '${id(9)}', '${id(1)}', 'part_of', now())`);

  await migrate(settings);
  const { rows } = await query(
    "select kind, title, state, version, fields ->> 'description' as description from entities order by title",
  );
  expect(rows).toEqual([
    { kind: 'task', title: 'A task', state: 'done', version: 1, description: null },
    ...['active', 'active', 'achieved', 'abandoned'].map((state, n) => {
      return { kind: 'goal', title: `Plan ${n}`, state, version: 3, description: `What ${n}` };
    }),
  ]);
  const shown = await query(`select entity_state(e) as goal from entities e where e.id = '${id(1)}'`);
  expect(shown.rows[0].goal).toMatchObject({
    kind: 'goal',
    measure: null,
    due: null,
    edges: [{ rel: 'part_of' }],
  });
});

test('a database role that may not install extensions can migrate, and a warning says what search lacks', async () => {
  const { settings, query } = await emptyDatabase();
  const role = `limited_${randomBytes(6).toString('hex')}`;
  await query(`create role ${role}; grant all on schema public to ${role}`);
  try {
    const url = new URL(settings.connection);
    url.searchParams.set('options', `-c role=${role}`);
    const warnings: string[] = [];
    await migrate({ ...settings, connection: url.href }, undefined, (sentence) => warnings.push(sentence));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^search finds no misspelled words, because the extension pg_trgm cannot be installed/,
      ),
    ]);
    expect((await query("select to_regprocedure('similarity(text, text)') as missing")).rows).toEqual([
      { missing: null },
    ]);
    expect(
      (await query("select * from search_knowledge(gen_random_uuid(), 'x', '{}', '{}', '{}', null, null, 1)"))
        .rowCount,
    ).toBe(0);
  } finally {
    await query(`drop owned by ${role}; drop role ${role}`);
  }
});
