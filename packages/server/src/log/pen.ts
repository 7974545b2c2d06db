// A pen: an owner's handle to append to one thread. It queues events, assigns their seqs, and hands them to the pod's
// writer or appends them in a transaction of its own.
//
// - One append is in flight per thread, and an append in flight never changes: a retry sends the same rows.
// - A lost pen appends nothing more, and rejects all waiting appends.

import type { NewEvent } from '@continuo/protocol';
import { ConnectionLost, sqlState, transaction } from '../db/pool.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import type { Faults } from '../faults.ts';
import type { StoredEvent } from './event.ts';
import { encode, kindOf, type Change, type ChangeKind, type RegisteredKinds } from './changes.ts';
import { group, mergePieces, fireAndForget, type Entry, type Group } from './group.ts';
import type { LogTailCache } from './tail-cache.ts';
import { bind, INSERT } from './statements.ts';

/** Back-pressure: with more pending bytes than this, the thread's model stream is no longer read. */
const PENDING_BYTES = 1024 * 1024;
/** How often a transaction is tried that the database ends because it idles. */
const IDLE_TRIES = 3;

/** The thread has another owner now, or this pod had to give it up. */
export class Lost extends Error {
  readonly code = 'lost';
}

/**
 * The events cannot be stored: JSON cannot express them, or the database refuses a value. Nothing was appended, and the pod still
 * holds the thread.
 */
export class Unwritable extends Error {
  readonly code = 'not_writable';
}

/** One pen's part of a flush, with seqs assigned. */
export interface Part {
  readonly pen: Pen;
  readonly groups: readonly Group[];
  readonly rows: readonly StoredEvent[];
  /** `event` is the index of the change's row. */
  readonly changes: readonly Change[];
}

/** The writer, as its pens see it. */
export interface PenHost {
  readonly options: {
    readonly pool: Pool;
    readonly now: () => number;
    readonly changes: RegisteredKinds;
    readonly recent?: LogTailCache | undefined;
    readonly notice: (threadIds: readonly string[]) => string | null;
    readonly faults?: Faults | undefined;
  };
  /** Hands committed events to followers. */
  publish(rows: readonly StoredEvent[]): void;
  /** The pen has events to append; `urgent` if a caller waits for them. */
  markDirty(pen: Pen, urgent: boolean): void;
  /** With few open pens, flushes before the end of this turn of the event loop. */
  flushNow(): void;
  /** The pen was closed and appends no more. */
  closed(pen: Pen): void;
  /** Finds out whether a part with an unknown outcome was committed, by its first row. */
  outcomeOf(pen: Pen, first: { seq: number; json: string | null }): Promise<'committed' | 'absent' | 'lost'>;
}

export interface PenOptions {
  readonly threadId: string;
  readonly attempt: number;
  readonly seq: number;
  readonly runSeqs: ReadonlyMap<string, number>;
  readonly onCommit: (rows: readonly StoredEvent[]) => void;
  /** `refusal` is the database's error; null if another owner took the thread. */
  readonly onLost: (refusal: Error | null) => void;
}

export class Pen {
  readonly threadId: string;
  readonly attempt: number;
  readonly #writer: PenHost;
  readonly #owner: PenOptions;
  readonly #runSeqs: Map<string, number>;
  readonly #groups: Group[] = [];
  #seq: number;
  #bytes = 0;
  #rows = 0;
  /** The database refused one of the first so many groups: these are sent one by one to find it. */
  #suspects = 0;
  /** A flush or a transaction of this thread is in flight. */
  #busy = false;
  #lost = false;
  /** The last run that the database refused to start. */
  #refused: string | null = null;
  #released = false;
  #closed = false;
  #idle: (() => void)[] = [];
  #drained: (() => void)[] = [];

