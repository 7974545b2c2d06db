// The paths in which the watcher saw something. Each is looked at when it has been quiet for a while.

/** A path is looked at so long after the last event in it, and at most so long after the first. */
export const QUIET_MS = 150;
export const QUIET_LIMIT_MS = 800;
/** Where many files are going, as long as it goes on: at most so long, to see whether they all go. */
export const EMPTYING_LIMIT_MS = 10_000;

/** Paths that are due within so long of each other are looked at together. */
const TOGETHER_MS = 40;

interface Times {
  /** When it was first heard of. */
  readonly since: number;
  /** When it was first heard of after the last look, and when last. */
  readonly first: number;
  readonly last: number;
  /** It was put off once already. */
  readonly wasPutOff: boolean;
}

export class PathDebounce {
  readonly #paths = new Map<string, Times>();
  #heardAt = -Infinity;

  /** Whether something was heard a moment ago, and more is to be looked at than these. */
  isBusy(looked: readonly string[], now: number): boolean {
    return this.#paths.size > looked.length && now - this.#heardAt < QUIET_LIMIT_MS;
  }

  /** When the next path is due. */
  get next(): number {
    let next = Infinity;
    for (const times of this.#paths.values()) next = Math.min(next, dueAt(times));
    return next;
  }

  mark(path: string, now: number): void {
    const { since = now, first = now, wasPutOff = false } = this.#paths.get(path) ?? {};
    this.#paths.set(path, { since, first, last: now, wasPutOff });
    this.#heardAt = now;
  }

  /** If one is due, those that are due a moment later come with it: a move or a swap is told in several parts. */
  due(now: number): readonly string[] {
    if (this.next > now) return [];
    return [...this.#paths].filter(([, times]) => dueAt(times) <= now + TOGETHER_MS).map(([path]) => path);
  }

  /** Those that are to be looked at, now or later. */
  all(): readonly string[] {
    return [...this.#paths.keys()];
  }

  /** These were looked at, beginning at that time. What was heard of since then is looked at once more. */
  drop(paths: readonly string[], began: number): void {
    for (const path of paths) {
      const { last } = this.#paths.get(path)!;
      if (last <= began) this.#paths.delete(path);
      else this.#paths.set(path, { since: last, first: last, last, wasPutOff: false });
    }
  }

  /** Looks again, after a while, at those with which this was not done yet, and says which they are. */
  putOff(paths: readonly string[], now: number): readonly string[] {
    const some = paths.filter((path) => this.#paths.get(path)?.wasPutOff === false);
    for (const path of some)
      this.#paths.set(path, { ...this.#paths.get(path)!, first: now, last: now, wasPutOff: true });
    return some;
  }

  /** Looks again at those that were first heard of less than `limitMs` ago, and says which they are. */
  postpone(paths: readonly string[], now: number, limitMs: number): readonly string[] {
    const young = paths.filter((path) => now - this.#paths.get(path)!.since < limitMs);
    for (const path of young) {
      const { since, wasPutOff } = this.#paths.get(path)!;
      this.#paths.set(path, { since, first: now, last: now, wasPutOff });
    }
    return young;
  }

  clear(): void {
    this.#paths.clear();
  }
}

function dueAt({ first, last }: Times): number {
  return Math.min(last + QUIET_MS, first + QUIET_LIMIT_MS);
}

/** A path, and the folders that lead to it, the innermost first. */
export function* upwards(path: string): Generator<string> {
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) yield path.slice(0, at);
  if (path !== '/') yield '/';
}

/** Whether a path is one of these, or below one. */
export function isWithin(folders: ReadonlySet<string>, path: string): boolean {
  if (folders.size > 0) for (const each of upwards(path)) if (folders.has(each)) return true;
  return false;
}

/** Without the paths that are below another one. */
export function topmost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    for (const each of upwards(path)) if (each !== path && all.has(each)) return false;
    return true;
  });
}
