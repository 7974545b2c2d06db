// Staged content: written to disk and synced under a temporary name while its version is being committed. After the
// commit it only needs to be moved into place. The stager discards content that was not committed, or a timer does.
// Leftovers of a crash are swept like any temporary file.

import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import type { Staged } from '../../files.ts';
import { close, fstat, fsync, lstat, setTimes, together } from './calls.ts';
import { temporaryName } from '../names.ts';
import { removeQuietly } from './swap-file.ts';
import { identityAt, keepMode, namesOf, openFolder, writeFully, type Folder, type Identity } from './tree.ts';

/** How long staged content waits for its commit, and how many may wait at most. */
const WAIT_MS = 10_000;
const MOST = 64;
/**
 * A file's mtime is set at least this far into the past, so that an edit within the same clock tick still changes it.
 */
export const TICK_MS = 20;

export interface Ready {
  readonly fd: number;
  readonly identity: Identity;
  readonly temporary: string;
  /** The folder that contains it, and that folder's inode. */
  readonly folder: Folder;
  readonly ino: bigint;
}

interface Waiting {
  readonly path: string;
  readonly temporary: string;
  /** Null: staging failed, and nothing is left on disk. */
  readonly ready: Promise<Ready | null>;
  /** Set by the first check whether the path still leads to the folder of the staged content. */
  checked?: Promise<boolean>;
  readonly timer: NodeJS.Timeout;
}

export class Staging {
  readonly #root: string;
  readonly #now: () => Date;
  readonly #fault: (point: string) => void;
  readonly #waiting = new Map<Staged, Waiting>();
  readonly #names = new Set<string>();

  constructor(root: string, now: () => Date, fault: (point: string) => void) {
    this.#root = root;
    this.#now = now;
    this.#fault = fault;
  }

  /** Whether this is the temporary name of staged content that still waits. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * Begins to stage content; null if too many are waiting. If staging fails, the flush writes the file itself, and
   * reports the error.
   */
  begin(path: string, bytes: Buffer): Staged | null {
    if (this.#waiting.size >= MOST) return null;
    const temporary = temporaryName();
    this.#names.add(temporary);
    const ready = this.#write(path, temporary, bytes).catch(() => {
      this.#names.delete(temporary);
      return null;
    });
    const staged: Staged = { discard: () => this.#discard(staged) };
    const timer = setTimeout(() => staged.discard(), WAIT_MS).unref();
    this.#waiting.set(staged, { path, temporary, ready, timer });
    return staged;
  }

  /** Starts the check that `take` waits for, to run it beside other calls. */
  check(staged: Staged): void {
    const waiting = this.#waiting.get(staged);
    if (waiting) waiting.checked ??= this.#leadsTo(waiting);
  }

  /** The staged content for this path, if it is complete. The caller now owns it. */
  async take(staged: Staged, path: string): Promise<Ready | null> {
    this.check(staged);
    const waiting = this.#waiting.get(staged);
    if (!waiting || waiting.path !== path) return null;
    const [ready, leadsThere] = await Promise.all([waiting.ready, waiting.checked]);
    if (!ready || !leadsThere || !this.#waiting.delete(staged)) return null;
    clearTimeout(waiting.timer);
    this.#names.delete(waiting.temporary);
    return ready;
  }

  close(): void {
    for (const staged of this.#waiting.keys()) staged.discard();
  }

  /** Whether the path still leads to the same folder: a person may have moved it. */
  async #leadsTo({ path, ready }: Waiting): Promise<boolean> {
    const place = join(this.#root, ...namesOf(path).folder);
    const [stats, staged] = await Promise.all([lstat(place, { bigint: true }).catch(() => null), ready]);
    return stats?.isDirectory() === true && stats.ino === staged?.ino;
  }

  async #write(path: string, temporary: string, bytes: Buffer): Promise<Ready> {
    const { folder: names, name } = namesOf(path);
    const folder = await openFolder(this.#root, names);
    if (!folder) throw new Error(`the folder of ${path} does not exist in ${this.#root}`);
    let fd = -1;
    try {
      fd = await folder.create(temporary);
      const [{ ino }, there, created] = await together([
        fstat(folder.fd, { bigint: true }),
        folder.look(name),
        fstat(fd, { bigint: true }),
        writeFully(fd, bytes),
      ]);
      const [identity] = await together([this.#settle(fd, created, there), fsync(fd)]);
      this.#fault('mirror.staged');
      return { fd, identity, temporary, folder, ino };
    } catch (error) {
      if (fd >= 0) {
        close(fd);
        await removeQuietly(folder, temporary);
      }
      folder.close();
      throw error;
    }
  }

  async #settle(fd: number, created: BigIntStats, there: BigIntStats | null): Promise<Identity> {
    await keepMode(fd, created, there);
    const seconds = (this.#now().getTime() - TICK_MS) / 1000;
    await setTimes(fd, seconds, seconds);
    return identityAt(fd);
  }

  #discard(staged: Staged): void {
    const waiting = this.#waiting.get(staged);
    if (!waiting) return;
    this.#waiting.delete(staged);
    clearTimeout(waiting.timer);
    void waiting.ready.then(async (ready) => {
      if (!ready) return;
      close(ready.fd);
      // If it cannot be removed now, the next scan sweeps it.
      await removeQuietly(ready.folder, ready.temporary);
      ready.folder.close();
      this.#names.delete(ready.temporary);
    });
  }
}
