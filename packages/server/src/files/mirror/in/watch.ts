// Hears of what people do in a folder. What it hears is a hint where to look: one inotify watch per folder, set by
// whoever scans it, or one for the whole tree where the system has that (macOS).

import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

export interface Watch {
  /** From now on what happens in this folder is heard of; `ino` tells it from one that had its name. */
  add(path: string, ino: bigint): void;
  /** The folder, and those below it, are gone. */
  drop(path: string): void;
  close(): void;
}

export interface WatchOptions {
  readonly root: string;
  /** Null: somewhere below. */
  readonly heard: (folder: string, name: string | null) => void;
  readonly failed: (error: Error) => void;
}

const RECURSIVE = process.platform === 'darwin';

export function createWatch({ root, heard, failed }: WatchOptions): Watch {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly ino: bigint }>();
  const start = (path: string, ino: bigint): void => {
    try {
      const watcher = watch(join(root, path), { recursive: RECURSIVE, persistent: false }, (_, name) =>
        heard(path, name),
      );
      watcher.on('error', (error) => {
        stop(path);
        heard(path, null);
        failed(error);
      });
      watchers.set(path, { watcher, ino });
    } catch (error) {
      failed(error as Error);
    }
  };
  const stop = (path: string): void => {
    watchers.get(path)?.watcher.close();
    watchers.delete(path);
  };
  return {
    add: (path, ino) => {
      if (RECURSIVE && path !== '/') return;
      if (watchers.get(path)?.ino === ino) return;
      stop(path);
      start(path, ino);
    },
    drop: (path) => {
      for (const watched of watchers.keys())
        if (watched === path || watched.startsWith(path === '/' ? '/' : `${path}/`)) stop(watched);
    },
    close: () => {
      for (const path of watchers.keys()) stop(path);
    },
  };
}
