// From the database to the disk: brings files to what their heads say. Temporary file, all of it, synced (or staged so while the
// version was committed); the ledger; the file in its place; its folder synced; the ledger again.

import { closeSync, fchmodSync, futimesSync } from 'node:fs';
import { readChunks, sha256 } from '../content.ts';
import { readVersion } from '../versions.ts';
import { isKnown, type Disk } from './disk.ts';
import type { Head } from './heads.ts';
import type { Entry } from './ledger.ts';
import { captureName, temporaryName } from './names.ts';
import { place, placeOver, remove, removeFolder, sync, type Parting, type Placed } from './place.ts';
import { TICK_MS } from './staging.ts';
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
} from './tree.ts';

const READ_ONLY = 0o444;

export type Brought =
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

export type Part = Parting & { readonly path: string; readonly entry: Entry };

const DONE: Brought = { kind: 'done' };

/** What was replaced and may still be open somewhere goes to `parted`, who closes it. */
export async function bring(
  disk: Disk,
  heads: readonly Head[],
  parted: (part: Part) => void,
): Promise<Brought[]> {
  const touched = new Set<string>();
  const placed = new Map<string, string | null>();
  const outcomes = heads.map((head) => attempt(() => takeAway(disk, head, touched, parted)));
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
  disk.fault('mirror.recorded');
  if (!disk.fresh()) await disk.confirm();
  for (const [index, file] of staged.entries()) {
    if (!file) continue;
    const { path } = heads[index]!;
    try {
      outcomes[index] = attempt(() => putInPlace(disk, heads[index]!, file, parted));
      if (outcomes[index].kind === 'done') placed.set(path, ctimeOf(disk, file.folder, path));
    } finally {
      file.folder.close();
    }
  }
  await Promise.all([...touched].map((path) => syncFolder(disk, path)));
  disk.fault('mirror.synced');
  disk.ledger.confirm([...placed.keys()], [...placed.values()]);
  return outcomes;
}

/** Known only after the last link and rename; null where a person wrote to it already. */
function ctimeOf(disk: Disk, folder: Folder, path: string): string | null {
  const stats = folder.look(namesOf(path).name);
  const entry = disk.ledger.at(path);
  return stats && entry && alike(identityOf(stats), entry) ? String(stats.ctimeNs) : null;
}

function isThere({ ledger }: Disk, { id, path, version }: Head): boolean {
  const entry = ledger.at(path);
  return entry?.file === id && entry.version === version && ledger.confirmed(path);
}

