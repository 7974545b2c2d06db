// Swaps a file on disk for a new version, or removes it.
//
// In the visible folder no file is ever renamed over: a person's save between the check and the rename would be lost.
// Instead, the existing file is first renamed to a temporary name in its folder (captured), then checked, and only then
// replaced, with a hard link that fails if another program was faster. A file that a person changed is put back and
// reported as an edit.

import type { BigIntStats } from 'node:fs';
import { close, link, rename, rmdir, together, unlink } from './calls.ts';
import { conflictPath } from '../names.ts';
import { errorCode, identityOf, type Folder, type Identity } from './tree.ts';

/** How far a file's birth time may lag behind the clock. */
const CLOCK_MS = 10;

/** A replaced file. A program that had it open may still write to it. */
export interface ReplacedFile {
  readonly fd: number;
  /** Its identity before its names were removed, which changes its ctime. */
  readonly identity: Identity;
  readonly capture: string;
}

export type Swapped =
  | { readonly kind: 'swapped'; readonly replaced: ReplacedFile | null }
  /**
   * The file on disk is not the one in the ledger. `created`: it was created while the path was empty (by an append,
   * for example), so its author did not start from the previous content.
   */
  | { readonly kind: 'edited'; readonly created: boolean }
  /** A folder, a link or something else that is not a file is there. */
  | { readonly kind: 'obstructed' }
  /** The temporary file is gone: another pod owns the folder. */
  | { readonly kind: 'lost' };

export interface Swap {
  readonly folder: Folder;
  readonly name: string;
  /** What `folder.look(name)` found just before. */
  readonly there: BigIntStats | null;
  /** The temporary file with the new content, complete and synced; null removes the file. */
  readonly temporary: string | null;
  readonly capture: string;
  readonly known: (identity: Identity) => boolean;
  readonly fault: (point: string) => void;
  readonly now: () => Date;
}

export async function swapFile({
  folder,
  name,
  there,
  temporary,
  capture,
  known,
  fault,
  now,
}: Swap): Promise<Swapped> {
  if (there && !there.isFile()) return { kind: 'obstructed' };
  if (there && !known(identityOf(there))) return { kind: 'edited', created: false };
  let replaced: ReplacedFile | null = null;
  let placed: Swapped | null = null;
  let isAside = false;
  const capturedAt = now().getTime();
  try {
    if (there) {
      if (!(await tryRename(folder, name, capture))) return { kind: 'edited', created: false };
      isAside = true;
      fault('mirror.captured');
      replaced = await openCaptured(folder, capture);
      if (!replaced || !known({ ...replaced.identity, ctime: undefined })) {
        await putBack(folder, capture, name, now());
        return { kind: 'edited', created: false };
      }
    }
    if (temporary !== null) {
      const failure = await tryLink(folder, temporary, name);
      if (failure) {
        // If a person has created another file with this name, that one stays. The captured file was the mirror's own.
        if (replaced && failure === 'EEXIST') await unlink(folder.at(capture));
        else if (replaced) await putBack(folder, capture, name, now());
        if (failure === 'ENOENT') return { kind: 'lost' };
        return { kind: 'edited', created: replaced !== null && (await bornAfter(folder, name, capturedAt)) };
      }
      fault('mirror.linked');
    }
    isAside = false;
    await together([temporary !== null && remove(folder, temporary), replaced && remove(folder, capture)]);
    fault('mirror.placed');
    placed = { kind: 'swapped', replaced };
    return placed;
  } catch (error) {
    if (isAside) await putBackAfterFailure(folder, capture, name, now());
    throw error;
  } finally {
    if (!placed && replaced) close(replaced.fd);
  }
}

/** After a failure. A full disk may have no room for a hard link, but it has for a rename. */
async function putBackAfterFailure(folder: Folder, capture: string, name: string, at: Date): Promise<void> {
  try {
    await putBack(folder, capture, name, at);
  } catch {
    // If this fails too, the next scan puts the file back.
    if (!(await folder.look(name))) await tryRename(folder, capture, name).catch(() => false);
  }
}

/** The simple swap, for a private mirror, which nobody else writes to. */
export async function swapOver({
  folder,
  name,
  there,
  temporary,
}: Pick<Swap, 'folder' | 'name' | 'there' | 'temporary'>): Promise<Swapped> {
  if (there && !there.isFile()) return { kind: 'obstructed' };
  if (temporary !== null) await rename(folder.at(temporary), folder.at(name));
  else await remove(folder, name);
  return { kind: 'swapped', replaced: null };
}

/** Gives a captured file its name back, or a conflict name if the name is taken. */
export async function putBack(folder: Folder, capture: string, name: string, at: Date): Promise<void> {
  const failure = await tryLink(folder, capture, name);
  if (failure === 'EEXIST') await link(folder.at(capture), folder.at(conflictPath(`/${name}`, at).slice(1)));
  else if (failure) return;
  await remove(folder, capture);
}

export async function remove(folder: Folder, name: string): Promise<void> {
  try {
    await unlink(folder.at(name));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** For cleaning up after a failure: a file that cannot be removed stays until the next scan sweeps it. */
export async function removeQuietly(folder: Folder, name: string): Promise<void> {
  await remove(folder, name).catch(() => undefined);
}

/** True if the folder is gone. A folder that is not empty stays. */
export async function removeFolder(folder: Folder, name: string): Promise<boolean> {
  try {
    await rmdir(folder.at(name));
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOTDIR'].includes(errorCode(error))) return false;
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

async function tryRename(folder: Folder, from: string, to: string): Promise<boolean> {
  try {
    await rename(folder.at(from), folder.at(to));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Creates a hard link. Returns the error code for the two expected failures, null on success. */
async function tryLink(folder: Folder, from: string, to: string): Promise<'EEXIST' | 'ENOENT' | null> {
  try {
    await link(folder.at(from), folder.at(to));
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' || code === 'ENOENT') return code;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
  }
  // On a file system without hard links, the check and the rename are two steps.
  if (await folder.look(to)) return 'EEXIST';
  return (await tryRename(folder, from, to)) ? null : 'ENOENT';
}

async function openCaptured(folder: Folder, capture: string): Promise<ReplacedFile | null> {
  const [opened, looked] = await Promise.allSettled([folder.open(capture), folder.look(capture)]);
  if (opened.status === 'rejected') {
    // The file is now a link or a socket, or is gone.
    if (['ELOOP', 'ENXIO', 'ENOENT'].includes(errorCode(opened.reason))) return null;
    throw opened.reason;
  }
  const fd = opened.value;
  if (looked.status === 'fulfilled' && looked.value?.isFile())
    return { fd, identity: identityOf(looked.value), capture };
  close(fd);
  if (looked.status === 'rejected') throw looked.reason;
  return null;
}

async function bornAfter(folder: Folder, name: string, time: number): Promise<boolean> {
  return Number((await folder.look(name))?.birthtimeMs ?? 0) > time - CLOCK_MS;
}
