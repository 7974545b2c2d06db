// Caches the latest events that this pod has committed, by thread, so that a new follower of a run on this pod need not read
// the database. Committed events never change and have no gaps, so cached events stay valid. They are cached only while the
// thread's pen is open on this pod, because only then do they reach the end of the log.

import type { StoredEvent } from './event.ts';

/** Bytes cached per thread. Each event counts as its JSON and a fixed overhead. */
const THREAD_BYTES = 32 * 1024;
const EVENT_BYTES = 250;

/** The events after the seq `after`, without gaps. */
interface Stretch {
  /** The attempt of the pen. */
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
    this.#evict(threadId);
    this.#stretches.set(threadId, { attempt, after: seq, rows: [], bytes: 0, runs: [] });
  }

  /** The pen was closed. A later pen may already be open for the same thread. */
  close(threadId: string, attempt: number): void {
    if (this.#stretches.get(threadId)?.attempt === attempt) this.#evict(threadId);
  }

  /** The run's events come next in the thread's log. */
  begin(runId: string, threadId: string): void {
    const stretch = this.#stretches.get(threadId);
    if (!stretch) return;
    this.#runs.set(runId, { threadId, startAfter: lastOf(stretch) });
    stretch.runs.push(runId);
  }

  /** Adds committed events of one thread. */
  add(rows: readonly StoredEvent[]): void {
    const { threadId, seq } = rows[0]!;
    const stretch = this.#stretches.get(threadId);
    if (!stretch) return;
    // The events do not follow the cached ones: they belong to another pen.
    if (lastOf(stretch) !== seq - 1) return this.#evict(threadId);
    for (const row of rows) {
      stretch.rows.push(row);
      stretch.bytes += sizeOf(row);
    }
    if (stretch.bytes > THREAD_BYTES) shorten(stretch);
  }

  /** Where the events of a run on this pod begin; null if the run is not cached. */
  place(runId: string): RunPlace | null {
    return this.#runs.get(runId) ?? null;
  }

  /** The thread's events after `seq`, up to the end of its log; null on a miss. */
  after(threadId: string, seq: number): readonly StoredEvent[] | null {
    const stretch = this.#stretches.get(threadId);
    if (!stretch || seq < stretch.after || seq > lastOf(stretch)) return null;
    return stretch.rows.slice(seq - stretch.after);
  }

  #evict(threadId: string): void {
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
