// A folder as a zip, made while it is read: the versions of one moment, one chunk in memory.

import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Pool } from '../db/pool.ts';
import { readChunks } from './content.ts';
import type { FileHead } from './files.ts';
import { readVersion } from './versions.ts';
import type { FilePath } from './paths.ts';

export function pack(pool: Pool, folder: FilePath, files: readonly FileHead[]): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  const prefix = folder.path === '/' ? 1 : folder.path.length + 1;
  for (const file of files) {
    zip.addReadStreamLazy(file.path.slice(prefix), { mtime: file.changedAt, mode: 0o100644 }, (give) => {
      readVersion(pool, file.id, file.version).then(
        (version) => give(null, Readable.from(readChunks(pool, version!.chunks), { objectMode: false })),
        (error: Error) => give(error, Readable.from([])),
      );
    });
  }
  zip.end();
  return output;
}
