// A database of one's own, cloned from the migrated template.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

export async function freshDatabase(): Promise<TestDatabase> {
  const database = await cloneOf(new URL(inject('templateUrl')).pathname.slice(1));
  const { pool } = database;
  await pool.query(
    'create table effects (id serial primary key, kind text not null, key text not null, note text not null)',
  );
  await pool.query("create unique index effects_once on effects (key) where kind = 'idempotent'");
  // Tools of every effect are called by tests that are about something else.
  await pool.query('update workspaces set policy = $1', [
    JSON.stringify({ rules: [{ tool: '*', action: 'allow' }] }),
  ]);
  return database;
}

/** One with nothing in it. */
export function emptyDatabase(): Promise<TestDatabase> {
  return cloneOf('template0');
}

async function cloneOf(template: string): Promise<TestDatabase> {
  const name = `continuo_${randomBytes(6).toString('hex')}`;
  const url = new URL(inject('templateUrl'));
  const admin = new URL(url);
  admin.pathname = '/postgres';
  await once(admin, `create database ${name} template ${template}`);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 4 });
  pool.on('error', () => undefined);
  return {
    url: url.href,
    pool,
    drop: async () => {
      await pool.end();
      await once(admin, `drop database ${name} with (force)`);
    },
  };
}

async function once(url: URL, sql: string): Promise<void> {
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
