// Decides which pod owns the visible folders of a home: the one that holds a session advisory lock named after the
// home. The other pods wait for that lock; meanwhile each holds a slot for its private mirrors.
//
// The database ends the lock's session when it is silent for a lease, so a stopped process loses the folders. An owner
// that has not heard from the database for most of a lease asks it before touching the disk.

import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, destroy, sqlState, type Connection, type DatabaseSettings } from '../../db/pool.ts';
import type { Log } from './disk/disk.ts';
import { errorCode } from './disk/tree.ts';

/**
 * How long one statement waits for the lock before it is sent again: a waiting statement keeps Postgres from vacuuming.
 */
const WAIT_MS = 10_000;
const RECONNECT_MS = [50, 1000] as const;

export type Role = { readonly kind: 'owner' } | { readonly kind: 'private'; readonly slot: number };

export interface OwnerOptions {
  readonly database: DatabaseSettings;
  readonly homeId: string;
  readonly log: Log;
  readonly onRole: (role: Role | null) => void;
}

export class Owner {
  readonly #options: OwnerOptions;
  #connection: Connection | null = null;
  #role: Role | null = null;
  #renewedAt = -Infinity;
  #heartbeat: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: OwnerOptions) {
    this.#options = options;
  }

  get role(): Role | null {
    return this.#role;
  }

  get #leaseMs(): number {
    return this.#options.database.leaseSeconds * 1000;
  }

  /** Whether this pod certainly still has its role. */
  fresh(): boolean {
    if (this.#role?.kind === 'private') return this.#connection !== null;
    return this.#role !== null && performance.now() - this.#renewedAt < this.#leaseMs * 0.75;
  }

  /** Asks the database, for when `fresh` is false. */
  async confirm(): Promise<boolean> {
    const connection = this.#connection;
    if (this.#role?.kind === 'owner' && connection) await this.#ping(connection);
    return this.fresh();
  }

  /** Resolves when this pod has a role. */
  async start(): Promise<void> {
    await this.#join();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const connection = this.#connection;
    this.#drop();
    if (!connection) return;
    // While it waits for a lock, the session would not process the protocol's goodbye.
    if (this.#role?.kind === 'private') destroy(connection);
    else await connection.end().catch(() => undefined);
    this.#role = null;
  }

  async #join(): Promise<void> {
    const connection = await connect(this.#options.database, { lock_timeout: WAIT_MS });
    this.#connection = connection;
    connection.once('end', () => this.#lost(connection));
    await connection.query(`set idle_session_timeout = ${Math.round(this.#leaseMs)}`);
    if (await this.#tryLock(connection, 'visible')) return this.#assumeRole({ kind: 'owner' });
    let slot = 1;
    while (!(await this.#tryLock(connection, `private ${slot}`))) slot += 1;
    this.#assumeRole({ kind: 'private', slot });
    void this.#waitForFolders(connection).catch((error: Error) => {
      this.#options.log.warn({ reason: error.message }, 'waiting for the folders failed');
      destroy(connection);
    });
  }

  async #tryLock(connection: Connection, what: string): Promise<boolean> {
    this.#renewedAt = performance.now();
    const { rows } = await connection.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1) as locked',
      [this.#key(what)],
    );
    return rows[0]!.locked;
  }

  async #waitForFolders(connection: Connection): Promise<void> {
    while (this.#connection === connection) {
      this.#renewedAt = performance.now();
      try {
        await connection.query('select pg_advisory_lock($1)', [this.#key('visible')]);
        break;
      } catch (error) {
        if (this.#connection !== connection) return;
        // 55P03: the lock was not free within WAIT_MS.
        if (sqlState(error) !== '55P03') throw error;
      }
    }
    if (this.#connection !== connection) return;
    await this.#ping(connection);
    if (this.#connection === connection) this.#assumeRole({ kind: 'owner' });
  }

  #assumeRole(role: Role): void {
    this.#role = role;
    if (role.kind === 'owner') {
      const connection = this.#connection!;
      this.#heartbeat = setInterval(() => void this.#ping(connection), this.#leaseMs / 4);
      this.#heartbeat.unref();
    }
    this.#options.onRole(role);
  }

  async #ping(connection: Connection): Promise<void> {
    const asked = performance.now();
    try {
      await connection.query('select 1');
    } catch {
      return this.#lost(connection);
    }
    if (this.#connection === connection) this.#renewedAt = asked;
  }

  #drop(): void {
    if (this.#heartbeat) clearInterval(this.#heartbeat);
    this.#heartbeat = null;
    this.#connection = null;
    this.#renewedAt = -Infinity;
  }

  #lost(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#drop();
    destroy(connection);
    this.#role = null;
    this.#options.onRole(null);
    if (!this.#stopped) void this.#rejoin();
  }

  async #rejoin(): Promise<void> {
    for (let pause: number = RECONNECT_MS[0]; !this.#stopped; pause = Math.min(pause * 2, RECONNECT_MS[1])) {
      try {
        return await this.#join();
      } catch (error) {
        this.#options.log.warn(
          { reason: (error as Error).message },
          'the lock of the folders cannot be acquired; retrying',
        );
        const connection = this.#connection;
        this.#drop();
        if (connection) destroy(connection);
        // No event tells when a database is back, so retry with a back-off.
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  #key(what: string): string {
    const hash = createHash('sha256').update(`${what} ${this.#options.homeId}`).digest();
    return String(hash.readBigInt64BE(0));
  }
}

/** The id of the home, created once. */
export function homeId(folder: string): string {
  const path = join(folder, 'home-id');
  const read = () => readFileSync(path, 'utf8').trim();
  mkdirSync(folder, { recursive: true });
  try {
    return read();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomUUID()}\n`);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return read();
}
