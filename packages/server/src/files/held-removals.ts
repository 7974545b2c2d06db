// Held removals: many files disappeared from a workspace's folder at once, which is more often an accident than
// intended. The pod that owns the folder stores the question as a row; a person decides, on any pod; the owning pod
// carries the decision out.

import type { Queryable } from '../db/pool.ts';
import { toStored, type Principal, type StoredPrincipal } from '../identity/principal.ts';

export type Decision = 'restore' | 'remove';

export interface HeldRemovals {
  readonly since: Date;
  /** How many files are missing on disk. */
  readonly files: number;
  /** The ids of files that were removed in the same sweep, before it counted as a mass removal. */
  readonly removed: readonly string[];
  readonly decision: Decision | null;
  /** Null without a decision, and if it was made before principals were stored. */
  readonly decidedBy: StoredPrincipal | null;
}

type Row = Omit<HeldRemovals, 'decidedBy'> & { readonly decided_by: string | null };

function fromRow({ decided_by, ...row }: Row): HeldRemovals {
  return { ...row, decidedBy: decided_by === null ? null : (JSON.parse(decided_by) as StoredPrincipal) };
}

export async function readHeldRemovals(client: Queryable, workspaceId: string): Promise<HeldRemovals | null> {
  const { rows } = await client.query<Row>({
    name: 'read_held_removals',
    text: 'select since, files, removed, decision, decided_by from held_removals where workspace_id = $1',
    values: [workspaceId],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

/** Creates the question, or updates the number of missing files. */
export async function holdRemovals(
  client: Queryable,
  workspaceId: string,
  { files, removed }: Pick<HeldRemovals, 'files' | 'removed'>,
): Promise<HeldRemovals> {
  const { rows } = await client.query<Row>(
    `insert into held_removals (workspace_id, files, removed) values ($1, $2, $3)
      on conflict (workspace_id) do update set files = excluded.files
      returning since, files, removed, decision, decided_by`,
    [workspaceId, files, removed],
  );
  return fromRow(rows[0]!);
}

/** False if nothing is held, or a decision was already made. */
export async function decideRemovals(
  client: Queryable,
  workspaceId: string,
  decision: Decision,
  principal: Principal,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'update held_removals set decision = $2, decided_by = $3 where workspace_id = $1 and decision is null',
    [workspaceId, decision, JSON.stringify(toStored(principal))],
  );
  return rowCount === 1;
}

export async function releaseRemovals(client: Queryable, workspaceId: string): Promise<void> {
  await client.query('delete from held_removals where workspace_id = $1', [workspaceId]);
}
