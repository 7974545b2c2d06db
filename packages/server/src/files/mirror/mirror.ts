// The mirror of one workspace: a folder on disk that is kept equal to the database.
//
// It does one thing at a time: it follows the change feed (database to disk), then scans for people's edits (disk to
// database), then writes chats. A caller of `catchUp` waits for a read of the feed that began after the call. Writes
// that the disk refuses are retried until they succeed; until then the mirror is behind and reports it (trouble.ts).

import { join } from 'node:path';
import { lastChange } from '../changes.ts';
import type { Staged, CommittedChange } from '../files.ts';
import { exists, isFolder, makeFolders, removeAll, rename } from './disk/calls.ts';
import { ChatQueue } from './out/chat-queue.ts';
import { chatHeads, type Chat } from './out/chats.ts';
import { clear } from './out/clear.ts';
import { assertOwn, MirrorClosed, type Disk, type MirrorOptions } from './disk/disk.ts';
import { FEW, isEveryFileGone, areManyGone, foundNoFile } from './in/mass-removal.ts';
import { headOfChange, readFeed, readHeads, readSome, type Head } from './out/heads.ts';
import {
  EMPTYING_LIMIT_MS,
  isWithin,
  PathDebounce,
  QUIET_LIMIT_MS,
  topmost,
  upwards,
} from './in/path-debounce.ts';
import { isOwn } from './names.ts';
import { openDisk } from './disk/open.ts';
import { ReplacedFiles } from './disk/replaced-files.ts';
import { scan, type Seen } from './in/scan.ts';
import { roomFor, ingestScan } from './in/ingest-scan.ts';
import { isRefusal, Trouble } from './trouble.ts';
import { writeHeads } from './out/write.ts';

/** Interval of full scans, because watch events can get lost. */
const RESCAN_MS = 60_000;
/** How often a file may be found edited in a row before it is set aside for a later try. */
const ROUNDS = 20;
/** Files that are read from the database in one query. */
const PAGE = 64;

