// Backup and restoration, against real databases that a real pod writes to.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { createThread, follow, send } from '@continuo/testkit';
import {
  brokenInvariants,
  emptyDatabase,
  freshDatabase,
  holdTable,
  startPod,
  waitedFor,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { backup } from '../../src/upkeep/backup.ts';
import { restore } from '../../src/upkeep/restore.ts';
import { migrationNames, migrationText, MIGRATIONS_TABLE } from '../../src/db/migrate.ts';

let folder: string;
let file: string;
const opened: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'continuo-backup-'));
  file = join(folder, 'everything.zip');
});
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function use(made: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await made;
  opened.push(() => database.drop());
  return database;
}

async function pod(database: TestDatabase): Promise<TestPod> {
  const started = await startPod({ databaseUrl: database.url });
  opened.push(() => started.end());
  return started;
}

const settings = ({ url }: TestDatabase) => ({
  connection: url,
  applicationName: 'continuo-test',
  leaseSeconds: 5,
});
const save = (database: TestDatabase, to = file) =>
  backup({ database: settings(database), file: to, now: () => new Date(0) });
const load = (database: TestDatabase, from = file) => restore({ database: settings(database), file: from });

/** What the database is made of, apart from rows. */
async function shape(pool: pg.Pool): Promise<unknown> {
  const ask = async (sql: string) => (await pool.query(sql)).rows;
  return {
    triggers: await ask(
      "select tgrelid::regclass::text as on, tgname, tgenabled, tgtype from pg_trigger where not tgisinternal and tgrelid::regclass::text <> 'effects' order by 1, 2",
    ),
    indexes: await ask(
      "select indexdef from pg_indexes where schemaname = 'public' and tablename <> 'effects' order by 1",
    ),
    columns: await ask(
      "select table_name, column_name, data_type, column_default from information_schema.columns where table_schema = 'public' and table_name <> 'effects' order by 1, 2",
    ),
  };
}

const FILE = '/api/v1/workspaces/default/files/raw.bin';

async function write(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await fetch(`${url}${FILE}`, { method: 'PUT', body: bytes });
  if (!response.ok) throw new Error(await response.text());
}

test('PLUS-5 a backup is one moment of a database that is being written to; restored, every row, sequence and trigger is the same', async () => {
  const source = await use(freshDatabase());
  const writer = await pod(source);
  // What jsonb and text would not keep, and bytes of every kind over several chunks.
  const odd = await createThread(writer.url);
  const run = await send(writer.url, odd, {
    steps: [{ text: 'NUL \0, a lone \ud800, a tab\t, a \\ and a line\n', reasoning: 'a \\N' }],
  });
  await Array.fromAsync(follow(writer.url, run.id));
  const bytes = Uint8Array.from({ length: 700_000 }, (_, index) => (index * index) % 256);
  await write(writer.url, bytes);
  const threads = await Promise.all(Array.from({ length: 6 }, () => createThread(writer.url)));
  const runs = await Promise.all(
    threads.map((thread) => send(writer.url, thread, { steps: [{ tokens: 200, delay_ms: 20 }] })),
  );
  const manifest = await save(source);
  await writer.end();

  const target = await use(emptyDatabase());
  const { migrated } = await load(target);
  expect(migrated).toEqual([]);
  expect(await brokenInvariants(target.pool)).toEqual([]);
  expect(await shape(target.pool)).toEqual(await shape(source.pool));
  const again = await save(target, join(folder, 'again.zip'));
  expect(again).toEqual({ ...manifest, tables: again.tables });
  expect(again.tables).toEqual(manifest.tables);
  const open = await target.pool.query("select from runs where status in ('queued', 'running')");
  expect(open.rowCount).toBe(runs.length);

  await expect(target.pool.query("update events set type = 'x'")).rejects.toThrow('append-only');
  await expect(target.pool.query('delete from file_versions')).rejects.toThrow('append-only');

  const taken = await pod(target);
  const content = await fetch(`${taken.url}${FILE}`);
  expect(new Uint8Array(await content.arrayBuffer())).toEqual(bytes);
  // The run that was open at that moment continues, and the next one follows in the same log.
  const ended = await Promise.all(runs.map(({ id }) => Array.fromAsync(follow(taken.url, id))));
  expect(ended.map((frames) => frames.at(-1)?.data)).toEqual(runs.map(() => ({ status: 'done' })));
  const next = await send(taken.url, odd, { steps: [{ text: 'and on' }] });
  await Array.fromAsync(follow(taken.url, next.id));
  await write(taken.url, bytes.slice(0, 10));
  expect(await brokenInvariants(target.pool)).toEqual([]);
});

