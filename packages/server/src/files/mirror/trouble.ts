// Tracks why a mirror is behind, and logs it: one line when the trouble begins or changes, one a minute while it lasts,
// and one when it is over. Retries back off.

import type { Log } from './disk/disk.ts';
import { errorCode } from './disk/tree.ts';

/** The shortest and longest pause before a retry. */
const RETRY_MS = [500, 30_000] as const;
const TELL_MS = 60_000;

/** Error codes of a disk that refuses all writes, not just one file. */
const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
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

  /** When to retry; Infinity if there is no trouble. */
  get retryAt(): number {
    return this.#retryAt;
  }

  get error(): Error | null {
    return this.#error;
  }

  /** The disk refuses all writes: nothing is written until the next retry. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** For operators: without paths, which may be private. */
  get problem(): string | null {
    if (!this.#error) return null;
    const code = errorCode(this.#error);
    return (
      REFUSALS[code] ??
      (code === '' ? 'some files cannot be written' : `some files cannot be written (${code})`)
    );
  }

  /** Records a failed try. `files`: how many files could not be written. */
  recordFailure(error: Error, now: number, files: number): void {
    const isNew = errorCode(error) !== errorCode(this.#error) || !this.#error;
    this.#error = error;
    this.#isRefused = isRefusal(error);
    // An early try, made because a caller asked, does not delay the scheduled one.
    if (this.#retryAt <= now || this.#retryAt === Infinity) {
      this.#retryAt = now + this.#pauseMs;
      this.#pauseMs = Math.min(this.#pauseMs * 2, RETRY_MS[1]);
    }
    if (!isNew && now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    this.#log.warn(
      { workspace: this.#workspace, files, reason: error.message },
      'the mirror is behind; retrying at most every 30 s',
    );
  }

  clear(): void {
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
