// Migrations: once, whoever starts first; never backwards.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { migrate, migrationNames } from '../../src/db/migrate.ts';

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

async function emptyDatabase() {
  const name = `continuo_empty_${randomBytes(6).toString('hex')}`;
  await admin.query(`create database ${name}`);
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
  expect(applied.flat()).toEqual(names);
  expect((await query('select name from migrations order by name')).rows.map(({ name }) => name)).toEqual(
    names,
  );
  expect((await query('select from workspaces')).rowCount).toBe(1);
});

test('a database that is up to date is left alone', async () => {
  const { settings, query } = await emptyDatabase();
  await migrate(settings);
  const before = (await query('select * from migrations')).rows;
  expect(await migrate(settings)).toEqual([]);
  expect((await query('select * from migrations')).rows).toEqual(before);
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
  expect((await query("select from information_schema.tables where table_schema = 'public'")).rowCount).toBe(
    1,
  );
  // The lock went with the connection: the next one need not wait.
  await expect(migrate(settings)).rejects.toMatchObject({ code: 'migration_failed' });
});

test('a migration that fails leaves nothing of itself', async () => {
  const { settings, query } = await emptyDatabase();
  await query('create table runs (mine boolean)');
  await expect(migrate(settings)).rejects.toMatchObject({ code: '42P07' });
  expect((await query('select from migrations')).rowCount).toBe(0);
  expect(
    (await query("select from information_schema.tables where table_name = 'workspaces'")).rowCount,
  ).toBe(0);
  await query('drop table runs');
  expect(await migrate(settings)).toEqual(await migrationNames());
});
