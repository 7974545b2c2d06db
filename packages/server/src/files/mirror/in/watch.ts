// Watches a folder for people's edits. An event only says where to scan. There is one inotify watch per folder, set by
// the scan, or one for the whole tree where the system supports that (macOS).

import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

export interface Watch {
  /** Starts watching a folder. `ino` distinguishes it from an earlier folder of the same name. */
  add(path: string, ino: bigint): void;
  /** Stops watching a folder and those below it, which are gone. */
  drop(path: string): void;
  close(): void;
}

export interface WatchOptions {
  readonly root: string;
  /** `name` is null if the event could be anywhere below the folder. */
  readonly onEvent: (folder: string, name: string | null) => void;
  readonly failed: (error: Error) => void;
}

const RECURSIVE = process.platform === 'darwin';

export function createWatch({ root, onEvent, failed }: WatchOptions): Watch {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly ino: bigint }>();
  const start = (path: string, ino: bigint): void => {
    try {
      const watcher = watch(join(root, path), { recursive: RECURSIVE, persistent: false }, (_, name) =>
        onEvent(path, name),
      );
      watcher.on('error', (error) => {
        stop(path);
        onEvent(path, null);
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
