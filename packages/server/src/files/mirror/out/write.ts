// From database to disk: writes files as their heads say. The order: write and sync a temporary file (or use staged
// content); record it in the ledger; swap it into place; sync its folder; confirm it in the ledger.

import type { BigIntStats } from 'node:fs';
import { readChunks, sha256 } from '../../content.ts';
import { readVersion } from '../../versions.ts';
import { chmod, close, fstat, fsync, setTimes, together } from '../disk/calls.ts';
import { isKnown, type Disk } from '../disk/disk.ts';
import type { Head } from './heads.ts';
import type { Entry } from '../ledger.ts';
import { captureName, temporaryName } from '../names.ts';
import { swapFile, swapOver, removeFolder, removeQuietly, type ReplacedFile } from '../disk/swap-file.ts';
import { TICK_MS } from '../disk/staging.ts';
import {
  alike,
  identityAt,
  identityOf,
  keepMode,
  namesOf,
  Obstacle,
  openFolder,
  pathOf,
  within,
  writeFully,
  type Folder,
  type Identity,
} from '../disk/tree.ts';

const READ_ONLY = 0o444;

export type WriteOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'edited'; readonly path: string; readonly created: boolean }
  /** Something else is where a file or a folder should be. */
  | {
      readonly kind: 'obstructed';
      readonly names: readonly string[];
      readonly wanted: 'file' | 'folder';
    }
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: Error };

export interface Part extends ReplacedFile {
  readonly path: string;
  readonly entry: Entry;
  /** A program wrote to it during the swap. */
  readonly changed: boolean;
}

const DONE: WriteOutcome = { kind: 'done' };

/**
 * Writes these heads. A replaced file that may still be open in a program is passed to `onReplaced`, which must close it.
 * `onReplaced` gets it a second time with the identity that it has after the swap.
 */
export async function writeHeads(
  disk: Disk,
  heads: readonly Head[],
  onReplaced: (part: Part) => void,
): Promise<WriteOutcome[]> {
  const touched = new Set<string>();
  const parts: Part[] = [];
  const part = (each: Part) => {
    parts.push(each);
    onReplaced(each);
  };
  const placed: Staged[] = [];
  const outcomes: WriteOutcome[] = [];
  for (const head of heads)
    outcomes.push(await attempt(() => removeFromFormerPath(disk, head, touched, part)));
  const staged = await Promise.all(
    heads.map(async (head, index) => {
      if (outcomes[index]!.kind !== 'done' || head.removed || isThere(disk, head)) return null;
      try {
        return await stage(disk, head, touched);
      } catch (error) {
        outcomes[index] = failure(error);
        return null;
      }
    }),
  );
  const waiting = new Set(staged.filter((file) => file !== null));
  try {
    const [first] = waiting;
    // A look that fails here is repeated, and its error reported, when the file is put in place.
    const looking = first?.folder.look(namesOf(first.path).name).catch(() => undefined);
    const [there] = await together([looking, disk.ledger.flush()]);
    disk.fault('mirror.recorded');
    if (!disk.fresh()) await disk.confirm();
    for (const [index, file] of staged.entries()) {
      if (!file) continue;
      waiting.delete(file);
      outcomes[index] = await attempt(() => putInPlace(disk, file, file === first ? there : undefined, part));
      if (outcomes[index].kind === 'done') placed.push(file);
    }
    const open = new Map(placed.map(({ path, folder }) => [pathOf(namesOf(path).folder), folder]));
    const [ctimes] = await together([
      together(placed.map(({ folder, path }) => ctimeOf(disk, folder, path))),
      together([...touched].map((path) => syncFolder(disk, path, open.get(path)))),
      together(parts.map(async (each) => onReplaced(await afterSwap(each)))),
    ]);
    disk.fault('mirror.synced');
    disk.ledger.confirm(
      placed.map(({ path }) => path),
      ctimes,
    );
  } catch (error) {
    for (const file of waiting) await undoStaged(disk, file);
    throw error;
  } finally {
    for (const file of staged) file?.folder.close();
  }
  return outcomes;
}

