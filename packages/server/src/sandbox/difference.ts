// What a command changed: the overlay's upper folder, compared with the workspace. Only regular files count. Links, devices,
// pipes, sockets and modes are left out, whatever they claim to be. No process of the command is left when this runs, so
// nothing changes meanwhile; nothing is followed all the same.

import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isReadOnly, parsePath, type FilePath } from '../files/paths.ts';
import { PROPOSED_BYTES, PROPOSED_FILE_BYTES, PROPOSED_FILES } from './limits.ts';

export interface ChangedFile {
  readonly path: FilePath;
  readonly content: Buffer;
}

export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

export interface Difference {
  readonly files: readonly ChangedFile[];
  readonly leftOut: readonly LeftOut[];
}

/** Dependencies and caches: they belong into the scratch volume, and never into the workspace. */
const DEPENDENCIES = new Set([
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.git',
]);
const LEFT_OUT = 100;

/** `slice`: the folder of the workspace that the upper folder stands for, without slashes at its ends. */
export async function readDifference(upper: string, slice: string): Promise<Difference> {
  const files: ChangedFile[] = [];
  const leftOut: LeftOut[] = [];
  let bytes = 0;
  const leave = (path: string, reason: string) => {
    if (leftOut.length < LEFT_OUT) leftOut.push({ path: path.toWellFormed().slice(0, 1024), reason });
  };
  const folder = async (at: string, path: string): Promise<void> => {
    for (const name of (await readdir(at)).toSorted()) await entry(join(at, name), `${path}/${name}`, name);
  };
  const entry = async (at: string, path: string, name: string): Promise<void> => {
    const found = await lstat(at).catch(() => null);
    if (!found) return leave(path, 'its name is not valid');
    const parsed = parsePath(path);
    if (!parsed.ok) return leave(path, parsed.problem);
    if (found.isDirectory())
      return DEPENDENCIES.has(name)
        ? leave(path, 'dependencies and caches are not part of the workspace; install them in /scratch')
        : folder(at, path);
    const refused = refusal(found, parsed.path) ?? tooMuch(found, files.length, bytes);
    if (refused !== null) return leave(path, refused);
    const content = await readRegular(at, found);
    if (!content) return leave(path, 'it is not a regular file');
    bytes += content.length;
    files.push({ path: parsed.path, content });
  };
  await folder(upper, slice === '' ? '' : `/${slice}`);
  return { files, leftOut };
}

function refusal(found: Stats, path: FilePath): string | null {
  if (found.isCharacterDevice() && found.rdev === 0)
    return 'it was removed in the sandbox; call remove to remove it';
  if (found.isSymbolicLink()) return 'it is a symbolic link';
  if (!found.isFile()) return 'it is not a regular file';
  return isReadOnly(path) ? 'chats are read-only' : null;
}

function tooMuch({ size }: Stats, files: number, bytes: number): string | null {
  if (size > PROPOSED_FILE_BYTES) return `it is larger than ${PROPOSED_FILE_BYTES} bytes`;
  if (files >= PROPOSED_FILES) return `more than ${PROPOSED_FILES} files changed`;
  return bytes + size > PROPOSED_BYTES ? `the changes are larger than ${PROPOSED_BYTES} bytes` : null;
}

async function readRegular(at: string, expected: Stats): Promise<Buffer | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (!file) return null;
  try {
    const found = await file.stat();
    return found.isFile() && found.ino === expected.ino && found.size === expected.size
      ? await file.readFile()
      : null;
  } finally {
    await file.close();
  }
}
