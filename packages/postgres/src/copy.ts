/**
 * Copies the programs for a user who cannot read the originals. One rename creates the copy complete, and it is verified before
 * each use.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { systemCode } from './errors.ts';
import { makeLink, readLinks } from './links.ts';

/** Ensures that `target` is a complete copy of the programs, readable by everyone. */
export function copyTo(native: string, target: string): string {
  const files = listFiles(native);
  if (isCopy(files, native, target)) return target;
  const work = mkdtempSync(`${target}.new-`);
  try {
    const fresh = join(work, 'fresh');
    mkdirSync(fresh);
    copyFiles(files, native, fresh);
    putInPlace(fresh, target, join(work, 'old'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  if (isCopy(files, native, target)) return target;
  throw new Error(`${target} is not a copy of ${native}`);
}

/** Another process may put its own copy there at the same time; both are equally good. */
function putInPlace(fresh: string, target: string, old: string): void {
  if (lstatSync(target, { throwIfNoEntry: false })?.uid === process.geteuid?.()) renameSync(target, old);
  try {
    renameSync(fresh, target);
  } catch (error) {
    if (systemCode(error) !== 'ENOTEMPTY' && systemCode(error) !== 'EEXIST') throw error;
  }
}

interface CopiedFile {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
}

/** The regular files that the server needs, without the static libraries for linking C programs. */
function listFiles(native: string): CopiedFile[] {
  return readdirSync(native, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(a|pc)$/.test(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const stat = lstatSync(path);
      return { path: relative(native, path), size: stat.size, executable: (stat.mode & 0o100) !== 0 };
    });
}

function copyFiles(files: readonly CopiedFile[], from: string, to: string): void {
  chmodSync(to, 0o755);
  for (const folder of new Set(files.map((file) => dirname(file.path)))) openFolder(to, folder);
  for (const file of files) {
    const target = join(to, file.path);
    copyFileSync(join(from, file.path), target, constants.COPYFILE_FICLONE);
    chmodSync(target, file.executable ? 0o755 : 0o644);
  }
  for (const link of readLinks(to)) makeLink(link.path, link.to);
}

/** Makes a folder and its parents readable by everyone, whatever the umask. */
function openFolder(root: string, folder: string): void {
  if (folder === '.') return;
  openFolder(root, dirname(folder));
  const path = join(root, folder);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

/** Whether the copy is writable only by us, and has every file in full size (/tmp cleaners remove single files). */
function isCopy(files: readonly CopiedFile[], native: string, target: string): boolean {
  try {
    const top = lstatSync(target);
    if (!top.isDirectory() || top.uid !== process.geteuid?.() || (top.mode & 0o022) !== 0) return false;
    const links = readLinks(native).map((link) => relative(native, link.path));
    return (
      files.every((file) => lstatSync(join(target, file.path)).size === file.size) &&
      links.every((link) => lstatSync(join(target, link)).isSymbolicLink())
    );
  } catch {
    return false;
  }
}
