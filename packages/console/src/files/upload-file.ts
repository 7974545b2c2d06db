// Uploads one file of this computer into a folder of the workspace, under a free name.

import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';

/** How many names are tried for a file whose name is taken. */
const MAX_NAMES = 100;

/** Returns the path that the file got. */
export async function uploadInto(folder: string, name: string, file: Blob): Promise<string> {
  try {
    return await uploadAs(folder, name, file);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'invalid_path') throw error;
    return uploadAs(folder, portableName(name), file);
  }
}

async function uploadAs(folder: string, wanted: string, file: Blob): Promise<string> {
  const [, name, ending] = /^(.*?)(\.[^.]*)?$/s.exec(wanted) as unknown as [string, string, string?];
  for (let count = 1; ; count += 1) {
    const path = `${folder === '/' ? '' : folder}/${name}${count === 1 ? '' : ` (${count})`}${ending ?? ''}`;
    try {
      return (await client.files.write(path, file, { base: null })).path;
    } catch (error) {
      if (!isTaken(error) || count === MAX_NAMES) throw error;
    }
  }
}

/**
 * A portable version of a refused name: without characters that some systems do not allow, and without reserved names.
 */
function portableName(name: string): string {
  const cleaned = name
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|]/gu, '_')
    .replaceAll(/^ +|[. ]+$/g, '');
  return cleaned === name || cleaned === '' ? `_${cleaned}` : cleaned;
}

/** Also true if the names differ only in case or Unicode form. */
function isTaken(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'version_conflict' || error.status === 409);
}
