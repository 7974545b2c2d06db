// The mirror of one workspace: a folder on disk that is kept equal to the database.
//
// One thing happens at a time: it follows the change feed (database to disk), then looks at what people did (disk to
// database), then writes out chats. Whoever asks it to catch up waits for a reading of the feed that began after he asked.
// What the disk refuses is tried again until it is there; meanwhile the mirror is behind and says so.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lastChange } from '../changes.ts';
import type { Staged, Written } from '../files.ts';
import { ChatQueue } from './chat-queue.ts';
import { chatHeads, type Chat } from './chats.ts';
import { clear } from './clear.ts';
import { assertOwn, MirrorClosed, type Disk, type MirrorOptions } from './disk.ts';
import { FEW, isEmptied, isGoing, wasEmptied } from './emptied.ts';
import { headOfWritten, readFeed, readHeads, readSome, type Head } from './heads.ts';
import { EMPTYING_LIMIT_MS, Hints, QUIET_LIMIT_MS, topmost } from './hints.ts';
import { isOwn } from './names.ts';
import { openDisk } from './open.ts';
import { Partings } from './partings.ts';
import { scan, type Seen } from './scan.ts';
import { settle } from './settle.ts';
import { bring } from './write.ts';

/** How often everything is looked at, since hints get lost. */
const RESCAN_MS = 60_000;
/** How soon it is tried again after the disk or the database refused: from, up to. */
const RETRY_MS = [500, 30_000] as const;
/** How often an edit may come between before others get their turn. */
const ROUNDS = 20;
/** Files that are read from the database at once. */
const PAGE = 64;