  constructor(writer: PenHost, owner: PenOptions) {
    this.#writer = writer;
    this.#owner = owner;
    this.threadId = owner.threadId;
    this.attempt = owner.attempt;
    this.#seq = owner.seq;
    this.#runSeqs = new Map(owner.runSeqs);
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Whether an append has released the thread. Nothing may be appended after it. */
  get released(): boolean {
    return this.#released;
  }

  get waitingRows(): number {
    return this.#busy ? 0 : this.#rows;
  }

  /** Registers a run whose events come next, so that new followers find it in the cache. */
  begin(runId: string): void {
    this.#writer.options.recent?.begin(runId, this.threadId);
  }

  /** This pen appends no more. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#writer.closed(this);
  }

  /**
   * Queues one event without waiting for its commit; `onCommit` or `onLost` reports the outcome. An event of a run that the
   * database refused to start is dropped. `changes` are row changes that commit with the event.
   */
  push(runId: string, event: NewEvent, changes: readonly Change[] = []): void {
    if (this.#refused !== runId) this.#queue([{ runId, event }], changes, fireAndForget, fireAndForget);
  }

  /** Appends events and row changes atomically. Resolves after the commit. */
  append(entries: Entry[], changes: readonly Change[] = []): Promise<readonly StoredEvent[]> {
    return new Promise((resolve, reject) => this.#queue(entries, changes, resolve, reject));
  }

  /** Flushes the pushed events without waiting for more, because a person waits to see them. */
  flushNow(): void {
    this.#writer.flushNow();
  }

  /** Back-pressure: null while there is room; otherwise resolves when the append in flight has ended. */
  room(): Promise<void> | null {
    if (this.#bytes < PENDING_BYTES || this.#lost) return null;
    this.#mark(true);
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /**
   * Runs `work` in a transaction. `work` writes rows and returns the events that belong to them; both commit together.
   * Queued events are flushed first, and no other append of this thread runs meanwhile.
   */
  async transact<T>(work: (client: Queryable) => Promise<{ entries: Entry[]; result: T }>): Promise<T> {
    let idled = 0;
    for (;;) {
      const outcome = await this.#tryToTransact(work);
      if (outcome.kind === 'done') return outcome.result;
      if (outcome.idled) idled += 1;
      // Work that idles for too long would be ended by the database every time.
      if (idled === IDLE_TRIES)
        throw new Error('the database ended the transaction, because it idled longer than the lease');
    }
  }

  async #tryToTransact<T>(
    work: (client: Queryable) => Promise<{ entries: Entry[]; result: T }>,
  ): Promise<{ kind: 'done'; result: T } | { kind: 'undone'; idled: boolean }> {
    await this.#hold();
    const { pool, now, faults, notice } = this.#writer.options;
    let part: Part | null = null;
    try {
      const result = await transaction(
        pool,
        async (client) => {
          const done = await work(client);
          if (this.#lost) throw new Lost(`thread ${this.threadId} was released`);
          part = this.#number([group(done.entries, [], now())]);
          if (faults) await hit(faults, 'transact.before', part.rows);
          const values = [...bind(part.rows), notice([this.threadId])];
          await client.query({ name: 'append', text: INSERT, values });
          if (faults) await hit(faults, 'transact.inside', part.rows);
          return done.result;
        },
        faults && (() => hit(faults, 'transact.commit', part!.rows)),
      );
      if (faults) await hit(faults, 'transact.after', part!.rows);
      this.#publish(part!);
      return { kind: 'done', result };
    } catch (error) {
      const unknown = error instanceof ConnectionLost;
      if (!unknown && !(part && sqlState(error) === '23505')) throw error;
      const outcome = await this.#writer.outcomeOf(
        this,
        (part as Part | null)?.rows[0] ?? { seq: this.#seq + 1, json: null },
      );
      if (outcome === 'absent' && unknown && !this.#lost) return { kind: 'undone', idled: error.idled };
      // The thread has another owner, or the transaction committed and its answer was lost. Either way, the log must be read again.
      this.lose();
      throw new Lost(`thread ${this.threadId} must be read again from its log`);
    } finally {
      this.#free();
    }
  }

  lose(refusal: Error | null = null): void {
    if (this.#lost) return;
    this.#lost = true;
    const error = new Lost(`thread ${this.threadId} has another owner`);
    for (const waiting of this.#groups.splice(0)) waiting.reject(error);
    this.#rows = 0;
    this.#bytes = 0;
    this.#wake();
    this.close();
    this.#owner.onLost(refusal);
  }

  // The methods below are for the writer.

  take(room: number, merge: boolean): Part | null {
    if (this.#busy || this.#lost || this.#groups.length === 0) return null;
    let rows = 0;
    let count = 0;
    // A group is never split, and the first one is always taken.
    while (
      count < this.#groups.length &&
      (count === 0 || (this.#suspects === 0 && rows + this.#groups[count]!.entries.length <= room))
    ) {
      rows += this.#groups[count]!.entries.length;
      count += 1;
    }
    const groups = this.#groups.splice(0, count);
    this.#rows -= rows;
    this.#suspects = Math.max(0, this.#suspects - 1);
    this.#busy = true;
    return this.#number(merge ? mergePieces(groups) : groups);
  }

  /** `effects` says of each change whether it had an effect; null if that is not known. */
  committed(part: Part, effects: readonly boolean[] | null): void {
    this.#busy = false;
    // A thread whose release is not known is released again, which does no harm.
    this.#released = part.changes.some((change, index) => effects?.[index] && this.#kindOf(change).releases);
    this.#advance(part);
    this.#owner.onCommit(part.rows);
    let from = 0;
    for (const done of part.groups) {
      this.#bytes -= done.bytes;
      done.resolve(part.rows.slice(from, from + done.entries.length));
      from += done.entries.length;
    }
    this.#wake();
    this.#mark();
  }

  /** The database refused a change: the group that contains it is rejected, and the others are queued again. */
  refuse(part: Part, cause: Error): void {
    const isRefusable = (change: Change) => this.#kindOf(change).refusal !== undefined;
    const refused = part.groups.filter(({ changes }) => changes.some(isRefusable));
    if (refused.length === 0) return this.fail(part, cause);
    if (refused.length > 1) return this.#sendOneByOne(part.groups);
    const rejected = refused[0]!;
    this.#putBack(part.groups.filter((each) => each !== rejected));
    const opening = rejected.changes.find((change) => this.#kindOf(change).opensRun);
    if (opening) this.#dropPieces(rejected.entries[opening.event]!.runId!);
    this.#bytes -= rejected.bytes;
    rejected.reject(this.#kindOf(rejected.changes.find(isRefusable)!).refusal!());
  }

  #kindOf(change: Change): ChangeKind {
    return kindOf(change, this.#writer.options.changes);
  }

  /** The database refused a value: the group that contains it is rejected, and the others are queued again. */
  refuseValues(part: Part, cause: Error): void {
    if (part.groups.length > 1) return this.#sendOneByOne(part.groups);
    const [refused] = part.groups;
    this.#bytes -= refused!.bytes;
    this.#putBack([]);
    refused!.reject(new Unwritable(`the database refused the append: ${cause.message}`, { cause }));
  }

  /** Finds the group that the database refused. */
  #sendOneByOne(groups: readonly Group[]): void {
    this.#suspects = groups.length;
    this.#putBack(groups);
  }

  /** Removes the queued events of a run that the database refused to start. */
  #dropPieces(runId: string): void {
    this.#refused = runId;
    for (let at = this.#groups.length - 1; at >= 0; at -= 1) {
      const each = this.#groups[at]!;
      if (each.resolve !== fireAndForget || each.entries[0]!.runId !== runId) continue;
      this.#groups.splice(at, 1);
      this.#rows -= each.entries.length;
      this.#bytes -= each.bytes;
    }
  }

  /** The part will not be appended: the thread is lost, or the database refused it. */
  fail(part: Part, error: Error): void {
    for (const each of part.groups) each.reject(error);
    this.lose(error instanceof Lost ? null : error);
  }

  #putBack(groups: readonly Group[]): void {
    this.#busy = false;
    this.#groups.unshift(...groups);
    for (const each of groups) this.#rows += each.entries.length;
    this.#wake();
    this.#mark();
  }

  #queue(
    entries: Entry[],
    changes: readonly Change[],
    resolve: Group['resolve'],
    reject: Group['reject'],
  ): void {
    if (this.#lost) return reject(new Lost(`thread ${this.threadId} has another owner`));
    let queued: Group;
    try {
      const { now, changes: kinds } = this.#writer.options;
      const encoded = changes.map((change) => encode(change, kinds));
      queued = group(entries, encoded, now(), resolve, reject);
    } catch (cause) {
      return reject(
        new Unwritable(`the append cannot be serialized as JSON: ${(cause as Error).message}`, { cause }),
      );
    }
    this.#groups.push(queued);
    this.#rows += entries.length;
    this.#bytes += queued.bytes;
    this.#mark(resolve !== fireAndForget);
  }

  #number(groups: readonly Group[]): Part {
    const rows: StoredEvent[] = [];
    const changes: Change[] = [];
    const runSeqs = new Map<string, number>();
    let seq = this.#seq;
    for (const { entries, json, changes: changed, at } of groups) {
      const first = rows.length;
      for (const [index, { runId, event }] of entries.entries()) {
        seq += 1;
        let runSeq: number | null = null;
        if (runId !== null) {
          runSeq = (runSeqs.get(runId) ?? this.#runSeqs.get(runId) ?? 0) + 1;
          runSeqs.set(runId, runSeq);
        }
        rows.push({
          threadId: this.threadId,
          seq,
          runId,
          runSeq,
          attempt: this.attempt,
          type: event.type,
          data: event.data,
          json: json?.[index] ?? JSON.stringify(event.data),
          at: new Date(at),
        } as StoredEvent);
      }
      for (const change of changed) changes.push({ ...change, event: first + change.event });
    }
    return { pen: this, groups, rows, changes };
  }

  #advance(part: Part): void {
    this.#seq += part.rows.length;
    for (const row of part.rows) if (row.runId !== null) this.#runSeqs.set(row.runId, row.runSeq!);
  }

  #publish(part: Part): void {
    this.#advance(part);
    this.#owner.onCommit(part.rows);
    this.#writer.publish(part.rows);
  }

  async #hold(): Promise<void> {
    while ((this.#busy || this.#rows > 0) && !this.#lost) {
      this.#mark(true);
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    if (this.#lost) throw new Lost(`thread ${this.threadId} has another owner`);
    this.#busy = true;
  }

  #free(): void {
    this.#busy = false;
    this.#wake();
    this.#mark();
  }

  /** Marks the pen as dirty, unless an append is in flight: its end marks the pen again. */
  #mark(urgent = this.#groups.some((each) => each.resolve !== fireAndForget) || this.#idle.length > 0): void {
    if (!this.#busy && this.#rows > 0) this.#writer.markDirty(this, urgent || this.#bytes >= PENDING_BYTES);
  }

  #wake(): void {
    for (const wake of this.#drained.splice(0)) wake();
    if (!this.#busy || this.#lost) for (const wake of this.#idle.splice(0)) wake();
  }
}

/** Reports a fault point to a test, once for each type of event. */
export async function hit(faults: Faults, point: string, rows: readonly StoredEvent[]): Promise<void> {
  for (const type of new Set(rows.map((row) => row.type))) await faults(`${point}.${type}`);
}
