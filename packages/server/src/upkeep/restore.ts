// Restores a backup into an empty database: first, in one transaction, the tables of the backup's schema, the rows and
// the sequences; then the migrations added since, and this version's functions. If anything is wrong with the backup,
// the database stays empty.

import { createHash, type Hash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { from as copyFrom } from 'pg-copy-streams';
import yauzl from 'yauzl';
import { migrate, MIGRATION_LOCK, MIGRATIONS_TABLE, migrationText } from '../db/migrate.ts';
import { connect, destroy, type Connection, type DatabaseSettings } from '../db/pool.ts';
import {
  BackupError,
  contentsOf,
  entryOf,
  MANIFEST,
  PLAIN_TEXT,
  quoted,
  readManifest,
  refuseForeign,
  tablesOf,
  type Manifest,
  type Table,
} from './manifest.ts';

export interface RestoreOptions {
  readonly database: DatabaseSettings;
  readonly file: string;
  /** Aborts the restore, and the database stays empty. Has no effect once all rows are loaded. */
  readonly signal?: AbortSignal | undefined;
  readonly onTable?: ((table: Table, done: number, of: number) => void) | undefined;
}

export interface Restored {
  readonly manifest: Manifest;
  /** The migrations added since the backup was made. */
  readonly migrated: readonly string[];
}

export async function restore({ database, file, signal, onTable }: RestoreOptions): Promise<Restored> {
  const archive = await openArchive(file);
  try {
    const manifest = readManifest(await text(await archive.read(MANIFEST)));
    await refuseForeign('backup', manifest.schema);
    const client = await connect(database);
    // The connection may be waiting for an answer that never comes.
    const leave = () => destroy(client);
    signal?.addEventListener('abort', leave);
    try {
      signal?.throwIfAborted();
      // A server that starts in the meantime waits for this lock.
      await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await refuseFull(client, manifest);
      await client.query(PLAIN_TEXT);
      await client.query('begin');
      await makeSchema(client, manifest);
      await fill(client, { archive, manifest, signal, onTable });
      await client.query(`comment on table migrations is ${client.escapeLiteral(markOf(manifest))}`);
      signal?.removeEventListener('abort', leave);
      await client.query('commit');
      await client.query('analyze');
    } finally {
      // Closing the connection rolls back what was not committed.
      await client.end();
    }
    return { manifest, migrated: (await migrate(database)).migrations };
  } finally {
    archive.close();
  }
}

/** Committed together with the rows, to recognise a restore that was killed after its commit. */
function markOf({ made_at }: Manifest): string {
  return `restored from the backup of ${made_at}`;
}

async function refuseFull(client: Connection, manifest: Manifest): Promise<void> {
  const there = await contentsOf(client);
  if (there.length === 0) return;
  const { rows } = await client.query<{ mark: string | null }>(
    "select obj_description(to_regclass('migrations'), 'pg_class') as mark",
  );
  if (rows[0]!.mark === markOf(manifest))
    throw new BackupError(
      'not_empty',
      'this backup is already completely restored into this database, even if that restore was killed at its very end; start the server',
    );
  throw new BackupError(
    'not_empty',
    `the database is not empty (it contains ${there.slice(0, 3).join(', ')}${there.length > 3 ? ', …' : ''}); ` +
      'restore into another home (--home), or into an empty database (DATABASE_URL)',
  );
}

async function makeSchema(client: Connection, { schema }: Manifest): Promise<void> {
  await client.query(MIGRATIONS_TABLE);
  for (const name of schema) await client.query(await migrationText(name));
}

async function fill(
  client: Connection,
  {
    archive,
    manifest,
    signal,
    onTable,
  }: { archive: Archive; manifest: Manifest } & Pick<RestoreOptions, 'signal' | 'onTable'>,
): Promise<void> {
  const tables = await tablesOf(client, manifest.schema);
  const saved = new Map(manifest.tables.map((table) => [table.name, table]));
  const odd = tables.filter(({ name }) => !saved.has(name)).map(({ name }) => name);
  if (odd.length > 0 || tables.length !== saved.size) {
    const differing = odd.length > 0 ? `it lacks ${odd.join(', ')}` : 'it has extra ones';
    throw new BackupError('broken_backup', `the backup's tables are not those of its schema: ${differing}`);
  }
  // A new table may already have rows, such as the default workspace. There are no triggers yet: `migrate` creates them
  // afterwards.
  for (const { name } of tables.toReversed()) await client.query(`delete from ${quoted(name)}`);
  for (const [done, { name }] of tables.entries()) {
    const table = saved.get(name)!;
    await load(client, archive, table).catch(async (error: unknown) => {
      signal?.throwIfAborted();
      // Postgres' own error would not say that the backup is damaged.
      await refuseDamaged(archive, table);
      throw error;
    });
    onTable?.(table, done + 1, tables.length);
  }
  for (const { name, value, called } of manifest.sequences) {
    await client.query('select setval($1::regclass, $2::bigint, $3)', [quoted(name), value, called]);
  }
}

async function load(client: Connection, archive: Archive, table: Table): Promise<void> {
  const content = await archive.read(entryOf(table.name));
  const list = table.columns.map(quoted).join(', ');
  const rows = client.query(copyFrom(`copy ${quoted(table.name)} (${list}) from stdin`));
  const hash = createHash('sha256');
  const summed = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      hash.update(chunk);
      callback(null, chunk);
    },
  });
  await pipeline(content, summed, rows).catch((cause: unknown) => {
    throw new BackupError(
      'broken_backup',
      `${table.name} cannot be read: ${String((cause as Error).message)}`,
      {
        cause,
      },
    );
  });
  refuseOtherSum(table, hash);
  if (rows.rowCount !== table.rows) {
    throw new BackupError(
      'broken_backup',
      `the backup has ${rows.rowCount} rows of ${table.name}, but its manifest lists ${table.rows}; use another backup`,
    );
  }
}

async function refuseDamaged(archive: Archive, table: Table): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(await archive.read(entryOf(table.name)), hash).catch((cause: unknown) => {
    throw damaged(table, `cannot be unpacked (${(cause as Error).message})`, { cause });
  });
  refuseOtherSum(table, hash);
}

function refuseOtherSum(table: Table, hash: Hash): void {
  if (hash.digest('hex') !== table.sha256) throw damaged(table, 'does not match its checksum');
}

function damaged({ name }: Table, how: string, options?: ErrorOptions): BackupError {
  const says = `the backup is damaged: ${entryOf(name)} ${how}; use another backup`;
  return new BackupError('broken_backup', says, options);
}

interface Archive {
  read(name: string): Promise<Readable>;
  close(): void;
}

async function openArchive(file: string): Promise<Archive> {
  const options = { lazyEntries: true, autoClose: false };
  const zip = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(file, options).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== undefined) throw cause;
      throw new BackupError('not_a_backup', `${file} is not a backup of Continuo, or it was cut off`, {
        cause,
      });
    },
  );
  const entries = new Map<string, yauzl.Entry>();
  await new Promise<void>((resolve, reject) => {
    zip.once('error', reject).once('end', resolve);
    zip.on('entry', (entry: yauzl.Entry) => {
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
  const open = promisify(
    zip.openReadStream.bind(zip) as (
      entry: yauzl.Entry,
      callback: (error: Error | null, stream: Readable) => void,
    ) => void,
  );
  return {
    read: async (name) => {
      const entry = entries.get(name);
      if (!entry)
        throw new BackupError('not_a_backup', `${file} has no ${name}; it is not a backup of Continuo`);
      return open(entry);
    },
    close: () => zip.close(),
  };
}
