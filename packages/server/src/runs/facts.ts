// What others want of a thread: its open runs, with their cancellations.

import type { Queryable } from '../db/pool.ts';
import type { Facts, Limits } from './decide.ts';

export interface FactRow {
  readonly id: string;
  readonly ordinal: number;
  readonly model: string;
  readonly role: string;
  readonly limits: string | null;
  readonly queued_at: Date;
  readonly cancel_reason: string | null;
  readonly message_id: string;
  /** Of the next run only. */
  readonly content: string | null;
  readonly workspace_id: string;
}

/** What a claim told by itself, so that nobody has to ask: where the log ends, and all the facts. */
export class Told {
  readonly seq: number;
  readonly rows: readonly FactRow[];

  constructor(seq: number, rows: readonly FactRow[]) {
    this.seq = seq;
    this.rows = rows;
  }
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
  return asFacts(
    rows.filter(({ id }) => id !== null),
    defaults,
  );
}

export function asFacts(rows: readonly FactRow[], defaults: Limits): Facts['runs'] {
  return rows.map((row) => ({
    id: row.id,
    ordinal: row.ordinal,
    message: { id: row.message_id, content: textOf(row.content) },
    model: row.model,
    role: row.role,
    limits: row.limits === null ? defaults : { ...defaults, ...(JSON.parse(row.limits) as Partial<Limits>) },
    queuedAt: row.queued_at.getTime(),
    cancel: row.cancel_reason,
    workspaceId: row.workspace_id,
  }));
}

function textOf(content: string | null): string {
  return content === null ? '' : (JSON.parse(content) as { text: string }).text;
}
