// Followers: whoever watches a thread's log from a cursor, on any pod. A workspace's change feed is followed the same
// way: `read` says where the rows are.
//
// - A follower that has caught up is handed the rows of a commit, framed once for all followers.
// - One that is behind, or whose socket is full, or that would get too much at once, reads the table in pages at its own pace and holds no memory.
// - Another pod's commit comes as a notice; the rows are read once for all of a thread's followers here.
// - What this pod has just written is handed on from memory (`tail-cache.ts`), not read.
// - A notice may be lost: `rescan` after a reconnect and now and then is the safety net.

import type { Pool } from '../db/pool.ts';
import { ITEMS_PER_TURN } from '../yielding.ts';
import type { StoredEvent } from './event.ts';
import { readThreadEvents } from './statements.ts';

export interface FollowedRow {
  readonly seq: number;
  readonly json: string;
}

/** What is known without reading: all rows after `seq`; null where that is not known. */
interface Remembered<Row> {
  after(id: string, seq: number): readonly Row[] | null;
}

type Read<Row> = (pool: Pool, id: string, after: number, limit: number) => Promise<readonly Row[]>;

/** Rows at most in a page, and bytes after which it ends; a row is never split. */
const PAGE = ITEMS_PER_TURN;
const PAGE_BYTES = 64 * 1024;
/** A follower's first page; the next are as long as their rows allow. */
const FIRST_PAGE = 50;
/** How often everything followed is looked at, in case a notice was lost. */
const RESCAN_MS = 10_000;
/** How soon it is looked at again after reading failed; nothing tells when a database is back. */
const RETRY_MS = 500;

/** Consecutive events of one thread; what a dialect made of them is kept for the next follower. */
export class Batch<Row extends FollowedRow = StoredEvent> {
  readonly rows: readonly Row[];
  readonly #made = new Map<string, unknown>();

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
    if (!this.#made.has(key)) this.#made.set(key, make(this.rows));
    return this.#made.get(key) as T;
  }
}

export interface Sink<Row extends FollowedRow = StoredEvent> {
  /**
   * Takes a batch; false when the socket is full, and then `drained` tells when to go on. `pressed` if it is what gathered
   * while the reader was slow.
   */
  write(batch: Batch<Row>, pressed: boolean): boolean;
  drained(): Promise<void>;
}

export interface Follower {
  stop(): void;
}

/** Of logs, or of whatever else `Row` is. */
export class FollowersOf<Row extends FollowedRow> {
  readonly #pool: Pool;
  readonly #read: Read<Row>;
  readonly #threads = new Map<string, Set<Following<Row>>>();
  readonly #onError: (error: Error) => void;
  readonly #recent: Remembered<Row> | null;
  readonly #rescans: NodeJS.Timeout;
  #retry: NodeJS.Timeout | null = null;
  /** Threads that are being read for their followers, and whether they must be read once more. */
  readonly #reading = new Map<string, boolean>();

  constructor(
    pool: Pool,
    onError: (error: Error) => void,
    read: Read<Row>,
    recent: Remembered<Row> | null = null,
  ) {
    this.#pool = pool;
    this.#read = read;
    this.#recent = recent;
    this.#onError = onError;
    this.#rescans = setInterval(() => this.rescan(), RESCAN_MS);
    this.#rescans.unref();
  }

  close(): void {
    clearInterval(this.#rescans);
    if (this.#retry) clearTimeout(this.#retry);
  }

  get count(): number {
    let count = 0;
    for (const followers of this.#threads.values()) count += followers.size;
    return count;
  }

  /** Hands the thread's events after `seq` to the sink until stopped. */
  follow(threadId: string, seq: number, sink: Sink<Row>): Follower {
    const read = (after: number, limit: number) => this.#read(this.#pool, threadId, after, limit);
    const following = new Following(read, seq, sink, (error) => this.#failed(error));
    const followers = this.#threads.get(threadId) ?? new Set();
    this.#threads.set(threadId, followers.add(following));
    // Not before the caller has what it is given here.
    queueMicrotask(() => following.begin(this.#recent?.after(threadId, following.seq) ?? null));
    return {
      stop: () => {
        following.stop();
        followers.delete(following);
        if (followers.size === 0 && this.#threads.get(threadId) === followers) this.#threads.delete(threadId);
      },
    };
  }

  /** Rows that this pod has just committed, of one thread. */
  publishTo(threadId: string, rows: readonly Row[]): void {
    const followers = this.#threads.get(threadId);
    if (!followers) return;
    const batch = new Batch(rows);
    for (const follower of followers) follower.offer(batch);
  }

  /** Reads what another pod has written to the thread. */
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
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
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
  constructor(pool: Pool, onError: (error: Error) => void, recent: Remembered<StoredEvent> | null = null) {
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
  /** Something was written while this follower was reading: it must look once more. */
  #missed = false;
  /** Its reader was slow, and it has not caught up since. */
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

  /** From memory, or from the table where that does not have it all. */
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
      // The database is away: stay behind; the next rescan tries again.
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

  /** The kernel takes most at once: whose socket is still full a turn later has a slow reader. */
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

  /** A full socket is waited for elsewhere: what waits with it is this page's bytes, and not its rows. */
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

/** The first rows that have no more bytes together; at least one. */
function upToBytes<Row extends FollowedRow>(rows: readonly Row[], limit: number): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += row.json.length) > limit);
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1));
}
