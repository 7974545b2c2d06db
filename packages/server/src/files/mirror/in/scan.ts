// Scans the folder, or the part below a path: one lstat per file, compared with the ledger. On the way it removes the
// mirror's own leftovers, and sets the watches. Each folder is opened once, through its parent. A folder too deep for
// any file of the workspace is quarantined unread, so a scan has at most PATH_DEPTH folders open.

import { problemWithName } from '../../../names/file-names.ts';
import { parsePath, PATH_DEPTH } from '../../paths.ts';
import { fstat, rename, together } from '../disk/calls.ts';
import { isChat } from '../out/chats.ts';
import { assertOpen, moveToQuarantine, isKnown, type Disk } from '../disk/disk.ts';
import { isCapture, isIgnored, isNotice, isOwn, isTemporary } from '../names.ts';
import { putBack, remove } from '../disk/swap-file.ts';
import {
  identityOf,
  isNoFolder,
  Obstacle,
  openFolder,
  pathOf,
  same,
  type Folder,
  type Identity,
} from '../disk/tree.ts';

/** Names that are checked concurrently. */
const TOGETHER = 32;

export interface Seen {
  /** Files that are not in the ledger, or differ from it. */
  readonly unknown: { readonly path: string; readonly identity: Identity; readonly born: bigint }[];
  /** Paths of the ledger where there is no file. */
  readonly missing: string[];
  /** How many files were found, not counting chats. */
  files: number;
}

interface Walk {
  readonly disk: Disk;
  readonly found: Set<string>;
  readonly seen: Seen;
}

export async function scan(disk: Disk, path: string): Promise<Seen> {
  const seen: Seen = { unknown: [], missing: [], files: 0 };
  const walk: Walk = { disk, found: new Set(), seen };
  const names = path === '/' ? [] : path.slice(1).split('/');
  const parent = await openOrNull(disk, names.slice(0, -1));
  try {
    if (parent && names.length === 0) await walkFolder(walk, parent, []);
    else if (parent && (await checkEntry(walk, parent, names))) await enter(walk, parent, names);
  } finally {
    parent?.close();
  }
  for (const known of disk.ledger.within(path)) if (!walk.found.has(known)) seen.missing.push(known);
  return seen;
}

async function walkFolder(walk: Walk, folder: Folder, names: readonly string[]): Promise<void> {
  const { disk } = walk;
  // Watch first, then list, so that no change in between is missed.
  disk.watch?.add(pathOf(names), (await fstat(folder.fd, { bigint: true })).ino);
  const listed = await listWithoutLeftovers(disk, folder, names);
  for (let start = 0; start < listed.length; start += TOGETHER) {
    assertOpen(disk);
    const some = listed.slice(start, start + TOGETHER).map((name) => [...names, name]);
    const isFolder = await together(some.map((each) => checkEntry(walk, folder, each)));
    for (const [index, each] of some.entries()) if (isFolder[index]) await enter(walk, folder, each);
  }
}

async function enter(walk: Walk, parent: Folder, names: readonly string[]): Promise<void> {
  const folder = await enterOrNull(parent, names.at(-1)!);
  if (!folder) return;
  try {
    await walkFolder(walk, folder, names);
  } finally {
    folder.close();
  }
}

/** The names in a folder, after removing the mirror's own leftovers. */
async function listWithoutLeftovers(
  disk: Disk,
  folder: Folder,
  names: readonly string[],
): Promise<readonly string[]> {
  const listed = await folder.list();
  if (!listed.some(isOwn)) return listed;
  for (const name of listed) {
    if (isTemporary(name) && !disk.staging.has(name)) await remove(folder, name);
    if (isCapture(name)) await settleCapture(disk, folder, names, name);
  }
  return folder.list();
}

/** Handles a captured file that a crash, or a pod that lost the folder, left behind. */
async function settleCapture(
  disk: Disk,
  folder: Folder,
  names: readonly string[],
  capture: string,
): Promise<void> {
  const stats = await folder.look(capture);
  if (!stats?.isFile()) return;
  const identity = { ...identityOf(stats), ctime: undefined };
  const path = disk.ledger.captures.get(capture) ?? disk.ledger.pathOfInode(identity.ino);
  const name = path?.startsWith(pathOf([...names, '']))
    ? path.slice(pathOf([...names, '']).length)
    : 'recovered';
  if (path && isKnown(disk, path)(identity) && (await folder.look(name))) return remove(folder, capture);
  await putBack(folder, capture, name, disk.now());
}

/** Checks one entry. True if it is a folder to scan. */
async function checkEntry(
  { disk, found, seen }: Walk,
  folder: Folder,
  names: readonly string[],
): Promise<boolean> {
  const name = names.at(-1)!;
  if (names.length === 1 && isNotice(name)) return false;
  if (isIgnored(name) && !disk.ledger.holds(pathOf(names))) return false;
  const stats = await folder.look(name);
  if (!stats) return false;
  if (stats.isDirectory()) {
    const problem = problemWithFolder(names);
    if (problem) await expelFrom(disk, folder, names, problem);
    return problem === null;
  }
  // Links, pipes and devices are not files of the workspace. They are moved only if they are in a file's way.
  if (!stats.isFile()) return false;
  const path = pathOf(names);
  const parsed = parsePath(path);
  if (!parsed.ok || parsed.path.path !== path) {
    const problem = parsed.ok ? 'its name is not in Unicode form NFC' : parsed.problem;
    await expelFrom(disk, folder, names, problem);
    return false;
  }
  const identity = identityOf(stats);
  if (!isChat(path)) seen.files += 1;
  found.add(path);
  if (!disk.ledger.known(path).some((entry) => same(entry, identity)))
    seen.unknown.push({ path, identity, born: stats.birthtimeNs });
  return false;
}

function problemWithFolder(names: readonly string[]): string | null {
  if (names.length >= PATH_DEPTH)
    return `a path has at most ${PATH_DEPTH} names, so files in a folder this deep cannot be kept`;
  return problemWithName(names.at(-1)!);
}

/** Renames an entry whose name only has another Unicode form; quarantines any other entry that is refused. */
async function expelFrom(
  disk: Disk,
  folder: Folder,
  names: readonly string[],
  problem: string,
): Promise<void> {
  const name = names.at(-1)!;
  const normal = name.normalize('NFC');
  if (normal === name || problemWithName(normal) !== null || (await folder.look(normal)))
    return moveToQuarantine(disk, folder, names, problem);
  await rename(folder.at(name), folder.at(normal));
  disk.requestScan(pathOf([...names.slice(0, -1), normal]));
}

async function openOrNull(disk: Disk, names: readonly string[]): Promise<Folder | null> {
  try {
    return await openFolder(disk.root, names);
  } catch (error) {
    if (error instanceof Obstacle) return null;
    throw error;
  }
}

async function enterOrNull(parent: Folder, name: string): Promise<Folder | null> {
  try {
    return await parent.enter(name);
  } catch (error) {
    if (isNoFolder(error)) return null;
    throw error;
  }
}
