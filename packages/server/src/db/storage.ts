// Whether there is room to write. A full disk lets small writes through and refuses others, so a probe tells nothing while all is
// well: the server remembers that a write was refused, and from then on tries a write of some size until it succeeds.

import { randomUUID } from 'node:crypto';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageFull, type Pool } from './pool.ts';

/** Bytes that must fit before storage counts as free again. */
const PROBE_BYTES = 1024 * 1024;

/** What Postgres takes from the disk at a time for its log. Without it, it goes away altogether, and gives back what it had of it. */
const DATABASE_BYTES = 16 * 1024 * 1024;

export interface StorageSettings {
  readonly home: string;
  /** Whether the database is kept in the home, by this server. */
  readonly isDatabaseInHome: boolean;
  readonly onChange: (state: 'ok' | 'full') => void;
  /** Bytes that may still be written to the disk of a folder. */
  readonly bytesFree?: (folder: string) => Promise<number>;
}

async function bytesFreeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

export class Storage {
  readonly #pool: Pool;
  readonly #home: string;
  readonly #isDatabaseInHome: boolean;
  readonly #onChange: (state: 'ok' | 'full') => void;
  readonly #bytesFree: (folder: string) => Promise<number>;
  #full = false;
  #probing: Promise<void> | null = null;

  constructor(pool: Pool, { home, isDatabaseInHome, onChange, bytesFree = bytesFreeOn }: StorageSettings) {
    this.#pool = pool;
    this.#home = home;
    this.#isDatabaseInHome = isDatabaseInHome;
    this.#onChange = onChange;
    this.#bytesFree = bytesFree;
  }

  /** A write was refused because a disk is full. */
  refused(): void {
    this.#become(true);
  }

  async state(): Promise<'ok' | 'full'> {
    if (!this.#full) return 'ok';
    this.#probing ??= this.#probe().finally(() => (this.#probing = null));
    await this.#probing;
    return this.#full ? 'full' : 'ok';
  }

  /**
   * Whether a database that is away is away because the disk is full. Only the one in the home can be told: where another is, and
   * how much room it has, is not known here.
   */
  async keepsDatabaseAway(): Promise<boolean> {
    if (!this.#isDatabaseInHome) return false;
    const free = await this.#bytesFree(this.#home).catch(() => Infinity);
    if (free >= DATABASE_BYTES) return false;
    this.refused();
    return true;
  }

  #become(full: boolean): void {
    if (this.#full === full) return;
    this.#full = full;
    this.#onChange(full ? 'full' : 'ok');
  }

  async #probe(): Promise<void> {
    try {
      await this.#writeRows();
      await this.#writeFile();
      this.#become(false);
    } catch (error) {
      // A database that is away is told elsewhere; whether it has room is not known until it is back.
      if (!isStorageFull(error)) return;
    }
  }

  /** A table that is rolled back: its pages are taken from the disk, and given back at once. */
  async #writeRows(): Promise<void> {
    const client = await this.#pool.connect();
    let broken = false;
    try {
      await client.query('begin');
      const table = `storage_probe_${randomUUID().replaceAll('-', '')}`;
      await client.query(`create table ${table} (data text)`);
      await client.query(`alter table ${table} alter column data set storage external`);
      await client.query(`insert into ${table} values (repeat('x', $1))`, [PROBE_BYTES]);
    } finally {
      await client.query('rollback').catch(() => (broken = true));
      client.release(broken);
    }
  }

  async #writeFile(): Promise<void> {
    const path = join(this.#home, `.storage-probe-${randomUUID()}`);
    const file = await open(path, 'wx', 0o600);
    try {
      await file.write(Buffer.alloc(PROBE_BYTES, 1));
      await file.sync();
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
  }
}
