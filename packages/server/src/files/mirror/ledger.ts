// The ledger: what the mirror wrote to disk. For each path it has the file, its version, and the identity of its inode.
// Anything on disk that is not in the ledger is a person's edit.
//
// It is an append-only file of JSON lines. A line is written before the disk is changed, so that after a crash both the
// old and the new state are known. It need not be synced: if a line is lost, the file's content shows what happened. A
// change is visible in memory at once, and is written by the next `flush`, which the caller awaits before it changes
// the disk.

import { close, fsync, open, readFile, rename } from './disk/calls.ts';
import { errorCode, writeFully, type Identity } from './disk/tree.ts';

export interface Entry extends Identity {
  readonly file: string;
  readonly version: number;
  /** The hash of content that is not a version: a chat's. */
  readonly hash?: string | undefined;
}

type Line =
  | { k: 'head'; of: string; folder: string }
  | {
      k: 'put';
      p: string;
      f: string;
      v: number;
      h?: string | undefined;
      i: string;
      m: string;
      s: number;
      c?: string | undefined;
    }
  | { k: 'ok'; p: readonly string[]; c?: readonly (string | null)[] | undefined }
  | { k: 'drop'; p: string }
  | { k: 'take'; c: string; p: string }
  | { k: 'cursor'; n: number };

/** How many superfluous lines the file may have before it is rewritten. */
const SPARE_LINES = 20_000;

export class Ledger {
  readonly #path: string;
  readonly #of: string;
  readonly #entries = new Map<string, Entry>();
  readonly #paths = new Map<string, string>();
  readonly #inodes = new Map<string, string>();
  /** How many entries each folder has, including those in its subfolders. */
  readonly #folders = new Map<string, number>();
  /** The previous entries of a path, until the new one is confirmed to be on disk. */
  readonly #former = new Map<string, readonly Entry[]>();
  /** Captured files: the original path by the temporary name. */
  readonly captures = new Map<string, string>();
  folder: string;
  cursor = 0;
  #fd = -1;
  #lines = 0;
  /** Lines that are not in the file yet. */
  #queue: Line[] = [];
  /** Whether the file must be rewritten. */
  #isStale = true;
  /** Whether the last write may have left an incomplete line. */
  #torn = false;
  #isClosed = false;
  #flushing: Promise<void> = Promise.resolve();

  private constructor(path: string, of: string, folder: string) {
    this.#path = path;
    this.#of = of;
    this.folder = folder;
  }

  /** `of` identifies the workspace and its database: a ledger with another one is ignored. */
  static async open(path: string, of: string, folder: string): Promise<Ledger> {
    const ledger = new Ledger(path, of, folder);
    await ledger.#load();
    return ledger;
  }

  get size(): number {
    return this.#entries.size;
  }

  at(path: string): Entry | undefined {
    return this.#entries.get(path);
  }

  pathOf(file: string): string | undefined {
    return this.#paths.get(file);
  }

  pathOfInode(ino: string): string | undefined {
    return this.#inodes.get(ino);
  }

