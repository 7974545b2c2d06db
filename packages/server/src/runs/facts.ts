// What others want of a thread: its open runs, with their cancellations.

import type { Queryable } from '../db/pool.ts';
import type { Facts } from './decide.ts';

interface FactRow {
  id: string;
  ordinal: number;
  model: string;
  role: string;
  cancel_reason: string | null;
  message_id: string;
  content: string;
}

export async function takeFacts(client: Queryable, threadId: string, attempt: number): Promise<Facts> {
  const { rows } = await client.query<FactRow>({
    name: 'take_facts',
    text: 'select * from take_facts($1, $2)',
    values: [threadId, attempt],
  });
  return {
    runs: rows.map((row) => ({
      id: row.id,
      ordinal: row.ordinal,
      message: { id: row.message_id, content: (JSON.parse(row.content) as { text: string }).text },
      model: row.model,
      role: row.role,
      cancel: row.cancel_reason,
    })),
  };
}
