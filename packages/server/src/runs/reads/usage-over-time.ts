// Usage over time: sums of tokens and cost of a workspace in buckets of time, by model, role, project or chat. A run counts when it
// was queued, once it has ended; a title or a summary when it was made.

import type { UsageOverTime, UsageSeries } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { beginning, SAID } from '../../threads/chats/chat-files.ts';

/** How many keys have a series of their own; all others share one. */
const MOST_SERIES = 10;
export const MOST_BUCKETS = 400;
/** Characters of a chat's first message that name it, if it has no title. */
const NAME_CHARACTERS = 80;

export const USAGE_KEYS = ['model', 'role', 'project', 'chat'] as const;
type UsageOverTimeKey = (typeof USAGE_KEYS)[number];
export const USAGE_BUCKETS = ['hour', 'day', 'week', 'month'] as const;

export interface UsageOverTimeQuery {
  readonly by: UsageOverTimeKey;
  readonly from: Date;
  readonly to: Date;
  readonly bucket: (typeof USAGE_BUCKETS)[number];
  readonly timeZone: string;
}

/**
 * The project of the last message that names a scope. Quotes inside a text are escaped, so that only the scope itself matches; the text
 * is not parsed, because Postgres cannot parse every text that a person may send.
 */
const projectBefore = (ordinal: string) => `(
    select substring(m.content::text from '"scope":\\{"project_id":"([0-9a-f-]{36})"') from messages m
    where m.thread_id = used.thread_id and ${ordinal} and m.role = 'user' and m.content::text like '%"scope":{"project_id":%'
    order by m.ordinal desc, m.seq desc limit 1)`;

/** The key of a run, and of a call outside of runs. */
const KEYS: Readonly<Record<UsageOverTimeKey, readonly [string, string]>> = {
  model: ['used.model', 'used.model'],
  role: ['used.role', 'null'],
  project: [projectBefore('m.ordinal <= used.ordinal'), projectBefore('true')],
  chat: ['used.thread_id::text', 'used.thread_id::text'],
};

interface Row {
  /** 0: the sum of all keys that have no series. */
  rank: number;
  key: string | null;
  keys: number;
  /** Null: the sum over all buckets. */
  bucket: Date | null;
  runs: number;
  input: number;
  output: number;
  cached_input: number;
  reasoning: number;
  cost: number | null;
}

/** When each bucket begins, in order; at most one more than are allowed. */
export async function readBuckets(client: Queryable, query: UsageOverTimeQuery): Promise<Date[]> {
  const { rows } = await client.query<{ at: Date }>({
    name: 'usage_buckets',
    text: `select b.bucket at time zone $4 as at from generate_series(
        date_trunc($3, $1::timestamptz at time zone $4),
        date_trunc($3, ($2::timestamptz - interval '1 microsecond') at time zone $4),
        ('1 ' || $3)::interval) b (bucket) limit ${MOST_BUCKETS + 1}`,
    values: [query.from, query.to, query.bucket, query.timeZone],
  });
  return rows.map(({ at }) => at);
}

