// Backup, restore, migrate and doctor, as commands.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { until } from '@continuo/testkit';
import {
  emptyDatabase,
  freshDatabase,
  holdTable,
  startPod,
  usePod,
  waitedFor,
  type TestDatabase,
} from '@continuo/testkit/fixtures';
import { continuo, start } from './support.ts';

const world = usePod();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'continuo-upkeep-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function empty(): Promise<TestDatabase> {
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  return database;
}
/** The home is always in the test's own folder. */
const on = (databaseUrl: string, args: readonly string[], env: Record<string, string> = {}) =>
  continuo(args, { cwd: folder, env: { DATABASE_URL: databaseUrl, NO_COLOR: '1', ...env } });

test('PLUS-5 backup and restore copy everything to another database while a server runs', async () => {
  await continuo(['files', 'write', '/kept.md', '--url', world.url], { input: 'kept' });
  const file = join(folder, 'all.zip');
  const saved = await on(world.database.url, ['backup', file]);
  expect(saved.code).toBe(0);
  expect(saved.stdout).toMatch(/^\d+ rows of \d+ tables, .* are in .*all\.zip\n$/);
  // Without a terminal: a line for each table.
  expect(saved.stderr).toMatch(/^1\/\d+ \w+: \d+ rows?\n/);
  // Only the owner may read it.
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await on(world.database.url, ['backup', file])).toMatchObject({ code: 5 });
  const again = await on(world.database.url, ['backup', file, '--force', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ file, format: 1, tables: expect.any(Array) });
  expect(again.stderr).toBe('');

  const target = await empty();
  expect((await on(target.url, ['restore', file])).stdout).toMatch(
    /^\d+ rows as of .* are restored\. Start with: continuo\n$/,
  );
  const { rows } = await target.pool.query<{ path: string }>(
    "select path from files where path = '/kept.md'",
  );
  expect(rows).toHaveLength(1);
  const refused = await on(target.url, ['restore', file, '--json']);
  expect(refused.code).toBe(5);
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'not_empty',
    message: expect.stringContaining('is already completely restored into this database'),
  });
  expect(await on(target.url, ['restore', join(folder, 'none.zip')])).toMatchObject({ code: 4 });
});

