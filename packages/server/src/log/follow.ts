// Followers: readers that get a thread's events from a cursor on, on any pod. The change feed of a workspace is followed
// the same way; `read` is the query that returns its rows.
//
// - A live follower gets the rows of each commit from memory. They are framed once for all followers.
// - A follower that is behind, has a full socket, or would get too many rows at once reads pages from the table at its own
//   pace. No rows are buffered for it.
// - A commit of another pod arrives as a notice. Its rows are read once for all followers of the thread on this pod.
// - A new follower gets the latest events of this pod from a cache (`tail-cache.ts`), if the cache reaches back far enough.
// - A notice may be lost, so `rescan` runs after every reconnect and periodically.

import type { Pool } from '../db/pool.ts';
import { ITEMS_PER_TURN } from '../limits/yielding.ts';
import type { StoredEvent } from './event.ts';
import { readThreadEvents } from './statements.ts';

export interface FollowedRow {
  readonly seq: number;
  readonly json: string;
}

/** A cache: all rows after `seq` to the end of the log; null on a miss. */
interface RowCache<Row> {
  after(id: string, seq: number): readonly Row[] | null;
}

type Read<Row> = (pool: Pool, id: string, after: number, limit: number) => Promise<readonly Row[]>;

/** Limits of a page, in rows and in bytes. A row is never split. */
const PAGE = ITEMS_PER_TURN;
const PAGE_BYTES = 64 * 1024;
/** Rows of a follower's first page. Later pages grow or shrink with the size of the rows. */
const FIRST_PAGE = 50;
/** How often all followed threads are read, in case a notice was lost. */
const RESCAN_MS = 10_000;
/** The pause before a rescan after a read failed. No event announces that a database is back. */
const RETRY_MS = 500;

/** Consecutive events of one thread. `memo` keeps a dialect's frames for the other followers. */
export class Batch<Row extends FollowedRow = StoredEvent> {
  readonly rows: readonly Row[];
  readonly #memos = new Map<string, unknown>();

  constructor(rows: readonly Row[]) {
    this.rows = rows;
  }

  get first(): number {
    return this.rows[0]!.seq;
  }

  get last(): number {
    return this.rows.at(-1)!.seq;
  }

  memo<T>(key: string, make: (rows: readonly Row[]) => T): T {
    if (!this.#memos.has(key)) this.#memos.set(key, make(this.rows));
    return this.#memos.get(key) as T;
  }
}

export interface Sink<Row extends FollowedRow = StoredEvent> {
  /**
   * Takes a batch. Returns false when the socket is full; the caller then waits for `drained`. `pressed` is true if the batch
   * gathered while the reader was slow.
   */
  write(batch: Batch<Row>, pressed: boolean): boolean;
  drained(): Promise<void>;
}

export interface Follower {
  stop(): void;
}

/** Followers of logs, or of other sequences of rows with a seq. */
export class FollowersOf<Row extends FollowedRow> {
  readonly #pool: Pool;
  readonly #read: Read<Row>;
  readonly #threads = new Map<string, Set<Following<Row>>>();
  readonly #onError: (error: Error) => void;
  readonly #recent: RowCache<Row> | null;
  readonly #rescanTimer: NodeJS.Timeout;
  #retryTimer: NodeJS.Timeout | null = null;
  /** Threads that are being read for their followers; true if a thread must be read once more. */
  readonly #reading = new Map<string, boolean>();

  constructor(
    pool: Pool,
    onError: (error: Error) => void,
    read: Read<Row>,
    recent: RowCache<Row> | null = null,
  ) {
    this.#pool = pool;
    this.#read = read;
    this.#recent = recent;
    this.#onError = onError;
    this.#rescanTimer = setInterval(() => this.rescan(), RESCAN_MS);
    this.#rescanTimer.unref();
  }

