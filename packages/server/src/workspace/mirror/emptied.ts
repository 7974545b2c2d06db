// Tells an accident from a wish: a folder that lost every file at once (a disk that was not mounted, a wrong `rm`) is built anew,
// and nothing is taken as removed. Chats do not count: they are never a person's to remove.

import { existsSync } from 'node:fs';
import { isChat } from './chats.ts';
import type { Disk } from './disk.ts';
import type { Seen } from './scan.ts';
import { lookAt } from './tree.ts';

/** A folder without a file, where more than this should be, was emptied by accident. */
export const FEW = 10;

/** After everything was looked at. */
export function wasEmptied(disk: Disk, { files }: Seen): boolean {
  return files === 0 && filesOf(disk).length > FEW;
}

/** After a look at a part, where these were missing: hints come in parts, each of a few. */
export function isEmptied(disk: Disk, missing: readonly string[]): boolean {
  if (!existsSync(disk.root)) return true;
  if (missing.length === 0 || disk.ledger.size <= FEW) return false;
  const files = filesOf(disk);
  return files.length > FEW && !files.some((path) => lookAt(disk.root, path)?.isFile());
}

/** Whether many of these files are gone: the others may be about to go. */
export function isGoing({ ledger, root }: Disk, paths: readonly string[]): boolean {
  let gone = 0;
  for (const path of new Set(paths)) if (ledger.at(path) && !lookAt(root, path)) gone += 1;
  return gone > FEW;
}

function filesOf({ ledger }: Disk): readonly string[] {
  return [...ledger.paths()].filter((path) => !isChat(path));
}
