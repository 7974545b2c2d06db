// What a command changed: the overlay's upper folder, compared with the workspace. Only regular files count. Links, devices,
// pipes, sockets and modes are left out, whatever they claim to be. No process of the command is left when this runs. Even
// so, each step goes through the descriptor of its folder, so that nothing outside is read if something changes meanwhile.

import type { BigIntStats } from 'node:fs';
import { close, fstat, readFile } from '../files/mirror/disk/calls.ts';
import { openFolder, type Folder } from '../files/mirror/disk/tree.ts';
import { isReadOnly, parsePath, type FilePath } from '../files/paths.ts';
import { PROPOSED_BYTES, PROPOSED_FILE_BYTES, PROPOSED_FILES } from './limits.ts';
import { withoutControls } from './output.ts';

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

/** Dependencies and caches: they belong in the scratch volume, never in the workspace. */
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
    if (leftOut.length < LEFT_OUT)
      leftOut.push({ path: withoutControls(path.slice(0, 1024)), reason: withoutControls(reason) });
  };
  const all = async (folder: Folder, path: string): Promise<void> => {
    for (const name of (await folder.list()).toSorted()) await entry(folder, `${path}/${name}`, name);
  };
  const entry = async (folder: Folder, path: string, name: string): Promise<void> => {
    const found = await folder.look(name).catch(() => null);
    if (!found) return leave(path, 'its name is not valid');
    const parsed = parsePath(path);
    if (!parsed.ok) return leave(path, parsed.problem);
    if (found.isDirectory()) {
      if (DEPENDENCIES.has(name))
        return leave(path, 'dependencies and caches are not part of the workspace; install them in /scratch');
      const inner = await folder.enter(name).catch(() => null);
      if (!inner) return leave(path, 'it cannot be read');
      return all(inner, path).finally(() => inner.close());
    }
    const refused = refusal(found, parsed.path) ?? tooMuch(Number(found.size), files.length, bytes);
    if (refused !== null) return leave(path, refused);
    const content = await readRegular(folder, name, found);
    if (!content) return leave(path, 'it cannot be read');
    bytes += content.length;
    files.push({ path: parsed.path, content });
  };
  const top = (await openFolder(upper, []))!;
  await all(top, slice === '' ? '' : `/${slice}`).finally(() => top.close());
  return { files, leftOut };
}

function refusal(found: BigIntStats, path: FilePath): string | null {
  if (found.isCharacterDevice() && found.rdev === 0n)
    return 'it was removed in the sandbox; call remove to remove it';
  if (found.isSymbolicLink()) return 'it is a symbolic link';
  if (!found.isFile()) return 'it is not a regular file';
  return isReadOnly(path) ? 'chats are read-only' : null;
}

function tooMuch(size: number, files: number, bytes: number): string | null {
  if (size > PROPOSED_FILE_BYTES) return `it is larger than ${PROPOSED_FILE_BYTES} bytes`;
  if (files >= PROPOSED_FILES) return `more than ${PROPOSED_FILES} files changed`;
  return bytes + size > PROPOSED_BYTES ? `the changes are larger than ${PROPOSED_BYTES} bytes` : null;
}

async function readRegular(folder: Folder, name: string, expected: BigIntStats): Promise<Buffer | null> {
  const file = await folder.open(name).catch(() => null);
  if (file === null) return null;
  try {
    const found = await fstat(file, { bigint: true });
    return found.isFile() && found.ino === expected.ino && found.size === expected.size
      ? await readFile(file)
      : null;
  } finally {
    close(file);
  }
}
