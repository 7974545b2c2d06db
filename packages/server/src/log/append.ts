// The one append path. A pod has one Writer; an owner has a Pen on each thread that it holds.
//
// - Fencing (L3): the owner assigns seq itself. A successor's first event takes the next seq, and a
//   former owner's insert then violates the primary key: its whole transaction is rolled back.
// - One append is in flight per thread. After a key violation or a broken connection, the writer reads the end of the log:
//   the pen's rows are there, or they are missing and are sent again, or another owner's rows mean that the thread is lost.
// - Group commit: a flush takes the appends that gathered while the last flush was in flight, and those of one turn of the
//   event loop. An append with a waiting caller is flushed at once. If many threads are open, the pieces of messages gather
//   for a few milliseconds, and adjacent pieces are merged. A failed flush is split by thread, so that an error of one
//   thread does not affect the others.
// - Nobody sees an event before its commit (L5): `publish` and `onCommit` run after it.

import { connect, destroy, isConnectionError, isStorageFull, sqlState } from '../db/pool.ts';
import type { Connection, DatabaseSettings, Pool } from '../db/pool.ts';
import type { Faults } from '../faults.ts';
import type { Change, RegisteredKinds } from './changes.ts';
import type { StoredEvent } from './event.ts';
import { hit, Lost, Pen, type Part, type PenHost, type PenOptions } from './pen.ts';
import type { LogTailCache } from './tail-cache.ts';
import { bind, INSERT, INSERT_WITH_CHANGES, readTail } from './statements.ts';

/** Maximum number of rows in one flush. */
const FLUSH_ROWS = 1000;

/** With more open pens than this, pieces of messages gather before a flush, and adjacent pieces of a message are merged. */
const AT_ONCE_PENS = 4;
/** How long pieces gather: so long for each open pen, and at most `GATHER_MS`. */
const GATHER_MS_A_PEN = 0.2;
const GATHER_MS = 10;

/**
 * A frozen process may hold a lock that a thread's append needs, until the lease ends its transaction. The append of that thread
 * times out and is retried later, so that the other threads need not wait.
 */
const LOCK_TIMEOUT_MS = 50;
const LOCK_PAUSE_MS = 250;
/** The pause before a retry when the disk is full. */
const STORAGE_PAUSE_MS = 1000;

/** SQL states of data exceptions and exceeded database limits. A retry of the same rows would fail again. */
const REFUSED_VALUES = /^(?:22|54)/;

export interface WriterOptions {
  readonly database: DatabaseSettings;
  readonly pool: Pool;
  readonly now: () => number;
  /** The kinds of row changes that may be appended with events. */
  readonly changes: RegisteredKinds;
  /** Called after each commit, once per thread, in order. */
  readonly publish: (rows: readonly StoredEvent[]) => void;
  /** The notice to other pods that these threads have new events; null if there is no other pod. */
  readonly notice: (threadIds: readonly string[]) => string | null;
  /** Caches committed events for new followers. */
  readonly recent?: LogTailCache | undefined;
  readonly onFlush?: (flush: { rows: number; milliseconds: number }) => void;
  readonly faults?: Faults | undefined;
}

export class Writer implements PenHost {
  readonly options: WriterOptions;
  readonly #dirty = new Set<Pen>();
  /** Pens that have only pieces of messages to write; they wait for the timer `#gatherTimer`. */
  readonly #gatheringPens = new Set<Pen>();
  #gatherTimer: NodeJS.Timeout | null = null;
  #open = 0;
  #connection: Connection | null = null;
  #flushing = false;
  /** A scheduled flush. It waits for the rest of this turn of the event loop. */
  #scheduledFlush: NodeJS.Immediate | null = null;
  #closed = false;

  constructor(options: WriterOptions) {
    this.options = options;
  }

  /** Opens a pen for the owner of a thread. `seq` and `runSeqs` are the ends of the log and of its runs. */
  open(owner: PenOptions): Pen {
    this.options.recent?.open(owner.threadId, owner.attempt, owner.seq);
    this.#open += 1;
    return new Pen(this, owner);
  }

  closed(pen: Pen): void {
    this.options.recent?.close(pen.threadId, pen.attempt);
    this.#open -= 1;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#gatherTimer) clearTimeout(this.#gatherTimer);
    await this.#connection?.end();
  }

