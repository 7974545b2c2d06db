// What the parts of a request cost. Providers report the tokens of a whole request; they are shared out by the estimates of the
// parts.

import type { Usage } from '@continuo/engine';
import type { EventData, ModelContext, SentRequest } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { costOf } from '../../models/prices.ts';

type Part = ModelContext['parts'][number];

export async function costOfParts(
  client: Queryable,
  request: SentRequest,
  parts: readonly Omit<Part, 'cost'>[],
): Promise<
  Pick<ModelContext, 'cost'> & {
    readonly tokens: Omit<ModelContext['tokens'], 'ratio'>;
    readonly parts: readonly Part[];
  }
> {
  const usage = await readUsage(client, request);
  const estimated = parts.reduce((sum, part) => sum + part.tokens, 0);
  const cost = usage && costOf(request.model, { ...usage, output: 0 });
  const share = cost === null || estimated === 0 ? null : cost / estimated;
  return {
    tokens: { estimated, input: usage?.input ?? null, cached: usage?.cachedInput ?? null },
    cost,
    parts: parts.map((part) => ({ ...part, cost: share === null ? null : part.tokens * share })),
  };
}

/** What the provider reported; null if the request had no answer, or the provider reports nothing. */
export async function readUsage(
  client: Queryable,
  { thread_id, seq, run_id, message, purpose }: SentRequest,
): Promise<Usage | null> {
  if (purpose !== 'answer') {
    // The event of the answer says what its model used.
    const { rows } = await client.query<{ data: string }>({
      name: 'read_event_usage',
      text: 'select data from events where thread_id = $1 and seq = $2',
      values: [thread_id, seq],
    });
    return rows[0] ? ((JSON.parse(rows[0].data) as { usage?: Usage }).usage ?? null) : null;
  }
  const { rows } = await client.query<{ data: string }>({
    name: 'read_message_usage',
    text: `select data from events where thread_id = $1 and seq >= $2 and run_id = $3 and type = 'usage' order by seq`,
    values: [thread_id, seq, run_id],
  });
  const usages = rows.map(({ data }) => JSON.parse(data) as EventData['usage']);
  return usages.find((each) => each.message === message)?.usage ?? null;
}
