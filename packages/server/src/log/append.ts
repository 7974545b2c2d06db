// The one append path. A pod has one Writer; an owner has a Pen on each thread that it holds.
//
// - Fencing (L3): the owner assigns seq itself. A successor's first event takes the next seq, and a
//   former owner's insert then collides with the primary key: its whole transaction is undone.
// - One append is in flight per thread. After a collision, or when the connection broke, the tail tells:
//   the pen's own rows are there, or they are not; somebody else's rows mean that the thread is lost.
// - Group commit: a flush takes what gathered while the last one was in flight. A failed flush is
//   split by thread.
// - Nobody sees an event before its commit (L5): `publish` and `onCommit` run after it.

import type { EventData, NewEvent } from '@continuo/protocol';
import { connect, ConnectionLost, destroy, isConnectionError, sqlState, transaction } from '../db/pool.ts';
import type { Connection, DatabaseSettings, Pool, Queryable } from '../db/pool.ts';
import type { Faults } from '../faults.ts';
import type { StoredEvent } from './event.ts';
import { bind, INSERT, INSERT_WITH_CHANGES, readTail } from './statements.ts';

/** Rows at most in one flush; above it, adjacent tokens of a message are merged. */
const FLUSH_ROWS = 1000;
/** Bytes that a thread may have waiting before its model is no longer read. */
const PENDING_BYTES = 1024 * 1024;
/** How often a transaction may be ended for idling before its work is given up. */
const IDLE_TRIES = 3;

/**
 * A stopped process may hold what a thread's append waits for, until the lease ends its transaction: that thread
 * waits aside, and the others go on.
 */
const LOCK_TIMEOUT_MS = 50;
const LOCK_PAUSE_MS = 250;

/** The thread has another owner now, or this pod was told to let go. */
export class Lost extends Error {
  readonly code = 'lost';
}

/** The run's cancellation was accepted first; it can only end canceled. */
export class CancelWins extends Error {
  readonly code = 'cancel_wins';
}

/** A row that changes together with the group's events; `event` is the index of the event that says so. */
export type Change =
  | { kind: 'start'; event: number; run: string }
  | {
      kind: 'end';
      event: number;
      run: string;
      status: 'done' | 'error' | 'canceled';
      error?: unknown;
      usage?: unknown;
      cost?: number | null;
    }
  | { kind: 'message'; event: number; id: string; run: string; ordinal: number; content: unknown }
  | { kind: 'session'; event: number; id: string; state: string; reason: string };

export interface Entry {
  readonly runId: string | null;
  readonly event: NewEvent;
}

interface Group {
  entries: Entry[];
  readonly changes: readonly Change[];
  readonly at: number;
  readonly bytes: number;
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: Error): void;
}

/** What one pen contributes to a flush, with seqs assigned. */
export interface Part {
  readonly pen: Pen;
  readonly groups: readonly Group[];
  readonly rows: readonly StoredEvent[];
  readonly changes: readonly Record<string, unknown>[];
}

export interface WriterOptions {
  readonly database: DatabaseSettings;
  readonly pool: Pool;
  readonly now: () => number;
  /** Called after each commit, thread by thread, in order. */
  readonly publish: (rows: readonly StoredEvent[]) => void;
  /** The hint for other pods that rides on a flush, or null if there are none. */
  readonly hint: (parts: readonly Part[]) => string | null;
  readonly onFlush?: (flush: { rows: number; milliseconds: number }) => void;
  readonly faults?: Faults | undefined;
}

export class Writer {
  readonly options: WriterOptions;
  readonly #dirty = new Set<Pen>();
  #connection: Connection | null = null;
  #flushing = false;
  #closed = false;

  constructor(options: WriterOptions) {
    this.options = options;
  }

  /** A pen for the owner of a thread; `seq` and `runSeqs` are where the log ends. */
  open(owner: PenOptions): Pen {
    return new Pen(this, owner);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection?.end();
  }

