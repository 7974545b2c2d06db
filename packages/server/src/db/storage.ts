// Whether there is room to write. A full disk lets small writes through and refuses others, so a probe tells nothing while all is
// well: the server remembers that a write was refused, and from then on tries a write of some size until it succeeds.

import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageFull, type Pool } from './pool.ts';

/** Bytes that must fit before storage counts as free again. */
const PROBE_BYTES = 1024 * 1024;

export class Storage {
  readonly #pool: Pool;
  readonly #home: string;
  readonly #onChange: (state: 'ok' | 'full') => void;
  #full = false;
  #probing: Promise<void> | null = null;

  constructor(pool: Pool, home: string, onChange: (state: 'ok' | 'full') => void) {
    this.#pool = pool;
    this.#home = home;
    this.#onChange = onChange;
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
