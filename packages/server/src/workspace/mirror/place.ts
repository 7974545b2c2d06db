// Putting a file in its place, and taking one away.
//
// In the visible folder nothing is renamed over: between a look and a rename a person's save could be lost. What is there
// is first moved aside within its folder (captured), looked at, and only then replaced, by a link that fails if
// somebody was faster. What a person wrote comes back to its place and is reported as an edit.

import { closeSync, fsync, linkSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { conflictPath } from './names.ts';
import { alike, errorCode, identityAt, identityOf, type Folder, type Identity } from './tree.ts';

export const sync = promisify(fsync);
/** How far a file's birth may lag behind the clock. */
const CLOCK_MS = 10;

/** A file that was replaced; whoever had it open may still write to it. */
export interface Parting {
  readonly fd: number;
  readonly identity: Identity;
  readonly capture: string;
}

export type Placed =
  | { readonly kind: 'placed'; readonly parting: Parting | null }
  /**
   * What is there is not what the ledger says. If it was created while there was nothing, whoever did it (an append, say)
   * did not start from what was there before.
   */
  | { readonly kind: 'edited'; readonly created: boolean }
  /** A folder, a link or another thing that is no file is there. */
  | { readonly kind: 'obstructed' }
  /** The temporary file is gone: another pod has the folder. */
  | { readonly kind: 'lost' };

export interface Place {
  readonly folder: Folder;
  readonly name: string;
  /** The new content, complete and synced; null takes the file away. */
  readonly temporary: string | null;
  readonly capture: string;
  readonly known: (identity: Identity) => boolean;
  readonly fault: (point: string) => void;
  readonly now: () => Date;
}

export function place({ folder, name, temporary, capture, known, fault, now }: Place): Placed {
  const there = folder.look(name);
  if (there && !there.isFile()) return { kind: 'obstructed' };
  if (there && !known(identityOf(there))) return { kind: 'edited', created: false };
  let parting: Parting | null = null;
  const capturedAt = now().getTime();
  if (there) {
    if (!renamed(folder, name, capture)) return { kind: 'edited', created: false };
    fault('mirror.captured');
    parting = opened(folder, capture);
    if (!parting || !known({ ...parting.identity, ctime: undefined })) {
      if (parting) closeSync(parting.fd);
      putBack(folder, capture, name, now());
      return { kind: 'edited', created: false };
    }
  }
  if (temporary !== null) {
    const failure = linked(folder, temporary, name);
    if (failure) {
      if (parting) closeSync(parting.fd);
      // Where somebody put another file, that one is the person's, and what was captured was ours.
      if (parting && failure === 'EEXIST') unlinkSync(folder.at(capture));
      else if (parting) putBack(folder, capture, name, now());
      if (failure === 'ENOENT') return { kind: 'lost' };
      return { kind: 'edited', created: parting !== null && bornAfter(folder, name, capturedAt) };
    }
    fault('mirror.linked');
    remove(folder, temporary);
  }
  if (parting) {
    remove(folder, capture);
    const left = identityAt(parting.fd);
    if (alike(left, parting.identity)) parting = { ...parting, identity: left };
  }
  fault('mirror.placed');
  return { kind: 'placed', parting };
}

/** For a folder that nobody else writes to. */
export function placeOver(folder: Folder, name: string, temporary: string | null): Placed {
  const there = folder.look(name);
  if (there && !there.isFile()) return { kind: 'obstructed' };
  if (temporary !== null) renameSync(folder.at(temporary), folder.at(name));
  else remove(folder, name);
  return { kind: 'placed', parting: null };
}

/** Gives what was captured its name back, or, where the name is taken by now, one beside it. */
export function putBack(folder: Folder, capture: string, name: string, at: Date): void {
  const failure = linked(folder, capture, name);
  if (failure === 'EEXIST') linkSync(folder.at(capture), folder.at(conflictPath(`/${name}`, at).slice(1)));
  else if (failure) return;
  remove(folder, capture);
}

export function remove(folder: Folder, name: string): void {
  try {
    unlinkSync(folder.at(name));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** True if the folder is gone; one that is not empty stays. */
export function removeFolder(folder: Folder, name: string): boolean {
  try {
    rmdirSync(folder.at(name));
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOTDIR'].includes(errorCode(error))) return false;
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

function renamed(folder: Folder, from: string, to: string): boolean {
  try {
    renameSync(folder.at(from), folder.at(to));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The code of what went wrong, if it was one of the two that are expected. */
function linked(folder: Folder, from: string, to: string): 'EEXIST' | 'ENOENT' | null {
  try {
    linkSync(folder.at(from), folder.at(to));
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' || code === 'ENOENT') return code;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
  }
  // A file system without links: the look and the rename are two steps here.
  if (folder.look(to)) return 'EEXIST';
  return renamed(folder, from, to) ? null : 'ENOENT';
}

function opened(folder: Folder, capture: string): Parting | null {
  const stats = folder.look(capture);
  if (!stats?.isFile()) return null;
  const fd = folder.open(capture);
  return { fd, identity: identityAt(fd), capture };
}

function bornAfter(folder: Folder, name: string, time: number): boolean {
  return Number(folder.look(name)?.birthtimeMs ?? 0) > time - CLOCK_MS;
}
