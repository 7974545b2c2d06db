// Opens a mirror: its folder under the workspace's name, its ledger, its watch.

import { join } from 'node:path';
import { exists, makeFolders, readFile, removeAll, rename } from './calls.ts';
import { MirrorClosed, type Disk, type MirrorOptions } from './disk.ts';
import type { Feed } from '../out/heads.ts';
import { Ledger } from '../ledger.ts';
import { Removals } from '../in/removals.ts';
import { Staging } from './staging.ts';
import { createWatch, type Watch, type WatchOptions } from '../in/watch.ts';

export async function openDisk(
  options: MirrorOptions,
  workspace: Feed['workspace'],
  hooks: Pick<WatchOptions, 'onEvent'> & Pick<Disk, 'requestRewrite' | 'requestScan' | 'closing'>,
): Promise<Disk> {
  const { visible, own, folders, of, pool, workspaceId, log, now, faults } = options;
  if (!workspace) await purge(options);
  if (!workspace || workspace.removed) throw new MirrorClosed('there is no such workspace');
  await makeFolders(own);
  const ledger = await Ledger.open(join(own, 'ledger'), of, workspace.name);
  const root = visible ? join(folders, workspace.name) : join(own, 'files');
  if (visible && ledger.folder !== workspace.name) {
    const former = join(folders, ledger.folder);
    if ((await exists(former)) && !(await exists(root))) await rename(former, root);
    ledger.folder = workspace.name;
  }
  const removed = join(own, 'removed');
  if (visible && (await exists(removed)) && !(await exists(root))) await rename(removed, root);
  // The database is another one, or was restored to an earlier state: it may not have what the ledger says was written.
  if (ledger.cursor > workspace.last) ledger.forget();
  await ledger.flush();
  const fault = (point: string) => void faults?.(point);
  const removals = new Removals();
  if (visible) await removals.load({ pool, workspaceId });
  const watch: Watch | null = visible
    ? createWatch({
        root,
        onEvent: hooks.onEvent,
        failed: (error) =>
          log.warn(
            { workspace: workspaceId, reason: error.message },
            'a folder cannot be watched; it is scanned once a minute',
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
    staging: new Staging(root, now, fault),
    drafts: new Map(),
    watch,
    chats: (visible && options.chats) || null,
    maxFileBytes: options.maxFileBytes,
    quotaBytes: options.quotaBytes,
    log,
    now,
    fault,
    fresh: options.fresh,
    confirm: options.confirm,
    committed: options.committed,
    removals,
    heldRemovalsChanged: options.heldRemovalsChanged,
    requestRewrite: hooks.requestRewrite,
    requestScan: hooks.requestScan,
    closing: hooks.closing,
  };
}

/** The workspace was purged: removes its folder too, unless the ledger belongs to another database. */
async function purge({ own, of, log, workspaceId }: MirrorOptions): Promise<void> {
  const ledger = join(own, 'ledger');
  const [first = ''] = (await exists(ledger)) ? (await readFile(ledger, 'utf8')).split('\n', 1) : [];
  if (!first.includes(JSON.stringify(of))) return;
  await removeAll(own).catch((error: Error) =>
    log.warn(
      { workspace: workspaceId, folder: own, reason: error.message },
      'the folder of a purged workspace could not be removed; remove it by hand',
    ),
  );
}
