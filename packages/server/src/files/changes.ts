// The change feed of a workspace: every change of its files, by any author, numbered without gaps. Followers read it by
// cursor; the bus only tells them when to read.

import type { Bus } from '../bus/bus.ts';
import type { Queryable } from '../db/pool.ts';
import type { FollowersOf } from '../log/follow.ts';
import type { Author, FileHead } from './files.ts';
import { FILES_CHANGED } from './topics.ts';

export interface Change {
  readonly seq: number;
  readonly type:
    | 'file_updated'
    | 'file_moved'
    | 'file_removed'
    | 'entity_patch'
    | 'plan_step'
    | 'plan_changed'
    | 'content_published'
    | 'content_unpublished';
  readonly at: Date;
  readonly data: {
    readonly file: string;
    readonly path: string;
    /** The former path of a moved file. */
    readonly from?: string;
    readonly v: number;
    readonly kind: FileHead['kind'];
    readonly size: number;
    readonly hash: string;
    readonly author: Author;
  };
}

export async function readChanges(
  client: Queryable,
  workspaceId: string,
  { after, limit }: { after: number; limit: number },
): Promise<readonly Change[]> {
  const rows = await readChangeRows(client, workspaceId, after, limit);
  return rows.map(({ json, ...row }) => ({ ...row, data: JSON.parse(json) as Change['data'] }));
}

/** A change as it is stored and sent: its data is still JSON text. */
export interface ChangeRow extends Omit<Change, 'data'> {
  readonly json: string;
}

export async function readChangeRows(
  client: Queryable,
  workspaceId: string,
  after: number,
  limit: number,
): Promise<readonly ChangeRow[]> {
  const { rows } = await client.query<{ seq: string; type: Change['type']; at: Date; json: string }>({
    name: 'read_changes',
    text: 'select seq, type, at, data as json from changes where workspace_id = $1 and seq > $2 order by seq limit $3',
    values: [workspaceId, after, limit],
  });
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

export function subscribeChangeFollowers(bus: Bus, followers: FollowersOf<ChangeRow>): void {
  bus.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => followers.readNew(workspaceId),
    rescan: () => followers.rescan(),
  });
}

/** The seq of the last change. */
export async function lastChange(client: Queryable, workspaceId: string): Promise<number> {
  const { rows } = await client.query<{ change_seq: string }>({
    name: 'last_change',
    text: 'select change_seq from workspaces where id = $1',
    values: [workspaceId],
  });
  return Number(rows[0]?.change_seq ?? 0);
}
