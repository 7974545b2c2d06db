// What a look found: files that people wrote or moved become versions, those that they deleted are removed. In a private mirror,
// which nobody edits, everything is put back.

import { assertOpen, assertOwn, isKnown, type Disk } from '../disk/disk.ts';
import { ingest, ingestMove, ingestRemoval } from './ingest.ts';
import type { Entry } from '../ledger.ts';
import { remove } from '../disk/swap-file.ts';
import type { Seen } from './scan.ts';
import { lookAt, namesOf, pathOf, within } from '../disk/tree.ts';

/** `gone` is all that is missing, also what may yet turn up: it makes room for what has its place by now. */
export async function ingestScan(
  disk: Disk,
  { unknown, missing }: Seen,
  gone: readonly string[] = missing,
): Promise<void> {
  if (!disk.visible) return discard(disk, unknown, missing);
  const room = roomFor(unknown, gone);
  // What was moved away keeps its id, and is no removal; what is moved to where room must be made is moved after that.
  if (room.length > 0) for (const each of unknown) await settleMove(disk, each);
  await settleRemovals(disk, room);
  for (const each of unknown) {
    await settleMove(disk, each);
    if (!isKnown(disk, each.path)(each.identity)) await ingest(disk, each.path);
  }
  await disk.removals.settle(disk, missing);
}

async function settleMove(disk: Disk, { path, identity, born }: Seen['unknown'][number]): Promise<void> {
  assertOpen(disk);
  await assertOwn(disk);
  const from = disk.ledger.at(path) ? undefined : disk.ledger.pathOfInode(identity.ino);
  const entry = from === undefined ? undefined : disk.ledger.at(from);
  // A file system gives the inode of a file that is gone to a new one, which is younger than the entry.
  if (entry?.ctime !== undefined && born > BigInt(entry.ctime)) return;
  if (from !== undefined && entry && !(await isAt(disk, from, entry)))
    await ingestMove(disk, { from, to: path, entry });
}

async function settleRemovals(disk: Disk, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    assertOpen(disk);
    await assertOwn(disk);
    if (disk.ledger.at(path) && !(await lookAt(disk.root, path))?.isFile()) await ingestRemoval(disk, path);
  }
}

/** What is not as it was put there is put there again. */
async function discard(disk: Disk, unknown: Seen['unknown'], missing: readonly string[]): Promise<void> {
  for (const path of [...unknown.map((each) => each.path), ...missing]) {
    const entry = disk.ledger.at(path);
    if (entry) disk.again(entry.file);
    disk.ledger.drop(path);
    const { folder: names, name } = namesOf(path);
    await within(disk.root, names, (folder) => folder && remove(folder, name));
  }
}

async function isAt(disk: Disk, path: string, entry: Entry): Promise<boolean> {
  const stats = await lookAt(disk.root, path);
  return stats?.isFile() === true && String(stats.ino) === entry.ino;
}

/** The missing files whose places these files need: one of their folders has the missing file's path, or is below one of these files. */
export function roomFor(files: Seen['unknown'], missing: readonly string[]): readonly string[] {
  const taken = new Set(files.map(({ path }) => path));
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return missing.filter((path) => folders.has(path) || foldersOf(path).some((folder) => taken.has(folder)));
}

function foldersOf(path: string): string[] {
  const { folder } = namesOf(path);
  return folder.map((_, index) => pathOf(folder.slice(0, index + 1)));
}
