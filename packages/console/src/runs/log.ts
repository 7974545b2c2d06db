// The log of a run: its pages first, then its events from the chat's stream.

import { useEffect, useState } from 'react';
import { ConnectionError } from '@continuo/client';
import type { ViewEvent } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { connection } from '../data/hints.ts';
import type { Run } from '../data/run-queries.ts';
import { useStore } from '../data/store.ts';

/** An event of a run; `seq` is its seq in the run. */
export type RunLogEvent = ViewEvent & { readonly at: string };

export interface RunLog {
  /** Mutated in place: `count` tells when it has grown. */
  readonly events: readonly RunLogEvent[];
  readonly count: number;
  readonly loading: boolean;
  readonly error: Error | null;
}

const PAGE = 1000;
const EMPTY: RunLog = { events: [], count: 0, loading: true, error: null };

export function useRunLog({ id, thread_id: thread }: Pick<Run, 'id' | 'thread_id'>): RunLog {
  const [log, setLog] = useState(EMPTY);
  const offline = useStore(connection) === 'lost';
  const failed = log.error instanceof ConnectionError;
  useEffect(() => {
    if (failed && offline) return;
    const abort = new AbortController();
    const events: RunLogEvent[] = [];
    let frame = 0;
    const show = (loading: boolean, error: Error | null = null) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setLog({ events, count: events.length, loading, error }));
    };
    readLog({ id, thread }, events, () => show(false), abort.signal).then(
      () => !abort.signal.aborted && show(false),
      (error: Error) => !abort.signal.aborted && show(false, error),
    );
    return () => {
      abort.abort();
      cancelAnimationFrame(frame);
    };
    // After a connection error, start again when the connection is back.
  }, [id, thread, failed && !offline]);
  return log;
}

async function readLog(
  { id, thread }: { readonly id: string; readonly thread: string },
  events: RunLogEvent[],
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  // Events that the pages miss come after this seq.
  const end = await client.threads.events(thread, { before: 'latest', limit: 1 }, { signal });
  await readEvents(id, events, signal);
  changed();
  if (hasEnded(events)) return;
  for await (const event of client.threads.stream(thread, { after: end.items.at(-1)?.seq ?? 0, signal })) {
    if (event.run_id !== id || event.run_seq === null || event.run_seq <= events.length) continue;
    events.push({ ...event, seq: event.run_seq });
    changed();
    if (hasEnded(events)) return;
  }
}

/** Appends the events that the run has now. */
export async function readEvents(
  id: string,
  events: RunLogEvent[],
  signal: AbortSignal,
): Promise<RunLogEvent[]> {
  for (;;) {
    const after = events.length;
    const { items } = await client.runs.events(id, { after, limit: PAGE }, { signal });
    for (const { id: place, ...event } of items)
      events.push({ ...event, seq: place, run_seq: place, run_id: id });
    if (items.length < PAGE) return events;
  }
}

function hasEnded(events: readonly RunLogEvent[]): boolean {
  const last = events.at(-1);
  return last?.type === 'state' && last.data.status !== 'running';
}
