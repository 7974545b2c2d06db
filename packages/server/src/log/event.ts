// An event as the log stores it. `json` is stored and sent verbatim; `data` is the parsed value.

import type { EventType, LogEvent, NewEvent } from '@continuo/protocol';
import { parseStored } from '../limits/json-depth.ts';

export type StoredEvent = LogEvent & { readonly json: string };

export interface EventRow {
  thread_id: string;
  seq: number;
  run_id: string | null;
  run_seq: number | null;
  attempt: number;
  type: EventType;
  data: string;
  at: Date;
}

export const EVENT_COLUMNS = 'thread_id, seq, run_id, run_seq, attempt, type, data, at';

export function fromRow(row: EventRow): StoredEvent {
  // The row's type and data belong together. The compiler cannot see it: there are too many types to compare one by one.
  const event = { type: row.type, data: parseStored(row.data) } as NewEvent;
  return {
    ...event,
    threadId: row.thread_id,
    seq: row.seq,
    runId: row.run_id,
    runSeq: row.run_seq,
    attempt: row.attempt,
    json: row.data,
    at: row.at,
  };
}