  close(): void {
    clearInterval(this.#rescanTimer);
    if (this.#retryTimer) clearTimeout(this.#retryTimer);
  }

  get count(): number {
    let count = 0;
    for (const followers of this.#threads.values()) count += followers.size;
    return count;
  }

  /** Writes the thread's events after `seq` to the sink until stopped. */
  follow(threadId: string, seq: number, sink: Sink<Row>): Follower {
    const read = (after: number, limit: number) => this.#read(this.#pool, threadId, after, limit);
    const following = new Following(read, seq, sink, (error) => this.#failed(error));
    const followers = this.#threads.get(threadId) ?? new Set();
    this.#threads.set(threadId, followers.add(following));
    // Begins after the caller has the returned follower.
    queueMicrotask(() => following.begin(this.#recent?.after(threadId, following.seq) ?? null));
    return {
      stop: () => {
        following.stop();
        followers.delete(following);
        if (followers.size === 0 && this.#threads.get(threadId) === followers) this.#threads.delete(threadId);
      },
    };
  }

  /** Offers rows that this pod has just committed to the thread's followers. */
  publishTo(threadId: string, rows: readonly Row[]): void {
    const followers = this.#threads.get(threadId);
    if (!followers) return;
    const batch = new Batch(rows);
    for (const follower of followers) follower.offer(batch);
  }

  /** Reads the events that another pod has appended to the thread. */
  readNew(threadId: string): void {
    const followers = this.#threads.get(threadId);
    if (!followers) return;
    const reading = this.#reading.has(threadId);
    this.#reading.set(threadId, reading);
    if (reading) return;
    void this.#readFor(threadId, followers)
      .catch((error: Error) => this.#failed(error))
      .finally(() => {
        const again = this.#reading.get(threadId) === true;
        this.#reading.delete(threadId);
        if (again) this.readNew(threadId);
      });
  }

  rescan(): void {
    for (const threadId of this.#threads.keys()) this.readNew(threadId);
  }

  #failed(error: Error): void {
    this.#onError(error);
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = null;
      this.rescan();
    }, RETRY_MS).unref();
  }

  async #readFor(threadId: string, followers: Set<Following<Row>>): Promise<void> {
    const live = [...followers].filter((follower) => follower.live);
    for (const follower of followers) if (!follower.live) follower.catchUp();
    if (live.length === 0) return;
    const from = Math.min(...live.map((follower) => follower.seq));
    const rows = await this.#read(this.#pool, threadId, from, PAGE);
    if (rows.length === 0) return;
    const batch = new Batch(rows);
    for (const follower of followers) follower.offer(batch);
    if (rows.length === PAGE) for (const follower of followers) follower.catchUp();
  }
}

export class Followers extends FollowersOf<StoredEvent> {
  constructor(pool: Pool, onError: (error: Error) => void, recent: RowCache<StoredEvent> | null = null) {
    super(pool, onError, readThreadEvents, recent);
  }

  publish(rows: readonly StoredEvent[]): void {
    this.publishTo(rows[0]!.threadId, rows);
  }
}

class Following<Row extends FollowedRow> {
  readonly #readRows: (after: number, limit: number) => Promise<readonly Row[]>;
  readonly #sink: Sink<Row>;
  readonly #onError: (error: Error) => void;
  seq: number;
  #state: 'live' | 'reading' | 'stopped' = 'live';
  /** Rows may have been committed while this follower was reading: it must read once more. */
  #missed = false;
  /** Its reader was slow, and the follower has not caught up since. */
  #pressed = false;
  #page = FIRST_PAGE;

  constructor(
    readRows: (after: number, limit: number) => Promise<readonly Row[]>,
    seq: number,
    sink: Sink<Row>,
    onError: (error: Error) => void,
  ) {
    this.#readRows = readRows;
    this.seq = seq;
    this.#sink = sink;
    this.#onError = onError;
  }

  get live(): boolean {
    return this.#state === 'live';
  }

  stop(): void {
    this.#state = 'stopped';
  }

  offer(batch: Batch<Row>): void {
    if (this.#state === 'stopped' || batch.last <= this.seq) return;
    const fits = batch.first === this.seq + 1 && batch.rows.length <= PAGE;
    if (this.#state === 'live' && fits) return this.#hand(batch);
    this.catchUp();
  }

  /** Starts from the cached rows, or reads the table if the cache missed. */
  begin(known: readonly Row[] | null): void {
    if (this.#state !== 'live') return;
    if (!known) this.catchUp();
    else if (known.length > 0) this.#hand(new Batch(known));
  }

  catchUp(): void {
    this.#missed = true;
    if (this.#state !== 'live') return;
    this.#state = 'reading';
    this.#read().catch((error: Error) => {
      // The database is unavailable. The follower stays behind until the next rescan.
      if (this.#state === 'reading') this.#state = 'live';
      this.#onError(error);
    });
  }

  #hand(batch: Batch<Row>): void {
    this.seq = batch.last;
    if (this.#sink.write(batch, false) || this.#state === 'stopped') return;
    this.#state = 'reading';
    void this.#drained().then(() => this.#resume());
  }

  /** The kernel usually takes a whole write at once. If the socket is still full a turn later, the reader is slow. */
  async #drained(): Promise<void> {
    const later = setImmediate(() => (this.#pressed = true));
    await this.#sink.drained();
    clearImmediate(later);
  }

  #resume(): void {
    if (this.#state !== 'reading') return;
    this.#state = 'live';
    if (this.#missed) this.catchUp();
    else this.#pressed = false;
  }

  async #read(): Promise<void> {
    while (this.#missed) {
      this.#missed = false;
      for (let more = true; more;) {
        const page = await this.#readPage();
        if (this.#state === 'stopped') return;
        if (!page.room) await this.#drained();
        if ((this.#state as string) === 'stopped') return;
        more = page.more;
      }
    }
    this.#state = 'live';
    this.#pressed = false;
  }

  /** The caller waits for a full socket, so that the rows of this page can be freed meanwhile. */
  async #readPage(): Promise<{ room: boolean; more: boolean }> {
    const asked = this.#page;
    const rows = await this.#readRows(this.seq, asked);
    if (this.#state === 'stopped' || rows.length === 0) return { room: true, more: false };
    const page = upToBytes(rows, PAGE_BYTES);
    this.#page = page.length < rows.length ? page.length : Math.min(asked * 2, PAGE);
    this.seq = page.at(-1)!.seq;
    return {
      room: this.#sink.write(new Batch(page), this.#pressed),
      more: page.length < rows.length || rows.length === asked,
    };
  }
}

/** The longest prefix of the rows within `limit` bytes; at least one row. */
function upToBytes<Row extends FollowedRow>(rows: readonly Row[], limit: number): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += row.json.length) > limit);
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1));
}
