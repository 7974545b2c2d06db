// A workspace's stored policy. It is read every time calls are judged, so that a rule which was just added on another pod applies
// at once.

import { createHash } from 'node:crypto';
import { POLICY_PRESETS, type PolicyRule } from '@continuo/protocol';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';

/** The policy of a workspace that has stored none. Lets an agent work in its workspace. A person is asked before a removal, a publication, an external effect, or a change to agents. */
export const DEFAULT_POLICY: readonly PolicyRule[] = POLICY_PRESETS.find(({ name }) => name === 'ask')!.rules;

/** Null if there is no such workspace. */
export async function readPolicy(
  client: Queryable,
  workspaceId: string,
): Promise<readonly PolicyRule[] | null> {
  const { rows } = await client.query<Row>({ name: 'read_policy', text: READ, values: [workspaceId] });
  return rows[0] ? rulesIn(rows[0]) : null;
}

/** The hosts that commands may be given access to; none by default. */
export async function readNetwork(client: Queryable, workspaceId: string): Promise<readonly string[]> {
  const { rows } = await client.query<Row>({ name: 'read_policy', text: READ, values: [workspaceId] });
  return rows[0] ? networkIn(rows[0]) : [];
}

/** A hash of the rules and the hosts. */
export function policyVersion(rules: readonly PolicyRule[], network: readonly string[]): string {
  const hashed = network.length === 0 ? rules : { rules, network };
  return createHash('sha256').update(JSON.stringify(hashed)).digest('hex').slice(0, 16);
}

export type PolicyWriteResult = 'written' | 'no_workspace' | 'changed';

/** Replaces the rules; with a `version`, only if the current rules still have that version. */
export function writePolicy(
  pool: Pool,
  workspaceId: string,
  {
    rules,
    network,
    version,
  }: {
    readonly rules: readonly PolicyRule[];
    /** Left as it is without it. */
    readonly network?: readonly string[] | undefined;
    readonly version?: string | undefined;
  },
): Promise<PolicyWriteResult> {
  return transaction(pool, async (client): Promise<PolicyWriteResult> => {
    const { rows } = await client.query<Row>({
      name: 'hold_policy',
      text: `${READ} for no key update`,
      values: [workspaceId],
    });
    if (!rows[0]) return 'no_workspace';
    const former = networkIn(rows[0]);
    if (version !== undefined && version !== policyVersion(rulesIn(rows[0]), former)) return 'changed';
    await client.query({
      name: 'write_policy',
      text: 'update workspaces set policy = $2 where id = $1',
      values: [workspaceId, JSON.stringify({ rules, network: network ?? former })],
    });
    return 'written';
  });
}

const READ = 'select policy from workspaces where id = $1 and removed_at is null';

interface Row {
  readonly policy: string | null;
}

function networkIn({ policy }: Row): readonly string[] {
  return policy === null ? [] : ((JSON.parse(policy) as { network?: string[] }).network ?? []);
}

function rulesIn({ policy }: Row): readonly PolicyRule[] {
  return policy === null ? DEFAULT_POLICY : (JSON.parse(policy) as { rules: PolicyRule[] }).rules;
}
