// Ingests the result of a scan: files that people wrote or moved become versions, and files that they deleted are
// removed. A private mirror has no editors: there, everything is restored to the ledger's state.

import { assertOpen, assertOwn, isKnown, type Disk } from '../disk/disk.ts';
import { ingest, ingestMove, ingestRemoval } from './ingest.ts';
import type { Entry } from '../ledger.ts';
import { remove } from '../disk/swap-file.ts';
import type { Seen } from './scan.ts';
import { statAt, namesOf, pathOf, within } from '../disk/tree.ts';

/**
 * `gone`: every missing path, including those that may still turn up. It decides which removals must come first,
 * because new files need their paths.
 */
export async function ingestScan(
  disk: Disk,
  { unknown, missing }: Seen,
  gone: readonly string[] = missing,
): Promise<void> {
  if (!disk.visible) return discard(disk, unknown, missing);
  const room = roomFor(unknown, gone);
  // A moved file keeps its id and is not a removal, so moves come first. A move to a path that is not free yet is tried
  // again after the removals.
  if (room.length > 0) for (const each of unknown) await settleMove(disk, each);
  await settleRemovals(disk, room);
  for (const each of unknown) {
    await settleMove(disk, each);
    if (!isKnown(disk, each.path)(each.identity)) await ingest(disk, each.path);
  }
  await disk.removals.ingestOrHold(disk, missing);
}

async function settleMove(disk: Disk, { path, identity, born }: Seen['unknown'][number]): Promise<void> {
  assertOpen(disk);
  await assertOwn(disk);
  const from = disk.ledger.at(path) ? undefined : disk.ledger.pathOfInode(identity.ino);
  const entry = from === undefined ? undefined : disk.ledger.at(from);
  // A file system reuses the inode of a deleted file. Such a new file is younger than the entry.
  if (entry?.ctime !== undefined && born > BigInt(entry.ctime)) return;
  if (from !== undefined && entry && !(await isAt(disk, from, entry)))
    await ingestMove(disk, { from, to: path, entry });
}

async function settleRemovals(disk: Disk, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    assertOpen(disk);
    await assertOwn(disk);
    if (disk.ledger.at(path) && !(await statAt(disk.root, path))?.isFile()) await ingestRemoval(disk, path);
  }
}

/** Restores everything that differs from the ledger. */
async function discard(disk: Disk, unknown: Seen['unknown'], missing: readonly string[]): Promise<void> {
  for (const path of [...unknown.map((each) => each.path), ...missing]) {
    const entry = disk.ledger.at(path);
    if (entry) disk.requestRewrite(entry.file);
    disk.ledger.drop(path);
    const { folder: names, name } = namesOf(path);
    await within(disk.root, names, (folder) => folder && remove(folder, name));
  }
}

async function isAt(disk: Disk, path: string, entry: Entry): Promise<boolean> {
  const stats = await statAt(disk.root, path);
  return stats?.isFile() === true && String(stats.ino) === entry.ino;
}

/**
 * The missing files whose paths conflict with these files: a missing file's path is now a folder of one of them, or one
 * of them is now at the path of a folder of the missing file.
 */
export function roomFor(files: Seen['unknown'], missing: readonly string[]): readonly string[] {
  const taken = new Set(files.map(({ path }) => path));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return missing.filter((path) => folders.has(path) || foldersOf(path).some((folder) => taken.has(folder)));
}

function foldersOf(path: string): string[] {
  const { folder } = namesOf(path);
  return folder.map((_, index) => pathOf(folder.slice(0, index + 1)));
}
