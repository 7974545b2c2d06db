// Workspaces: creation, names, removal with a grace period, and purge.

import { v7 as uuidv7 } from 'uuid';
import { sqlState, type Queryable } from '../db/pool.ts';
import { problemWithName } from '../names/file-names.ts';

/** The workspace that the first migration creates. It cannot be removed. */
export const DEFAULT_WORKSPACE = '00000000-0000-7000-8000-000000000001';
/** Its name, which it keeps: clients that name no workspace use it. */
export const DEFAULT_NAME = 'default';
/** How long a removed workspace can be restored. */
export const GRACE_DAYS = 7;

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly removedAt: Date | null;
  /** Total size of all versions of its files. */
  readonly bytes: number;
  /** Number of live files. */
  readonly files: number;
  /** Files that disappeared from its folder at once, if a person has yet to decide about them. */
  readonly heldRemovals: { readonly since: Date; readonly files: number } | null;
}

interface Row {
  id: string;
  name: string;
  created_at: Date;
  removed_at: Date | null;
  bytes: string;
  files: string;
  held_since: Date | null;
  held_files: number | null;
}

const COLUMNS = `w.id, w.name, w.created_at, w.removed_at, w.bytes,
  (select count(*) from files f where f.workspace_id = w.id and f.removed_at is null) as files,
  h.since as held_since, h.files + cardinality(h.removed) as held_files`;
const WORKSPACES = 'workspaces w left join held_removals h on h.workspace_id = w.id and h.decision is null';

/** What is wrong with a workspace's name, or null. It is also the name of its folder on disk. */
export function problemWithWorkspaceName(name: string): string | null {
  if (!/^[a-z\d][a-z\d_-]{0,63}$/.test(name)) {
    return 'a name must have 1 to 64 lower-case letters, digits, - and _, and begin with a letter or a digit';
  }
  if (isId(name)) return 'a name must not look like an id';
  return problemWithName(name);
}

function isId(text: string): boolean {
  return /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text);
}

/** Null if the name is taken. */
export async function createWorkspace(client: Queryable, name: string): Promise<Workspace | null> {
  const { rows } = await client.query<{ id: string }>(
    `insert into workspaces (id, name) values ($1, $2)
      on conflict (name) where removed_at is null do nothing returning id`,
    [uuidv7(), name],
  );
  return rows[0] ? readWorkspace(client, rows[0].id) : null;
}

/** Reads a workspace by id, removed or not. */
export async function readWorkspace(client: Queryable, id: string): Promise<Workspace | null> {
  const { rows } = await client.query<Row>({
    name: 'read_workspace',
    text: `select ${COLUMNS} from ${WORKSPACES} where w.id = $1`,
    values: [id],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

export interface Found {
  readonly id: string;
  readonly name: string;
  readonly removed: boolean;
}

/** Finds a workspace by id or name. Of several with the name: the live one, otherwise the one removed last. */
export async function findWorkspace(client: Queryable, given: string): Promise<Found | null> {
  const { rows } = await client.query<Found>({
    name: isId(given) ? 'find_workspace_by_id' : 'find_workspace_by_name',
    text: `select id, name, removed_at is not null as removed from workspaces
      where ${isId(given) ? 'id' : 'name'} = $1 order by removed_at desc nulls first limit 1`,
    values: [given],
  });
  return rows[0] ?? null;
}

/** Lists live or removed workspaces by name; `only`: just the workspace with this id. */
export async function listWorkspaces(
  client: Queryable,
  { after, limit, removed, only }: { after: string; limit: number; removed: boolean; only: string | null },
): Promise<{ items: readonly Workspace[]; next: string | null }> {
  const { rows } = await client.query<Row>(
    `select ${COLUMNS} from ${WORKSPACES}
      where (w.removed_at is not null) = $3 and ($5::uuid is null or w.id = $5) and (w.name, w.id::text) > ($1 collate "C", $4)
      order by w.name collate "C", w.id::text limit $2`,
    [after.split('/')[0], limit + 1, removed, after.split('/')[1] ?? '', only],
  );
  const last = rows.length > limit ? rows[limit - 1]! : null;
  return { items: rows.slice(0, limit).map(fromRow), next: last && `${last.name}/${last.id}` };
}

export type Renamed = 'renamed' | 'taken' | 'not_found';

export async function renameWorkspace(client: Queryable, id: string, name: string): Promise<Renamed> {
  return unlessTaken(
    client.query('update workspaces set name = $2 where id = $1 and removed_at is null', [id, name]),
  );
}

/** Removes a workspace. It is treated as missing until it is restored or purged. */
export async function removeWorkspace(client: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'update workspaces set removed_at = clock_timestamp() where id = $1 and removed_at is null',
    [id],
  );
  return rowCount === 1;
}

export async function restoreWorkspaceRow(client: Queryable, id: string): Promise<Renamed> {
  return unlessTaken(
    client.query('update workspaces set removed_at = null where id = $1 and removed_at is not null', [id]),
  );
}

async function unlessTaken(update: Promise<{ rowCount: number | null }>): Promise<Renamed> {
  try {
    return (await update).rowCount === 1 ? 'renamed' : 'not_found';
  } catch (error) {
    if (sqlState(error) === '23505') return 'taken';
    throw error;
  }
}

/** The removed workspaces whose grace period is over. */
export async function listExpired(client: Queryable): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from workspaces where removed_at < clock_timestamp() - make_interval(days => $1) order by removed_at`,
    [GRACE_DAYS],
  );
  return rows.map(({ id }) => id);
}

/** Purges a workspace. False while a run is open in it. */
export async function purgeWorkspace(client: Queryable, id: string): Promise<boolean> {
  const { rows } = await client.query<{ purged: boolean }>(
    'select purge_workspace($1, clock_timestamp() - make_interval(days => $2)) as purged',
    [id, GRACE_DAYS],
  );
  return rows[0]!.purged;
}

function fromRow(row: Row): Workspace {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    removedAt: row.removed_at,
    bytes: Number(row.bytes),
    files: Number(row.files),
    heldRemovals: row.held_since && { since: row.held_since, files: row.held_files! },
  };
}
