// What the contract tests share: one pod and one database per file, plain requests, and moments that a test holds.

import { afterAll, beforeAll, expect } from 'vitest';
import { AS_PERSON, follow, type Frame } from '../client/api.ts';
import { freshDatabase, type TestDatabase } from '../client/database.ts';
import { brokenInvariants } from '../client/invariants.ts';
import { startPod, type TestPod } from '../client/pod.ts';

export interface World {
  readonly url: string;
  readonly database: TestDatabase;
  readonly pod: TestPod;
}

/** One pod for the file; when the file is done, every log that it left must be whole. */
export function usePod(env: Record<string, string> = {}): World {
  let database: TestDatabase;
  let pod: TestPod;
  beforeAll(async () => {
    database = await freshDatabase();
    pod = await startPod({ databaseUrl: database.url, leaseSeconds: 5, env });
  });
  afterAll(async () => {
    await pod.end();
    // What the pod had sent may still be at work: the log must not grow between two looks.
    const working = "pg_stat_activity where datname = current_database() and application_name = 'continuo'";
    await until(async () => (await count(database, working)) === 0);
    const broken = await brokenInvariants(database.pool);
    await database.drop();
    expect(broken).toEqual([]);
  });
  return {
    get url() {
      return pod.url;
    },
    get database() {
      return database;
    },
    get pod() {
      return pod;
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests look into bodies of every shape, and a wrong guess fails the test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A person's request as it is: no status is an error. A `body` that is a string is sent as it is. */
export async function ask(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...AS_PERSON, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : null,
  };
}

/** Looks until there is something; the test's own time limit is the only one. */
export async function until<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Follows until a frame of that kind has come; the stream is then left alone. */
export async function seen(url: string, runId: string, event: string): Promise<Frame> {
  for await (const frame of follow(url, runId)) if (frame.event === event) return frame;
  throw new Error(`run ${runId} ended without ${event}`);
}

export async function framesOf(url: string, runId: string, after = 0): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of follow(url, runId, after)) frames.push(frame);
  return frames;
}

/** Tools that write to `effects` stand still until this is released. */
export function holdEffects(database: TestDatabase): Promise<() => Promise<void>> {
  return holdTable(database, 'effects', 'access exclusive');
}

/** Nothing can be appended until this is released; everything can be read. */
export function holdLog(database: TestDatabase): Promise<() => Promise<void>> {
  return holdTable(database, 'events', 'share row exclusive');
}

export async function holdTable(
  database: TestDatabase,
  table: string,
  mode: string,
): Promise<() => Promise<void>> {
  const client = await database.pool.connect();
  await client.query(`begin; lock table ${table} in ${mode} mode`);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

/** Resolves once somebody waits for a lock on that table. */
export async function waitedFor(database: TestDatabase, table: string): Promise<void> {
  await until(async () => {
    const { rowCount } = await database.pool.query(
      'select from pg_locks where relation = $1::regclass and not granted and database = (select oid from pg_database where datname = current_database())',
      [table],
    );
    return rowCount! > 0;
  });
}

export async function count(database: TestDatabase, sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await database.pool.query<{ n: string }>(`select count(*) as n from ${sql}`, values);
  return Number(rows[0]!.n);
}
