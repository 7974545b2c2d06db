// What keeps a mirror behind, and how it is told: one line when it begins or becomes another, one a minute while it lasts, and
// one when it is over. Tries are further and further apart.

import type { Log } from './disk/disk.ts';
import { errorCode } from './disk/tree.ts';

/** How soon it is tried again after the disk or the database refused: from, up to. */
const RETRY_MS = [500, 30_000] as const;
const TELL_MS = 60_000;

/** What a disk says that refuses everything, not one file alone. */
const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk’s quota is used up',
  EROFS: 'the disk is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

export class Trouble {
  readonly #log: Log;
  readonly #workspace: string;
  #error: Error | null = null;
  #isRefused = false;
  #toldAt = -Infinity;
  #pauseMs: number = RETRY_MS[0];
  #retryAt = Infinity;

  constructor(log: Log, workspace: string) {
    this.#log = log;
    this.#workspace = workspace;
  }

  /** When to try again; never, if there is no trouble. */
  get retryAt(): number {
    return this.#retryAt;
  }

  get error(): Error | null {
    return this.#error;
  }

  /** The disk takes nothing at all: it is left alone until the next try. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** For people who watch the server: without paths, which may be private. */
  get problem(): string | null {
    if (!this.#error) return null;
    const code = errorCode(this.#error);
    return (
      REFUSALS[code] ??
      (code === '' ? 'some files cannot be written' : `some files cannot be written (${code})`)
    );
  }

  /** A try failed. `files`: how many could not be written. */
  met(error: Error, now: number, files: number): void {
    const isNew = errorCode(error) !== errorCode(this.#error) || !this.#error;
    this.#error = error;
    this.#isRefused = isRefusal(error);
    // A try that came early, because somebody asked, does not put off the next one.
    if (this.#retryAt <= now || this.#retryAt === Infinity) {
      this.#retryAt = now + this.#pauseMs;
      this.#pauseMs = Math.min(this.#pauseMs * 2, RETRY_MS[1]);
    }
    if (!isNew && now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    this.#log.warn(
      { workspace: this.#workspace, files, reason: error.message },
      'the mirror is behind; it is tried again, at most every 30 s',
    );
  }

  over(): void {
    if (!this.#error) return;
    this.#error = null;
    this.#isRefused = false;
    this.#pauseMs = RETRY_MS[0];
    this.#retryAt = Infinity;
    this.#toldAt = -Infinity;
    this.#log.info({ workspace: this.#workspace }, 'the mirror has caught up');
  }
}

export function isRefusal(error: Error): boolean {
  return errorCode(error) in REFUSALS;
}