function attempt(work: () => Brought): Brought {
  try {
    return work();
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): Brought {
  if (error instanceof Obstacle) return { kind: 'obstructed', names: error.names, wanted: 'folder' };
  return { kind: 'failed', error: error as Error };
}

/** Where the file was and is not any more. */
function takeAway(disk: Disk, head: Head, touched: Set<string>, parted: (part: Part) => void): Brought {
  const path = disk.ledger.pathOf(head.id);
  if (path === undefined || (!head.removed && path === head.path)) return DONE;
  if (!disk.fresh()) return { kind: 'lost' };
  const { folder: names, name } = namesOf(path);
  const outcome = within(disk.root, names, (folder) =>
    folder ? put(disk, { folder, path, name, temporary: null }, parted) : DONE,
  );
  if (outcome.kind === 'edited' || outcome.kind === 'lost') return outcome;
  disk.ledger.drop(path);
  touched.add(pathOf(names));
  prune(disk, names, touched);
  return DONE;
}

/** Folders exist by what is in them. */
function prune(disk: Disk, names: readonly string[], touched: Set<string>): void {
  for (let depth = names.length; depth > 0; depth -= 1) {
    const parent = names.slice(0, depth - 1);
    const gone = within(disk.root, parent, (folder) => !folder || removeFolder(folder, names[depth - 1]!));
    if (!gone) return;
    disk.watch?.drop(pathOf(names.slice(0, depth)));
    touched.delete(pathOf(names.slice(0, depth)));
    touched.add(pathOf(parent));
  }
}

interface Staged {
  readonly folder: Folder;
  readonly temporary: string;
  readonly before: Entry | undefined;
}

async function stage(disk: Disk, head: Head, touched: Set<string>): Promise<Staged> {
  const { folder: names, name } = namesOf(head.path);
  const folder = openFolder(disk.root, names, { create: (parent) => touched.add(pathOf(parent)) });
  if (!folder) throw new Error(`${disk.root} is gone`);
  let temporary = temporaryName();
  try {
    disk.fault('mirror.before');
    const staged = head.staged ? await disk.staging.take(head.staged, head.path, folder) : null;
    if (staged) temporary = staged.temporary;
    const fd = staged?.fd ?? folder.create(temporary);
    try {
      if (head.readOnly) fchmodSync(fd, READ_ONLY);
      else keepMode(fd, folder.look(name));
      if (!staged) {
        await fill(disk, head, fd);
        const seconds = Math.min(head.changedAt.getTime(), disk.now().getTime() - TICK_MS) / 1000;
        futimesSync(fd, seconds, seconds);
      }
      disk.fault('mirror.written');
      if (!staged) await sync(fd);
      const before = disk.ledger.at(head.path);
      const identity = { ...identityAt(fd), ctime: undefined };
      const hash = head.readOnly ? sha256(head.data!).toString('base64') : undefined;
      disk.ledger.put(head.path, { file: head.id, version: head.version, hash, ...identity });
      touched.add(pathOf(names));
      return { folder, temporary, before };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    removeQuietly(folder, temporary);
    folder.close();
    throw error;
  }
}

/** A read-only disk refuses this, too: the next look at the folder sweeps what is left. */
function removeQuietly(folder: Folder, name: string): void {
  try {
    remove(folder, name);
  } catch {
    // The error that led here is the one to tell.
  }
}

async function fill(disk: Disk, head: Head, fd: number): Promise<void> {
  if (head.size === 0) return;
  if (head.data) return writeFully(fd, head.data);
  const version = await readVersion(disk.pool, head.id, head.version);
  for await (const chunk of readChunks(disk.pool, version!.chunks)) writeFully(fd, chunk);
}

function putInPlace(
  disk: Disk,
  { path }: Head,
  { folder, temporary, before }: Staged,
  parted: (part: Part) => void,
): Brought {
  let outcome: Brought = { kind: 'lost' };
  try {
    if (disk.fresh()) outcome = put(disk, { folder, path, name: namesOf(path).name, temporary }, parted);
  } finally {
    if (outcome.kind !== 'done') {
      removeQuietly(folder, temporary);
      if (before) {
        disk.ledger.put(path, before);
        disk.ledger.confirm([path]);
      } else disk.ledger.drop(path);
    }
  }
  return outcome;
}

function put(
  disk: Disk,
  { folder, path, name, temporary }: { folder: Folder; path: string; name: string; temporary: string | null },
  parted: (part: Part) => void,
): Brought {
  const capture = captureName();
  let outcome: Placed;
  if (disk.visible) {
    if (folder.look(name)) disk.ledger.take(capture, path);
    const known = isKnown(disk, path);
    outcome = place({ folder, name, temporary, capture, known, fault: disk.fault, now: disk.now });
  } else outcome = placeOver(folder, name, temporary);
  switch (outcome.kind) {
    case 'placed': {
      const { parting } = outcome;
      const entry = parting && disk.ledger.known(path).find((each) => each.ino === parting.identity.ino);
      disk.drafts.delete(path);
      if (parting && entry) parted({ ...parting, path, entry });
      else if (parting) closeSync(parting.fd);
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

async function syncFolder(disk: Disk, path: string): Promise<void> {
  const folder = openFolder(disk.root, path === '/' ? [] : path.slice(1).split('/'));
  if (!folder) return;
  try {
    await sync(folder.fd);
  } finally {
    folder.close();
  }
}
