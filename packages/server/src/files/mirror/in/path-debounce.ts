// Paths with events from the watcher. Each is scanned once it has been quiet for a while.

/** A path is scanned this long after its last event, and at the latest this long after its first. */
export const QUIET_MS = 150;
export const QUIET_LIMIT_MS = 800;
/** While many files are disappearing, a scan is postponed for at most this long, to see whether all of them go. */
export const EMPTYING_LIMIT_MS = 10_000;

/** Paths that are due within this time of each other are scanned together. */
const TOGETHER_MS = 40;

interface Times {
  /** The time of the path's first event. */
  readonly since: number;
  /** The times of the first and the last event since the last scan. */
  readonly first: number;
  readonly last: number;
  /** Whether `postponeOnce` already delayed it once. */
  readonly wasPostponed: boolean;
}

export class PathDebounce {
  readonly #paths = new Map<string, Times>();
  #lastEventAt = -Infinity;

  /** Whether there was an event a moment ago, and paths other than `looked` are waiting. */
  isBusy(looked: readonly string[], now: number): boolean {
    return this.#paths.size > looked.length && now - this.#lastEventAt < QUIET_LIMIT_MS;
  }

  /** When the next path is due. */
  get next(): number {
    let next = Infinity;
    for (const times of this.#paths.values()) next = Math.min(next, dueAt(times));
    return next;
  }

  mark(path: string, now: number): void {
    const { since = now, first = now, wasPostponed = false } = this.#paths.get(path) ?? {};
    this.#paths.set(path, { since, first, last: now, wasPostponed });
    this.#lastEventAt = now;
  }

  /**
   * The paths to scan now. If one is due, those due a moment later are included, because a move or a swap arrives as
   * several events.
   */
  due(now: number): readonly string[] {
    if (this.next > now) return [];
    return [...this.#paths].filter(([, times]) => dueAt(times) <= now + TOGETHER_MS).map(([path]) => path);
  }

  /** All waiting paths, due or not. */
  all(): readonly string[] {
    return [...this.#paths.keys()];
  }

  /** Removes paths whose scan began at `began`. A path with a later event is scanned again. */
  drop(paths: readonly string[], began: number): void {
    for (const path of paths) {
      const { last } = this.#paths.get(path)!;
      if (last <= began) this.#paths.delete(path);
      else this.#paths.set(path, { since: last, first: last, last, wasPostponed: false });
    }
  }

  /** Delays these paths once: those delayed before are left out. Returns the delayed ones. */
  postponeOnce(paths: readonly string[], now: number): readonly string[] {
    const some = paths.filter((path) => this.#paths.get(path)?.wasPostponed === false);
    for (const path of some)
      this.#paths.set(path, { ...this.#paths.get(path)!, first: now, last: now, wasPostponed: true });
    return some;
  }

  /** Delays the paths whose first event is less than `limitMs` ago. Returns the delayed ones. */
  postponeYoung(paths: readonly string[], now: number, limitMs: number): readonly string[] {
    const young = paths.filter((path) => now - this.#paths.get(path)!.since < limitMs);
    for (const path of young) {
      const { since, wasPostponed } = this.#paths.get(path)!;
      this.#paths.set(path, { since, first: now, last: now, wasPostponed });
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

/** A path and its parent folders, innermost first. */
export function* upwards(path: string): Generator<string> {
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) yield path.slice(0, at);
  if (path !== '/') yield '/';
}

/** Whether a path is one of these folders, or below one. */
export function isWithin(folders: ReadonlySet<string>, path: string): boolean {
  if (folders.size > 0) for (const each of upwards(path)) if (folders.has(each)) return true;
  return false;
}

/** Removes the paths that are below another one. */
export function topmost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    for (const each of upwards(path)) if (each !== path && all.has(each)) return false;
    return true;
  });
}
