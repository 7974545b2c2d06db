// Quarantine: moves things that cannot be files of the workspace out of the folder, with a message that says why and
// how to get them back, and adds a line to a notice at the top of the folder.

import { constants } from 'node:fs';
import { join } from 'node:path';
import { close, makeFolders, open, rename, unlink } from '../disk/calls.ts';
import { NOTICE } from '../names.ts';
import { errorCode, within, writeFully, type Folder } from '../disk/tree.ts';

export interface Stranger {
  readonly root: string;
  /** The mirror's private folder. */
  readonly own: string;
  readonly folder: Folder;
  readonly names: readonly string[];
  readonly why: string;
  readonly at: Date;
}

/** Returns the new path; null if the thing was already gone. */
export async function quarantine({ root, own, folder, names, why, at }: Stranger): Promise<string | null> {
  const time = at.toISOString().replaceAll(/[:.]/g, '-');
  const name = names.at(-1)!;
  const path = printable(`/${names.join('/')}`);
  const into = join(own, 'quarantine');
  await makeFolders(into);
  let place = join(into, `${time}-${shortened(name)}`);
  for (let count = 2; ; count += 1) {
    try {
      await writeText(`${place}.txt`, 'wx', message({ path, why, at, place: printable(place), root }));
      break;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      place = join(into, `${time}-${count}-${shortened(name)}`);
    }
  }
  try {
    await rename(folder.at(name), place);
  } catch (error) {
    await unlink(`${place}.txt`);
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  await notice(root, `${at.toISOString()} ${path}: ${why}; it is now at ${printable(place)}\n`);
  return place;
}

async function notice(root: string, line: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const flags = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY;
  await within(root, [], (top) => top && writeText(top.at(NOTICE), flags, line));
}

async function writeText(path: string, flags: string | number, text: string): Promise<void> {
  const fd = await open(path, flags, 0o666);
  try {
    await writeFully(fd, Buffer.from(text));
  } finally {
    close(fd);
  }
}

/** Escapes a name, so that it cannot break the notice's line or imitate another name. */
function printable(path: string): string {
  // JSON does not escape DEL and the C1 control characters.
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return /[\p{Cc}\u2028\u2029]/u.test(path)
    ? JSON.stringify(path).replaceAll(/[\p{Cc}\u2028\u2029]/gu, escape)
    : path;
}

function shortened(name: string): string {
  return Buffer.byteLength(name) <= 200 ? name : `${name.slice(0, 50).toWellFormed()}…`;
}

function message({
  path,
  why,
  at,
  place,
  root,
}: {
  path: string;
  why: string;
  at: Date;
  place: string;
  root: string;
}): string {
  return `${path} was in ${root} and cannot be a file of the workspace: ${why}.
It was moved here, unchanged, on ${at.toISOString()}:
${place}

To have it in the workspace, fix the problem (rename it, make it smaller, or free some space) and move it back to
${root}. To discard it, delete it and this text. Nothing else refers to it.
`;
}
