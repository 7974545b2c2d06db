// The rows of triggers.

import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { NewTrigger, Trigger } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { StoredPrincipal } from '../identity/principal.ts';
import type { Sealing } from '../workspaces/sealing.ts';
import type { Start } from './start-run.ts';
import { hashOf } from './triggers.ts';
import { newSecret, sealSecret } from './signing.ts';

/** The most triggers of a workspace. */
export const MOST_TRIGGERS = 20;

/** What is shown once. `secret` is null if requests need no signature, or keep the one that they have. */
export interface Shown {
  readonly id: string;
  readonly token: string;
  readonly secret: string | null;
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

interface TriggerRow {
  readonly id: string;
  readonly name: string;
  readonly start: string;
  readonly signed: boolean;
  readonly enabled: boolean;
  readonly uses: number;
  readonly used_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export async function readTriggers(
  client: Queryable,
  workspaceId: string,
  id: string | null = null,
): Promise<Trigger[]> {
  const { rows } = await client.query<TriggerRow>(
    `select id, name, start, secret is not null as signed, enabled, uses, used_at, created_at, updated_at from triggers
      where workspace_id = $1 and ($2::uuid is null or id = $2) order by name`,
    [workspaceId, id],
  );
  return rows.map(({ start, used_at, created_at, updated_at, ...row }) => ({
    ...row,
    ...(JSON.parse(start) as Start),
    used_at: used_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }));
}

/** Null if the workspace has the most triggers it may have. */
export async function addTrigger(
  client: Queryable,
  workspaceId: string,
  { name, signed, enabled, ...start }: NewTrigger,
  by: { readonly principal: StoredPrincipal; readonly sealing: Sealing },
): Promise<Shown | null> {
  const shown = { id: uuidv7(), token: newToken(), secret: signed ? newSecret() : null };
  const { rowCount } = await client.query(
    `insert into triggers (id, workspace_id, name, token_hash, start, secret, enabled, principal)
      select $1, $2, $3, $4, $5, $6, $7, $8 where (select count(*) from triggers where workspace_id = $2) < $9`,
    [
      shown.id,
      workspaceId,
      name,
      hashOf(shown.token),
      JSON.stringify(start),
      shown.secret === null ? null : sealSecret(by.sealing, shown.id, shown.secret),
      enabled,
      JSON.stringify(by.principal),
      MOST_TRIGGERS,
    ],
  );
  return rowCount === 1 ? shown : null;
}

/** Undefined if there is no such trigger; else the secret, if requests need a signature from now on and did not before. */
export async function changeTrigger(
  client: Queryable,
  workspaceId: string,
  id: string,
  { name, signed, enabled, ...start }: NewTrigger,
  sealing: Sealing,
): Promise<string | null | undefined> {
  const fresh = newSecret();
  const sealed = sealSecret(sealing, id, fresh);
  const { rows } = await client.query<{ secret: string | null }>(
    `update triggers set name = $3, start = $4, enabled = $5, updated_at = clock_timestamp(),
        secret = case when $6 then coalesce(secret, $7) end
      where workspace_id = $1 and id = $2 returning secret`,
    [workspaceId, id, name, JSON.stringify(start), enabled, signed, sealed],
  );
  return rows[0] && (rows[0].secret === sealed ? fresh : null);
}

/** Replaces the token; null if there is no such trigger. The old address stops working at once. */
export async function replaceToken(
  client: Queryable,
  workspaceId: string,
  id: string,
): Promise<string | null> {
  const token = newToken();
  const { rowCount } = await client.query(
    'update triggers set token_hash = $3, updated_at = clock_timestamp() where workspace_id = $1 and id = $2',
    [workspaceId, id, hashOf(token)],
  );
  return rowCount === 1 ? token : null;
}

export async function deleteTrigger(client: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from triggers where workspace_id = $1 and id = $2', [
    workspaceId,
    id,
  ]);
  return rowCount === 1;
}
