/** Checks whether the server accepts connections, by connecting as a client. */
import pg from 'pg';
import { systemCode } from './errors.ts';
import { USER } from './cluster.ts';
import { PORT } from './socket.ts';

export const DATABASE = 'continuo';

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'no-database' }
  /** The server listens but accepts no connections at the moment: check again. */
  | { readonly kind: 'not-now' }
  /** No server listens. */
  | { readonly kind: 'refused' };

export async function ask(socketFolder: string): Promise<Answer> {
  const client = clientFor(socketFolder, DATABASE);
  try {
    await client.connect();
    return { kind: 'ready' };
  } catch (error) {
    return readRefusal(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function createDatabase(socketFolder: string): Promise<void> {
  const client = clientFor(socketFolder, 'postgres');
  try {
    await client.connect();
    await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function readRefusal(error: unknown): Answer {
  switch (systemCode(error)) {
    case '3D000':
      return { kind: 'no-database' };
    case '53300': // Too many connections: the server is up, but busy.
      return { kind: 'ready' };
    case 'ENOENT':
    case 'ECONNREFUSED':
      return { kind: 'refused' };
    default:
      // Starting up, shutting down (57P03), too busy to answer in time, or gone during the answer.
      return { kind: 'not-now' };
  }
}

function clientFor(host: string, database: string): pg.Client {
  const client = new pg.Client({
    host,
    port: PORT,
    user: USER,
    database,
    ssl: false,
    connectionTimeoutMillis: 5000,
  });
  // A server that ends during the disconnect is no error: the check is repeated anyway.
  client.on('error', () => undefined);
  return client;
}