export async function readUsageOverTime(
  client: Queryable,
  workspaceId: string,
  query: UsageOverTimeQuery,
  buckets: readonly Date[],
): Promise<UsageOverTime> {
  const [ofRun, ofCall] = KEYS[query.by];
  const tokens = (name: string) => `coalesce(sum((usage ->> '${name}')::float8), 0)`;
  const { rows } = await client.query<Row>({
    name: `usage_over_time_by_${query.by}`,
    text: `with used as materialized (
        select ${ofRun} as key, queued_at as at, 1 as run, usage, cost from runs used
        where workspace_id = $1 and usage is not null and queued_at >= $2 and queued_at < $3
        union all
        select ${ofCall}, at, null, usage, cost from calls_outside_runs used
        where thread_id in (select id from threads where workspace_id = $1) and at >= $2 and at < $3
      ), ranked as (
        select key, row_number() over (order by ${tokens('input')} + ${tokens('output')} desc, key) as rank, count(*) over () as keys
        from used group by key
      )
      select case when r.rank <= ${MOST_SERIES} then r.rank else 0 end::int as rank,
        min(r.key) filter (where r.rank <= ${MOST_SERIES}) as key, max(r.keys)::int as keys,
        b.bucket at time zone $5 as bucket, count(run)::int as runs,
        ${tokens('input')} as input, ${tokens('output')} as output,
        ${tokens('cachedInput')} as cached_input, ${tokens('reasoning')} as reasoning, sum(cost) as cost
      from used join ranked r on r.key is not distinct from used.key, date_trunc($4, used.at at time zone $5) as b (bucket)
      group by grouping sets ((1, 4), (1), ()) order by 1 nulls first, 4 nulls first`,
    values: [workspaceId, query.from, query.to, query.bucket, query.timeZone],
  });
  const names = await readNames(client, workspaceId, query.by, rows);
  const place = new Map(buckets.map((at, index) => [at.getTime(), index]));
  const series = new Map<number, UsageSeries>();
  let total = totalOf(null);
  let count = 0;
  for (const row of rows) {
    if (row.rank === null) {
      total = totalOf(row);
      count = Math.max(0, (row.keys ?? 0) - MOST_SERIES);
      continue;
    }
    const one = series.get(row.rank) ?? emptySeries(row, names, buckets.length);
    series.set(row.rank, one);
    if (row.bucket === null) {
      one.total = totalOf(row);
      continue;
    }
    const at = place.get(row.bucket.getTime())!;
    one.runs[at] = row.runs;
    one.input[at] = row.input;
    one.output[at] = row.output;
    one.cost[at] = row.cost;
  }
  const { key: _key, name: _name, ...others } = series.get(0) ?? { key: null, name: null };
  series.delete(0);
  return {
    from: query.from.toISOString(),
    to: query.to.toISOString(),
    time_zone: query.timeZone,
    buckets: buckets.map((at) => at.toISOString()),
    total,
    series: [...series.values()],
    others: 'total' in others ? { ...others, count } : null,
  };
}

function totalOf(row: Row | null): UsageOverTime['total'] {
  const { runs = 0, input = 0, output = 0, cached_input = 0, reasoning = 0, cost = null } = row ?? {};
  return { runs, input, output, cached_input, reasoning, cost };
}

function emptySeries({ key }: Row, names: ReadonlyMap<string, string>, buckets: number): UsageSeries {
  const zeros = () => Array.from({ length: buckets }, () => 0);
  return {
    key,
    name: key === null ? null : (names.get(key) ?? null),
    total: totalOf(null),
    runs: zeros(),
    input: zeros(),
    output: zeros(),
    cost: Array.from({ length: buckets }, () => null),
  };
}

async function readNames(
  client: Queryable,
  workspaceId: string,
  by: UsageOverTimeKey,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(rows.flatMap(({ key }) => key ?? []))];
  if (by === 'model' || by === 'role') return new Map(keys.map((key) => [key, key]));
  if (by === 'project') {
    const { rows: found } = await client.query<{ id: string; title: string }>(
      'select id, title from entities where workspace_id = $1 and id = any ($2::uuid[])',
      [workspaceId, keys],
    );
    return new Map(found.map(({ id, title }) => [id, title]));
  }
  const { rows: found } = await client.query<{ id: string; title: string | null; said: string | null }>(
    `select t.id, t.title, ${SAID} from threads t where t.workspace_id = $1 and t.id = any ($2::uuid[])`,
    [workspaceId, keys],
  );
  return new Map(
    found.flatMap(({ id, title, said }) => {
      const name = title ?? (said === null ? '' : beginning(said).slice(0, NAME_CHARACTERS).trim());
      return name === '' ? [] : [[id, name] as const];
    }),
  );
}
