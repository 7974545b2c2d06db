// Tells an accident from a wish: a folder that lost every file at once (a disk that was not mounted, a wrong `rm`) is built anew,
// and nothing is taken as removed. Chats do not count: they are never a person's to remove.

import { exists } from '../disk/calls.ts';
import { isChat } from '../out/chats.ts';
import type { Disk } from '../disk/disk.ts';
import type { Seen } from './scan.ts';
import { lookAt } from '../disk/tree.ts';

/** A folder without a file, where more than this should be, was emptied by accident. */
export const FEW = 10;

/** After everything was looked at. */
export function wasEmptied(disk: Disk, { files }: Seen): boolean {
  return files === 0 && filesOf(disk).length > FEW;
}

/** After a look at a part, where these were missing: hints come in parts, each of a few. */
export async function isEmptied(disk: Disk, missing: readonly string[]): Promise<boolean> {
  if (!(await exists(disk.root))) return true;
  if (missing.length === 0 || disk.ledger.size <= FEW) return false;
  const files = filesOf(disk);
  if (files.length <= FEW) return false;
  for (const path of files) if ((await lookAt(disk.root, path))?.isFile()) return false;
  return true;
}

/** Whether many of these files are gone: the others may be about to go. */
export async function isGoing({ ledger, root }: Disk, paths: readonly string[]): Promise<boolean> {
  let gone = 0;
  for (const path of new Set(paths)) if (ledger.at(path) && !(await lookAt(root, path))) gone += 1;
  return gone > FEW;
}

function filesOf({ ledger }: Disk): readonly string[] {
  return [...ledger.paths()].filter((path) => !isChat(path));
}
