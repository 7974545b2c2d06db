// What the embedded database survives: every process of it is killed in turn.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import {
  canRunUnder,
  cleanUp,
  emptyHome,
  isAlive,
  isRoot,
  type Opened,
  type Pod,
  postmasterOf,
  query,
  removeStoppedHome,
  serverIsDown,
  startPod,
  stoppedHome,
  watchdogOf,
} from './support/harness.ts';

afterEach(cleanUp);
afterAll(removeStoppedHome);

const NO_INSIGHT = ['setpriv', '--bounding-set=-sys_ptrace'];

function kill(pid: number | undefined): void {
  // Zero would be our own process group.
  if (!pid) throw new Error('there is no such process to kill');
  process.kill(pid, 'SIGKILL');
}

test('when all pods are killed, the server is stopped cleanly within ten seconds', async () => {
  const home = await stoppedHome();
  const pods = [startPod(home), startPod(home)];
  for (const pod of pods) await pod.open();
  const [postmaster, watchdog] = [postmasterOf(home), watchdogOf(home) ?? NaN];
  await Promise.all(pods.map((pod) => pod.kill()));
  await until('Postgres has stopped', () => !isAlive(postmaster), { within: 10_000 });
  await until('the watchdog has ended', () => !isAlive(watchdog));
  expect(readFileSync(join(home, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\n$/);
  expect(readdirSync(home).filter((name) => name.startsWith('postgres.pods'))).toEqual([]);
});

test('a server that was left by a killed pod, without a watchdog, is attached to and watched again', async () => {
  const home = await stoppedHome();
  const first = startPod(home);
  await first.open();
  const postmaster = postmasterOf(home);
  kill(watchdogOf(home));
  await first.kill();

  const second = startPod(home);
  expect((await second.open()).started).toBe(false);
  expect(postmasterOf(home)).toBe(postmaster);
  await second.kill();
  await until('Postgres has stopped', () => !isAlive(postmaster), { within: 10_000 });
});

test('the server survives a kill of the process group of the pod that started it', async () => {
  const home = await stoppedHome();
  const [starter, other] = [startPod(home, { detached: true }), startPod(home)];
  expect((await starter.open()).started).toBe(true);
  const opened = await other.open();
  const postmaster = postmasterOf(home);
  await starter.kill({ group: true });
  expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(postmasterOf(home)).toBe(postmaster);
});

test('a pod that comes right after the last one was killed gets a live server', async () => {
  const home = await stoppedHome();
  for (let round = 0; round < 5; round += 1) {
    const [leaver, comer] = [startPod(home), startPod(home)];
    await leaver.open();
    const [opened] = await Promise.all([comer.open(), leaver.kill()]);
    expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
    await comer.ask('release');
  }
});

test('after a kill of the server, pods that ask for it share one that has all committed rows', async () => {
  const home = await stoppedHome();
  const [one, other] = [startPod(home), startPod(home)];
  const opened = await one.open();
  await other.open();
  await query(opened, 'create table if not exists survived (id int)');
  await query(opened, 'insert into survived values (1)');
  const before = postmasterOf(home);
  kill(before);
  const answers = await Promise.all([one.ask('ensure'), other.ask('ensure')]);
  expect(answers.map(({ code }) => code)).toEqual([undefined, undefined]);
  expect(postmasterOf(home)).not.toBe(before);
  expect(await query(opened, 'select id from survived limit 1')).toEqual([{ id: 1 }]);
});

test('a killed server whose parent has not noticed looks alive, but is replaced', async () => {
  const home = await stoppedHome();
  const [parent, other] = [startPod(home), startPod(home)];
  await parent.open();
  const opened = await other.open();
  process.kill(parent.pid, 'SIGSTOP');
  kill(postmasterOf(home));
  expect(await other.ask('ensure')).not.toHaveProperty('code');
  expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a backend that is too busy to notice the death of its server does not block the next one', async () => {
  const home = await stoppedHome();
  await outlivesBusyBackend(home, startPod(home));
});

test.skipIf(!isRoot || !canRunUnder(NO_INSIGHT))(
  'nor does it for root in a container, who cannot look into other processes',
  async () => {
    const home = await stoppedHome();
    await outlivesBusyBackend(home, startPod(home, { under: NO_INSIGHT }));
  },
);

async function outlivesBusyBackend(home: string, pod: Pod): Promise<void> {
  const backend = await busyBackend(await pod.open());
  kill(postmasterOf(home));
  expect(isAlive(backend)).toBe(true);
  expect(await pod.ask('ensure')).not.toHaveProperty('code');
  expect(isAlive(backend)).toBe(false);
}

/** The process of a connection that computes for ever and looks at nothing else. */
async function busyBackend({ connection }: Opened): Promise<number> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  client
    .query('select count(*) from generate_series(1, 1e15::bigint) as n where n % 2 = 3')
    .catch(() => undefined);
  await until('the process runs', () => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') R '));
  return pid;
}

test('after a kill of server and watchdog, asking for the server brings both back', async () => {
  const home = await stoppedHome();
  const pod = startPod(home);
  const opened = await pod.open();
  const watchdog = watchdogOf(home);
  kill(watchdog);
  kill(postmasterOf(home));
  expect(await pod.ask('ensure')).not.toHaveProperty('code');
  expect(await query(opened, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(watchdogOf(home)).not.toBe(watchdog);
  const postmaster = postmasterOf(home);
  await pod.kill();
  await until('Postgres has stopped', () => !isAlive(postmaster), { within: 10_000 });
});

test('a server whose socket was removed is restarted', async () => {
  const home = await stoppedHome();
  const first = await startPod(home).open();
  rmSync(first.connection.host, { recursive: true });
  const second = await startPod(home).open();
  expect(second.connection).toEqual(first.connection);
  expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a postmaster.pid whose process id belongs to another program now is not in the way', async () => {
  const home = await stoppedHome();
  const data = join(home, 'postgres');
  const { uid } = statSync(data);
  const stranger = spawn('sleep', ['600'], isRoot ? { uid } : {});
  try {
    await once(stranger, 'spawn');
    writeFileSync(
      join(data, 'postmaster.pid'),
      `${stranger.pid}\n${data}\n1\n5432\n/nowhere\n\n1 1\nready\n`,
    );
    expect((await startPod(home).open()).started).toBe(true);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('a pod that is killed during initdb leaves no half database, and the next start succeeds', async () => {
  const home = emptyHome();
  const pod = startPod(home, { detached: true });
  const opening = pod.open().catch((error: unknown) => String(error));
  await until(
    'the cluster is begun',
    () => existsSync(home) && readdirSync(home).some((name) => isBegun(join(home, name))),
  );
  await pod.kill({ group: true });
  expect(await opening).toContain('ended before it answered');
  expect(existsSync(join(home, 'postgres'))).toBe(false);

  expect((await startPod(home).open()).started).toBe(true);
  expect(readdirSync(home).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
});

function isBegun(folder: string): boolean {
  return existsSync(join(folder, 'data', 'base'));
}

test('a server is not stopped under a pod that comes while the watchdog makes up its mind', async () => {
  const home = await stoppedHome();
  const leaver = startPod(home);
  await leaver.open();
  const watchdog = watchdogOf(home) ?? NaN;
  process.kill(watchdog, 'SIGSTOP');
  await leaver.kill();
  const comer = startPod(home);
  const opened = await comer.open();
  process.kill(watchdog, 'SIGCONT');
  await query(opened, 'select pg_sleep(0.2)');
  expect(serverIsDown(home)).toBe(false);
  expect(isAlive(watchdog)).toBe(true);
});
