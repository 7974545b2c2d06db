// Streams a folder as a zip: the versions of one moment, with one chunk in memory at a time.

import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Pool } from '../db/pool.ts';
import { readChunks } from './content.ts';
import type { FileHead } from './files.ts';
import type { FilePath } from './paths.ts';
import { readVersion } from './versions.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../yielding.ts';

/** If the reader goes away, the stream must be destroyed; reading then stops. */
export function pack(pool: Pool, folder: FilePath, files: readonly FileHead[]): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  const prefix = folder.path === '/' ? 1 : folder.path.length + 1;
  let reading: Readable | null = null;
  output.once('close', () => reading?.destroy());
  const contentOf = async (file: FileHead): Promise<Readable> => {
    if (output.destroyed) throw new Error('nobody reads the zip any more');
    const version = await readVersion(pool, file.id, file.version);
    if (output.destroyed) throw new Error('nobody reads the zip any more');
    reading = Readable.from(readChunks(pool, version!.chunks), { objectMode: false });
    return reading;
  };
  const addAll = async (): Promise<void> => {
    for (const [index, file] of files.entries()) {
      if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await yieldWithAbortCheck({ mode: 'fast' });
      if (output.destroyed) return;
      zip.addReadStreamLazy(file.path.slice(prefix), { mtime: file.changedAt, mode: 0o100644 }, (give) => {
        contentOf(file).then(
          (content) => give(null, content),
          (error: Error) => give(error, Readable.from([])),
        );
      });
    }
    zip.end();
  };
  addAll().catch((error: Error) => output.destroy(error));
  return output;
}
