// Reaching into a folder on disk that others can change at the same time. Each step opens one folder by its parent's
// descriptor and refuses links, so what is done to `folder.at(name)` happens inside the tree, whatever is swapped
// meanwhile. Where there is no /proc/self/fd (macOS) each step is checked by its path: a swap in between is not noticed.

import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { join } from 'node:path';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const byDescriptor = existsSync('/proc/self/fd');

/** A file as far as it can be told without reading it. */
export interface Identity {
  readonly ino: string;
  /** In nanoseconds. */
  readonly mtime: string;
  readonly size: number;
  /** In nanoseconds; nobody can set it back. Not known of what may still be linked or renamed by the mirror itself. */
  readonly ctime?: string | undefined;
}

/** Something that is no folder is where a folder should be. */
export class Obstacle extends Error {
  readonly code = 'EOBSTACLE';
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(`/${names.join('/')} is no folder`);
    this.names = names;
  }
}

export class Folder {
  readonly fd: number;
  readonly #place: string;

  constructor(fd: number, place: string) {
    this.fd = fd;
    this.#place = byDescriptor ? `/proc/self/fd/${fd}` : place;
  }

  at(name: string): string {
    return join(this.#place, name);
  }

  list(): string[] {
    return readdirSync(this.#place);
  }

  /** What has this name, without following it; null if nothing has. */
  look(name: string): BigIntStats | null {
    return lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false }) ?? null;
  }

  /** For reading, without following a link and without waiting for whoever is at a pipe's other end. */
  open(name: string): number {
    return openSync(this.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }

  create(name: string): number {
    return openSync(this.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  }

  close(): void {
    closeSync(this.fd);
  }
}

export interface OpenOptions {
  /** Makes the folders that are missing, and says of each where it is. */
  readonly create?: (made: readonly string[]) => void;
}

/** Null if it is not there. Throws an Obstacle if a link or a file is in its place. */
export function openFolder(
  root: string,
  names: readonly string[],
  { create }: OpenOptions = {},
): Folder | null {
  let folder = openOne(root, root);
  for (let depth = 0; folder && depth < names.length; depth += 1) {
    const name = names[depth]!;
    const parent: Folder = folder;
    try {
      folder = openOne(parent.at(name), join(root, ...names.slice(0, depth + 1)));
      if (!folder && create) {
        makeFolder(parent, name);
        create(names.slice(0, depth));
        folder = openOne(parent.at(name), join(root, ...names.slice(0, depth + 1)));
      }
    } catch (error) {
      throw isNoFolder(error) ? new Obstacle(names.slice(0, depth + 1)) : error;
    } finally {
      parent.close();
    }
  }
  return folder;
}

/** Opens a folder, does something with it and closes it. */
export function within<T>(root: string, names: readonly string[], work: (folder: Folder | null) => T): T {
  const folder = openFolder(root, names);
  try {
    return work(folder);
  } finally {
    folder?.close();
  }
}

/** What is at a path, without following anything; null if nothing is, or no folder leads there. */
export function lookAt(root: string, path: string): BigIntStats | null {
  const { folder: names, name } = namesOf(path);
  try {
    return within(root, names, (folder) => folder?.look(name) ?? null);
  } catch (error) {
    if (error instanceof Obstacle) return null;
    throw error;
  }
}

function openOne(path: string, place: string): Folder | null {
  try {
    return new Folder(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function makeFolder(parent: Folder, name: string): void {
  try {
    mkdirSync(parent.at(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isNoFolder(error: unknown): boolean {
  return ['ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '');
}

export function identityOf(stats: BigIntStats): Identity {
  const { ino, mtimeNs, size, ctimeNs } = stats;
  return { ino: String(ino), mtime: String(mtimeNs), size: Number(size), ctime: String(ctimeNs) };
}

/** A program that a person made executable stays so. */
export function keepMode(fd: number, replaced: BigIntStats | null): void {
  if (!replaced?.isFile()) return;
  const mode = Number(replaced.mode) & 0o777;
  if ((fstatSync(fd).mode & 0o777) !== mode) fchmodSync(fd, mode);
}

export function identityAt(fd: number): Identity {
  return identityOf(fstatSync(fd, { bigint: true }));
}

export function same(a: Identity, b: Identity): boolean {
  const unknown = a.ctime === undefined || b.ctime === undefined;
  return alike(a, b) && (unknown || a.ctime === b.ctime);
}

/** As far as it can be told where the inode was touched: renamed, linked, its mode changed. */
export function alike(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.mtime === b.mtime && a.size === b.size;
}

/** A full disk takes a part and says so only by the count. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(fd, bytes, written, bytes.length - written);
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