test('PLUS-5 with a closed stdout, backup and restore complete', async () => {
  const file = join(folder, 'unread.zip');
  const target = await empty();
  for (const [url, args] of [
    [world.database.url, ['backup', file]],
    [target.url, ['restore', file]],
  ] as const) {
    const { child, ended } = start(args, { cwd: folder, env: { DATABASE_URL: url } });
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await ended).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual(['unread.zip']);
  }
  const { rows } = await target.pool.query("select from workspaces where name = 'default'");
  expect(rows).toHaveLength(1);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'PLUS-5 a backup that is ended by %s leaves no file, and says so',
  async (signal) => {
    const source = await freshDatabase();
    onTestFinished(() => source.drop());
    onTestFinished(await holdTable(source, 'threads', 'access exclusive'));
    const { child, ended } = start(['backup', 'all.zip'], {
      cwd: folder,
      env: { DATABASE_URL: source.url, NO_COLOR: '1' },
    });
    await waitedFor(source, 'threads');
    expect(readdirSync(folder)).toEqual(['all.zip.partial']);
    // As under npx, where one Ctrl-C arrives twice.
    child.kill(signal);
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toMatch(/error Interrupted; all\.zip was not written\.\n$/);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('PLUS-5 a restore that is ended by Ctrl-C leaves the database empty, and can be repeated', async () => {
  const file = join(folder, 'all.zip');
  await on(world.database.url, ['backup', file]);
  const target = await empty();
  // Waits when all rows are inserted and nothing is committed.
  await target.pool.query(`
    create function wait_for_test() returns event_trigger language plpgsql as $$
    declare filled boolean := false;
    begin
      if to_regclass('public.workspaces') is not null then
        execute 'select exists (select from public.workspaces)' into filled;
      end if;
      if filled and current_query() like 'comment on table migrations%' then perform pg_advisory_xact_lock(77); end if;
    end $$`);
  await target.pool.query(
    'create event trigger wait_for_test on ddl_command_end execute function wait_for_test()',
  );
  const holder = await target.pool.connect();
  await holder.query('select pg_advisory_lock(77)');
  const { child, ended } = start(['restore', file], {
    cwd: folder,
    env: { DATABASE_URL: target.url, NO_COLOR: '1' },
  });
  await until('the migration waits at its gate', async () => {
    const { rowCount } = await holder.query(
      "select from pg_locks where locktype = 'advisory' and objid = 77 and not granted and database = (select oid from pg_database where datname = current_database())",
    );
    return rowCount === 1;
  });
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  await holder.query('select pg_advisory_unlock(77)');
  holder.release();
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  expect(stderr).toMatch(/error Interrupted; nothing was restored, and the database is empty\.\n$/);
  await target.pool.query('drop event trigger wait_for_test');
  expect(await on(target.url, ['restore', file])).toMatchObject({ code: 0 });
});

test('PLUS-5 without a reachable database, backup says so and creates no file', async () => {
  const none = await continuo(['backup', 'all.zip', '--home', 'nowhere'], { cwd: folder });
  expect(none).toMatchObject({ code: 4, stdout: '' });
  expect(none.stderr).toContain('There is no database in');
  const away = await on('postgres://nobody@127.0.0.1:1/none', ['backup', 'all.zip']);
  expect(away).toMatchObject({ code: 1, stdout: '' });
  expect(away.stderr).toContain('ECONNREFUSED');
  expect(readdirSync(folder)).toEqual([]);
});

test('PLUS-5 a backup that cannot be written is refused with what to do', async () => {
  const missing = await on(world.database.url, ['backup', 'none/all.zip']);
  expect(missing).toMatchObject({ code: 4, stdout: '' });
  expect(missing.stderr).toContain(`there is no folder ${join(folder, 'none')}; create it`);
  for (const force of [[], ['--force']]) {
    const { code, stdout, stderr } = await on(world.database.url, ['backup', '.', ...force]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error ${folder} is a folder; name a file, such as ${join(folder, 'continuo.zip')}\n`,
    );
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('PLUS-5 migrate brings a schema up to date, once', async () => {
  const database = await empty();
  const first = await on(database.url, ['migrate', '--json']);
  expect(JSON.parse(first.stdout).applied[0]).toBe('001_workspaces.sql');
  expect((await on(database.url, ['migrate'])).stdout).toBe('The schema is up to date.\n');
});

interface DoctorResult {
  ok: boolean;
  checks: { name: string; status: string; says: string; mend?: string }[];
}

async function doctor(databaseUrl: string, env: Record<string, string> = {}) {
  const { code, stdout } = await on(databaseUrl, ['doctor', '--json'], env);
  const result = JSON.parse(stdout) as DoctorResult;
  return { code, ok: result.ok, of: (name: string) => result.checks.filter((check) => check.name === name) };
}

test('PLUS-5 the doctor finds no problem before the first start, and changes nothing', async () => {
  const healthy = await doctor(world.database.url, { CONTINUO_URL: world.url, CONTINUO_PORT: '0' });
  expect(healthy).toMatchObject({ code: 0, ok: true });
  expect(healthy.of('database')).toMatchObject([{ status: 'ok' }]);
  expect(healthy.of('server')).toMatchObject([{ status: 'ok' }]);
  expect(healthy.of('model')).toMatchObject([
    { status: 'warn', mend: expect.stringContaining('ANTHROPIC_API_KEY') },
  ]);
  // What it says depends on the machine; a missing sandbox is no problem, and comes with its remedy.
  const [sandbox] = healthy.of('sandbox');
  expect(sandbox).toMatchObject(
    sandbox?.status === 'ok' ? { says: expect.stringContaining('bubblewrap') } : { mend: expect.any(String) },
  );
  expect(existsSync(join(folder, '.continuo'))).toBe(false);
  const shown = await on(world.database.url, ['doctor'], { CONTINUO_URL: world.url, CONTINUO_PORT: '0' });
  expect(shown.stdout).toMatch(/^✓ database +the external Postgres answers/m);
  expect(shown.stderr).toBe('No problems found.\n');
});

test('PLUS-5 the doctor reports held removals, and where to decide', async () => {
  const { pool } = world.database;
  await pool.query('insert into held_removals (workspace_id, files) select id, 24 from workspaces');
  onTestFinished(async () => void (await pool.query('delete from held_removals')));
  const result = await doctor(world.database.url, { CONTINUO_URL: world.url, CONTINUO_PORT: '0' });
  expect(result.ok).toBe(true);
  expect(result.of('folders').at(-1)).toMatchObject({
    status: 'warn',
    says: expect.stringContaining('24 files disappeared from the folder of default'),
    mend: expect.stringContaining(`${world.url}/files`),
  });
});

test('PLUS-5 the doctor reports problems and how to fix them', async () => {
  const settings = await doctor(world.database.url, {
    CONTINUO_PORT: 'x',
    CONTINUO_MODLE: 'y',
    CONTINUO_MODEL: 'openai/gpt',
  });
  expect(settings).toMatchObject({ code: 1, ok: false });
  expect(settings.of('settings').map(({ mend }) => mend)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('did you mean CONTINUO_MODEL'),
      expect.stringContaining('allowed: a whole number'),
      expect.stringContaining('OPENAI_API_KEY'),
    ]),
  );

  const unused = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  const { port } = unused.address() as AddressInfo;
  const taken = await doctor(world.database.url, { CONTINUO_PORT: String(port) });
  expect(taken.of('port')).toMatchObject([{ status: 'bad', mend: expect.stringContaining('--port') }]);
  await new Promise((resolve) => unused.close(resolve));
  const away = await doctor(`postgres://nobody@127.0.0.1:${port}/none`, {
    CONTINUO_PORT: '0',
    CONTINUO_URL: `http://127.0.0.1:${port}`,
  });
  expect(away.code).toBe(1);
  expect(away.of('database')).toMatchObject([
    { status: 'bad', mend: expect.stringContaining('Check that it runs') },
  ]);
  expect(away.of('server')).toMatchObject([
    { status: 'bad', says: expect.stringContaining('no server answers') },
  ]);

  const old = await empty();
  expect((await doctor(old.url)).of('database')).toMatchObject([
    { status: 'warn', mend: expect.stringContaining('continuo migrate') },
  ]);
  await on(old.url, ['migrate']);
  await old.pool.query("update definitions set hash = '' where name = 'function enqueue_run'");
  expect((await doctor(old.url)).of('database')).toMatchObject([
    { status: 'warn', says: expect.stringContaining('1 of its functions') },
  ]);
  await old.pool.query("insert into migrations (name) values ('999_future.sql')");
  expect((await doctor(old.url)).of('database')).toMatchObject([
    { status: 'bad', says: expect.stringContaining('999_future.sql') },
  ]);

  mkdirSync(join(folder, '.continuo'));
  writeFileSync(join(folder, '.continuo/workspaces'), '');
  expect((await doctor(old.url)).of('folders')).toMatchObject([
    { status: 'bad', says: expect.stringContaining('not a folder') },
  ]);
});

test.skipIf(process.getuid?.() === 0)(
  'PLUS-5 the doctor finds a data folder that cannot be written',
  async () => {
    chmodSync(folder, 0o500);
    expect((await doctor(world.database.url)).of('disk')).toMatchObject([
      { status: 'bad', mend: expect.stringContaining('chown') },
    ]);
    chmodSync(folder, 0o700);
  },
);

test('PLUS-5 a server that requires its key is distinct from an unreachable one', async () => {
  const key = 'a-key-of-enough-characters';
  const pod = await startPod({ databaseUrl: world.database.url, env: { CONTINUO_API_KEY: key } });
  onTestFinished(() => pod.end());
  const refused = await continuo(['runs'], { env: { CONTINUO_URL: pod.url, CONTINUO_PERSON_TOKEN: '' } });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('Set CONTINUO_API_KEY');
  expect(
    (await doctor(world.database.url, { CONTINUO_URL: pod.url, CONTINUO_PORT: '0' })).of('server'),
  ).toMatchObject([{ status: 'bad', mend: expect.stringContaining('CONTINUO_API_KEY') }]);
  expect(await continuo(['runs'], { env: { CONTINUO_URL: pod.url, CONTINUO_API_KEY: key } })).toMatchObject({
    code: 0,
  });
});
