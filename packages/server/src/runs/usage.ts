// What runs used: tokens and money, summed by what the caller asks for.

import type { UsageSum } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';

const KEYS = { run: 'id', thread: 'thread_id', role: 'role', model: 'model' } as const;
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

/** The largest sums of tokens first; runs that have not ended do not count yet. */
export async function sumUsage(
  client: Queryable,
  by: UsageKey,
  threadId: string | null,
  limit: number,
): Promise<UsageSum[]> {
  const tokens = (name: string) => `coalesce(sum((usage ->> '${name}')::float8), 0)`;
  const { rows } = await client.query<Row>({
    name: `sum_usage_by_${by}`,
    text: `select ${KEYS[by]}::text as key, count(*)::int as runs,
        ${tokens('input')} as input, ${tokens('output')} as output,
        ${tokens('cachedInput')} as cached_input, ${tokens('reasoning')} as reasoning, sum(cost) as cost
      from runs where usage is not null and ($1::uuid is null or thread_id = $1)
      group by ${KEYS[by]} order by ${tokens('input')} + ${tokens('output')} desc, 1 limit $2`,
    values: [threadId, limit],
  });
  return rows;
}
