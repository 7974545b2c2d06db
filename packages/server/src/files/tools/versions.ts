// Shared by the tools for history, differences and restoration.

import type { Queryable } from '../../db/pool.ts';
import type { FileHead } from '../files.ts';
import { listVersions, type FileVersion } from '../versions.ts';

const PAGE = 100;

/** The newest version before `than` with other content. By default, `than` is the newest version. */
export async function lastDifferent(
  client: Queryable,
  file: FileHead,
  than: { readonly version: number; readonly hash: Buffer } = file,
): Promise<FileVersion | null> {
  for (let before = than.version; ;) {
    const page = await listVersions(client, file.id, { before, limit: PAGE });
    const found = page.find(({ hash }) => !hash.equals(than.hash));
    if (found) return found;
    if (page.length < PAGE) return null;
    before = page.at(-1)!.version;
  }
}
