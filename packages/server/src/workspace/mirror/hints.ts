// Where to look: the paths that something was heard of. Each is looked at when it has been quiet for a while.

/** After the last hint about a path, and after the first at most, it is looked at. */
export const QUIET_MS = 150;
export const QUIET_LIMIT_MS = 800;

interface Times {
  readonly first: number;
  readonly last: number;
}

export class Hints {
  readonly #paths = new Map<string, Times>();

  get size(): number {
    return this.#paths.size;
  }

  /** When the next path is due. */
  get next(): number {
    let next = Infinity;
    for (const times of this.#paths.values()) next = Math.min(next, dueAt(times));
    return next;
  }

  mark(path: string, now: number): void {
    this.#paths.set(path, { first: this.#paths.get(path)?.first ?? now, last: now });
  }

  due(now: number): readonly string[] {
    return [...this.#paths].filter(([, times]) => dueAt(times) <= now).map(([path]) => path);
  }

  /** These were looked at. */
  drop(paths: readonly string[]): void {
    for (const path of paths) this.#paths.delete(path);
  }

  /** Looks again at those that may still be, and says which they are. */
  postpone(paths: readonly string[], now: number): readonly string[] {
    const young = paths.filter((path) => now - this.#paths.get(path)!.first < QUIET_LIMIT_MS);
    for (const path of young) this.mark(path, now);
    return young;
  }

  clear(): void {
    this.#paths.clear();
  }
}

function dueAt({ first, last }: Times): number {
  return Math.min(last + QUIET_MS, first + QUIET_LIMIT_MS);
}

/** Without the paths that are below another one. */
export function topmost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      if (all.has(path.slice(0, at))) return false;
    return path === '/' || !all.has('/');
  });
}
