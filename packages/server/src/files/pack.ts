// Streams a folder as a zip: the versions of one moment, with one chunk in memory at a time.

import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Pool } from '../db/pool.ts';
import { readChunks } from './content.ts';
import type { FileHead } from './files.ts';
import { readVersion } from './versions.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../limits/yielding.ts';

export interface Packing {
  readonly files: readonly FileHead[];
  /** The name of a file in the zip. */
  readonly nameOf: (file: FileHead) => string;
  /** Entries in front of the files. */
  readonly first?: readonly { readonly name: string; readonly text: string; readonly at: Date }[];
}

/** If the reader goes away, the stream must be destroyed; reading then stops. */
export function pack(pool: Pool, { files, nameOf, first = [] }: Packing): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  let reading: Readable | null = null;
  output.once('close', () => reading?.destroy());
  const contentOf = async (file: FileHead): Promise<Readable> => {
    if (output.destroyed) throw new Error('the client stopped reading the zip');
    const version = await readVersion(pool, file.id, file.version);
    if (output.destroyed) throw new Error('the client stopped reading the zip');
    reading = Readable.from(readChunks(pool, version!.chunks), { objectMode: false });
    return reading;
  };
  const addAll = async (): Promise<void> => {
    for (const { name, text, at } of first)
      zip.addBuffer(Buffer.from(text), name, { mtime: at, mode: 0o100644 });
    for (const [index, file] of files.entries()) {
      if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await yieldWithAbortCheck({ mode: 'fast' });
      if (output.destroyed) return;
      zip.addReadStreamLazy(nameOf(file), { mtime: file.changedAt, mode: 0o100644 }, (give) => {
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
