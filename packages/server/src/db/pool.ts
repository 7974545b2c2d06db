// Connections. The pool serves requests and reads; `connect` gives a connection of one's own (the log's
// writer, the pod's lock). Both end a transaction that idles longer than the lease, so that a
// stopped process cannot hold locks that its successor needs.
//
// Failures that a second try mends are never shown to a caller: a deadlock, a serialization failure, and a prepared statement whose
// result another version of the server changed. A statement by itself is sent again (`Client`), a transaction is done again as a
// whole (`transaction`).

import type { Duplex } from 'node:stream';
import pg from 'pg';

export interface DatabaseSettings {
  /** A connection string, or a unix socket's folder with user and database. */
  readonly connection: string | { host: string; port: number; user: string; database: string };
  readonly applicationName: string;
  readonly leaseSeconds: number;
  /** The database has no room left for what a statement wanted to store. */
  readonly onStorageFull?: (() => void) | undefined;
}

export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Pool = pg.Pool;
export type Connection = pg.Client;

const JSON_OID = 114;

// json stays text: what was stored is what is sent. Readers that want a value parse it.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === JSON_OID
      ? (text: string) => text
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function createPool(settings: DatabaseSettings, onError: (error: Error) => void): Pool {
  const pool = new pg.Pool({ ...clientConfig(settings), Client, max: 20, idleTimeoutMillis: 30_000 });
  // An idle connection that breaks is replaced by the pool; it must not end the process.
  pool.on('error', onError);
  return pool;
}

export async function connect(
  settings: DatabaseSettings,
  options: { readonly lock_timeout?: number; readonly query_timeout?: number } = {},
): Promise<Connection> {
  const client = new Client({ ...clientConfig(settings), ...options });
  client.on('error', () => {
    // Every user of a connection listens for 'end'; this only keeps the process from ending.
  });
  await client.connect();
  return client;
}

/** Closes a connection at once, without a word to a server that may not be listening. */
export function destroy(connection: Connection): void {
  (connection as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
}

/** How often a statement or a transaction that met a deadlock is tried, in all. */
const TRIES = 10;

interface ClientSettings extends pg.ClientConfig {
  readonly onStorageFull?: (() => void) | undefined;
}

type Settle = (error: Error | null, result: unknown) => void;

class Client extends pg.Client {
  readonly #onStorageFull: (() => void) | undefined;

  constructor(settings?: ClientSettings) {
    super(settings);
    this.#onStorageFull = settings?.onStorageFull;
  }

  // The pool passes a callback, everybody else waits for a promise.
  override query = ((...statement: unknown[]): unknown => {
    const settle = statement.at(-1);
    if (typeof settle !== 'function') {
      if (typeof (statement[0] as { submit?: unknown }).submit === 'function') return this.#send(statement);
      return new Promise((resolve, reject) =>
        this.#try(statement, 1, (error, result) => (error ? reject(error) : resolve(result))),
      );
    }
    this.#try(statement.slice(0, -1), 1, settle as Settle);
    return undefined;
  }) as pg.Client['query'];

  #send(statement: readonly unknown[]): unknown {
    return (pg.Client.prototype.query as (...all: unknown[]) => unknown).apply(this, [...statement]);
  }

  #try(statement: readonly unknown[], tries: number, settle: Settle): void {
    // Of a statement inside a transaction, the whole transaction must be done again.
    const alone = this.getTransactionStatus() === 'I';
    this.#send([
      ...statement,
      (error: Error | null, result: unknown) => {
        if (error === null || error === undefined) return settle(null, result);
        if (isStorageFull(error)) this.#onStorageFull?.();
        if (!alone || tries === TRIES || !isRepeatable(error)) return settle(error, result);
        beforeAnotherTry(this, error, tries)
          .then(() => this.#try(statement, tries + 1, settle))
          .catch(() => settle(error, result));
      },
    ]);
  }
}

/** The database undid everything, and the same may succeed when it is tried again. */
function isRepeatable(error: unknown): boolean {
  return /^(40P01|40001)$/.test(sqlState(error)) || isStalePlan(error);
}

/** A migration changed what a prepared statement returns. */
function isStalePlan(error: unknown): boolean {
  return (
    sqlState(error) === '0A000' && /cached plan must not change result type/.test((error as Error).message)
  );
}