test('PLUS-5 every table and sequence of a migrated database is in a backup, except pods, snapshots and definitions', async () => {
  const source = await use(freshDatabase());
  const { tables, sequences } = await save(source);
  const { rows } = await source.pool.query<{ name: string; kind: string }>(
    "select relname as name, relkind as kind from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') and relname !~ '^effects'",
  );
  const names = (kind: string) => rows.filter((row) => row.kind === kind).map(({ name }) => name);
  expect(tables.map(({ name }) => name).toSorted()).toEqual(
    names('r')
      .filter((name) => !['pods', 'thread_snapshots', 'definitions'].includes(name))
      .toSorted(),
  );
  expect(sequences.map(({ name }) => name)).toEqual(names('S'));
});

test('PLUS-5 an older backup is restored into its own schema, then migrated', async () => {
  const [first] = await migrationNames();
  const source = await use(emptyDatabase());
  await source.pool.query(MIGRATIONS_TABLE);
  await source.pool.query(await migrationText(first!));
  await source.pool.query('insert into migrations (name) values ($1)', [first]);
  await source.pool.query("insert into workspaces (id, name) values (gen_random_uuid(), 'old')");
  await save(source);

  const target = await use(emptyDatabase());
  const { manifest, migrated } = await load(target);
  expect(manifest.schema).toEqual([first]);
  expect(migrated).toEqual((await migrationNames()).slice(1));
  const { rows } = await target.pool.query<{ name: string }>('select name from workspaces order by name');
  expect(rows.map(({ name }) => name)).toEqual(['default', 'old']);
});

test('PLUS-5 a restore that is tried again after it was complete says so', async () => {
  await save(await use(freshDatabase()));
  const target = await use(emptyDatabase());
  await load(target);
  await expect(load(target)).rejects.toMatchObject({
    code: 'not_empty',
    message: expect.stringContaining('already completely restored into this database'),
  });
});

test('PLUS-5 what is not empty is not restored into, and a broken backup leaves the database empty', async () => {
  const source = await use(freshDatabase());
  await save(source);
  await expect(load(source)).rejects.toMatchObject({ code: 'not_empty' });

  const target = await use(emptyDatabase());
  const whole = readFileSync(file);
  const broken = join(folder, 'broken.zip');
  const refused = async (bytes: Buffer, code: string, message = '') => {
    writeFileSync(broken, bytes);
    await expect(load(target, broken)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    const { rows } = await target.pool.query(
      "select 1 from pg_class where relnamespace = 'public'::regnamespace",
    );
    expect(rows).toEqual([]);
  };
  await refused(whole.subarray(0, whole.length - 100), 'not_a_backup');
  await refused(Buffer.from('no zip at all'), 'not_a_backup');
  // One byte of the packed rows of the workspaces: some of them can still be unpacked.
  const packed = whole.indexOf('tables/workspaces.copy') + 'tables/workspaces.copy'.length;
  for (let place = packed + 12; place < packed + 28; place += 1) {
    const changed = Buffer.from(whole);
    changed[place] = changed[place]! ^ 1;
    await refused(changed, 'broken_backup', 'the backup is damaged: tables/workspaces.copy ');
  }
  await expect(load(target, join(folder, 'none.zip'))).rejects.toMatchObject({ code: 'ENOENT' });

  await source.pool.query("insert into migrations (name) values ('999_future.sql')");
  await expect(save(source, join(folder, 'newer.zip'))).rejects.toMatchObject({ code: 'newer_backup' });
  await source.pool.query("update migrations set name = '001_ground.sql' where name = '999_future.sql'");
  await expect(save(source, join(folder, 'old.zip'))).rejects.toMatchObject({
    code: 'old_backup',
    message: expect.stringContaining('before the first release'),
  });
});

/** The backup with some entries as a test wants them. */
async function repacked(change: (name: string, content: Buffer) => Buffer): Promise<string> {
  const zip = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(file, { autoClose: false });
  const entries: yauzl.Entry[] = [];
  await new Promise((resolve) => zip.on('entry', (entry) => entries.push(entry)).once('end', resolve));
  const open = promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip));
  const packed = new yazl.ZipFile();
  for (const entry of entries) {
    packed.addBuffer(change(entry.fileName, await buffer(await open(entry))), entry.fileName);
  }
  zip.close();
  packed.end();
  const made = join(folder, 'repacked.zip');
  writeFileSync(made, await buffer(packed.outputStream as Readable));
  return made;
}

