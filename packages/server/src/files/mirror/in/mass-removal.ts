// Detects an emptied folder. A folder that lost every file at once (an unmounted disk, a mistaken `rm`) is rebuilt, and
// nothing counts as removed. Chats are not counted: people cannot remove them.

import { exists } from '../disk/calls.ts';
import { isChat } from '../out/chats.ts';
import type { Disk } from '../disk/disk.ts';
import type { Seen } from './scan.ts';
import { statAt } from '../disk/tree.ts';

/** A folder that has no files but should have more than this many was emptied by accident. */
export const FEW = 10;

/** For the result of a full scan. */
export function foundNoFile(disk: Disk, { files }: Seen): boolean {
  return files === 0 && filesOf(disk).length > FEW;
}

/** For a partial scan that found these files missing: the watcher reports a mass removal in parts, a few files each. */
export async function isEveryFileGone(disk: Disk, missing: readonly string[]): Promise<boolean> {
  if (!(await exists(disk.root))) return true;
  if (missing.length === 0 || disk.ledger.size <= FEW) return false;
  const files = filesOf(disk);
  if (files.length <= FEW) return false;
  for (const path of files) if ((await statAt(disk.root, path))?.isFile()) return false;
  return true;
}

/** Whether many of these files are gone, so that the others may be about to go. */
export async function areManyGone({ ledger, root }: Disk, paths: readonly string[]): Promise<boolean> {
  let gone = 0;
  for (const path of new Set(paths)) if (ledger.at(path) && !(await statAt(root, path))) gone += 1;
  return gone > FEW;
}

function filesOf({ ledger }: Disk): readonly string[] {
  return [...ledger.paths()].filter((path) => !isChat(path));
}
