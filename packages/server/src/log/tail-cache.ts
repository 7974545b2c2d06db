// What this pod has just written, thread by thread, so that whoever comes to follow a run that is under way here need
// not ask the database. Committed events never change and have no gap, so a stretch of them stays true; it is kept only
// while the thread's pen is open here, because only then does it reach the end of the log.

import type { StoredEvent } from './event.ts';

/** Bytes that are kept of one thread; an event counts a little more than its JSON. */
const THREAD_BYTES = 32 * 1024;
const EVENT_BYTES = 250;

/** The events after `after`, without a gap. */
interface Stretch {
  /** The pen's. */
  readonly attempt: number;
  after: number;
  readonly rows: StoredEvent[];
  bytes: number;
  readonly runs: string[];
}

export interface RunPlace {
  readonly threadId: string;
  /** The thread's seq after which the run's events come. */
  readonly startAfter: number;
}

export class LogTailCache {
  readonly #stretches = new Map<string, Stretch>();
  readonly #runs = new Map<string, RunPlace>();

  /** A pen was opened on the thread, whose log ends at `seq`. */
  open(threadId: string, attempt: number, seq: number): void {
    this.#forget(threadId);
    this.#stretches.set(threadId, { attempt, after: seq, rows: [], bytes: 0, runs: [] });
  }

  /** The pen writes no more; another may be open already. */
  close(threadId: string, attempt: number): void {
    if (this.#stretches.get(threadId)?.attempt === attempt) this.#forget(threadId);
  }

  /** The run's events will come next. */
  begin(runId: string, threadId: string): void {
    const stretch = this.#stretches.get(threadId);
    if (!stretch) return;
    this.#runs.set(runId, { threadId, startAfter: lastOf(stretch) });
    stretch.runs.push(runId);
  }

  /** Committed events of one thread. */
  add(rows: readonly StoredEvent[]): void {
    const { threadId, seq } = rows[0]!;
    const stretch = this.#stretches.get(threadId);
    if (!stretch) return;
    // Another pen's, which was closed meanwhile.
    if (lastOf(stretch) !== seq - 1) return this.#forget(threadId);
    for (const row of rows) {
      stretch.rows.push(row);
      stretch.bytes += sizeOf(row);
    }
    if (stretch.bytes > THREAD_BYTES) shorten(stretch);
  }

  /** Where the events of a run that is under way here are. */
  place(runId: string): RunPlace | null {
    return this.#runs.get(runId) ?? null;
  }

  /** The thread's events after `seq`, up to the end of its log; null where that is not known. */
  after(threadId: string, seq: number): readonly StoredEvent[] | null {
    const stretch = this.#stretches.get(threadId);
    if (!stretch || seq < stretch.after || seq > lastOf(stretch)) return null;
    return stretch.rows.slice(seq - stretch.after);
  }

  #forget(threadId: string): void {
    for (const runId of this.#stretches.get(threadId)?.runs ?? []) this.#runs.delete(runId);
    this.#stretches.delete(threadId);
  }
}

function shorten(stretch: Stretch): void {
  const dropped = stretch.rows.splice(0, Math.ceil(stretch.rows.length / 2));
  stretch.after += dropped.length;
  for (const row of dropped) stretch.bytes -= sizeOf(row);
}

function lastOf({ after, rows }: Stretch): number {
  return after + rows.length;
}

function sizeOf({ json }: StoredEvent): number {
  return EVENT_BYTES + json.length;
}
