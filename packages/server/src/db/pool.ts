// Database connections. The pool serves requests and reads; `connect` opens a dedicated connection (for the log's
// writer and the pod's lock). Postgres ends a transaction that idles longer than the lease, on both kinds, so that a
// stopped process cannot keep locks that its successor needs.
//
// Errors that a retry fixes never reach the caller: a deadlock, a serialization failure, and a prepared statement whose
// result type another version of the server changed. A single statement is sent again (`Client`); a transaction is run
// again as a whole (`transaction`).

import type { Duplex } from 'node:stream';
import pg from 'pg';

export interface DatabaseSettings {
  /** A connection string, or the folder of a Unix socket with user and database. */
  readonly connection: string | { host: string; port: number; user: string; database: string };
  readonly applicationName: string;
  readonly leaseSeconds: number;
  /** Called when a statement fails because the database's disk is full. */
  readonly onStorageFull?: (() => void) | undefined;
}

export type Queryable = Pick<pg.ClientBase, 'query'>;
export type Pool = pg.Pool;
export type Connection = pg.Client;

const JSON_OID = 114;

// json columns stay text, so that clients get exactly what was stored. Readers that need a value parse it.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === JSON_OID
      ? (text: string) => text
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function createPool(settings: DatabaseSettings, onError: (error: Error) => void): Pool {
  const pool = new pg.Pool({ ...clientConfig(settings), Client, max: 20, idleTimeoutMillis: 30_000 });
  // The pool replaces an idle connection that breaks; the error must not end the process.
  pool.on('error', onError);
  return pool;
}

export async function connect(
  settings: DatabaseSettings,
  options: { readonly lock_timeout?: number; readonly query_timeout?: number } = {},
): Promise<Connection> {
  const client = new Client({ ...clientConfig(settings), ...options });
  client.on('error', () => {
    // Users of the connection listen for 'end'. This handler only keeps an error from ending the process.
  });
  await client.connect();
  return client;
}

/** Closes a connection at once, without the protocol's goodbye: the server may not be listening. */
export function destroy(connection: Connection): void {
  (connection as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
}

/** Maximum number of tries of a statement or transaction, including the first. */
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

  // pg's pool passes a callback; all other callers expect a promise.
  override query = ((...statement: unknown[]): unknown => {
    const settle = statement.at(-1);
    if (typeof settle !== 'function') {
      if (typeof (statement[0] as { submit?: unknown }).submit === 'function') return this.#send(statement);
      return new Promise((resolve, reject) =>
        this.#sendWithRetry(statement, 1, (error, result) => (error ? reject(error) : resolve(result))),
      );
    }
    this.#sendWithRetry(statement.slice(0, -1), 1, settle as Settle);
    return undefined;
  }) as pg.Client['query'];

  #send(statement: readonly unknown[]): unknown {
    return (pg.Client.prototype.query as (...all: unknown[]) => unknown).apply(this, [...statement]);
  }

  #sendWithRetry(statement: readonly unknown[], tries: number, settle: Settle): void {
    // A statement inside a transaction cannot be retried alone: `transaction` retries the whole.
    const alone = this.getTransactionStatus() === 'I';
    this.#send([
      ...statement,
      (error: Error | null, result: unknown) => {
        if (error === null || error === undefined) return settle(null, result);
        if (isStorageFull(error)) this.#onStorageFull?.();
        if (!alone || tries === TRIES || !isRetryable(error)) return settle(error, result);
        prepareRetry(this, error, tries)
          .then(() => this.#sendWithRetry(statement, tries + 1, settle))
          .catch(() => settle(error, result));
      },
    ]);
  }
}

/** The database rolled everything back, and the same work can succeed when retried. */
function isRetryable(error: unknown): boolean {
  return /^(40P01|40001)$/.test(sqlState(error)) || isStalePlan(error);
}

/** A migration changed the result type of a prepared statement. */
function isStalePlan(error: unknown): boolean {
  return (
    sqlState(error) === '0A000' && /cached plan must not change result type/.test((error as Error).message)
  );
}

/**
 * Prepares a retry. After a deadlock it waits for a random time, so that the same statements do not collide again.
 * After a stale plan it discards the prepared statements.
 */
async function prepareRetry(client: pg.ClientBase, error: unknown, tries: number): Promise<void> {
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
    // A server that vanishes silently is noticed after this long, plus 10 probes a second apart.
    keepAliveInitialDelayMillis: 30_000,
    onStorageFull: settings.onStorageFull,
    types,
  };
}

/** The connection broke during a transaction. If the commit had been sent, its outcome is unknown. */
export class ConnectionLost extends Error {
  readonly code = 'connection_lost';
  /** The server closed the connection because the transaction idled. */
  readonly idled: boolean;

  constructor(cause: unknown, broken: unknown) {
    super('the database connection was lost', { cause });
    this.idled = sqlState(broken) === '25P03';
  }
}

/** Runs `work` in a transaction. `work` may run several times; each failed try is rolled back before the next. */
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
        const result = await runGuarded(client, work);
        const committed = client.query('commit');
        if (onCommitSent) {
          // The commit has been sent: wait for its outcome even if `onCommitSent` fails.
          committed.catch(() => undefined);
          await onCommitSent();
        }
        await committed;
        return result;
      } catch (error) {
        if (!broken) await client.query('rollback').catch(onError);
        if (broken) throw new ConnectionLost(error, broken);
        if (tries === TRIES || !isRetryable(error)) throw error;
        await prepareRetry(client, error, tries);
      }
    }
  } finally {
    client.off('error', onError);
    client.release(broken ?? undefined);
  }
}

/** Work whose transaction has ended may still be running. Its statements must not reach the connection's next user. */
async function runGuarded<T>(client: pg.PoolClient, work: (client: Queryable) => Promise<T>): Promise<T> {
  let over = false;
  const send = client.query.bind(client) as (...statement: unknown[]) => unknown;
  const query = (...statement: unknown[]): unknown =>
    over ? Promise.reject(new Error('the transaction has ended')) : send(...statement);
  return work({ query: query as Queryable['query'] }).finally(() => (over = true));
}

/** The database or the file system has no space left. */
export function isStorageFull(error: unknown): boolean {
  return (
    sqlState(error) === '53100' ||
    /^(ENOSPC|EDQUOT)$/.test(String((error as { code?: unknown } | null)?.code))
  );
}

/**
 * SQLSTATE classes 08 (connection) and 57P (server shutting down), 25P03 (idle in transaction), 53300 (too many
 * connections).
 */
const AWAY = /^(08...|57P..|25P03|53300)$/;

/** SQLSTATEs of a database that is short of memory or another resource for the moment. */
const OVERLOADED = /^(53000|53200|53400)$/;

/** True when the connection failed rather than the statement: the outcome of a sent statement is unknown. */
export function isConnectionError(error: unknown): boolean {
  // An error that does not come from the server is a connection failure. (The code EPIPE only looks like an SQLSTATE.)
  return !(error instanceof pg.DatabaseError) || AWAY.test(sqlState(error));
}

/**
 * True when the database is down or has no free connection: the same request may succeed in a moment. Unlike
 * `isConnectionError`, it returns false for errors it does not recognise.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionLost || AWAY.test(sqlState(error))) return true;
  if (OVERLOADED.test(sqlState(error))) return true;
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && /^(connect|read|write|getaddrinfo)$/.test(String(error.syscall))) return true;
  return /^(Connection terminated|timeout e(xpired|xceeded)|Client .* is not queryable)/.test(error.message);
}

/** The SQLSTATE of a server error; '' for any other error. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
