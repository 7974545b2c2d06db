/**
 * Only one process at a time starts or stops the server of a home folder.
 *
 * 1. The kernel frees the lock when its holder dies, for whatever reason, so a lock is never stale. Node has no flock, so this
 *    uses SQLite's lock (fcntl) on an empty file.
 * 2. The lock also excludes two holders within one process.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedDatabaseError, systemCode } from './errors.ts';
import { until } from './wait.ts';

const SQLITE_BUSY = 5;
/** Longer than a crash recovery that the current holder may be waiting for. */
const LOCK_TIMEOUT_MS = 10 * 60_000;

export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  createPrivate(file);
  const lock = await until({ limit: LOCK_TIMEOUT_MS }, () => tryLock(file));
  if (!lock) {
    throw new EmbeddedDatabaseError(
      'busy',
      `another process has held ${file} for ten minutes while starting or stopping the database; look for a stopped or hanging process, end it and try again`,
    );
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

/**
 * Private, because any process that can read the file could take the lock. An existing file is not opened, because closing it
 * would free a lock that this process may hold.
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function tryLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
