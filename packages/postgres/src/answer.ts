/** Asks the server whether it takes connections, as every client would. */
import pg from 'pg';
import { systemCode } from './errors.ts';
import { USER } from './cluster.ts';
import { PORT } from './socket.ts';

export const DATABASE = 'continuo';

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'no-database' }
  /** It listens, but takes no connection yet, or no longer: ask again. */
  | { readonly kind: 'not-now' }
  /** Nobody listens. */
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
    case '53300': // Too many connections: it is up, and busy.
      return { kind: 'ready' };
    case 'ENOENT':
    case 'ECONNREFUSED':
      return { kind: 'refused' };
    default:
      // Starting up, shutting down (57P03), too busy to answer in time, gone while it answered.
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
  // A server that ends while we hang up is no news: the question is asked again.
  client.on('error', () => undefined);
  return client;
}
