// Safe access to a folder tree that others can change at the same time. Each step opens one folder through its parent's
// descriptor and refuses links. So an operation on `folder.at(name)` always happens inside the tree, even if a folder
// is swapped in the meantime. Without /proc/self/fd (macOS) each step is checked by its path, and a swap in between
// goes unnoticed.

import { constants, existsSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { chmod, close, fstat, lstat, mkdir, open, readdir, write } from './calls.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const byDescriptor = existsSync('/proc/self/fd');

/** Identifies a file's state without reading its content. */
export interface Identity {
  readonly ino: string;
  /** In nanoseconds. */
  readonly mtime: string;
  readonly size: number;
  /** In nanoseconds; programs cannot set it. Unknown while the mirror itself may still link or rename the file. */
  readonly ctime?: string | undefined;
}

/** Something other than a folder is where a folder should be. */
export class Obstacle extends Error {
  readonly code = 'EOBSTACLE';
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(`/${names.join('/')} is not a folder`);
    this.names = names;
  }
}

export class Folder {
  readonly fd: number;
  /** The folder's path when it was opened. */
  readonly place: string;
  /** A path that reaches the folder even after it was moved, where the system supports that. */
  readonly #place: string;

  constructor(fd: number, place: string) {
    this.fd = fd;
    this.place = place;
    this.#place = byDescriptor ? `/proc/self/fd/${fd}` : place;
  }

  at(name: string): string {
    return join(this.#place, name);
  }

  list(): Promise<string[]> {
    return readdir(this.#place);
  }

  /** The stats of the entry with this name, without following a link; null if there is none. */
  async look(name: string): Promise<BigIntStats | null> {
    try {
      return await lstat(this.at(name), { bigint: true });
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
      throw error;
    }
  }

  /** Opens a file for reading. Does not follow a link, and does not block on a named pipe. */
  open(name: string): Promise<number> {
    return open(this.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }

  create(name: string): Promise<number> {
    return open(this.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  }

  /** Opens a subfolder; null if it does not exist. Throws ENOTDIR or ELOOP if a file or a link has its name. */
  enter(name: string): Promise<Folder | null> {
    return openOne(this.at(name), join(this.place, name));
  }

  close(): void {
    close(this.fd);
  }
}

export interface OpenOptions {
  /** Called for each missing folder that was created, with the names of its parent. If absent, no folder is created. */
  readonly create?: (made: readonly string[]) => void;
}

/** Null if the folder does not exist. Throws an Obstacle if a link or a file is in its place. */
export async function openFolder(
  root: string,
  names: readonly string[],
  { create }: OpenOptions = {},
): Promise<Folder | null> {
  let folder = await openOne(root, root);
  for (let depth = 0; folder && depth < names.length; depth += 1) {
    const name = names[depth]!;
    const parent: Folder = folder;
    try {
      folder = await parent.enter(name);
      if (!folder && create) {
        await makeFolder(parent, name);
        create(names.slice(0, depth));
        folder = await parent.enter(name);
      }
    } catch (error) {
      throw isNoFolder(error) ? new Obstacle(names.slice(0, depth + 1)) : error;
    } finally {
      parent.close();
    }
  }
  return folder;
}

/** Opens a folder, runs `work` with it, and closes it. */
export async function within<T>(
  root: string,
  names: readonly string[],
  work: (folder: Folder | null) => Promise<T> | T,
): Promise<T> {
  const folder = await openFolder(root, names);
  try {
    return await work(folder);
  } finally {
    folder?.close();
  }
}

/** The stats of the entry at a path, without following links; null if there is none, or its folder does not exist. */
export async function statAt(root: string, path: string): Promise<BigIntStats | null> {
  const { folder: names, name } = namesOf(path);
  try {
    return await within(root, names, (folder) => folder?.look(name) ?? null);
  } catch (error) {
    if (error instanceof Obstacle) return null;
    throw error;
  }
}

async function openOne(path: string, place: string): Promise<Folder | null> {
  try {
    return new Folder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), place);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function makeFolder(parent: Folder, name: string): Promise<void> {
  try {
    await mkdir(parent.at(name));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Whether a file or a link is where a folder should be. */
export function isNoFolder(error: unknown): boolean {
  return ['ENOTDIR', 'ELOOP'].includes(errorCode(error));
}

export function identityOf(stats: BigIntStats): Identity {
  const { ino, mtimeNs, size, ctimeNs } = stats;
  return { ino: String(ino), mtime: String(mtimeNs), size: Number(size), ctime: String(ctimeNs) };
}

/** Copies the mode of the replaced file, so that an executable file stays executable. */
export async function keepMode(
  fd: number,
  { mode }: BigIntStats,
  replaced: BigIntStats | null,
): Promise<void> {
  if (!replaced?.isFile()) return;
  const wanted = Number(replaced.mode) & 0o777;
  if ((Number(mode) & 0o777) !== wanted) await chmod(fd, wanted);
}

export async function identityAt(fd: number): Promise<Identity> {
  return identityOf(await fstat(fd, { bigint: true }));
}

export function same(a: Identity, b: Identity): boolean {
  const unknown = a.ctime === undefined || b.ctime === undefined;
  return alike(a, b) && (unknown || a.ctime === b.ctime);
}

/**
 * Whether two identities are equal apart from ctime, which changes when a file is renamed or linked, or its mode
 * changes.
 */
export function alike(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.mtime === b.mtime && a.size === b.size;
}

/** Writes all bytes. On a full disk, one call may write only a part and report that only by its count. */
export async function writeFully(fd: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await write(fd, bytes, written, bytes.length - written, null);
    written += bytesWritten;
  }
}

export function namesOf(path: string): { folder: string[]; name: string } {
  const names = path.slice(1).split('/');
  return { folder: names.slice(0, -1), name: names.at(-1)! };
}

export function pathOf(names: readonly string[]): string {
  return `/${names.join('/')}`;
}

export function errorCode(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null)?.code ?? '');
}