  /** Closes a connection that may never answer. Another connection finds out whether its in-flight flush committed. */
  abandonConnection(): void {
    if (this.#connection) destroy(this.#connection);
  }

  markDirty(pen: Pen, urgent: boolean): void {
    if (this.#dirty.has(pen)) return;
    if (!urgent && this.#open > AT_ONCE_PENS) return this.#gatherPieces(pen);
    this.#gatheringPens.delete(pen);
    this.#dirty.add(pen);
    this.#flushSoon();
  }

  #gatherPieces(pen: Pen): void {
    this.#gatheringPens.add(pen);
    this.#gatherTimer ??= setTimeout(
      () => {
        this.#gatherTimer = null;
        for (const waiting of this.#gatheringPens) this.#dirty.add(waiting);
        this.#gatheringPens.clear();
        this.#flushSoon();
      },
      Math.min(GATHER_MS, this.#open * GATHER_MS_A_PEN),
    );
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.#scheduledFlush = setImmediate(() => void this.#flush());
  }

  flushNow(): void {
    if (this.#scheduledFlush === null || this.#open > AT_ONCE_PENS) return;
    clearImmediate(this.#scheduledFlush);
    void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#scheduledFlush = null;
    while (this.#dirty.size > 0 && !this.#closed) {
      const parts = this.#gather();
      if (parts.length === 0) break;
      const started = performance.now();
      try {
        await this.#write(parts);
      } catch (error) {
        // There is no recovery for this error: these threads are lost, and the others continue.
        for (const part of parts) part.pen.fail(part, error as Error);
      }
      const rows = parts.reduce((sum, part) => sum + part.rows.length, 0);
      this.options.onFlush?.({ rows, milliseconds: performance.now() - started });
      if (this.#dirty.size > 0) await new Promise((resolve) => setImmediate(resolve));
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
      const part = this.#take(pen, room, waiting > FLUSH_ROWS || this.#open > AT_ONCE_PENS);
      if (!part) continue;
      room -= part.rows.length;
      parts.push(part);
    }
    return parts;
  }

  #take(pen: Pen, room: number, merge: boolean): Part | null {
    try {
      return pen.take(room, merge);
    } catch (error) {
      pen.lose(error as Error);
      return null;
    }
  }

  async #write(parts: readonly Part[]): Promise<void> {
    let effects: readonly boolean[];
    try {
      effects = await this.#insert(parts);
    } catch (error) {
      await this.#recover(parts, error as Error);
      return;
    }
    let from = 0;
    for (const part of parts) {
      const to = from + part.changes.length;
      this.#committed(part, effects.slice(from, to));
      from = to;
    }
  }

  /** Resolves with whether each change had an effect, in order. */
  async #insert(parts: readonly Part[]): Promise<readonly boolean[]> {
    const rows = parts.length === 1 ? parts[0]!.rows : parts.flatMap((part) => part.rows);
    const changes = joinChanges(parts);
    const notice = this.options.notice(parts.map((part) => part.pen.threadId));
    const { faults } = this.options;
    if (faults) await hit(faults, 'append.before', rows);
    const connection = await this.#connected();
    const sent: Promise<{ rows: { effects?: boolean[] }[] }> =
      changes.length === 0
        ? connection.query({ name: 'append', text: INSERT, values: [...bind(rows), notice] })
        : connection.query({
            name: 'append_with_changes',
            text: INSERT_WITH_CHANGES,
            values: [...bind(rows), JSON.stringify(changes), notice],
          });
    if (faults) {
      // The statement is in flight: if the fault throws, a rejection must not go unhandled.
      sent.catch(() => undefined);
      await hit(faults, 'append.inside', rows);
    }
    const answer = await sent;
    if (faults) await hit(faults, 'append.after', rows);
    return answer.rows[0]?.effects ?? [];
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
    if (state === '55P03') return this.#writeLater(part, LOCK_PAUSE_MS);
    // The rows wait until the disk has room again, and so does their run.
    if (isStorageFull(error)) return this.#writeLater(part, STORAGE_PAUSE_MS);
    if (state === 'CN001') return part.pen.refuse(part, error);
    if (state && REFUSED_VALUES.test(state)) return part.pen.refuseValues(part, error);
    part.pen.fail(part, error);
  }

  /**
   * Retries exactly the same rows with the same seqs: the lock may belong to an earlier try of this append, whose outcome is
   * not known yet. The pen stays busy meanwhile.
   */
  #writeLater(part: Part, pauseMs: number): void {
    setTimeout(() => {
      if (part.pen.lost || this.#closed) {
        return part.pen.fail(part, new Lost(`thread ${part.pen.threadId} was released`));
      }
      this.#write([part]).catch((error: Error) => part.pen.fail(part, error));
    }, pauseMs);
  }

  /** After a key violation or an unknown outcome: reads the end of the log to find out whether the part was committed. */
  async #settle(part: Part): Promise<void> {
    const outcome = await this.outcomeOf(part.pen, part.rows[0]!);
    if (outcome === 'committed') return this.#committed(part, null);
    if (outcome === 'absent') return this.#write([part]);
    part.pen.fail(part, new Lost(`thread ${part.pen.threadId} has another owner`));
  }

  async outcomeOf(
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
        // The database is unavailable. No event announces its return, so retry with back-off.
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** If this throws, the part is committed all the same. The pen fails, and the next claim reads the thread from its log. */
  #committed(part: Part, effects: readonly boolean[] | null): void {
    try {
      part.pen.committed(part, effects);
      this.publish(part.rows);
    } catch (error) {
      part.pen.fail(part, error as Error);
    }
  }

  publish(rows: readonly StoredEvent[]): void {
    this.options.recent?.add(rows);
    this.options.publish(rows);
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

/** The changes of all parts. A change refers to its row by index, so the indexes are shifted. */
function joinChanges(parts: readonly Part[]): readonly Change[] {
  if (parts.length === 1) return parts[0]!.changes;
  const joined: Change[] = [];
  let rows = 0;
  for (const part of parts) {
    for (const change of part.changes) joined.push({ ...change, event: rows + change.event });
    rows += part.rows.length;
  }
  return joined;
}
