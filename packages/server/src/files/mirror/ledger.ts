// What the mirror put on disk: for each path the file, its version and the identity that its inode had. What is on disk
// and not in here is a person's. An append-only file of JSON lines, written before the disk is changed, so that after a
// crash both what was there and what came are known; it need not be synced, since content tells what a lost line meant.
// A change is known at once and gets its line by the next `flush`: whoever changes the disk waits for that first.

import { close, fsync, open, readFile, rename } from './disk/calls.ts';
import { errorCode, writeFully, type Identity } from './disk/tree.ts';

export interface Entry extends Identity {
  readonly file: string;
  readonly version: number;
  /** Of a content that no version says: a chat's. */
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

/** Lines beyond what the entries need, after which the file is written anew. */
const SPARE_LINES = 20_000;

export class Ledger {
  readonly #path: string;
  readonly #of: string;
  readonly #entries = new Map<string, Entry>();
  readonly #paths = new Map<string, string>();
  readonly #inodes = new Map<string, string>();
  /** How many entries each folder has, in it and below. */
  readonly #folders = new Map<string, number>();
  /** What was at a path before; known until what came is surely on disk. */
  readonly #former = new Map<string, readonly Entry[]>();
  /** What was moved out of the way, by the name it got, and whence. */
  readonly captures = new Map<string, string>();
  folder: string;
  cursor = 0;
  #fd = -1;
  #lines = 0;
  /** What is not in the file yet. */
  #queue: Line[] = [];
  /** The file is to be written anew. */
  #isStale = true;
  /** The last write may have ended within a line. */
  #torn = false;
  #isClosed = false;
  #flushing: Promise<void> = Promise.resolve();

  private constructor(path: string, of: string, folder: string) {
    this.#path = path;
    this.#of = of;
    this.folder = folder;
  }

  /** `of` names the workspace and its database: another's ledger says nothing about this one. */
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

  /** Whether it is a file that was put, or a folder of some. */
  holds(path: string): boolean {
    return this.#entries.has(path) || this.#folders.has(path);
  }

  /** The paths that were put, at this one and below. */
  *within(path: string): Generator<string> {
    if (this.#entries.has(path)) yield path;
    if (path !== '/' && !this.#folders.has(path)) return;
    const below = path === '/' ? '/' : `${path}/`;
    for (const each of this.#entries.keys()) if (each.startsWith(below)) yield each;
  }

  /** The entries with an identity that the path may have. */
  known(path: string): readonly Entry[] {
    const entry = this.#entries.get(path);
    return [...(entry ? [entry] : []), ...(this.#former.get(path) ?? [])];
  }

  /** Whether what was put at the path is surely on disk. */
  confirmed(path: string): boolean {
    return this.#entries.has(path) && !this.#former.has(path);
  }

  put(path: string, entry: Entry): void {
    this.#write(lineOf(path, entry));
  }

  /** `ctimes`: what each has now that it is in its place, where that was not known when it was put; null: still not. */
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

  /** Nothing of what was put is there any more. */
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

  /** Everything that is known is in the file. What a full disk refused is written by the next flush. */
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
      // A line that is there twice says the same as once.
      this.#torn = true;
      this.#queue.unshift(...lines);
      throw error;
    }
  }

  /** Writes the file anew, with what is known and nothing else. */
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

/** A crash leaves at most a part of a line: what it meant is found out by content. */
function parse(line: string): Line | null {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}