  /** Gives up on a connection that may never answer; what was sent on it is settled by another. */
  abandonConnection(): void {
    if (this.#connection) destroy(this.#connection);
  }

  markDirty(pen: Pen): void {
    this.#dirty.add(pen);
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    while (this.#dirty.size > 0 && !this.#closed) {
      const parts = this.#gather();
      if (parts.length === 0) break;
      const started = performance.now();
      try {
        await this.#write(parts);
      } catch (error) {
        // Not a failure that we know how to mend: these threads are let go, the others go on.
        for (const part of parts) part.pen.fail(part, error as Error);
      }
      const rows = parts.reduce((sum, part) => sum + part.rows.length, 0);
      this.options.onFlush?.({ rows, milliseconds: performance.now() - started });
    }
    this.#flushing = false;
  }

  #gather(): Part[] {
    const parts: Part[] = [];
    let waiting = 0;
    for (const pen of this.#dirty) waiting += pen.waitingRows;
    let room = FLUSH_ROWS;
    for (const pen of this.#dirty) {
      if (room <= 0) break;
      this.#dirty.delete(pen);
      const part = pen.take(room, waiting > FLUSH_ROWS);
      if (!part) continue;
      room -= part.rows.length;
      parts.push(part);
    }
    return parts;
  }

  async #write(parts: readonly Part[]): Promise<void> {
    try {
      await this.#insert(parts);
    } catch (error) {
      await this.#recover(parts, error as Error);
      return;
    }
    for (const part of parts) this.#committed(part);
  }