async function afterSwap(part: Part): Promise<Part> {
  const identity = await identityAt(part.fd);
  return alike(identity, part.identity) ? { ...part, identity } : { ...part, changed: true };
}

/** The ctime, which is final only after the last link and rename; null if a person has already written to the file. */
async function ctimeOf(disk: Disk, folder: Folder, path: string): Promise<string | null> {
  const stats = await folder.look(namesOf(path).name);
  const entry = disk.ledger.at(path);
  return stats && entry && alike(identityOf(stats), entry) ? String(stats.ctimeNs) : null;
}

function isThere({ ledger }: Disk, { id, path, version }: Head): boolean {
  const entry = ledger.at(path);
  return entry?.file === id && entry.version === version && ledger.confirmed(path);
}

async function attempt(work: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
  try {
    return await work();
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): WriteOutcome {
  if (error instanceof Obstacle) return { kind: 'obstructed', names: error.names, wanted: 'folder' };
  return { kind: 'failed', error: error as Error };
}

/** Removes the file from its former path, if it was moved or removed. */
async function removeFromFormerPath(
  disk: Disk,
  head: Head,
  touched: Set<string>,
  onReplaced: (part: Part) => void,
): Promise<WriteOutcome> {
  const path = disk.ledger.pathOf(head.id);
  if (path === undefined || (!head.removed && path === head.path)) return DONE;
  if (!disk.fresh()) return { kind: 'lost' };
  const { folder: names, name } = namesOf(path);
  const capture = captureName();
  disk.ledger.take(capture, path);
  await disk.ledger.flush();
  const outcome = await within(disk.root, names, (folder) =>
    folder ? put(disk, { folder, path, name, there: undefined, temporary: null, capture }, onReplaced) : DONE,
  );
  if (outcome.kind === 'edited' || outcome.kind === 'lost') return outcome;
  disk.ledger.drop(path);
  touched.add(pathOf(names));
  await prune(disk, names, touched);
  return DONE;
}

/** Removes folders that have become empty: a workspace has no empty folders. */
async function prune(disk: Disk, names: readonly string[], touched: Set<string>): Promise<void> {
  for (let depth = names.length; depth > 0; depth -= 1) {
    const parent = names.slice(0, depth - 1);
    const gone = await within(
      disk.root,
      parent,
      (folder) => !folder || removeFolder(folder, names[depth - 1]!),
    );
    if (!gone) return;
    disk.watch?.drop(pathOf(names.slice(0, depth)));
    touched.delete(pathOf(names.slice(0, depth)));
    touched.add(pathOf(parent));
  }
}

interface Staged {
  readonly path: string;
  readonly folder: Folder;
  readonly temporary: string;
  /** The temporary name for the existing file, when it is moved aside. */
  readonly capture: string;
  readonly before: Entry | undefined;
}

async function stage(disk: Disk, head: Head, touched: Set<string>): Promise<Staged> {
  const { path } = head;
  const { folder: names } = namesOf(path);
  disk.fault('mirror.before');
  const staged = head.staged ? await disk.staging.take(head.staged, path) : null;
  const created = { create: (parent: readonly string[]) => touched.add(pathOf(parent)) };
  const folder = staged?.folder ?? (await openFolder(disk.root, names, created));
  if (!folder) throw new Error(`${disk.root} is gone`);
  const temporary = staged?.temporary ?? temporaryName();
  try {
    const fd = staged?.fd ?? (await folder.create(temporary));
    try {
      const identity = staged?.identity ?? (await writeTemporary(disk, head, folder, fd));
      disk.fault('mirror.written');
      const before = disk.ledger.at(path);
      const hash = head.readOnly ? sha256(head.data!).toString('base64') : undefined;
      const capture = captureName();
      disk.ledger.put(path, { file: head.id, version: head.version, hash, ...identity, ctime: undefined });
      if (disk.visible) disk.ledger.take(capture, path);
      touched.add(pathOf(names));
      return { path, folder, temporary, capture, before };
    } finally {
      close(fd);
    }
  } catch (error) {
    await removeQuietly(folder, temporary);
    folder.close();
    throw error;
  }
}

async function writeTemporary(disk: Disk, head: Head, folder: Folder, fd: number): Promise<Identity> {
  const [there, stats] = await together([folder.look(namesOf(head.path).name), fstat(fd, { bigint: true })]);
  if (head.readOnly) await chmod(fd, READ_ONLY);
  else await keepMode(fd, stats, there);
  await fill(disk, head, fd);
  const seconds = Math.min(head.changedAt.getTime(), disk.now().getTime() - TICK_MS) / 1000;
  await setTimes(fd, seconds, seconds);
  const [identity] = await together([identityAt(fd), fsync(fd)]);
  return identity;
}

async function fill(disk: Disk, head: Head, fd: number): Promise<void> {
  if (head.size === 0) return;
  if (head.data) return writeFully(fd, head.data);
  const version = await readVersion(disk.pool, head.id, head.version);
  for await (const chunk of readChunks(disk.pool, version!.chunks)) await writeFully(fd, chunk);
}

async function putInPlace(
  disk: Disk,
  staged: Staged,
  there: Put['there'],
  onReplaced: (part: Part) => void,
): Promise<WriteOutcome> {
  let outcome: WriteOutcome = { kind: 'lost' };
  const { name } = namesOf(staged.path);
  try {
    if (disk.fresh()) outcome = await put(disk, { ...staged, name, there }, onReplaced);
  } finally {
    if (outcome.kind !== 'done') await undoStaged(disk, staged);
  }
  return outcome;
}

/** Undoes a staged write: removes the temporary file, and restores the former ledger entry. */
async function undoStaged(disk: Disk, { path, folder, temporary, before }: Staged): Promise<void> {
  await removeQuietly(folder, temporary);
  if (before) {
    disk.ledger.put(path, before);
    disk.ledger.confirm([path]);
  } else disk.ledger.drop(path);
}

interface Put {
  readonly folder: Folder;
  readonly path: string;
  readonly name: string;
  /** What is there under this name; undefined if nobody has looked yet. */
  readonly there: BigIntStats | null | undefined;
  readonly temporary: string | null;
  readonly capture: string;
}

async function put(disk: Disk, given: Put, onReplaced: (part: Part) => void): Promise<WriteOutcome> {
  const { folder, path, name } = given;
  const { fault, now } = disk;
  const there = given.there === undefined ? await folder.look(name) : given.there;
  const outcome = disk.visible
    ? await swapFile({ ...given, there, known: isKnown(disk, path), fault, now })
    : await swapOver({ ...given, there });
  switch (outcome.kind) {
    case 'swapped': {
      const { replaced } = outcome;
      const entry = replaced && disk.ledger.known(path).find((each) => each.ino === replaced.identity.ino);
      disk.drafts.delete(path);
      if (replaced && entry) onReplaced({ ...replaced, path, entry, changed: false });
      else if (replaced) close(replaced.fd);
      return DONE;
    }
    case 'edited':
      return { kind: 'edited', path, created: outcome.created };
    case 'obstructed':
      return { kind: 'obstructed', names: path.slice(1).split('/'), wanted: 'file' };
    case 'lost':
      return { kind: 'lost' };
  }
}

async function syncFolder(disk: Disk, path: string, open: Folder | undefined): Promise<void> {
  if (open) return fsync(open.fd);
  const folder = await openFolder(disk.root, path === '/' ? [] : path.slice(1).split('/'));
  if (!folder) return;
  try {
    await fsync(folder.fd);
  } finally {
    folder.close();
  }
}
