// The versions of files. files.ts writes them with each change; they never change.

import type { Queryable } from '../db/pool.ts';
import type { Author } from './files.ts';

/** Maximum size of a text that is compared with another version. */
export const DIFF_BYTES = 1024 * 1024;

export interface FileVersion {
  readonly version: number;
  readonly op: 'write' | 'move' | 'remove' | 'restore';
  readonly path: string;
  readonly hash: Buffer;
  readonly size: number;
  readonly chunks: readonly Buffer[];
  readonly isText: boolean;
  readonly author: Author;
  readonly at: Date;
}

interface VersionRow {
  version: number;
  op: FileVersion['op'];
  path: string;
  hash: Buffer;
  size: string;
  chunks: Buffer[];
  is_text: boolean;
  author: string;
  at: Date;
}

const VERSION_COLUMNS = 'version, op, path, hash, size, chunks, is_text, author, at';

/** A file's versions, newest first, starting before `before`. */
export async function listVersions(
  client: Queryable,
  fileId: string,
  { before = 2_147_483_647, limit = 1000 }: { before?: number; limit?: number } = {},
): Promise<readonly FileVersion[]> {
  const { rows } = await client.query<VersionRow>({
    name: 'list_versions',
    text: `select ${VERSION_COLUMNS} from file_versions where file_id = $1 and version < $2 order by version desc limit $3`,
    values: [fileId, before, limit],
  });
  return rows.map(versionOf);
}

export async function readVersion(
  client: Queryable,
  fileId: string,
  version: number,
): Promise<FileVersion | null> {
  const { rows } = await client.query<VersionRow>({
    name: 'read_version',
    text: `select ${VERSION_COLUMNS} from file_versions where file_id = $1 and version = $2`,
    values: [fileId, version],
  });
  return rows[0] ? versionOf(rows[0]) : null;
}

function versionOf({ is_text: isText, author, size, ...row }: VersionRow): FileVersion {
  return { ...row, isText, author: JSON.parse(author) as Author, size: Number(size) };
}
