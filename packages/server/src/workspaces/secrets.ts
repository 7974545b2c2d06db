// The secrets of a workspace: values that tools and MCP servers are handed by name. No function but `read` returns a value, and
// no route calls it.

import { defineTopic, oneField, type Bus } from '../bus/bus.ts';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import type { Sealing } from './sealing.ts';

/** A secret of the workspace was stored or removed. */
export const SECRETS_CHANGED = defineTopic('secrets.changed', oneField('workspaceId'));

/** The most secrets of one workspace. */
export const MOST_SECRETS = 100;

export interface Secret {
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** False if it was stored with another key than this server's. */
  readonly isReadable: boolean;
}

type SecretPut = 'created' | 'replaced' | 'no_workspace' | 'too_many';

export interface Secrets {
  list(workspaceId: string): Promise<readonly Secret[]>;
  put(workspaceId: string, name: string, value: string): Promise<SecretPut>;
  /** False if there is no such secret. */
  remove(workspaceId: string, name: string): Promise<boolean>;
  /** The value, for the code that uses it. Throws `SecretUnavailable` with a sentence that says what to do. */
  read(workspaceId: string, name: string): Promise<string>;
}

export class SecretUnavailable extends Error {
  readonly code = 'secret_unavailable';
}

interface Row {
  readonly name: string;
  readonly sealed: Buffer;
  readonly key_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function createSecrets(world: {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly sealing: Sealing;
}): Secrets {
  const { pool, bus, sealing } = world;
  return {
    list: async (workspaceId) => {
      const rows = await readRows(pool, workspaceId);
      return rows.map((row) => ({
        name: row.name,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
        isReadable: row.key_id === sealing.keyId,
      }));
    },
    put: async (workspaceId, name, value) => {
      const sealed = sealing.seal(value, about(workspaceId, name));
      const put = await store(pool, { workspaceId, name, sealed, keyId: sealing.keyId });
      if (put === 'created' || put === 'replaced') await bus.publish(SECRETS_CHANGED, { workspaceId });
      return put;
    },
    remove: async (workspaceId, name) => {
      const { rowCount } = await pool.query('delete from secrets where workspace_id = $1 and name = $2', [
        workspaceId,
        name,
      ]);
      if (rowCount === 1) await bus.publish(SECRETS_CHANGED, { workspaceId });
      return rowCount === 1;
    },
    read: async (workspaceId, name) => {
      const row = (await readRows(pool, workspaceId)).find((each) => each.name === name);
      if (!row)
        throw new SecretUnavailable(
          `the workspace has no secret ${name}; a person can add it in the settings of the workspace`,
        );
      const value = sealing.open(row.sealed, about(workspaceId, name));
      if (value !== null) return value;
      throw new SecretUnavailable(
        `the secret ${name} was stored with another key; a person must enter it again, or the operator give the server that key`,
      );
    },
  };
}

/** A sealed value that is moved to another workspace or name cannot be opened there. */
function about(workspaceId: string, name: string): string {
  return `${workspaceId}/${name}`;
}

async function readRows(client: Queryable, workspaceId: string): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({
    name: 'read_secrets',
    text: `select name, sealed, key_id, created_at, updated_at from secrets
      where workspace_id = $1 order by name`,
    values: [workspaceId],
  });
  return rows;
}

interface NewSecret {
  readonly workspaceId: string;
  readonly name: string;
  readonly sealed: Buffer;
  readonly keyId: string;
}

function store(pool: Pool, { workspaceId, name, sealed, keyId }: NewSecret): Promise<SecretPut> {
  return transaction(pool, async (client): Promise<SecretPut> => {
    // Serialises concurrent writes, so that the count is current.
    const { rowCount } = await client.query(
      'select from workspaces where id = $1 and removed_at is null for no key update',
      [workspaceId],
    );
    if (rowCount === 0) return 'no_workspace';
    const rows = await readRows(client, workspaceId);
    const isThere = rows.some((row) => row.name === name);
    if (!isThere && rows.length >= MOST_SECRETS) return 'too_many';
    await client.query(
      `insert into secrets (workspace_id, name, sealed, key_id) values ($1, $2, $3, $4)
       on conflict (workspace_id, name) do update
         set sealed = excluded.sealed, key_id = excluded.key_id, updated_at = clock_timestamp()`,
      [workspaceId, name, sealed, keyId],
    );
    return isThere ? 'replaced' : 'created';
  });
}