test('PLUS-5 each entry of a backup is unpacked once, and whatever is wrong with its rows, the checksum is told first', async () => {
  const source = await use(freshDatabase());
  const { tables } = await save(source);
  const whole = await use(emptyDatabase());
  const unpacked = vi.spyOn(yauzl.ZipFile.prototype, 'openReadStream');
  onTestFinished(() => unpacked.mockRestore());
  await load(whole);
  expect(unpacked).toHaveBeenCalledTimes(tables.length + 1);
  unpacked.mockRestore();

  const target = await use(emptyDatabase());
  const refused = async (message: string, change: Parameters<typeof repacked>[0]) => {
    await expect(load(target, await repacked(change))).rejects.toMatchObject({
      code: 'broken_backup',
      message: expect.stringContaining(message),
    });
    const { rows } = await target.pool.query(
      "select 1 from pg_class where relnamespace = 'public'::regnamespace",
    );
    expect(rows).toEqual([]);
  };
  const entry = 'tables/workspaces.copy';
  const damaged = `the backup is damaged: ${entry} does not match its checksum; use another backup`;
  const instead = (from: string, to: string) => (name: string, content: Buffer) =>
    name === entry ? Buffer.from(content.toString().replace(from, to)) : content;
  // What Postgres takes, and what it does not.
  await refused(damaged, instead('default', 'another'));
  await refused(damaged, instead('\t', '\tx\t'));
  await refused(damaged, (name, content) => (name === entry ? Buffer.alloc(0) : content));
  // As it was written, and still not what this database takes.
  const odd = Buffer.from('no row\n');
  const sum = createHash('sha256').update(odd).digest('hex');
  const { sha256 } = tables.find(({ name }) => name === 'workspaces')!;
  await refused('workspaces cannot be read: ', (name, content) =>
    name === entry
      ? odd
      : name === 'manifest.json'
        ? Buffer.from(content.toString().replace(sha256, sum))
        : content,
  );
});

test('PLUS-5 a place that a backup cannot be written to is refused before the database is asked', async () => {
  const nobody = { connection: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'x', leaseSeconds: 5 };
  const to = (place: string) => backup({ database: nobody, file: place, now: () => new Date(0) });
  await expect(to(join(folder, 'none/all.zip'))).rejects.toMatchObject({
    code: 'folder_not_found',
    message: `there is no folder ${join(folder, 'none')}; create it, or name another`,
  });
  writeFileSync(file, 'a file');
  await expect(to(join(file, 'all.zip'))).rejects.toMatchObject({ code: 'folder_not_found' });
  mkdirSync(join(folder, 'taken.zip.partial'));
  await expect(to(join(folder, 'taken.zip'))).rejects.toMatchObject({ code: 'not_writable' });
  await expect(to(folder)).rejects.toMatchObject({
    code: 'is_a_folder',
    message: expect.stringContaining(join(folder, 'continuo.zip')),
  });
  // Somewhere to write to, and nobody to ask.
  await expect(to(join(folder, 'all.zip'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(readdirSync(folder).toSorted()).toEqual(['everything.zip', 'taken.zip.partial']);
});

test('PLUS-5 a backup that breaks midway fails once, and leaves nothing behind', async () => {
  const source = await use(freshDatabase());
  // More than every buffer on the way holds.
  await source.pool.query(
    `insert into threads (id, workspace_id, title)
      select gen_random_uuid(), w.id, repeat(md5(n::text), 4) from generate_series(1, 20000) n, workspaces w`,
  );
  // So that it cannot be faster than what ends it.
  const letGo = await holdTable(source, 'threads', 'access exclusive');
  const ended = expect(save(source)).rejects.toMatchObject({ message: expect.stringMatching(/terminat/) });
  await waitedFor(source, 'threads');
  await source.pool.query(
    "select pg_terminate_backend(pid) from pg_locks where database = (select oid from pg_database where datname = current_database()) and relation = 'threads'::regclass and not granted",
  );
  await ended;
  await letGo();
  if (existsSync('/dev/full')) {
    symlinkSync('/dev/full', `${file}.partial`);
    await expect(save(source)).rejects.toMatchObject({ code: 'ENOSPC' });
  }
  expect(readdirSync(folder)).toEqual([]);
});