  async #insert(parts: readonly Part[]): Promise<void> {
    const rows = parts.length === 1 ? parts[0]!.rows : parts.flatMap((part) => part.rows);
    const changes = parts.flatMap((part) => part.changes);
    const hint = this.options.hint(parts);
    const { faults } = this.options;
    if (faults) await hit(faults, 'append.before', rows);
    const connection = await this.#connected();
    const sent =
      changes.length === 0
        ? connection.query({ name: 'append', text: INSERT, values: [...bind(rows), hint] })
        : connection.query({
            name: 'append_with_changes',
            text: INSERT_WITH_CHANGES,
            values: [...bind(rows), JSON.stringify(changes), hint],
          });
    if (faults) {
      // The statement is on its way: its outcome must be awaited even if the fault throws.
      sent.catch(() => undefined);
      await hit(faults, 'append.inside', rows);
    }
    await sent;
    if (faults) await hit(faults, 'append.after', rows);
  }

  async #recover(parts: readonly Part[], error: Error): Promise<void> {
    if (isConnectionError(error)) {
      this.#connection = null;
      for (const part of parts) await this.#settle(part);
      return;
    }
    if (parts.length > 1) {
      for (const part of parts) await this.#write([part]);
      return;
    }
    const part = parts[0]!;
    const state = sqlState(error);
    if (state === '23505') return this.#settle(part);
    if (state === '40P01' || state === '40001') return this.#write([part]);
    if (state === '55P03') return this.#writeLater(part);
    if (state === 'CN001') return part.pen.refuse(part);
    part.pen.fail(part, error);
  }

  /**
   * The same rows at the same places, and nothing else: what they wait for may be an earlier try of theirs, whose
   * outcome is not known yet. Their pen stays busy meanwhile.
   */
  #writeLater(part: Part): void {
    setTimeout(() => {
      if (part.pen.lost || this.#closed) {
        return part.pen.fail(part, new Lost(`thread ${part.pen.threadId} was let go`));
      }
      this.#write([part]).catch((error: Error) => part.pen.fail(part, error));
    }, LOCK_PAUSE_MS);
  }

  /** After a collision or an unknown outcome: reads the tail, where the part's rows are, or are not. */
  async #settle(part: Part): Promise<void> {
    const outcome = await this.settled(part.pen, part.rows[0]!);
    if (outcome === 'committed') return this.#committed(part);
    if (outcome === 'absent') return this.#write([part]);
    part.pen.fail(part, new Lost(`thread ${part.pen.threadId} has another owner`));
  }

  async settled(
    pen: Pen,
    first: { seq: number; json: string | null },
  ): Promise<'committed' | 'absent' | 'lost'> {
    for (let pause = 20; ; pause = Math.min(pause * 2, 1000)) {
      if (pen.lost || this.#closed) return 'lost';
      try {
        const found = await readTail(this.options.pool, pen.threadId, first.seq);
        if (!found) return 'absent';
        return found.attempt === pen.attempt && found.data === first.json ? 'committed' : 'lost';
      } catch (error) {
        if (!isConnectionError(error)) throw error;
        // The database is away: nothing wakes us when it is back.
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  #committed(part: Part): void {
    part.pen.committed(part);
    this.options.publish(part.rows);
  }

  async #connected(): Promise<Connection> {
    if (this.#connection) return this.#connection;
    const connection = await connect(this.options.database, { lock_timeout: LOCK_TIMEOUT_MS });
    connection.once('end', () => {
      if (this.#connection === connection) this.#connection = null;
    });
    this.#connection = connection;
    return connection;
  }
}

export interface PenOptions {
  readonly threadId: string;
  readonly attempt: number;
  readonly seq: number;
  readonly runSeqs: ReadonlyMap<string, number>;
  readonly onCommit: (rows: readonly StoredEvent[]) => void;
  /** `refusal` is what the database said, if the thread was not simply taken by another owner. */
  readonly onLost: (refusal: Error | null) => void;
}

export class Pen {
  readonly threadId: string;
  readonly attempt: number;
  readonly #writer: Writer;
  readonly #owner: PenOptions;
  readonly #runSeqs: Map<string, number>;
  readonly #groups: Group[] = [];
  #seq: number;
  #bytes = 0;
  #rows = 0;
  /** A flush or a transaction of this thread is in flight. */
  #busy = false;
  #lost = false;
  #idle: (() => void)[] = [];
  #drained: (() => void)[] = [];

  constructor(writer: Writer, owner: PenOptions) {
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

  get waitingRows(): number {
    return this.#busy ? 0 : this.#rows;
  }

  /** Queues one event and goes on. Its commit, or its loss, shows in `onCommit` and `onLost`. */
  push(runId: string, event: NewEvent): void {
    this.#queue([{ runId, event }], [], nobody, nobody);
  }

  /** Appends events and the rows that they changed, all or nothing; resolves after the commit. */
  append(entries: Entry[], changes: readonly Change[] = []): Promise<readonly StoredEvent[]> {
    return new Promise((resolve, reject) => this.#queue(entries, changes, resolve, reject));
  }

  /** Null while there is room; otherwise resolves when what waits has been written. */
  room(): Promise<void> | null {
    if (this.#bytes < PENDING_BYTES || this.#lost) return null;
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /**
   * A transaction of the thread's own: `work` writes rows and says which events belong to them; both
   * commit together, or neither does. Waits for what is queued, and holds the thread meanwhile.
   */
  async transact<T>(work: (client: Queryable) => Promise<{ entries: Entry[]; result: T }>): Promise<T> {
    let idled = 0;
    for (;;) {
      const outcome = await this.#tryToTransact(work);
      if (outcome.kind === 'done') return outcome.result;
      if (outcome.idled) idled += 1;
      // Work that idles longer than a transaction may is ended every time.
      if (idled === IDLE_TRIES)
        throw new Error('the transaction was ended, because it idled longer than the lease');
    }
  }

  async #tryToTransact<T>(
    work: (client: Queryable) => Promise<{ entries: Entry[]; result: T }>,
  ): Promise<{ kind: 'done'; result: T } | { kind: 'undone'; idled: boolean }> {
    await this.#hold();
    const { pool, now, faults, hint } = this.#writer.options;
    let part: Part | null = null;
    try {
      const result = await transaction(
        pool,
        async (client) => {
          const done = await work(client);
          if (this.#lost) throw new Lost(`thread ${this.threadId} was let go`);
          part = this.#number([group(done.entries, [], now())]);
          if (faults) await hit(faults, 'transact.before', part.rows);
          await client.query({ name: 'append', text: INSERT, values: [...bind(part.rows), hint([part])] });
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
      const outcome = await this.#writer.settled(
        this,
        (part as Part | null)?.rows[0] ?? { seq: this.#seq + 1, json: null },
      );
      if (outcome === 'absent' && unknown && !this.#lost) return { kind: 'undone', idled: error.idled };
      // Another owner's, or committed without our hearing of it: the log knows, this call does not.
      this.lose();
      throw new Lost(`thread ${this.threadId} is read again from its log`);
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
    this.#owner.onLost(refusal);
  }

  // What follows is for the writer.

  take(room: number, merge: boolean): Part | null {
    if (this.#busy || this.#lost || this.#groups.length === 0) return null;
    let rows = 0;
    let count = 0;
    // A group is never split; the first one always goes.
    while (
      count < this.#groups.length &&
      (count === 0 || rows + this.#groups[count]!.entries.length <= room)
    ) {
      rows += this.#groups[count]!.entries.length;
      count += 1;
    }
    const groups = this.#groups.splice(0, count);
    this.#rows -= rows;
    this.#busy = true;
    return this.#number(merge ? mergeTokens(groups) : groups);
  }

  committed(part: Part): void {
    this.#busy = false;
    this.#advance(part);
    this.#owner.onCommit(part.rows);
    let from = 0;
    for (const done of part.groups) {
      this.#bytes -= done.bytes;
      done.resolve(part.rows.slice(from, from + done.entries.length));
      from += done.entries.length;
    }
    this.#wake();
    if (this.#rows > 0) this.#writer.markDirty(this);
  }

  /** The database refused to start or to end a run: that group is rejected, the others go again. */
  refuse(part: Part): void {
    const decisive = (change: Change) => change.kind === 'start' || change.kind === 'end';
    const refused = part.groups.filter((each) => each.changes.some(decisive));
    const others = part.groups.filter((each) => !refused.includes(each));
    this.#putBack(others);
    for (const each of refused) {
      this.#bytes -= each.bytes;
      each.reject(new CancelWins('the run was canceled'));
    }
  }

  /** The part will not be written: the thread is lost, or the database refuses what it says. */
  fail(part: Part, error: Error): void {
    for (const each of part.groups) each.reject(error);
    this.lose(error instanceof Lost ? null : error);
  }

  #putBack(groups: readonly Group[]): void {
    this.#busy = false;
    this.#groups.unshift(...groups);
    for (const each of groups) this.#rows += each.entries.length;
    this.#wake();
    if (this.#rows > 0) this.#writer.markDirty(this);
  }

  #queue(
    entries: Entry[],
    changes: readonly Change[],
    resolve: Group['resolve'],
    reject: Group['reject'],
  ): void {
    if (this.#lost) return reject(new Lost(`thread ${this.threadId} has another owner`));
    const queued = group(entries, changes, this.#writer.options.now(), resolve, reject);
    this.#groups.push(queued);
    this.#rows += entries.length;
    this.#bytes += queued.bytes;
    if (!this.#busy) this.#writer.markDirty(this);
  }

  #number(groups: readonly Group[]): Part {
    const rows: StoredEvent[] = [];
    const changes: Record<string, unknown>[] = [];
    const runSeqs = new Map<string, number>();
    let seq = this.#seq;
    for (const { entries, changes: changed, at } of groups) {
      const first = rows.length;
      for (const { runId, event } of entries) {
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
          json: JSON.stringify(event.data),
          at: new Date(at),
        } as StoredEvent);
      }
      for (const change of changed) {
        const row = rows[first + change.event]!;
        changes.push({ ...withJsonAsText(change), thread: this.threadId, seq: row.seq, at: row.at });
      }
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
    this.#writer.options.publish(part.rows);
  }

  async #hold(): Promise<void> {
    while ((this.#busy || this.#rows > 0) && !this.#lost)
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    if (this.#lost) throw new Lost(`thread ${this.threadId} has another owner`);
    this.#busy = true;
  }

  #free(): void {
    this.#busy = false;
    this.#wake();
    if (this.#rows > 0) this.#writer.markDirty(this);
  }

  #wake(): void {
    for (const wake of this.#drained.splice(0)) wake();
    if (!this.#busy || this.#lost) for (const wake of this.#idle.splice(0)) wake();
  }
}

/** Nobody waits for the group's commit. */
function nobody(): void {}

function group(
  entries: Entry[],
  changes: readonly Change[],
  at: number,
  resolve: Group['resolve'] = nobody,
  reject: Group['reject'] = nobody,
): Group {
  let bytes = 0;
  for (const { event } of entries) bytes += sizeOf(event);
  return { entries, changes, at, bytes, resolve, reject };
}

function sizeOf(event: NewEvent): number {
  return 100 + ('text' in event.data ? event.data.text.length : 0);
}

/** The database's JSON functions refuse NUL and lone surrogates inside a value; a cast from text does not. */
function withJsonAsText(change: Change): Record<string, unknown> {
  const text = (value: unknown) => (value == null ? null : JSON.stringify(value));
  if (change.kind === 'message') return { ...change, content: text(change.content) };
  if (change.kind === 'end') return { ...change, error: text(change.error), usage: text(change.usage) };
  return { ...change };
}

/** Under pressure, adjacent tokens of one message become one event. */
function mergeTokens(groups: readonly Group[]): Group[] {
  const merged: Group[] = [];
  for (const next of groups) {
    const last = merged.at(-1);
    const text = joined(last, next);
    if (!last || !text) {
      merged.push({ ...next, entries: [...next.entries] });
      continue;
    }
    merged[merged.length - 1] = {
      ...last,
      entries: [{ runId: last.entries[0]!.runId, event: { type: 'token', data: text } }],
      bytes: last.bytes + next.bytes,
    };
  }
  return merged;
}

function joined(last: Group | undefined, next: Group): EventData['token'] | null {
  if (!last || last.entries.length !== 1 || next.entries.length !== 1) return null;
  const [a, b] = [last.entries[0]!, next.entries[0]!];
  if (a.event.type !== 'token' || b.event.type !== 'token' || a.runId !== b.runId) return null;
  if (a.event.data.message !== b.event.data.message) return null;
  // Whoever waits for a token is told of that one.
  if (last.resolve !== nobody || next.resolve !== nobody) return null;
  return { text: a.event.data.text + b.event.data.text, message: a.event.data.message };
}

async function hit(faults: Faults, point: string, rows: readonly StoredEvent[]): Promise<void> {
  for (const type of new Set(rows.map((row) => row.type))) await faults(`${point}.${type}`);
}
