// Usage of runs and titles: sums of tokens and cost, grouped by run, thread, role or model.

import type { UsageSum } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';

const KEYS = { run: 'id', thread: 'thread_id', role: 'role', model: 'model' } as const;
/** A title belongs to no run and to no role. */
const TITLE_KEYS = { thread: 'thread_id', model: 'model' } as const;
export type UsageKey = keyof typeof KEYS;

interface Row {
  key: string;
  runs: number;
  input: number;
  output: number;
  cached_input: number;
  reasoning: number;
  cost: number | null;
}

/** Largest sums of tokens first. Only runs that have ended count. */
export async function sumUsage(
  client: Queryable,
  by: UsageKey,
  { threadId, workspaceId, limit }: { threadId: string | null; workspaceId: string | null; limit: number },
): Promise<UsageSum[]> {
  const tokens = (name: string) => `coalesce(sum((usage ->> '${name}')::float8), 0)`;
  const inWorkspace =
    '($3::uuid is null or thread_id in (select t.id from threads t where t.workspace_id = $3))';
  const titles =
    by in TITLE_KEYS
      ? `union all select ${TITLE_KEYS[by as keyof typeof TITLE_KEYS]}::text, null, usage, cost
        from calls_outside_runs where ($1::uuid is null or thread_id = $1) and ${inWorkspace}`
      : '';
  const { rows } = await client.query<Row>({
    name: `sum_usage_by_${by}`,
    text: `select key, count(run)::int as runs,
        ${tokens('input')} as input, ${tokens('output')} as output,
        ${tokens('cachedInput')} as cached_input, ${tokens('reasoning')} as reasoning, sum(cost) as cost
      from (select ${KEYS[by]}::text as key, id as run, usage, cost
        from runs where usage is not null and ($1::uuid is null or thread_id = $1) and ${inWorkspace} ${titles}) used
      group by key order by ${tokens('input')} + ${tokens('output')} desc, 1 limit $2`,
    values: [threadId, limit, workspaceId],
  });
  return rows;
}
