// Writes a consistent snapshot of a database to one file, while servers keep working with it. The file gets its final
// name last, so an incomplete backup is never taken for a complete one.

import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { to as copyTo } from 'pg-copy-streams';
import yazl from 'yazl';
import { connect, destroy, type Connection, type DatabaseSettings } from '../db/pool.ts';
import {
  BackupError,
  contentsOf,
  emptyManifest,
  entryOf,
  MANIFEST,
  PLAIN_TEXT,
  quoted,
  refuseForeign,
  sequencesOf,
  tablesOf,
  type Manifest,
  type Table,
} from './manifest.ts';

export type { Table } from './manifest.ts';

export interface BackupOptions {
  readonly database: DatabaseSettings;
  readonly file: string;
  readonly now: () => Date;
  /** Aborts the backup, and leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each table. */
  readonly onTable?: ((table: Table, done: number, of: number) => void) | undefined;
}

export async function backup(options: BackupOptions): Promise<Manifest> {
  const partial = `${options.file}.partial`;
  // First of all, so that an unwritable file is reported before the database is read.
  const output = await create(options.file, partial);
  const remove = () => rmSync(partial, { force: true });
  // At once, because the user may kill the process before the cleanup below is done.
  options.signal?.addEventListener('abort', remove);
  try {
    const manifest = await write(options, output);
    options.signal?.throwIfAborted();
    await rename(partial, options.file);
    return manifest;
  } catch (error) {
    remove();
    throw error;
  } finally {
    await output.close();
  }
}

async function create(file: string, partial: string): Promise<FileHandle> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    const example = join(file, 'continuo.zip');
    throw new BackupError('is_a_folder', `${file} is a folder; name a file, such as ${example}`);
  }
  try {
    // Only the owner may read it: a backup contains the secrets of the workspaces' MCP servers.
    return await open(partial, 'w', 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const folder = dirname(file);
      throw new BackupError('folder_not_found', `there is no folder ${folder}; create it, or name another`, {
        cause,
      });
    }
    throw new BackupError('not_writable', `${file} cannot be written (${message}); name another file`, {
      cause,
    });
  }
}

async function write(
  { database, now, onTable, signal }: BackupOptions,
  output: FileHandle,
): Promise<Manifest> {
  const client = await connect(database);
  // The connection may be waiting for an answer that never comes.
  signal?.addEventListener('abort', () => destroy(client));
  try {
    signal?.throwIfAborted();
    await client.query(PLAIN_TEXT);
    // Otherwise Postgres would start reading a large table wherever another reader is.
    await client.query('set synchronize_seqscans = off');
    await client.query('begin isolation level repeatable read read only');
    const manifest = await describe(client, now());
    const tables = await tablesOf(client, manifest.schema);
    const zip = new yazl.ZipFile();
    const packed = zip.outputStream as Readable;
    // Also handles errors that come after the pipeline was destroyed.
    const broken = (error: Error) => void packed.destroy(error);
    zip.on('error', broken);
    for (const table of tables) {
      add(zip, entryOf(table.name), () =>
        rowsOf(client, table, (saved) => {
          manifest.tables.push(saved);
          onTable?.(saved, manifest.tables.length, tables.length);
        }).on('error', broken),
      );
    }
    // Written after all tables, when everything in it is known.
    add(zip, MANIFEST, () => Readable.from([Buffer.from(JSON.stringify(manifest, null, 2))]));
    zip.end();
    await pipeline(packed, output.createWriteStream({ flush: true }));
    await client.query('commit');
    return manifest;
  } finally {
    await client.end();
  }
}

async function describe(client: Connection, now: Date): Promise<Manifest> {
  if (!(await contentsOf(client)).includes('migrations')) {
    throw new BackupError('no_database', 'there is nothing to back up: the database is empty');
  }
  const { rows } = await client.query<{ name: string }>('select name from migrations order by name');
  const { rows: versions } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const schema = rows.map(({ name }) => name);
  await refuseForeign('database', schema);
  return emptyManifest({
    made_at: now.toISOString(),
    postgres: versions[0]!.version,
    schema,
    sequences: await sequencesOf(client, schema),
  });
}

function add(zip: yazl.ZipFile, name: string, content: () => Readable): void {
  // An entry's size is known only after it is written, and may exceed what a plain zip can record.
  zip.addReadStreamLazy(name, { forceZip64Format: true }, (callback) => callback(null, content()));
}

function rowsOf(
  client: Connection,
  { name, columns }: { name: string; columns: string[] },
  tell: (table: Table) => void,
): Readable {
  const list = columns.map(quoted).join(', ');
  const rows = client.query(copyTo(`copy ${quoted(name)} (${list}) to stdout`));
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      hash.update(chunk);
      bytes += chunk.length;
      callback(null, chunk);
    },
    flush(callback) {
      tell({ name, columns, rows: rows.rowCount, bytes, sha256: hash.digest('hex') });
      callback();
    },
  });
  rows.once('error', (error) => counted.destroy(error));
  return rows.pipe(counted);
}
