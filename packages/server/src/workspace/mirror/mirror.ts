// The mirror of one workspace: a folder on disk that is kept equal to the database.
//
// One thing happens at a time: it follows the change feed (database to disk), then looks at what people did (disk to
// database). Whoever asks it to catch up waits for a reading of the feed that began after he asked. What the disk
// refuses is tried again until it is there; meanwhile the mirror is behind and says so.

import { closeSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Faults } from '../../faults.ts';
import type { Pool } from '../../db/pool.ts';
import { lastChange } from '../changes.ts';
import type { Changed, Staged, Written } from '../files.ts';
import { expel, isKnown, type Disk, type Log } from './disk.ts';
import { readFeed, readHeads, readSome, type Feed, type Head } from './heads.ts';
import { ingest, ingestMove, ingestRemoval, keep, readThrough, saysVersion } from './ingest.ts';
import { Ledger, type Entry } from './ledger.ts';
import { conflictPath, isOwn } from './names.ts';
import { remove, removeFolder } from './place.ts';
import { scan, type Seen } from './scan.ts';
import { alike, identityAt, identityOf, lookAt, namesOf, pathOf, same, within } from './tree.ts';
import { Staging } from './staging.ts';
import { createWatch, type Watch } from './watch.ts';
import { bring, type Brought, type Part } from './write.ts';

/** After the last hint about a path, and after the first at most, it is looked at. */
const QUIET_MS = 150;
const QUIET_LIMIT_MS = 800;
/** How often everything is looked at, since hints get lost. */
const RESCAN_MS = 60_000;
/** How soon it is tried again after the disk or the database refused: from, up to. */
const RETRY_MS = [500, 30_000] as const;
/** How long a replaced file is kept open for whoever still writes to it, after its last change; how many at most. */
const PARTING_MS = 10_000;
const PARTINGS = 64;
/** How often an edit may come between before others get their turn. */
const ROUNDS = 20;
/** A folder without a file, where more than this should be, was emptied by accident. */
const FEW = 10;

export interface MirrorOptions {
  readonly pool: Pool;
  readonly workspaceId: string;
  /** Names the workspace and its database. */
  readonly of: string;
  readonly visible: boolean;
  /** Where the visible folders are; a private mirror's is in `own`. */
  readonly folders: string;
  readonly own: string;
  readonly maxFileBytes: number;
  readonly quotaBytes: number;
  readonly log: Log;
  readonly now: () => Date;
  readonly faults?: Faults | undefined;
  readonly fresh: () => boolean;
  /** Asks the database whether the folder is still this pod's. */
  readonly confirm: () => Promise<boolean>;
  readonly closed: () => void;
  readonly committed: (changed: Changed) => void;
}