interface Waiter {
  /** The changes that the caller already has; if empty, the feed must be read. */
  readonly changes: readonly CommittedChange[];
  /** Whether to try even during the pause after the disk refused a write. */
  readonly insists: boolean;
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
  readonly #debounce = new PathDebounce();
  readonly #rewriteQueue = new Set<string>();
  readonly #failed = new Map<string, Error>();
  readonly #replacedFiles = new ReplacedFiles();
  readonly #chats = new ChatQueue();
  readonly #trouble: Trouble;
  #timer: NodeJS.Timeout | null = null;
  #rescanAt = Infinity;
  /**
   * After a failure that was not limited to single files, nothing is retried on the mirror's own initiative before this
   * time.
   */
  #pausedUntil = 0;
  /** The position in the change feed up to which every change was written, or has failed. */
  #feedPosition = 0;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#trouble = new Trouble(options.log, options.workspaceId);
  }

  /** Why the folder is behind; null if it is not. */
  get problem(): string | null {
    return this.#trouble.problem;
  }

  /** Resolves with the folder once it has everything that was committed before this call. */
  async folder(): Promise<string> {
    await this.catchUp([], { insists: true });
    if (this.#failed.size > 0)
      throw new MirrorBehind(
        `${this.#failed.size} files could not be written to ${this.#disk!.root}: ${[...this.#failed.values()][0]!.message}`,
      );
    return this.#disk!.root;
  }

  catchUp(
    changes: readonly CommittedChange[] = [],
    { insists = false }: { readonly insists?: boolean } = {},
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'closed') return reject(new MirrorClosed('the mirror is closed'));
      this.#waiters.push({ changes, insists, resolve, reject });
      this.#kick();
    });
  }

  /** Stages content while its version is being committed; null if that is not possible now. */
  stage(path: string, bytes: Buffer): Staged | null {
    if (this.#state === 'closed' || !this.#disk || this.#trouble.error || !this.#options.fresh()) return null;
    return this.#disk.staging.begin(path, bytes);
  }

  /** Tells the mirror that something changed in the database. */
  hint(): void {
    this.catchUp().catch(() => undefined);
  }

  /** Tells the mirror that these chats may have changed; null: any may have. */
  hintChats(chats: readonly Chat[] | null): void {
    if (chats) this.#chats.add(chats);
    else this.#chats.checkAll();
    this.#kick();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
    await this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    this.#replacedFiles.close();
    await this.#closeDisk();
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new MirrorClosed('the mirror is closed'));
    this.#options.closed();
  }

  async #closeDisk(): Promise<void> {
    const disk = this.#disk;
    this.#disk = null;
    disk?.staging.close();
    disk?.watch?.close();
    await disk?.ledger.close();
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
        const isDue = this.#trouble.retryAt <= performance.now();
        if ((waiters.length > 0 || this.#rewriteQueue.size > 0 || isDue) && !this.#mustWait(waiters)) {
          await this.#open();
          const all = waiters.every(({ changes }) => changes.length > 0);
          await this.#followFeed({
            changes: all ? waiters.flatMap(({ changes }) => changes) : [],
            retry: isDue || waiters.some(({ insists }) => insists),
          });
          // A decision about held removals is announced without a change in the feed.
          if (!all || waiters.length === 0) await this.#applyRemovalDecision();
          this.#recordOutcome();
        } else {
          for (const waiter of waiters) waiter.reject(this.#trouble.error!);
          if (this.#pausedUntil > performance.now()) return;
          if (!(await this.#scanDue()) && (this.#trouble.isRefused || !(await this.#writeChats()))) return;
        }
        for (const waiter of waiters) waiter.resolve();
        // The waiters need not wait for this flush: after a crash, the files' content shows what a lost line meant.
        await this.#disk?.ledger.flush();
      } catch (error) {
        for (const waiter of waiters) waiter.reject(error as Error);
        if (error instanceof MirrorClosed || this.#isClosed) {
          this.#state = 'closed';
          return this.#closeAll();
        }
        this.#trouble.recordFailure(error as Error, performance.now(), this.#failed.size);
        this.#pausedUntil = this.#trouble.retryAt;
        return;
      }
    }
  }

  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /**
   * Whether writing must wait for the next retry. If the failure was not the disk refusing everything, a waiting caller
   * triggers a try at once.
   */
  #mustWait(waiters: readonly Waiter[]): boolean {
    const { retryAt, isRefused } = this.#trouble;
    if (waiters.some(({ insists }) => insists)) return false;
    if (isRefused) return retryAt > performance.now();
    return waiters.length === 0 && this.#pausedUntil > performance.now();
  }

  /** After a try: records whether everything is on disk, and if not, why. */
  #recordOutcome(): void {
    const errors = [...this.#failed.values()];
    const worst = errors.find(isRefusal) ?? errors[0];
    if (worst) return this.#trouble.recordFailure(worst, performance.now(), this.#failed.size);
    this.#disk?.ledger.advance(this.#feedPosition);
    this.#trouble.clear();
    this.#pausedUntil = 0;
  }

  /** Sets the timer for the next path that has been quiet long enough, or the next retry. */
  #schedule(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#state === 'closed') return;
    const { retryAt, isRefused } = this.#trouble;
    const chatsAt = isRefused ? Infinity : this.#chats.at;
    const look = Math.min(this.#rescanAt, this.#debounce.next, this.#replacedFiles.next, chatsAt);
    const next = Math.min(retryAt, Math.max(this.#pausedUntil, look));
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#kick(), Math.max(0, next - performance.now()));
    this.#timer.unref();
  }

  // Opening

  async #open(): Promise<void> {
    if (this.#disk) return;
    const { pool, workspaceId } = this.#options;
    const { workspace } = await readFeed(pool, workspaceId, Number.MAX_SAFE_INTEGER);
    await this.#options.after;
    this.#disk = await openDisk(this.#options, workspace, {
      onEvent: (folder, name) => this.#onWatchEvent(folder, name),
      requestRewrite: (file) => this.#rewriteQueue.add(file),
      requestScan: (path) => this.#mark(path),
      closing: () => this.#state === 'closed',
    });
    this.#feedPosition = this.#disk.ledger.cursor;
    try {
      await this.#scanAll();
    } catch (error) {
      await this.#closeDisk();
      throw error;
    }
    this.#chats.checkAll();
    this.#rescanAt = performance.now() + RESCAN_MS;
  }

  /** Compares every file with the ledger. Without a ledger, everything is written. */
  async #scanAll(): Promise<void> {
    const disk = this.#disk!;
    const { ledger } = disk;
    const gone = !(await isFolder(disk.root));
    if (gone) disk.watch?.drop('/');
    await makeFolders(disk.root);
    const seen = await scan(disk, '/');
    if (ledger.size > 0 && (gone || foundNoFile(disk, seen))) {
      disk.log.warn(
        { workspace: disk.workspaceId, folder: disk.root, files: ledger.size },
        'the folder was missing or empty; it is rebuilt from the database, and no file counts as removed',
      );
      ledger.forget();
      this.#feedPosition = 0;
      seen.missing.length = 0;
      this.#chats.checkAll();
    }
    await ingestScan(disk, seen);
    if (ledger.cursor === 0) await this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { pool, workspaceId } = this.#options;
    const last = await lastChange(pool, workspaceId);
    for (let after: string | null = last === 0 ? null : ''; after !== null;) {
      const page = await readHeads(pool, workspaceId, after);
      await this.#writeHeads(page.heads);
      // The rest is written later, by reading the feed from its beginning.
      if (this.#isRefusing) return;
      after = page.next;
    }
    this.#feedPosition = last;
    if (this.#failed.size === 0) this.#disk!.ledger.advance(last);
  }

  // From the database to the disk

  /** Writes the changes since the last position. `retry`: also those that failed before. */
  async #followFeed({
    changes = [],
    retry = true,
  }: { changes?: readonly CommittedChange[]; retry?: boolean } = {}): Promise<void> {
    const { pool, workspaceId } = this.#options;
    const disk = this.#disk!;
    for (const { staged } of changes) if (staged) disk.staging.check(staged);
    if (!(await isFolder(disk.root))) await this.#scanAll();
    if (retry) await this.#retry([...this.#failed.keys()]);
    await this.#writeQueued();
    if (await this.#writeGiven(changes)) return this.#writeQueued();
    // What the callers have staged is not written again.
    const given = new Map(
      changes
        .filter(({ held }) => held)
        .map((each) => [`${each.file.id}@${each.file.version}`, headOfChange(each)]),
    );
    for (;;) {
      const feed = await readFeed(pool, workspaceId, this.#feedPosition);
      if (!feed.workspace || feed.workspace.removed) return this.#hideFolder();
      if (disk.visible && feed.workspace.name !== disk.ledger.folder) return this.#renameFolder();
      await this.#writeHeads(feed.heads.map((head) => given.get(`${head.id}@${head.version}`) ?? head));
      const isLast = feed.cursor === this.#feedPosition || feed.cursor >= feed.workspace.last;
      this.#feedPosition = feed.cursor;
      // While the disk refuses writes, the rest stays in the feed.
      if (isLast || this.#isRefusing) return this.#writeQueued();
    }
  }

  get #isRefusing(): boolean {
    return [...this.#failed.values()].some(isRefusal);
  }

  /**
   * Writes these changes without reading the feed. Possible only if they come with their contents and are exactly the
   * next in the feed; false otherwise.
   */
  async #writeGiven(changes: readonly CommittedChange[]): Promise<boolean> {
    const inOrder = changes.toSorted((a, b) => a.seq - b.seq);
    let next = this.#feedPosition + 1;
    const isNext = inOrder.every(({ seq, held, also }) => {
      const follows = held && seq === next && also.every(({ type }) => type === 'entity_patch');
      // What other concepts added to the feed comes right after the file.
      next = seq + also.length + 1;
      return follows;
    });
    if (inOrder.length === 0 || !isNext) return false;
    const latest = new Map(inOrder.map((each) => [each.file.id, each]));
    await this.#writeHeads([...latest.values()].map(headOfChange));
    this.#feedPosition = next - 1;
    return true;
  }

  async #writeQueued(): Promise<void> {
    const files = [...this.#rewriteQueue];
    this.#rewriteQueue.clear();
    await this.#retry(files);
  }

  /**
   * Writes the heads of these files again. Stops if the disk still refuses writes; the rest is kept for the next try.
   */
  async #retry(files: readonly string[]): Promise<void> {
    const left = new Set(files);
    try {
      for (let start = 0; start < files.length; start += PAGE) {
        const some = files.slice(start, start + PAGE);
        const heads = await this.#headsOf(some);
        for (const id of some) this.#failed.delete(id);
        await this.#writeHeads(heads);
        for (const id of some) left.delete(id);
        if (this.#isRefusing) return;
      }
    } finally {
      for (const id of left) if (!this.#failed.has(id)) this.#rewriteQueue.add(id);
    }
  }

  /** The current heads of files or chats. */
  async #headsOf(ids: readonly string[]): Promise<readonly Head[]> {
    const disk = this.#disk!;
    const heads = await readSome(disk.pool, disk.workspaceId, ids);
    const found = new Set(heads.map(({ id }) => id));
    const others = disk.chats ? ids.filter((id) => !found.has(id)) : [];
    if (others.length === 0) return heads;
    return [...heads, ...(await chatHeads(disk, await disk.chats!.find(others), { busy: true }))];
  }

  async #writeHeads(heads: readonly Head[]): Promise<void> {
    let left = heads;
    const attempted = new Set(heads.map(({ id }) => id));
    try {
      for (let round = 1; left.length > 0; round += 1)
        left = await this.#writeHeadsOnce(left, round, attempted);
    } catch (error) {
      for (const id of attempted) this.#rewriteQueue.add(id);
      throw error;
    }
  }

  /**
   * Writes these heads. Returns the heads that must be written again because a person had edited the files. Adds the
   * files that came up on the way to `attempted`.
   */
  async #writeHeadsOnce(
    left: readonly Head[],
    round: number,
    attempted: Set<string>,
  ): Promise<readonly Head[]> {
    await assertOwn(this.#options);
    const outcomes = await writeHeads(this.#disk!, left, (part) => this.#replacedFiles.hold(part));
    const edited = new Set<string>();
    for (const [index, outcome] of outcomes.entries()) {
      const { id } = left[index]!;
      this.#failed.delete(id);
      if (outcome.kind === 'done') continue;
      if (outcome.kind === 'lost') throw new MirrorClosed('another pod owns the folder now');
      if (outcome.kind === 'failed') this.#failed.set(id, outcome.error);
      else if (round > ROUNDS) this.#failed.set(id, new Error(`${left[index]!.path} keeps changing`));
      else {
        await clear(this.#disk!, outcome);
        edited.add(id);
      }
    }
    for (const id of this.#rewriteQueue) edited.add(id);
    this.#rewriteQueue.clear();
    for (const id of edited) attempted.add(id);
    return edited.size === 0 ? [] : this.#headsOf([...edited]);
  }

  /** The workspace was removed: hides its folder until the workspace is restored or purged. */
  async #hideFolder(): Promise<void> {
    const { root, own, visible } = this.#disk!;
    this.#state = 'closed';
    await this.#closeAll();
    if (!visible || !(await exists(root))) return;
    await removeAll(join(own, 'removed'));
    await rename(root, join(own, 'removed'));
  }

  /** Renames the folder after its workspace. */
  async #renameFolder(): Promise<void> {
    await this.#closeDisk();
    await this.#open();
    await this.#followFeed();
  }

  /** Writes some chats; false if there was nothing to do. */
  async #writeChats(): Promise<boolean> {
    if (this.#chats.at > performance.now()) return false;
    return this.#chats.turn(this.#options.chats?.busy() ?? false, async () => {
      if (!this.#disk) await this.#open();
      const chats = await this.#chats.next(this.#disk!);
      await this.#writeHeads(await chatHeads(this.#disk!, chats));
      return chats;
    });
  }

  // From the disk to the database

  #onWatchEvent(folder: string, name: string | null): void {
    if (this.#state === 'closed') return;
    if (name !== null && isOwn(name.split('/').at(-1)!)) {
      this.#replacedFiles.onEvent(name);
      return this.#schedule();
    }
    this.#mark(name === null ? folder : `${folder === '/' ? '' : folder}/${name}`);
  }

  #mark(path: string): void {
    this.#debounce.mark(path, performance.now());
    if (!this.#running) this.#schedule();
  }

  /** Scans what is due; false if nothing was. */
  async #scanDue(): Promise<boolean> {
    const now = performance.now();
    const due = this.#debounce.due(now);
    const rescan = this.#rescanAt <= now;
    const replaced = this.#replacedFiles.next <= now;
    if (due.length === 0 && !replaced && !rescan) return false;
    if (!this.#disk) await this.#open();
    await this.#replacedFiles.look(this.#disk!, now);
    if (rescan) {
      this.#rescanAt = now + RESCAN_MS;
      this.#debounce.clear();
      await this.#scanAll();
      this.hint();
    } else await this.#scanPaths(due, now);
    await this.#applyRemovalDecision();
    return true;
  }

  async #applyRemovalDecision(): Promise<void> {
    const disk = this.#disk;
    if (!disk?.removals.isHeld) return;
    await disk.removals.applyDecision(disk);
    await this.#writeQueued();
  }

  async #scanPaths(all: readonly string[], now: number): Promise<void> {
    const seen: Seen = { unknown: [], missing: [], files: 0 };
    for (const path of topmost(all)) {
      const { unknown, missing } = await scan(this.#disk!, path);
      seen.unknown.push(...unknown);
      seen.missing.push(...missing);
    }
    // A missing file may just have been moved, with the event for its new path still to come. So a path with missing
    // files is scanned twice before they count as gone.
    const lacking = new Set(seen.missing.flatMap((path) => [...upwards(path)]));
    const later = new Set(
      this.#debounce.postponeOnce(
        topmost(all).filter((path) => lacking.has(path)),
        now,
      ),
    );
    const due = all.filter((path) => !isWithin(later, path));
    const unknown = seen.unknown.filter(({ path }) => !isWithin(later, path));
    const gone = seen.missing.filter((path) => !isWithin(later, path));
    // The file may also be about to appear elsewhere: a move arrives as two events.
    const moving = gone.length > 0 && this.#debounce.isBusy(due, now);
    const many = moving && (await areManyGone(this.#disk!, [...gone, ...this.#debounce.all()]));
    const limit = many ? EMPTYING_LIMIT_MS : QUIET_LIMIT_MS;
    const waits = new Set(moving ? this.#debounce.postponeYoung(due, now, limit) : []);
    this.#debounce.drop(
      due.filter((path) => !waits.has(path)),
      now,
    );
    const missing = gone.filter((path) => !isWithin(waits, path));
    // A new file at the path of a missing one waits with it: ingesting it now would remove a file that was only moved.
    const mayTurnUp = gone.filter((path) => isWithin(waits, path));
    const ready = unknown.filter(
      (each) => !isWithin(waits, each.path) || roomFor([each], mayTurnUp).length === 0,
    );
    if (missing.length > FEW || (await isEveryFileGone(this.#disk!, missing))) await this.#scanAll();
    else await ingestScan(this.#disk!, { ...seen, unknown: ready, missing }, gone);
  }
}
