// Connections. The pool serves requests and reads; `connect` gives a connection of one's own (the log's
// writer, the pod's lock). Both end a transaction that idles longer than the lease, so that a
// stopped process cannot hold locks that its successor needs.

import type { Duplex } from 'node:stream';
import pg from 'pg';

export interface DatabaseSettings {
  /** A connection string, or a unix socket's folder with user and database. */
  readonly connection: string | { host: string; port: number; user: string; database: string };
  readonly applicationName: string;
  readonly leaseSeconds: number;
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
  const pool = new pg.Pool({ ...clientConfig(settings), max: 20, idleTimeoutMillis: 30_000 });
  // An idle connection that breaks is replaced by the pool; it must not end the process.
  pool.on('error', onError);
  return pool;
}

export async function connect(
  settings: DatabaseSettings,
  options: { readonly lock_timeout?: number; readonly query_timeout?: number } = {},
): Promise<Connection> {
  const client = new pg.Client({ ...clientConfig(settings), ...options });
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

function clientConfig(settings: DatabaseSettings): pg.ClientConfig {
  const { connection } = settings;
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: settings.applicationName,
    idle_in_transaction_session_timeout: settings.leaseSeconds * 1000,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
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
    throw error;
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

/** SQLSTATE classes 08 (connection) and 57P (server going away), 25P03 (idled), 53300 (too many connections). */
const AWAY = /^(08...|57P..|25P03|53300)$/;

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
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && /^(connect|read|write|getaddrinfo)$/.test(String(error.syscall))) return true;
  return /^(Connection terminated|timeout e(xpired|xceeded)|Client .* is not queryable)/.test(error.message);
}

/** What the server called its error; '' for any other. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
