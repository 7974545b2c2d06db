// Whether there is free storage. A full disk accepts small writes and refuses larger ones, so probing a healthy disk
// proves nothing. Instead the server remembers that a write was refused, and from then on probes with a larger write
// until one succeeds.

import { randomUUID } from 'node:crypto';
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageFull, type Pool } from './pool.ts';

/** Size of the probe: storage counts as free again when this many bytes can be written. */
const PROBE_BYTES = 1024 * 1024;

/**
 * The size of a Postgres WAL segment. Without space for one, Postgres shuts down and frees what it had allocated for
 * it.
 */
const DATABASE_BYTES = 16 * 1024 * 1024;

export interface StorageSettings {
  readonly home: string;
  /** Whether the database is the embedded one in the home. */
  readonly isDatabaseInHome: boolean;
  readonly onChange: (state: 'ok' | 'full') => void;
  /** Free bytes on the disk of a folder. */
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

  /** Records that a write was refused because a disk is full. */
  refused(): void {
    this.#setFull(true);
  }

  async state(): Promise<'ok' | 'full'> {
    if (!this.#full) return 'ok';
    this.#probing ??= this.#probe().finally(() => (this.#probing = null));
    await this.#probing;
    return this.#full ? 'full' : 'ok';
  }

  /**
   * Whether the database is down because its disk is full. Only known of the database in the home: this server cannot
   * see the disk of any other.
   */
  async keepsDatabaseAway(): Promise<boolean> {
    if (!this.#isDatabaseInHome) return false;
    const free = await this.#bytesFree(this.#home).catch(() => Infinity);
    if (free >= DATABASE_BYTES) return false;
    this.refused();
    return true;
  }

  #setFull(full: boolean): void {
    if (this.#full === full) return;
    this.#full = full;
    this.#onChange(full ? 'full' : 'ok');
  }

  async #probe(): Promise<void> {
    try {
      await this.#writeRows();
      await this.#writeFile();
      this.#setFull(false);
    } catch (error) {
      // That the database is down is reported elsewhere. Whether it has space is unknown until it is back.
      if (!isStorageFull(error)) return;
    }
  }

  /** Creates a table and rolls it back: its pages are allocated on disk, and freed at once. */
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
