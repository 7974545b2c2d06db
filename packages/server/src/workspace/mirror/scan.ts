// Looks at what is on disk, at all of it or below a path: one lstat for each file against the ledger. On the way it sweeps
// the mirror's own leftovers, and sets the watches.

import { fstatSync, renameSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { parsePath, problemWithName } from '../paths.ts';
import { isChat } from './chats.ts';
import { expel, isKnown, type Disk } from './disk.ts';
import { isCapture, isIgnored, isOwn, isTemporary, NOTICE } from './names.ts';
import { putBack, remove } from './place.ts';
import { identityOf, openFolder, Obstacle, pathOf, same, type Folder, type Identity } from './tree.ts';

/** Entries after which others get their turn. */
const TURN = 500;

export interface Seen {
  /** Files of which the ledger knows nothing, or something else. */
  readonly unknown: { readonly path: string; readonly identity: Identity }[];
  /** Paths of the ledger where nothing is. */
  readonly missing: string[];
  /** Without the chats. */
  files: number;
}

export async function scan(disk: Disk, path: string): Promise<Seen> {
  const seen: Seen = { unknown: [], missing: [], files: 0 };
  const found = new Set<string>();
  const names = path === '/' ? [] : path.slice(1).split('/');
  const inFolder = names.length === 0 ? null : lookAt(disk, names, found, seen);
  if (inFolder !== 'nothing') await walk(disk, names, found, seen);
  for (const known of disk.ledger.within(path)) if (!found.has(known)) seen.missing.push(known);
  return seen;
}

/** One name in its folder. */
function lookAt(disk: Disk, names: readonly string[], found: Set<string>, seen: Seen): 'folder' | 'nothing' {
  const parent = openOrNull(disk, names.slice(0, -1));
  if (!parent) return 'nothing';
  try {
    return consider(disk, parent, names, found, seen) ? 'folder' : 'nothing';
  } finally {
    parent.close();
  }
}

async function walk(disk: Disk, top: readonly string[], found: Set<string>, seen: Seen): Promise<void> {
  const folders = [top];
  let count = 0;
  for (let names = folders.pop(); names; names = folders.pop()) {
    const folder = openOrNull(disk, names);
    if (!folder) continue;
    try {
      // First the watch, then the look: nothing happens in between unheard.
      disk.watch?.add(pathOf(names), fstatSync(folder.fd, { bigint: true }).ino);
      for (const name of settled(disk, folder, names)) {
        if (consider(disk, folder, [...names, name], found, seen)) folders.push([...names, name]);
        count += 1;
        if (count % TURN === 0) await turn();
      }
    } finally {
      folder.close();
    }
  }
}

/** The names in a folder, after what the mirror itself left there is gone. */
function settled(disk: Disk, folder: Folder, names: readonly string[]): readonly string[] {
  const listed = folder.list();
  if (!listed.some(isOwn)) return listed;
  for (const name of listed) {
    if (isTemporary(name) && !disk.staging.has(name)) remove(folder, name);
    if (isCapture(name)) settleCapture(disk, folder, names, name);
  }
  return folder.list();
}

/** A crash, or a pod that lost the folder, left a file under the name it got when it was moved aside. */
function settleCapture(disk: Disk, folder: Folder, names: readonly string[], capture: string): void {
  const stats = folder.look(capture);
  if (!stats?.isFile()) return;
  const identity = { ...identityOf(stats), ctime: undefined };
  const path = disk.ledger.captures.get(capture) ?? disk.ledger.pathOfInode(identity.ino);
  const name = path?.startsWith(pathOf([...names, '']))
    ? path.slice(pathOf([...names, '']).length)
    : 'recovered';
  if (path && isKnown(disk, path)(identity) && folder.look(name)) return remove(folder, capture);
  putBack(folder, capture, name, disk.now());
}

/** True if it is a folder to walk. */
function consider(
  disk: Disk,
  folder: Folder,
  names: readonly string[],
  found: Set<string>,
  seen: Seen,
): boolean {
  const name = names.at(-1)!;
  if (names.length === 1 && name === NOTICE) return false;
  if (isIgnored(name) && !disk.ledger.holds(pathOf(names))) return false;
  const stats = folder.look(name);
  if (!stats) return false;
  if (stats.isDirectory()) {
    const problem = problemWithName(name);
    if (problem) expelFrom(disk, folder, names, problem);
    return problem === null;
  }
  // Links, pipes and devices are not files of the workspace; they go only if they are in the way of one.
  if (!stats.isFile()) return false;
  const path = pathOf(names);
  const parsed = parsePath(path);
  if (!parsed.ok || parsed.path.path !== path) {
    expelFrom(disk, folder, names, parsed.ok ? 'its name is not in the Unicode form NFC' : parsed.problem);
    return false;
  }
  const identity = identityOf(stats);
  if (!isChat(path)) seen.files += 1;
  found.add(path);
  if (!disk.ledger.known(path).some((entry) => same(entry, identity))) seen.unknown.push({ path, identity });
  return false;
}

/** A name that is only written in another Unicode form is corrected; everything else that is refused goes. */
function expelFrom(disk: Disk, folder: Folder, names: readonly string[], problem: string): void {
  const name = names.at(-1)!;
  const normal = name.normalize('NFC');
  if (normal === name || problemWithName(normal) !== null || folder.look(normal))
    return expel(disk, folder, names, problem);
  renameSync(folder.at(name), folder.at(normal));
  disk.dirty(pathOf([...names.slice(0, -1), normal]));
}

function openOrNull(disk: Disk, names: readonly string[]): Folder | null {
  try {
    return openFolder(disk.root, names);
  } catch (error) {
    if (error instanceof Obstacle) return null;
    throw error;
  }
}
