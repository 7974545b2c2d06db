// Clears what is in the way of a head: a person's edit becomes a version first; anything else is removed or moved
// aside.

import { rename } from '../disk/calls.ts';
import { moveToQuarantine, isKnown, type Disk } from '../disk/disk.ts';
import { QUIET_LIMIT_MS, QUIET_MS } from '../in/path-debounce.ts';
import { ingest } from '../in/ingest.ts';
import { conflictPath } from '../names.ts';
import { remove, removeFolder } from '../disk/swap-file.ts';
import { identityOf, statAt, namesOf, pathOf, within } from '../disk/tree.ts';
import type { WriteOutcome } from './write.ts';

export async function clear(
  disk: Disk,
  outcome: Extract<WriteOutcome, { kind: 'edited' | 'obstructed' }>,
): Promise<void> {
  if (outcome.kind === 'obstructed') return clearObstacle(disk, outcome);
  if (!disk.visible) return;
  await waitUntilQuiet(disk, outcome.path);
  await ingest(disk, outcome.path, outcome.created);
}

async function clearObstacle(
  disk: Disk,
  { names, wanted }: Extract<WriteOutcome, { kind: 'obstructed' }>,
): Promise<void> {
  const path = pathOf(names);
  const gone = await within(disk.root, names.slice(0, -1), async (folder) => {
    const name = names.at(-1)!;
    const stats = await folder?.look(name);
    // The entry may have changed in the meantime. It is only checked again here, not followed.
    if (!folder || !stats || (wanted === 'folder' && stats.isDirectory())) return true;
    if (stats.isFile() && !isKnown(disk, path)(identityOf(stats)) && disk.visible) return false;
    if (stats.isFile()) {
      disk.ledger.drop(path);
      await remove(folder, name);
    } else if (!stats.isDirectory())
      await moveToQuarantine(
        disk,
        folder,
        names,
        'it is not a file, and a file of the workspace has its path',
      );
    else if (!(await removeFolder(folder, name))) {
      const aside = namesOf(conflictPath(path, disk.now())).name;
      await rename(folder.at(name), folder.at(aside));
      disk.watch?.drop(path);
      disk.requestScan(pathOf([...names.slice(0, -1), aside]));
    }
    return true;
  });
  if (!gone) await ingest(disk, path);
}

/** Waits until a program that is saving the file has finished. */
async function waitUntilQuiet(disk: Disk, path: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const stats = await statAt(disk.root, path);
    if (!stats?.isFile()) return;
    const age = disk.now().getTime() - Number(stats.mtimeMs);
    if (age < 0 || age >= QUIET_MS || performance.now() - began > QUIET_LIMIT_MS) return;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS - age));
  }
}
