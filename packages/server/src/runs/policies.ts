// A workspace's policy, as its row has it. It is read whenever calls are judged: a rule that somebody just made on another pod
// must not come too late.

import type { PolicyRule } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import { DEFAULT_POLICY } from '../tools/policy.ts';

/** Null if there is no such workspace. */
export async function readPolicy(
  client: Queryable,
  workspaceId: string,
): Promise<readonly PolicyRule[] | null> {
  const { rows } = await client.query<{ policy: string | null }>({
    name: 'read_policy',
    text: 'select policy from workspaces where id = $1 and removed_at is null',
    values: [workspaceId],
  });
  const [row] = rows;
  if (!row) return null;
  return row.policy === null ? DEFAULT_POLICY : (JSON.parse(row.policy) as { rules: PolicyRule[] }).rules;
}

/** False if there is no such workspace. */
export async function writePolicy(
  client: Queryable,
  workspaceId: string,
  rules: readonly PolicyRule[],
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'write_policy',
    text: 'update workspaces set policy = $2 where id = $1 and removed_at is null',
    values: [workspaceId, JSON.stringify({ rules })],
  });
  return rowCount === 1;
}