/** Statements that met in a deadlock must not meet again: each waits a time of its own. */
async function beforeAnotherTry(client: pg.ClientBase, error: unknown, tries: number): Promise<void> {
  if (!isStalePlan(error)) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(200, 10 * 2 ** tries)));
    return;
  }
  const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string> } };
  connection.parsedStatements = {};
  await client.query('deallocate all');
}

function clientConfig(settings: DatabaseSettings): ClientSettings {
  const { connection } = settings;
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: settings.applicationName,
    idle_in_transaction_session_timeout: settings.leaseSeconds * 1000,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    // A server that is gone without a word is noticed after this long, and 10 probes a second apart.
    keepAliveInitialDelayMillis: 30_000,
    onStorageFull: settings.onStorageFull,
    types,
  };
}

/** The connection broke in a transaction; whether a commit that was sent took effect is unknown. */
export class ConnectionLost extends Error {
  readonly code = 'connection_lost';
  /** The server ended it, because the transaction idled. */
  readonly idled: boolean;

  constructor(cause: unknown, broken: unknown) {
    super('the database connection was lost', { cause });
    this.idled = sqlState(broken) === '25P03';
  }
}

/** `work` may be done several times: each time, all that it did in the database before is undone. */
export async function transaction<T>(
  pool: Pool,
  work: (client: Queryable) => Promise<T>,
  onCommitSent?: () => Promise<void>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw new ConnectionLost(error, error);
  });
  let broken: Error | null = null;
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        await client.query('begin');
        const result = await within(client, work);
        const committed = client.query('commit');
        if (onCommitSent) {
          // The commit is on its way: its outcome must be awaited whatever happens here.
          committed.catch(() => undefined);
          await onCommitSent();
        }
        await committed;
        return result;
      } catch (error) {
        if (!broken) await client.query('rollback').catch(onError);
        if (broken) throw new ConnectionLost(error, broken);
        if (tries === TRIES || !isRepeatable(error)) throw error;
        await beforeAnotherTry(client, error, tries);
      }
    }
  } finally {
    client.off('error', onError);
    client.release(broken ?? undefined);
  }
}

/** Work that was given up may still go on by itself: it must not reach whoever has the connection next. */
async function within<T>(client: pg.PoolClient, work: (client: Queryable) => Promise<T>): Promise<T> {
  let over = false;
  const send = client.query.bind(client) as (...statement: unknown[]) => unknown;
  const query = (...statement: unknown[]): unknown =>
    over ? Promise.reject(new Error('the transaction is over')) : send(...statement);
  return work({ query: query as Queryable['query'] }).finally(() => (over = true));
}

/** The database, or the file system, has no room left. */
export function isStorageFull(error: unknown): boolean {
  return (
    sqlState(error) === '53100' ||
    /^(ENOSPC|EDQUOT)$/.test(String((error as { code?: unknown } | null)?.code))
  );
}

/** SQLSTATE classes 08 (connection) and 57P (server going away), 25P03 (idled), 53300 (too many connections). */
const AWAY = /^(08...|57P..|25P03|53300)$/;

/** 53000, 53200 and 53400: the database has too little memory, or of another thing that it is allowed, for the moment. */
const OVERLOADED = /^(53000|53200|53400)$/;

/** True when the connection, not the statement, failed: the outcome of what was sent is unknown. */
export function isConnectionError(error: unknown): boolean {
  // Whatever the server did not say itself is the connection's failure; EPIPE only looks like an SQLSTATE.
  return !(error instanceof pg.DatabaseError) || AWAY.test(sqlState(error));
}

/**
 * True when the database is away or has no connection to give: the same request may succeed in a moment. Unlike
 * `isConnectionError` it never takes another kind of failure for this one.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionLost || AWAY.test(sqlState(error))) return true;
  if (OVERLOADED.test(sqlState(error))) return true;
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && /^(connect|read|write|getaddrinfo)$/.test(String(error.syscall))) return true;
  return /^(Connection terminated|timeout e(xpired|xceeded)|Client .* is not queryable)/.test(error.message);
}

/** What the server called its error; '' for any other. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
