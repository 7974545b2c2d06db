// Read keys: with one, a site reads what a workspace has published, and nothing else. The key is shown once; only its hash is
// stored, so a copy of the database opens nothing.
//
// Invariant: a removed key stops working on this pod at once, and on every other pod within `FRESH_MS`.

import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import type { ReadKey } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { FILES_CHANGED } from '../files/topics.ts';
import type { StoredPrincipal } from '../identity/principal.ts';

/** The most read keys of a workspace. */
export const MOST_READ_KEYS = 20;
/** Identifies a read key to people and to secret scanners. */
const PREFIX = 'crk_';
/** How long the keys of a workspace are used from memory, and of how many workspaces. */
const FRESH_MS = 5000;
const KEPT = 1000;
/** Uses are recorded to the hour. */
const USED_MS = 3_600_000;

export function isReadKey(secret: string): boolean {
  return secret.startsWith(PREFIX);
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly used_at: Date | null;
}

export async function listReadKeys(client: Queryable, workspaceId: string): Promise<ReadKey[]> {
  const { rows } = await client.query<Row>(
    'select id, name, created_by, created_at, used_at from read_keys where workspace_id = $1 order by created_at, id',
    [workspaceId],
  );
  return rows.map(toWire);
}

/** Null if the workspace has the most keys it may have. The key is not shown again. */
export async function addReadKey(
  client: Queryable,
  workspaceId: string,
  { name, by }: { readonly name: string; readonly by: StoredPrincipal },
): Promise<(ReadKey & { readonly key: string }) | null> {
  const key = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  const { rows } = await client.query<Row>(
    `insert into read_keys (id, workspace_id, name, key_hash, created_by)
      select $1, $2, $3, $4, $5 where (select count(*) from read_keys where workspace_id = $2) < $6
      returning id, name, created_by, created_at, used_at`,
    [uuidv7(), workspaceId, name, hashOf(key), JSON.stringify(by), MOST_READ_KEYS],
  );
  return rows[0] ? { ...toWire(rows[0]), key } : null;
}

/** False if there is no such key. */
export async function deleteReadKey(client: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from read_keys where workspace_id = $1 and id = $2', [
    workspaceId,
    id,
  ]);
  return rowCount === 1;
}

function toWire({ id, name, created_by, created_at, used_at }: Row): ReadKey {
  return {
    id,
    name,
    created_by: JSON.parse(created_by) as StoredPrincipal,
    created_at: created_at.toISOString(),
    used_at: used_at?.toISOString() ?? null,
  };
}

interface Known {
  /** Ids by the hash of the key. */
  readonly ids: ReadonlyMap<string, string>;
  readonly until: number;
}

/** Checks keys from memory: a wrong key costs a hash, and no query. */
export class ReadKeyCheck {
  readonly #world: { readonly pool: Pool; readonly onError: (error: unknown) => void };
  readonly #known = new LRUCache<string, Known>({ max: KEPT });
  readonly #used = new LRUCache<string, number>({ max: KEPT });
  /** Counts the changes: keys that were being read meanwhile may be out of date, and are not kept. */
  #changes = 0;

  constructor({ bus, ...world }: { bus: Bus; pool: Pool; onError: (error: unknown) => void }) {
    this.#world = world;
    bus.subscribe(FILES_CHANGED, {
      message: ({ workspaceId }) => {
        this.#changes += 1;
        this.#known.delete(workspaceId);
      },
      rescan: () => {
        this.#changes += 1;
        this.#known.clear();
      },
    });
  }

  async opens(workspaceId: string, key: string): Promise<boolean> {
    if (!isReadKey(key)) return false;
    const known = this.#known.get(workspaceId);
    const { ids } = known && known.until > performance.now() ? known : await this.#read(workspaceId);
    // The time of a look-up by a hash says nothing about a key.
    const id = ids.get(hashOf(key).toString('base64'));
    if (id === undefined) return false;
    this.#record(id);
    return true;
  }

  async #read(workspaceId: string): Promise<Known> {
    const before = this.#changes;
    const { rows } = await this.#world.pool.query<{ id: string; hash: string }>(
      "select id, encode(key_hash, 'base64') as hash from read_keys where workspace_id = $1",
      [workspaceId],
    );
    const ids = new Map(rows.map(({ id, hash }) => [hash, id]));
    const read = { ids, until: performance.now() + FRESH_MS };
    if (this.#changes === before) this.#known.set(workspaceId, read);
    return read;
  }

  #record(id: string): void {
    const last = this.#used.get(id);
    if (last !== undefined && performance.now() - last < USED_MS) return;
    this.#used.set(id, performance.now());
    this.#world.pool
      .query(
        `update read_keys set used_at = clock_timestamp()
          where id = $1 and (used_at is null or used_at < clock_timestamp() - interval '1 hour')`,
        [id],
      )
      .catch(this.#world.onError);
  }
}
