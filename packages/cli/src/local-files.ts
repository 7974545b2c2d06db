// Reads local files and folders that a person named, with clear errors.

import { createReadStream, openAsBlob, statSync, type Stats } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { CommandError, EXIT } from './failure.ts';

/** The content of the file, to be sent. */
export async function localFile(file: string): Promise<Blob> {
  const found = statOf(file, 'file');
  if (found.isDirectory()) {
    throw new CommandError(`${file} is a folder.`, {
      code: 'is_a_folder',
      exitCode: EXIT.usage,
      hint: 'Name a file, or write a whole folder with: continuo files push <local> [folder]',
    });
  }
  // A shell's `<(command)` has no size before it is read.
  return found.isFile() ? openAsBlob(file) : new Blob([new Uint8Array(await buffer(createReadStream(file)))]);
}

export function requireFolder(folder: string): void {
  if (statOf(folder, 'folder').isDirectory()) return;
  throw new CommandError(`${folder} is a file, not a folder.`, {
    code: 'not_a_folder',
    exitCode: EXIT.usage,
    hint: 'Write one file with: continuo files write <path> <file>',
  });
}

function statOf(path: string, kind: 'file' | 'folder'): Stats {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) return found;
  throw new CommandError(`There is no ${kind} ${path} on this machine.`, {
    code: `${kind}_not_found`,
    exitCode: EXIT.notFound,
  });
}
