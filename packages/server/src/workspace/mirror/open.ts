// Opening a mirror: its folder under the workspace's name, its ledger, its watch.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MirrorClosed, type Disk, type MirrorOptions } from './disk.ts';
import type { Feed } from './heads.ts';
import { Ledger } from './ledger.ts';
import { Staging } from './staging.ts';
import { createWatch, type Watch, type WatchOptions } from './watch.ts';

export function openDisk(
  options: MirrorOptions,
  workspace: Feed['workspace'],
  hooks: Pick<WatchOptions, 'heard'> & Pick<Disk, 'again' | 'dirty'>,
): Disk {
  const { visible, own, folders, of, pool, workspaceId, log, now, faults } = options;
  if (!workspace) purge(options);
  if (!workspace || workspace.removed) throw new MirrorClosed('there is no such workspace');
  mkdirSync(own, { recursive: true });
  const ledger = new Ledger(join(own, 'ledger'), of, workspace.name);
  const root = visible ? join(folders, workspace.name) : join(own, 'files');
  if (visible && ledger.folder !== workspace.name) {
    const former = join(folders, ledger.folder);
    if (existsSync(former) && !existsSync(root)) renameSync(former, root);
    ledger.folder = workspace.name;
  }
  const removed = join(own, 'removed');
  if (visible && existsSync(removed) && !existsSync(root)) renameSync(removed, root);
  // Another database, or one that was set back: what the ledger says was put there may not be in it.
  if (ledger.cursor > workspace.last) ledger.forget();
  else ledger.compact();
  const watch: Watch | null = visible
    ? createWatch({
        root,
        heard: hooks.heard,
        failed: (error) =>
          log.warn(
            { workspace: workspaceId, reason: error.message },
            'a folder is not watched; it is looked at once a minute',
          ),
      })
    : null;
  return {
    pool,
    workspaceId,
    visible,
    root,
    own,
    ledger,
    staging: new Staging(root, now),
    drafts: new Map(),
    watch,
    chats: (visible && options.chats) || null,
    maxFileBytes: options.maxFileBytes,
    quotaBytes: options.quotaBytes,
    log,
    now,
    fault: (point) => void faults?.(point),
    fresh: options.fresh,
    confirm: options.confirm,
    committed: options.committed,
    again: hooks.again,
    dirty: hooks.dirty,
  };
}

/** The workspace is gone for good: so is its folder, unless the ledger is another database's. */
function purge(options: MirrorOptions): void {
  const { own, of } = options;
  const [first = ''] = existsSync(join(own, 'ledger'))
    ? readFileSync(join(own, 'ledger'), 'utf8').split('\n', 1)
    : [];
  if (first.includes(JSON.stringify(of))) rmSync(own, { recursive: true, force: true });
}