interface Waiter {
  /** What he knows to have changed; nothing: the feed must be read. */
  readonly told: readonly Written[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

class MirrorBehind extends Error {
  readonly code = 'mirror_behind';
}

export class Mirror {
  readonly #options: MirrorOptions;
  #disk: Disk | null = null;
  #state: 'open' | 'closed' = 'open';
  #waiters: Waiter[] = [];
  #running: Promise<void> | null = null;
  readonly #hints = new Hints();
  readonly #again = new Set<string>();
  readonly #failed = new Map<string, Error>();
  readonly #partings = new Partings();
  readonly #chats = new ChatQueue();
  #timer: NodeJS.Timeout | null = null;
  #retryMs: number = RETRY_MS[0];
  #retryAt = Infinity;
  #rescanAt = Infinity;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** The folder, when it holds everything that was committed before this was called. */
  async folder(): Promise<string> {
    await this.catchUp();
    if (this.#failed.size > 0)
      throw new MirrorBehind(
        `${this.#failed.size} files could not be written to ${this.#disk!.root}: ${[...this.#failed.values()][0]!.message}`,
      );
    return this.#disk!.root;
  }

  catchUp(told: readonly Written[] = []): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'closed') return reject(new MirrorClosed('the mirror is closed'));
      this.#waiters.push({ told, resolve, reject });
      this.#kick();
    });
  }

  /** Begins to bring a content to its place while its version is being committed; null where that must wait. */
  stage(path: string, bytes: Buffer): Staged | null {
    if (this.#state === 'closed' || !this.#disk || !this.#options.fresh()) return null;
    const staged = this.#disk.staging.begin(path, bytes);
    void this.#options.faults?.('mirror.staged');
    return staged;
  }

  /** Something changed in the database. */
  hint(): void {
    this.catchUp().catch(() => undefined);
  }

  /** These may have changed; null: any may. */
  hintChats(chats: readonly Chat[] | null): void {
    if (chats) this.#chats.add(chats);
    else this.#chats.checkAll();
    this.#kick();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
    this.#shut();
  }

  #shut(): void {
    this.#partings.close();
    this.#closeDisk();
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new MirrorClosed('the mirror is closed'));
    this.#options.closed();
  }

  #closeDisk(): void {
    this.#disk?.staging.close();
    this.#disk?.watch?.close();
    this.#disk?.ledger.close();
    this.#disk = null;
  }

  // One thing at a time

  #kick(): void {
    if (this.#state === 'closed' || this.#running) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      this.#schedule();
      if (this.#waiters.length > 0) this.#kick();
    });
  }

  async #run(): Promise<void> {
    while (this.#state === 'open') {
      const waiters = this.#waiters.splice(0);
      try {
        if (waiters.length > 0 || this.#again.size > 0 || this.#retryAt <= performance.now()) {
          this.#retryAt = Infinity;
          await this.#open();
          const all = waiters.every(({ told }) => told.length > 0);
          await this.#follow(all ? waiters.flatMap(({ told }) => told) : []);
          if (this.#failed.size > 0) this.#retryLater();
          else this.#retryMs = RETRY_MS[0];
        } else if (!(await this.#look()) && !(await this.#showChats())) return;
        for (const waiter of waiters) waiter.resolve();
      } catch (error) {
        for (const waiter of waiters) waiter.reject(error as Error);
        if (error instanceof MirrorClosed) {
          this.#state = 'closed';
          return this.#shut();
        }
        this.#options.log.warn(
          { workspace: this.#options.workspaceId, reason: (error as Error).message },
          'the mirror is behind; trying again',
        );
        return this.#retryLater();
      }
    }
  }

  #retryLater(): void {
    this.#retryAt = performance.now() + this.#retryMs;
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS[1]);
  }

  /** Wakes when the next path has been quiet for long enough, or something is to be tried again. */
  #schedule(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#state === 'closed') return;
    const next = Math.min(
      this.#retryAt,
      this.#rescanAt,
      this.#hints.next,
      this.#partings.next,
      this.#chats.at,
    );
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#kick(), Math.max(0, next - performance.now()));
    this.#timer.unref();
  }

  // Opening

  async #open(): Promise<void> {
    if (this.#disk) return;
    const { pool, workspaceId } = this.#options;
    const { workspace } = await readFeed(pool, workspaceId, Number.MAX_SAFE_INTEGER);
    this.#disk = openDisk(this.#options, workspace, {
      heard: (folder, name) => this.#heard(folder, name),
      again: (file) => this.#again.add(file),
      dirty: (path) => this.#mark(path),
    });
    try {
      await this.#checkAll();
    } catch (error) {
      this.#closeDisk();
      throw error;
    }
    this.#chats.checkAll();
    this.#rescanAt = performance.now() + RESCAN_MS;
  }

  /** Every file against the ledger. Without a ledger, everything is written. */
  async #checkAll(): Promise<void> {
    const disk = this.#disk!;
    const { ledger } = disk;
    const gone = !existsSync(disk.root);
    if (gone) disk.watch?.drop('/');
    mkdirSync(disk.root, { recursive: true });
    const seen = await scan(disk, '/');
    if (ledger.size > 0 && (gone || wasEmptied(disk, seen))) {
      disk.log.warn(
        { workspace: disk.workspaceId, folder: disk.root, files: ledger.size },
        'the folder was gone or empty; it is built anew, and nothing is taken as removed',
      );
      ledger.forget();
      seen.missing.length = 0;
      this.#chats.checkAll();
    }
    await settle(disk, seen);
    if (ledger.cursor === 0) await this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { pool, workspaceId } = this.#options;
    const last = await lastChange(pool, workspaceId);
    for (let after: string | null = last === 0 ? null : ''; after !== null;) {
      const page = await readHeads(pool, workspaceId, after);
      await this.#bring(page.heads);
      after = page.next;
    }
    if (this.#failed.size === 0) this.#disk!.ledger.advance(last);
  }

  // From the database to the disk

  async #follow(told: readonly Written[] = []): Promise<void> {
    const { pool, workspaceId } = this.#options;
    const disk = this.#disk!;
    if (!existsSync(disk.root)) await this.#checkAll();
    await this.#retry();
    if (await this.#bringTold(told)) return this.#retry();
    for (let cursor = disk.ledger.cursor; ;) {
      const feed = await readFeed(pool, workspaceId, cursor);
      if (!feed.workspace || feed.workspace.removed) return this.#gone();
      if (disk.visible && feed.workspace.name !== disk.ledger.folder) return this.#renamed();
      await this.#bring(feed.heads);
      if (this.#failed.size === 0) disk.ledger.advance(feed.cursor);
      if (feed.cursor === cursor || feed.cursor >= feed.workspace.last) return this.#retry();
      cursor = feed.cursor;
    }
  }

  /** The next changes of the feed, if their writers told them all with their contents: then it need not be read. */
  async #bringTold(told: readonly Written[]): Promise<boolean> {
    const { ledger } = this.#disk!;
    const inOrder = told.toSorted((a, b) => a.seq - b.seq);
    const isNext = inOrder.every(({ seq, held }, index) => held && seq === ledger.cursor + 1 + index);
    if (inOrder.length === 0 || !isNext || this.#failed.size > 0) return false;
    const latest = new Map(inOrder.map((each) => [each.file.id, each]));
    await this.#bring([...latest.values()].map(headOfWritten));
    if (this.#failed.size === 0) ledger.advance(inOrder.at(-1)!.seq);
    return true;
  }

  async #retry(): Promise<void> {
    const files = [...new Set([...this.#again, ...this.#failed.keys()])];
    this.#again.clear();
    for (let start = 0; start < files.length; start += PAGE)
      await this.#bring(await this.#headsOf(files.slice(start, start + PAGE)));
  }

  /** The heads of files, or of chats, as they are now. */
  async #headsOf(ids: readonly string[]): Promise<readonly Head[]> {
    const disk = this.#disk!;
    const heads = await readSome(disk.pool, disk.workspaceId, ids);
    const found = new Set(heads.map(({ id }) => id));
    const others = disk.chats ? ids.filter((id) => !found.has(id)) : [];
    if (others.length === 0) return heads;
    return [...heads, ...(await chatHeads(disk, await disk.chats!.find(others), { busy: true }))];
  }

  async #bring(heads: readonly Head[]): Promise<void> {
    let left = heads;
    for (let round = 1; left.length > 0; round += 1) {
      await assertOwn(this.#options);
      const outcomes = await bring(this.#disk!, left, (part) => this.#partings.hold(part));
      const edited = new Set<string>();
      for (const [index, outcome] of outcomes.entries()) {
        const { id } = left[index]!;
        this.#failed.delete(id);
        if (outcome.kind === 'done') continue;
        if (outcome.kind === 'lost') throw new MirrorClosed('the folder is another pod’s by now');
        if (outcome.kind === 'failed') this.#fail(left[index]!, outcome.error);
        else if (round > ROUNDS) this.#fail(left[index]!, new Error(`${left[index]!.path} keeps changing`));
        else {
          await clear(this.#disk!, outcome);
          edited.add(id);
        }
      }
      for (const id of this.#again) edited.add(id);
      this.#again.clear();
      if (edited.size === 0) return;
      left = await this.#headsOf([...edited]);
    }
  }

  #fail({ id, path }: Head, error: Error): void {
    this.#failed.set(id, error);
    this.#options.log.warn(
      { workspace: this.#options.workspaceId, path, reason: error.message },
      'a file could not be written to the mirror; it is tried again',
    );
  }

  /** The workspace was removed: its folder is out of sight until it is brought back, or purged. */
  #gone(): void {
    const { root, own, visible } = this.#disk!;
    this.#state = 'closed';
    this.#shut();
    if (!visible || !existsSync(root)) return;
    rmSync(join(own, 'removed'), { recursive: true, force: true });
    renameSync(root, join(own, 'removed'));
  }

  /** The folder gets the workspace's new name. */
  async #renamed(): Promise<void> {
    this.#closeDisk();
    await this.#open();
    await this.#follow();
  }

  /** False if there was nothing to do. */
  async #showChats(): Promise<boolean> {
    if (this.#chats.at > performance.now()) return false;
    return this.#chats.turn(this.#options.chats?.busy() ?? false, async () => {
      if (!this.#disk) await this.#open();
      const chats = await this.#chats.next(this.#disk!);
      await this.#bring(await chatHeads(this.#disk!, chats));
      return chats;
    });
  }

  // From the disk to the database

  #heard(folder: string, name: string | null): void {
    if (this.#state === 'closed') return;
    if (name !== null && isOwn(name.split('/').at(-1)!)) {
      this.#partings.heard(name);
      return this.#schedule();
    }
    this.#mark(name === null ? folder : `${folder === '/' ? '' : folder}/${name}`);
  }

  #mark(path: string): void {
    this.#hints.mark(path, performance.now());
    if (!this.#running) this.#schedule();
  }

  /** False if there was nothing to look at. */
  async #look(): Promise<boolean> {
    const now = performance.now();
    const due = this.#hints.due(now);
    const rescan = this.#rescanAt <= now;
    const parting = this.#partings.next <= now;
    if (due.length === 0 && !parting && !rescan) return false;
    if (!this.#disk) await this.#open();
    await this.#partings.look(this.#disk!, now);
    if (rescan) {
      this.#rescanAt = now + RESCAN_MS;
      this.#hints.clear();
      await this.#checkAll();
      this.hint();
    } else await this.#lookAt(due, now);
    return true;
  }

  async #lookAt(due: readonly string[], now: number): Promise<void> {
    const seen: Seen = { unknown: [], missing: [], files: 0 };
    for (const path of topmost(due)) {
      const { unknown, missing } = await scan(this.#disk!, path);
      seen.unknown.push(...unknown);
      seen.missing.push(...missing);
    }
    // What is missing may be about to turn up under another name: a move is told in two parts.
    const moving = seen.missing.length > 0 && this.#hints.isBusy(due, now);
    const many = moving && isGoing(this.#disk!, [...seen.missing, ...this.#hints.all()]);
    const limit = many ? EMPTYING_LIMIT_MS : QUIET_LIMIT_MS;
    const waits = moving ? this.#hints.postpone(due, now, limit) : [];
    this.#hints.drop(due.filter((path) => !waits.includes(path)));
    const missing = seen.missing.filter(
      (path) => !waits.some((at) => path === at || path.startsWith(`${at}/`)),
    );
    if (missing.length > FEW || isEmptied(this.#disk!, missing)) await this.#checkAll();
    else await settle(this.#disk!, { ...seen, missing }, seen.missing);
  }
}
