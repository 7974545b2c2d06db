// The log's prepared statements.

import type { EventData, EventType } from '@continuo/protocol';
import { notifySql } from '../bus/postgres.ts';
import type { Queryable } from '../db/pool.ts';
import { EVENT_COLUMNS, fromRow, type EventRow, type StoredEvent } from './event.ts';

// The events' JSON is sent as one text with one line per event. Encoded JSON contains no line breaks, so nothing needs quoting.
const ARRAYS =
  "$1::uuid[], $2::int[], $3::uuid[], $4::int[], $5::int[], $6::text[], string_to_array($7, E'\\n'), $8::timestamptz[]";

// A flush sends one NOTIFY in the same statement, and only if there is another pod.
export const INSERT = `
  with appended as (
    insert into events (${EVENT_COLUMNS})
    select t, s, r, rs, a, ty, d::json, ts from unnest(${ARRAYS}) as u (t, s, r, rs, a, ty, d, ts)
  )
  select ${notifySql('$9')} where $9::text is not null`;

export const INSERT_WITH_CHANGES = `
  select append_with_changes(${ARRAYS}, $9::json) as effects, case when $10::text is not null then ${notifySql('$10')} end`;

export function bind(rows: readonly StoredEvent[]): string[] {
  const array = (of: (row: StoredEvent) => string | number | null) =>
    `{${rows.map((row) => of(row) ?? 'null').join()}}`;
  return [
    array((row) => row.threadId),
    array((row) => row.seq),
    array((row) => row.runId),
    array((row) => row.runSeq),
    array((row) => row.attempt),
    array((row) => row.type),
    rows.map((row) => row.json).join('\n'),
    array((row) => row.at.toISOString()),
  ];
}

export async function readTail(
  client: Queryable,
  threadId: string,
  seq: number,
): Promise<{ attempt: number; data: string } | null> {
  const { rows } = await client.query<{ attempt: number; data: string }>({
    name: 'read_tail',
    text: 'select attempt, data from events where thread_id = $1 and seq = $2',
    values: [threadId, seq],
  });
  return rows[0] ?? null;
}

/** A thread's events after `seq`, at most `limit`, in order. */
export async function readThreadEvents(
  client: Queryable,
  threadId: string,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  const { rows } = await client.query<EventRow>({
    name: 'read_thread',
    text: `select ${EVENT_COLUMNS} from events where thread_id = $1 and seq > $2 order by seq limit $3`,
    values: [threadId, after, limit],
  });
  return rows.map(fromRow);
}

/** A thread's last events before `seq`, at most `limit`, in order. */
export async function readThreadEventsBefore(
  client: Queryable,
  threadId: string,
  before: number,
  limit: number,
): Promise<StoredEvent[]> {
  const { rows } = await client.query<EventRow>({
    name: 'read_thread_before',
    text: `select ${EVENT_COLUMNS} from events where thread_id = $1 and seq < $2 order by seq desc limit $3`,
    values: [threadId, before, limit],
  });
  return rows.map(fromRow).reverse();
}

/**
 * The events after `seq` that a fold needs: all except pieces of messages and `final`, which repeats a message. The last event of
 * the log is always included, so that the state gets its seq.
 */
export async function readForFold(client: Queryable, threadId: string, seq = 0): Promise<StoredEvent[]> {
  const { rows } = await client.query<EventRow>({
    name: 'read_for_fold',
    text: `select ${EVENT_COLUMNS} from events
        where thread_id = $1 and seq > $2 and type not in ('token', 'reasoning') and type <> 'final'
      union all
      select ${EVENT_COLUMNS} from events
        where thread_id = $1 and seq > $2 and type in ('token', 'reasoning', 'final')
          and seq = (select max(seq) from events where thread_id = $1)
      order by seq`,
    values: [threadId, seq],
  });
  return rows.map(fromRow);
}

/** A thread's events of these types, in order. */
export async function readTypes(
  client: Queryable,
  threadId: string,
  types: readonly EventType[],
): Promise<StoredEvent[]> {
  const { rows } = await client.query<EventRow>({
    name: 'read_types',
    text: `select ${EVENT_COLUMNS} from events where thread_id = $1 and type = any ($2) order by seq`,
    values: [threadId, types],
  });
  return rows.map(fromRow);
}

/** The last run_seq of a run. The fold cannot tell: the run's last event may be a token, which `readForFold` leaves out. */
export async function readRunSeq(
  client: Queryable,
  threadId: string,
  runId: string,
  from: number,
): Promise<number> {
  const { rows } = await client.query<{ run_seq: number | null }>({
    name: 'read_run_seq',
    text: 'select max(run_seq) as run_seq from events where thread_id = $1 and seq >= $2 and run_id = $3',
    values: [threadId, from, runId],
  });
  return rows[0]?.run_seq ?? 0;
}

/** The text of a message that its pod left unfinished. */
export async function readPartialText(
  client: Queryable,
  threadId: string,
  runId: string,
  message: string,
): Promise<string> {
  const { rows } = await client.query<{ data: string }>({
    name: 'read_tokens',
    text: `select data from events where thread_id = $1 and run_id = $2 and type = 'token' order by seq`,
    values: [threadId, runId],
  });
  const tokens = rows.map((row) => JSON.parse(row.data) as EventData['token']);
  return tokens
    .filter((token) => token.message === message)
    .map((token) => token.text)
    .join('');
}

/** The thread's seq of a run's event, or null if there is none. */
export async function seqOf(
  client: Queryable,
  threadId: string,
  runId: string,
  startAfter: number,
  runSeq: number,
): Promise<number | null> {
  const values = [threadId, startAfter + runSeq, runId, runSeq];
  // The event is at that seq, or a little later if events of the thread or of other runs lie in between.
  const near = await client.query<{ seq: number }>({
    name: 'seq_of_near',
    text: `select seq from (
        select seq, run_id, run_seq from events where thread_id = $1 and seq >= $2 order by seq limit 64
      ) near where run_id = $3 and run_seq = $4`,
    values,
  });
  if (near.rows[0]) return near.rows[0].seq;
  const far = await client.query<{ seq: number }>({
    name: 'seq_of_far',
    text: 'select seq from events where thread_id = $1 and seq >= $2 and run_id = $3 and run_seq = $4',
    values,
  });
  return far.rows[0]?.seq ?? null;
}

/** The thread's seq of the run's latest event; `startAfter` if it has none. */
export async function lastSeqOf(
  client: Queryable,
  threadId: string,
  runId: string,
  startAfter: number,
): Promise<number> {
  const { rows } = await client.query<{ seq: number | null }>({
    name: 'last_seq_of',
    text: 'select max(seq) as seq from events where thread_id = $1 and seq > $2 and run_id = $3',
    values: [threadId, startAfter, runId],
  });
  return rows[0]?.seq ?? startAfter;
}

/** A run's events after the seq `after` of its thread, in order. */
export async function readRunEvents(
  client: Queryable,
  { threadId, runId, after, limit }: { threadId: string; runId: string; after: number; limit: number },
): Promise<StoredEvent[]> {
  const { rows } = await client.query<EventRow>({
    name: 'read_run_events',
    text: `select ${EVENT_COLUMNS} from events where thread_id = $1 and seq > $2 and run_id = $3 order by seq limit $4`,
    values: [threadId, after, runId, limit],
  });
  return rows.map(fromRow);
}
