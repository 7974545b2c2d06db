// Contents that go to disk while their versions are being committed: each is written and synced under a temporary name, which
// gives it its place only after the commit. What was not committed is removed by whoever staged it, at the latest after
// a while; what a crash leaves is swept like any temporary file.

import { closeSync, fstatSync, futimesSync } from 'node:fs';
import type { Staged } from '../files.ts';
import { temporaryName } from './names.ts';
import { remove, sync } from './place.ts';
import { keepMode, namesOf, openFolder, within, writeFully, type Folder } from './tree.ts';

/** How long a staged content waits for its commit; so many wait at most. */
const WAIT_MS = 10_000;
const MOST = 64;
/** A file's time is at least this old when it comes, so that an edit in the same tick of the clock still changes it. */
export const TICK_MS = 20;

interface Waiting {
  readonly path: string;
  readonly temporary: string;
  readonly fd: number;
  readonly folder: bigint;
  /** Null: it is on disk. */
  readonly synced: Promise<Error | null>;
  readonly timer: NodeJS.Timeout;
}

export interface Ready {
  readonly fd: number;
  readonly temporary: string;
}

export class Staging {
  readonly #root: string;
  readonly #now: () => Date;
  readonly #waiting = new Map<Staged, Waiting>();
  readonly #names = new Set<string>();

  constructor(root: string, now: () => Date) {
    this.#root = root;
    this.#now = now;
  }

  /** Whether a temporary name is of one that still waits. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Null where it cannot be done ahead: then the flush does it, and says what is wrong. */
  begin(path: string, bytes: Buffer): Staged | null {
    if (this.#waiting.size >= MOST) return null;
    const { folder: names, name } = namesOf(path);
    const temporary = temporaryName();
    let fd = -1;
    try {
      const folder = openFolder(this.#root, names);
      if (!folder) return null;
      this.#names.add(temporary);
      try {
        fd = folder.create(temporary);
        writeFully(fd, bytes);
        keepMode(fd, folder.look(name));
        const seconds = (this.#now().getTime() - TICK_MS) / 1000;
        futimesSync(fd, seconds, seconds);
        return this.#wait({ path, temporary, fd, folder: inodeOf(folder) });
      } finally {
        folder.close();
      }
    } catch {
      this.#remove(path, temporary, fd);
      return null;
    }
  }

  /** What was staged for this place, if it is there and on disk; from now on it is the caller's. */
  async take(staged: Staged, path: string, folder: Folder): Promise<Ready | null> {
    const waiting = this.#waiting.get(staged);
    if (!waiting || waiting.path !== path || waiting.folder !== inodeOf(folder)) return null;
    if ((await waiting.synced) !== null || !this.#waiting.delete(staged)) return null;
    clearTimeout(waiting.timer);
    this.#names.delete(waiting.temporary);
    return waiting;
  }

  close(): void {
    for (const staged of this.#waiting.keys()) staged.discard();
  }

  #wait(file: Omit<Waiting, 'synced' | 'timer'>): Staged {
    const staged: Staged = {
      discard: () => {
        const waiting = this.#waiting.get(staged);
        if (!waiting) return;
        this.#waiting.delete(staged);
        clearTimeout(waiting.timer);
        // Its descriptor is in use until it is synced.
        void waiting.synced.then(() => this.#remove(waiting.path, waiting.temporary, waiting.fd));
      },
    };
    const synced = sync(file.fd).then(
      () => null,
      (error: Error) => error,
    );
    const timer = setTimeout(() => staged.discard(), WAIT_MS).unref();
    this.#waiting.set(staged, { ...file, synced, timer });
    return staged;
  }

  #remove(path: string, temporary: string, fd: number): void {
    if (fd >= 0) closeSync(fd);
    this.#names.delete(temporary);
    try {
      within(this.#root, namesOf(path).folder, (folder) => folder && remove(folder, temporary));
    } catch {
      // Whatever it is that keeps it there: the next look at the folder sweeps it.
    }
  }
}

function inodeOf(folder: Folder): bigint {
  return fstatSync(folder.fd, { bigint: true }).ino;
}