interface Waiter {
  /** What he knows to have changed; nothing: the feed must be read. */
  readonly told: readonly Written[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface Held extends Part {
  /** What it said when it was last kept, where no version says exactly that. */
  readonly draft?: Buffer | undefined;
  readonly until: number;
}

export class MirrorClosed extends Error {
  readonly code = 'mirror_closed';
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
  readonly #dirty = new Map<string, { first: number; last: number }>();
  readonly #again = new Set<string>();
  readonly #failed = new Map<string, Error>();
  readonly #partings = new Map<string, Held>();
  #rescan = false;
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

  async close(): Promise<void> {
    this.#state = 'closed';
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
    this.#shut();
  }

  #shut(): void {
    for (const held of this.#partings.values()) closeSync(held.fd);
    this.#partings.clear();
    this.#disk?.staging.close();
    this.#disk?.watch?.close();
    this.#disk?.ledger.close();
    this.#disk = null;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new MirrorClosed('the mirror is closed'));
    this.#options.closed();
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
        } else if (!(await this.#look())) return;
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
    let next = Math.min(this.#retryAt, this.#rescanAt);
    for (const times of this.#dirty.values()) next = Math.min(next, dueAt(times));
    for (const held of this.#partings.values()) next = Math.min(next, held.until);
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#kick(), Math.max(0, next - performance.now()));
    this.#timer.unref();
  }

  // Opening

  async #open(): Promise<void> {
    if (this.#disk) return;
    const feed = await readFeed(this.#options.pool, this.#options.workspaceId, Number.MAX_SAFE_INTEGER);
    const disk = this.#opened(feed);
    this.#disk = disk;
    try {
      await this.#checkAll();
    } catch (error) {
      disk.watch?.close();
      disk.ledger.close();
      this.#disk = null;
      throw error;
    }
    this.#rescanAt = performance.now() + RESCAN_MS;
  }

  #opened({ workspace }: Feed): Disk {
    const { visible, own, folders, of, pool, workspaceId, log, now, faults } = this.#options;
    if (!workspace) this.#purge();
    if (!workspace || workspace.removed) throw new MirrorClosed('there is no such workspace');
    mkdirSync(own, { recursive: true });
    const ledger = new Ledger(join(own, 'ledger'), of, workspace.name);
    const root = visible ? join(folders, workspace.name) : join(own, 'files');
    if (visible && ledger.folder !== workspace.name) {
      const former = join(folders, ledger.folder);
      if (existsSync(former) && !existsSync(root)) renameSync(former, root);
      ledger.folder = workspace.name;
    }
    const removed = join(own, 'removed');
    if (visible && existsSync(removed) && !existsSync(root)) renameSync(removed, root);
    // Another database, or one that was set back: what the ledger says was put there may not be in it.
    if (ledger.cursor > workspace.last) ledger.forget();
    else ledger.compact();
    const watch: Watch | null = visible
      ? createWatch({
          root,
          heard: (folder, name) => this.#heard(folder, name),
          failed: (error) =>
            log.warn(
              { workspace: workspaceId, reason: error.message },
              'a folder is not watched; it is looked at once a minute',
            ),
        })
      : null;
    return {
      pool,
      workspaceId,
      visible,
      root,
      own,
      ledger,
      staging: new Staging(root, now),
      drafts: new Map(),
      watch,
      maxFileBytes: this.#options.maxFileBytes,
      quotaBytes: this.#options.quotaBytes,
      log,
      now,
      fault: (point) => void faults?.(point),
      fresh: this.#options.fresh,
      confirm: this.#options.confirm,
      committed: this.#options.committed,
      again: (file) => this.#again.add(file),
      dirty: (path) => this.#mark(path),
    };
  }

  /** The workspace is gone for good: so is its folder, unless the ledger is another database's. */
  #purge(): void {
    const { own, of } = this.#options;
    const [first = ''] = existsSync(join(own, 'ledger'))
      ? readFileSync(join(own, 'ledger'), 'utf8').split('\n', 1)
      : [];
    if (first.includes(JSON.stringify(of))) rmSync(own, { recursive: true, force: true });
  }

  /** Every file against the ledger. Without a ledger, everything is written. */
  async #checkAll(): Promise<void> {
    const disk = this.#disk!;
    const { ledger } = disk;
    const gone = !existsSync(disk.root);
    if (gone) disk.watch?.drop('/');
    mkdirSync(disk.root, { recursive: true });
    const seen = await scan(disk, '/');
    if (ledger.size > 0 && (gone || (seen.files === 0 && ledger.size > FEW))) {
      disk.log.warn(
        { workspace: disk.workspaceId, folder: disk.root, files: ledger.size },
        'the folder was gone or empty; it is built anew, and nothing is taken as removed',
      );
      ledger.forget();
      seen.missing.length = 0;
    }
    await this.#settle(seen);
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
    await this.#bring([...latest.values()].map(headOf));
    if (this.#failed.size === 0) ledger.advance(inOrder.at(-1)!.seq);
    return true;
  }

  async #retry(): Promise<void> {
    const files = [...new Set([...this.#again, ...this.#failed.keys()])];
    this.#again.clear();
    for (let start = 0; start < files.length; start += 64) {
      const { pool, workspaceId } = this.#options;
      await this.#bring(await readSome(pool, workspaceId, files.slice(start, start + 64)));
    }
  }

  async #bring(heads: readonly Head[]): Promise<void> {
    let left = heads;
    for (let round = 1; left.length > 0; round += 1) {
      await this.#own();
      const outcomes = await bring(this.#disk!, left, (part) => this.#hold(part));
      const edited = new Set<string>();
      for (const [index, outcome] of outcomes.entries()) {
        const { id } = left[index]!;
        this.#failed.delete(id);
        if (outcome.kind === 'done') continue;
        if (outcome.kind === 'lost') throw new MirrorClosed('the folder is another pod’s by now');
        if (outcome.kind === 'failed') this.#fail(left[index]!, outcome.error);
        else if (round > ROUNDS) this.#fail(left[index]!, new Error(`${left[index]!.path} keeps changing`));
        else if (await this.#clear(outcome)) edited.add(id);
      }
      for (const id of this.#again) edited.add(id);
      this.#again.clear();
      if (edited.size === 0) return;
      left = await readSome(this.#options.pool, this.#options.workspaceId, [...edited]);
    }
  }

  #fail({ id, path }: Head, error: Error): void {
    this.#failed.set(id, error);
    this.#options.log.warn(
      { workspace: this.#options.workspaceId, path, reason: error.message },
      'a file could not be written to the mirror; it is tried again',
    );
  }

  /** What is in the way of a head: a person's edit becomes a version first, everything else goes. */
  async #clear(outcome: Exclude<Brought, { kind: 'done' | 'lost' | 'failed' }>): Promise<boolean> {
    const disk = this.#disk!;
    if (outcome.kind === 'edited') {
      if (!disk.visible) return true;
      await this.#quiet(outcome.path);
      await ingest(disk, outcome.path, outcome.created);
      return true;
    }
    const { names, wanted } = outcome;
    const kept = within(disk.root, names.slice(0, -1), (folder) => {
      const name = names.at(-1)!;
      const stats = folder?.look(name);
      // It may have changed since: whoever swaps things is not followed.
      if (!folder || !stats || (wanted === 'folder' && stats.isDirectory())) return true;
      if (stats.isFile() && !isKnown(disk, pathOf(names))(identityOf(stats)) && disk.visible) return false;
      if (stats.isFile()) {
        disk.ledger.drop(pathOf(names));
        remove(folder, name);
      } else if (stats.isDirectory()) {
        if (!removeFolder(folder, name)) {
          const aside = namesOf(conflictPath(pathOf(names), disk.now())).name;
          renameSync(folder.at(name), folder.at(aside));
          disk.watch?.drop(pathOf(names));
          this.#mark(pathOf([...names.slice(0, -1), aside]));
        }
      } else expel(disk, folder, names, 'it is no file, and is in the way of one');
      return true;
    });
    if (!kept) await ingest(disk, pathOf(names));
    return true;
  }

  /** Whoever is saving a file gets the time to finish. */
  async #quiet(path: string): Promise<void> {
    const began = performance.now();
    for (;;) {
      const stats = lookAt(this.#disk!.root, path);
      if (!stats?.isFile()) return;
      const age = this.#options.now().getTime() - Number(stats.mtimeMs);
      if (age < 0 || age >= QUIET_MS || performance.now() - began > QUIET_LIMIT_MS) return;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS - age));
    }
  }

  async #own(): Promise<void> {
    if (this.#options.fresh() || (await this.#options.confirm())) return;
    throw new MirrorClosed('the folder is another pod’s by now');
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
    const disk = this.#disk!;
    disk.staging.close();
    disk.watch?.close();
    disk.ledger.close();
    this.#disk = null;
    await this.#open();
    await this.#follow();
  }

  // From the disk to the database

  #heard(folder: string, name: string | null): void {
    if (this.#state === 'closed') return;
    if (name !== null && isOwn(name.split('/').at(-1)!)) {
      // Whoever still had a replaced file open has written to it.
      const held = this.#partings.get(name);
      if (held) this.#partings.set(name, { ...held, until: performance.now() + QUIET_MS });
      this.#schedule();
      return;
    }
    this.#mark(name === null ? folder : `${folder === '/' ? '' : folder}/${name}`);
  }

  #mark(path: string): void {
    const now = performance.now();
    this.#dirty.set(path, { first: this.#dirty.get(path)?.first ?? now, last: now });
    if (!this.#running) this.#schedule();
  }

  /** False if there was nothing to look at. */
  async #look(): Promise<boolean> {
    const now = performance.now();
    const due = [...this.#dirty].filter(([, times]) => dueAt(times) <= now).map(([path]) => path);
    const parting = [...this.#partings.values()].filter((held) => held.until <= now);
    const rescan = this.#rescan || this.#rescanAt <= now;
    if (due.length === 0 && parting.length === 0 && !rescan) return false;
    if (!this.#disk) await this.#open();
    for (const held of parting) await this.#part(held);
    if (rescan) {
      this.#rescan = false;
      this.#rescanAt = now + RESCAN_MS;
      this.#dirty.clear();
      await this.#checkAll();
      this.hint();
      return true;
    }
    const all: Seen = { unknown: [], missing: [], files: 0 };
    for (const path of topmost(due)) {
      const seen = await scan(this.#disk!, path);
      all.unknown.push(...seen.unknown);
      all.missing.push(...seen.missing);
    }
    const gone = [...all.missing];
    // What is missing may be about to turn up under another name: a move is told in two parts.
    const moving = all.missing.length > 0 && this.#dirty.size > due.length;
    for (const path of due) {
      const times = this.#dirty.get(path)!;
      if (moving && now - times.first < QUIET_LIMIT_MS) this.#dirty.set(path, { ...times, last: now });
      else this.#dirty.delete(path);
    }
    if (moving && due.some((path) => this.#dirty.has(path))) all.missing.length = 0;
    if (all.missing.length > FEW || this.#isEmptied(all)) await this.#checkAll();
    else await this.#settle(all, gone);
    return true;
  }

  /** Whether the folder is gone, or none of its many files is there: hints come in parts, each of a few. */
  #isEmptied({ missing }: Seen): boolean {
    const { root, ledger } = this.#disk!;
    if (!existsSync(root)) return true;
    if (missing.length === 0 || ledger.size <= FEW) return false;
    for (const path of ledger.paths()) if (lookAt(root, path)?.isFile()) return false;
    return true;
  }

  /** `gone` is all that is missing, also what may yet turn up: it makes room for what has its place by now. */
  async #settle({ unknown, missing }: Seen, gone: readonly string[] = missing): Promise<void> {
    const disk = this.#disk!;
    if (!disk.visible) return this.#discard(unknown, missing);
    const room = roomFor(unknown, gone);
    // What was moved away keeps its id, and is no removal; what is moved to where room must be made is moved after that.
    if (room.length > 0) for (const each of unknown) await this.#settleMove(each);
    await this.#settleRemovals(room);
    for (const each of unknown) {
      await this.#settleMove(each);
      if (!isKnown(disk, each.path)(each.identity)) await ingest(disk, each.path);
    }
    await this.#settleRemovals(missing);
  }

  async #settleMove({ path, identity }: Seen['unknown'][number]): Promise<void> {
    await this.#own();
    const disk = this.#disk!;
    const from = disk.ledger.at(path) ? undefined : disk.ledger.pathOfInode(identity.ino);
    const entry = from === undefined ? undefined : disk.ledger.at(from);
    if (from !== undefined && entry && !this.#isAt(from, entry))
      await ingestMove(disk, { from, to: path, entry });
  }

  async #settleRemovals(paths: readonly string[]): Promise<void> {
    const disk = this.#disk!;
    for (const path of paths) {
      await this.#own();
      if (disk.ledger.at(path) && !lookAt(disk.root, path)?.isFile()) await ingestRemoval(disk, path);
    }
  }

  /** Nobody edits a private mirror: what is not as it was put there is put there again. */
  #discard(unknown: Seen['unknown'], missing: readonly string[]): void {
    const disk = this.#disk!;
    for (const path of [...unknown.map((each) => each.path), ...missing]) {
      const entry = disk.ledger.at(path);
      if (entry) this.#again.add(entry.file);
      disk.ledger.drop(path);
      const { folder: names, name } = namesOf(path);
      within(disk.root, names, (folder) => folder && remove(folder, name));
    }
  }

  #isAt(path: string, entry: Entry): boolean {
    const stats = lookAt(this.#disk!.root, path);
    return stats?.isFile() === true && String(stats.ino) === entry.ino;
  }

  // Files that were replaced while somebody may have had them open

  #hold(part: Part): void {
    if (this.#partings.size >= PARTINGS) {
      const [oldest] = this.#partings.values();
      this.#partings.set(oldest!.capture, { ...oldest!, until: 0 });
    }
    const changed = !same(identityAt(part.fd), part.identity);
    this.#partings.set(part.capture, {
      ...part,
      until: performance.now() + (changed ? QUIET_MS : PARTING_MS),
    });
  }

  async #part(held: Held): Promise<void> {
    const disk = this.#disk!;
    const now = identityAt(held.fd);
    if (same(now, held.identity)) {
      closeSync(held.fd);
      this.#partings.delete(held.capture);
      return;
    }
    const content = await readThrough(held.fd, disk.maxFileBytes);
    if (typeof content === 'string') {
      this.#partings.set(held.capture, { ...held, until: performance.now() + QUIET_MS });
      return;
    }
    if (alike(content.identity, held.identity) && (await saysVersion(disk, held.entry, content.bytes))) {
      this.#partings.set(held.capture, {
        ...held,
        identity: content.identity,
        until: performance.now() + PARTING_MS,
      });
      return;
    }
    const outcome = await keep(disk, held.path, content.bytes, held.entry, held.draft);
    const at = outcome.kind === 'refused' ? null : outcome.at;
    this.#partings.set(held.capture, {
      ...held,
      path: at?.path ?? held.path,
      entry: at ? { ...held.entry, file: at.file, version: at.version } : held.entry,
      draft: at ? undefined : content.bytes,
      identity: content.identity,
      until: performance.now() + PARTING_MS,
    });
    if (outcome.kind === 'refused')
      disk.log.warn(
        { workspace: disk.workspaceId, path: held.path, why: outcome.why },
        'what was written to a replaced file cannot be kept',
      );
    else if (outcome.file) this.#again.add(outcome.file);
  }
}

/** What is missing where a folder is that leads to one of these files, or below one of them. */
function roomFor(files: Seen['unknown'], missing: readonly string[]): readonly string[] {
  const taken = new Set(files.map(({ path }) => path));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return missing.filter((path) => folders.has(path) || foldersOf(path).some((folder) => taken.has(folder)));
}

function foldersOf(path: string): string[] {
  const { folder } = namesOf(path);
  return folder.map((_, index) => pathOf(folder.slice(0, index + 1)));
}

function dueAt({ first, last }: { first: number; last: number }): number {
  return Math.min(last + QUIET_MS, first + QUIET_LIMIT_MS);
}

/** Without the paths that are below another one. */
function topmost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      if (all.has(path.slice(0, at))) return false;
    return path === '/' || !all.has('/');
  });
}

function headOf({ file: { id, path, version, size, changedAt }, held, staged }: Written): Head {
  return { id, path, version, size, changedAt, removed: false, data: held!, staged };
}