  paths(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** Whether the path is a file in the ledger, or a folder that contains one. */
  holds(path: string): boolean {
    return this.#entries.has(path) || this.#folders.has(path);
  }

  /** The paths in the ledger at this path and below it. */
  *within(path: string): Generator<string> {
    if (this.#entries.has(path)) yield path;
    if (path !== '/' && !this.#folders.has(path)) return;
    const below = path === '/' ? '/' : `${path}/`;
    for (const each of this.#entries.keys()) if (each.startsWith(below)) yield each;
  }

  /** The entries that the file at this path may match: the current one, and previous ones until it is confirmed. */
  known(path: string): readonly Entry[] {
    const entry = this.#entries.get(path);
    return [...(entry ? [entry] : []), ...(this.#former.get(path) ?? [])];
  }

  /** Whether the current entry is confirmed to be on disk. */
  confirmed(path: string): boolean {
    return this.#entries.has(path) && !this.#former.has(path);
  }

  put(path: string, entry: Entry): void {
    this.#write(lineOf(path, entry));
  }

  /**
   * Confirms that these paths are on disk. `ctimes`: the final ctimes, known only after the files are in place; null
   * where still unknown.
   */
  confirm(paths: readonly string[], ctimes?: readonly (string | null)[]): void {
    if (paths.length > 0) this.#write({ k: 'ok', p: paths, c: ctimes });
  }

  drop(path: string): void {
    this.#write({ k: 'drop', p: path });
  }

  take(capture: string, path: string): void {
    this.#write({ k: 'take', c: capture, p: path });
  }

  advance(cursor: number): void {
    if (cursor !== this.cursor) this.#write({ k: 'cursor', n: cursor });
  }

  /** Forgets everything: nothing that was written is on disk any more. */
  forget(): void {
    this.#entries.clear();
    this.#paths.clear();
    this.#inodes.clear();
    this.#folders.clear();
    this.#former.clear();
    this.captures.clear();
    this.cursor = 0;
    this.#isStale = true;
  }

  /** Writes everything to the file. After a failure (a full disk), the next flush writes it. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#writeOut());
    return this.#flushing;
  }

  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    this.#isClosed = true;
    if (this.#fd >= 0) close(this.#fd);
    this.#fd = -1;
  }

  async #writeOut(): Promise<void> {
    if (this.#isClosed) throw new Error('the ledger is closed');
    if (this.#isStale || this.#lines > 2 * this.#entries.size + SPARE_LINES) return this.#compact();
    if (this.#queue.length === 0) return;
    const lines = this.#queue.splice(0);
    const text = `${this.#torn ? '\n' : ''}${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`;
    try {
      await writeFully(this.#fd, Buffer.from(text));
      this.#torn = false;
      this.#lines += lines.length;
    } catch (error) {
      // Repeating a line is harmless.
      this.#torn = true;
      this.#queue.unshift(...lines);
      throw error;
    }
  }

  /** Rewrites the file with the current entries only. */
  async #compact(): Promise<void> {
    this.#isStale = false;
    this.#queue = [];
    const lines: Line[] = [{ k: 'head', of: this.#of, folder: this.folder }];
    const settled: string[] = [];
    for (const path of this.#entries.keys()) {
      for (const entry of this.known(path).toReversed()) lines.push(lineOf(path, entry));
      if (this.confirmed(path)) settled.push(path);
    }
    lines.push({ k: 'ok', p: settled });
    for (const [c, p] of this.captures) lines.push({ k: 'take', c, p });
    lines.push({ k: 'cursor', n: this.cursor });
    try {
      await this.#replace(lines);
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
    this.#lines = lines.length;
    this.#torn = false;
  }

  async #replace(lines: readonly Line[]): Promise<void> {
    const next = `${this.#path}.new`;
    const fd = await open(next, 'w');
    try {
      await writeFully(fd, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
      await fsync(fd);
    } finally {
      close(fd);
    }
    await rename(next, this.#path);
    const appended = await open(this.#path, 'a');
    if (this.#fd >= 0) close(this.#fd);
    this.#fd = appended;
  }

  #write(line: Line): void {
    this.#apply(line);
    this.#queue.push(line);
  }

  async #load(): Promise<void> {
    let text = '';
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    for (const [index, line] of text.split('\n').entries()) {
      const parsed = parse(line);
      if (index === 0 && (parsed?.k !== 'head' || parsed.of !== this.#of)) return;
      if (parsed) this.#apply(parsed);
    }
  }

  #apply(line: Line): void {
    switch (line.k) {
      case 'head':
        this.folder = line.folder;
        return;
      case 'put': {
        const former = this.known(line.p);
        this.#remove(line.p);
        this.#former.set(line.p, former);
        this.#entries.set(line.p, {
          file: line.f,
          version: line.v,
          hash: line.h,
          ino: line.i,
          mtime: line.m,
          size: line.s,
          ctime: line.c,
        });
        this.#count(line.p, 1);
        this.#paths.set(line.f, line.p);
        this.#inodes.set(line.i, line.p);
        return;
      }
      case 'ok':
        for (const [index, path] of line.p.entries()) {
          this.#former.delete(path);
          const entry = this.#entries.get(path);
          const ctime = line.c?.[index];
          if (entry && ctime) this.#entries.set(path, { ...entry, ctime });
          for (const [capture, from] of this.captures) if (from === path) this.captures.delete(capture);
        }
        return;
      case 'drop':
        this.#remove(line.p);
        for (const [capture, from] of this.captures) if (from === line.p) this.captures.delete(capture);
        return;
      case 'take':
        this.captures.set(line.c, line.p);
        return;
      case 'cursor':
        this.cursor = line.n;
        return;
    }
  }

  #count(path: string, by: 1 | -1): void {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      const count = (this.#folders.get(folder) ?? 0) + by;
      if (count > 0) this.#folders.set(folder, count);
      else this.#folders.delete(folder);
    }
  }

  #remove(path: string): void {
    const entry = this.#entries.get(path);
    this.#entries.delete(path);
    this.#former.delete(path);
    if (!entry) return;
    this.#count(path, -1);
    if (this.#paths.get(entry.file) === path) this.#paths.delete(entry.file);
    if (this.#inodes.get(entry.ino) === path) this.#inodes.delete(entry.ino);
  }
}

function lineOf(p: string, entry: Entry): Line {
  const { file: f, version: v, hash: h, ino: i, mtime: m, size: s, ctime: c } = entry;
  return { k: 'put', p, f, v, h, i, m, s, c };
}

/** A crash leaves at most one incomplete line. The content of the file that it was about shows what happened. */
function parse(line: string): Line | null {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}
