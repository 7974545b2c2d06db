// A workspace's stored policy. It is read every time calls are judged, so that a rule which was just added on another pod applies
// at once.

import { createHash } from 'node:crypto';
import type { PolicyRule } from '@continuo/protocol';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { DEFAULT_POLICY } from './policy.ts';

/** Null if there is no such workspace. */
export async function readPolicy(
  client: Queryable,
  workspaceId: string,
): Promise<readonly PolicyRule[] | null> {
  const { rows } = await client.query<Row>({ name: 'read_policy', text: READ, values: [workspaceId] });
  return rows[0] ? rulesIn(rows[0]) : null;
}

/** A hash of the rules. */
export function policyVersion(rules: readonly PolicyRule[]): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 16);
}

export type PolicyWriteResult = 'written' | 'no_workspace' | 'changed';

/** Replaces the rules; with a `version`, only if the current rules still have that version. */
export function writePolicy(
  pool: Pool,
  workspaceId: string,
  { rules, version }: { readonly rules: readonly PolicyRule[]; readonly version?: string | undefined },
): Promise<PolicyWriteResult> {
  return transaction(pool, async (client): Promise<PolicyWriteResult> => {
    const { rows } = await client.query<Row>({
      name: 'hold_policy',
      text: `${READ} for no key update`,
      values: [workspaceId],
    });
    if (!rows[0]) return 'no_workspace';
    if (version !== undefined && version !== policyVersion(rulesIn(rows[0]))) return 'changed';
    await client.query({
      name: 'write_policy',
      text: 'update workspaces set policy = $2 where id = $1',
      values: [workspaceId, JSON.stringify({ rules })],
    });
    return 'written';
  });
}

const READ = 'select policy from workspaces where id = $1 and removed_at is null';

interface Row {
  readonly policy: string | null;
}

function rulesIn({ policy }: Row): readonly PolicyRule[] {
  return policy === null ? DEFAULT_POLICY : (JSON.parse(policy) as { rules: PolicyRule[] }).rules;
}
