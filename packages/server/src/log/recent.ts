// What this pod wrote lately, thread by thread, so that whoever comes to follow a run that is under way here need not
// ask the database. Committed events never change and have no gap, so a stretch of them stays true for ever; that it
// reaches the end of the log is believed only while the thread's pen is open here.

import type { StoredEvent } from './event.ts';

/** Bytes that are kept of one thread and of all of them; an event counts a little more than its JSON. */
const THREAD_BYTES = 64 * 1024;
const ALL_BYTES = 8 * 1024 * 1024;
const EVENT_BYTES = 250;
/** Of a thread of which no event is kept yet. */
const THREAD_COST = 500;
/** Runs of one thread whose places are kept. */
const THREAD_RUNS = 4;

/** The events after `after`, without a gap. */
interface Stretch {
  after: number;
  rows: StoredEvent[];
  bytes: number;
  /** The open pen's attempt; null where somebody else may have written since. */
  pen: number | null;
  readonly runs: string[];
}

export interface RunPlace {
  readonly threadId: string;
  /** The thread's seq after which the run's events come. */
  readonly startAfter: number;
}

export class Recent {
  /** The one that was opened last comes last. */
  readonly #stretches = new Map<string, Stretch>();
  readonly #runs = new Map<string, RunPlace>();
  #bytes = 0;

  /** A pen was opened on the thread, whose log ends at `seq`. */
  open(threadId: string, attempt: number, seq: number): void {
    const known = this.#stretches.get(threadId);
    if (known && lastOf(known) === seq) {
      known.pen = attempt;
      this.#stretches.delete(threadId);
      this.#stretches.set(threadId, known);
      return;
    }
    this.#forget(threadId);
    this.#stretches.set(threadId, { after: seq, rows: [], bytes: THREAD_COST, pen: attempt, runs: [] });
    this.#bytes += THREAD_COST;
    for (const oldest of this.#stretches.keys()) {
      if (this.#bytes <= ALL_BYTES || oldest === threadId) break;
      this.#forget(oldest);
    }
  }

  close(threadId: string, attempt: number): void {
    const stretch = this.#stretches.get(threadId);
    if (stretch?.pen === attempt) stretch.pen = null;
  }

  /** The run's events will come next. */
  begin(runId: string, threadId: string): void {
    const stretch = this.#stretches.get(threadId);
    if (!stretch) return;
    this.#runs.set(runId, { threadId, startAfter: lastOf(stretch) });
    stretch.runs.push(runId);
    if (stretch.runs.length > THREAD_RUNS) this.#runs.delete(stretch.runs.shift()!);
  }

  /** Committed events of one thread. */
  add(rows: readonly StoredEvent[]): void {
    const { threadId, seq } = rows[0]!;
    const stretch = this.#stretches.get(threadId);
    if (!stretch) return;
    if (lastOf(stretch) !== seq - 1) return this.#forget(threadId);
    for (const row of rows) {
      stretch.rows.push(row);
      this.#count(stretch, sizeOf(row));
    }
    if (stretch.bytes > THREAD_BYTES) this.#shorten(stretch);
  }

  place(runId: string): RunPlace | null {
    return this.#runs.get(runId) ?? null;
  }

  /** The thread's events after `seq`, and whether they reach the end of its log; null where that is not known. */
  after(threadId: string, seq: number): { rows: readonly StoredEvent[]; whole: boolean } | null {
    const stretch = this.#stretches.get(threadId);
    if (!stretch || seq < stretch.after || seq > lastOf(stretch)) return null;
    return { rows: stretch.rows.slice(seq - stretch.after), whole: stretch.pen !== null };
  }

  #shorten(stretch: Stretch): void {
    const dropped = stretch.rows.splice(0, Math.ceil(stretch.rows.length / 2));
    stretch.after += dropped.length;
    for (const row of dropped) this.#count(stretch, -sizeOf(row));
  }

  #count(stretch: Stretch, bytes: number): void {
    stretch.bytes += bytes;
    this.#bytes += bytes;
  }

  #forget(threadId: string): void {
    const stretch = this.#stretches.get(threadId);
    if (!stretch) return;
    this.#stretches.delete(threadId);
    this.#bytes -= stretch.bytes;
    for (const runId of stretch.runs) this.#runs.delete(runId);
  }
}

function lastOf({ after, rows }: Stretch): number {
  return after + rows.length;
}

function sizeOf({ json }: StoredEvent): number {
  return EVENT_BYTES + json.length;
}
