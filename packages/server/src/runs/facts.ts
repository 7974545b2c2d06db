// What others want of a thread: its open runs, with their cancellations.

import type { Queryable } from '../db/pool.ts';
import type { Facts, Limits } from './decide.ts';

interface FactRow {
  id: string;
  ordinal: number;
  model: string;
  role: string;
  limits: string | null;
  queued_at: Date;
  cancel_reason: string | null;
  message_id: string;
  /** Of the next run only. */
  content: string | null;
}

export async function takeFacts(
  client: Queryable,
  hold: { readonly threadId: string; readonly attempt: number },
  defaults: Limits,
): Promise<Facts['runs']> {
  const { rows } = await client.query<FactRow>({
    name: 'take_facts',
    text: 'select * from take_facts($1, $2)',
    values: [hold.threadId, hold.attempt],
  });
  return rows.map((row) => ({
    id: row.id,
    ordinal: row.ordinal,
    message: { id: row.message_id, content: textOf(row.content) },
    model: row.model,
    role: row.role,
    limits: row.limits === null ? defaults : { ...defaults, ...(JSON.parse(row.limits) as Partial<Limits>) },
    queuedAt: row.queued_at.getTime(),
    cancel: row.cancel_reason,
  }));
}

function textOf(content: string | null): string {
  return content === null ? '' : (JSON.parse(content) as { text: string }).text;
}
