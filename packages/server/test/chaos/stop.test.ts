// SIGSTOP past the lease, then SIGCONT: a pod that hangs is given up, and what it had begun is fenced off when it wakes
// up, at 8 random places. CONTINUO_CHAOS=long: 5 times at each of 20 places.

import { randomUUID } from 'node:crypto';
import { afterAll, expect, onTestFailed, test } from 'vitest';
import { createThread, followToEnd, send, until } from '@continuo/testkit';
import { freshDatabase, startPod, type TestDatabase, type TestPod } from '@continuo/testkit/fixtures';
import { Fleet, holdCounts, readHolds, recordHolds, registeredAs } from './killing/fleet.ts';
import { Load } from './killing/load.ts';
import { createRandom, long } from './support/seeded.ts';
import { stopAt, stopInsideTool, stopNow, takenOver, wake, type StoppedPod } from './killing/stopping.ts';
import { violations } from './killing/violations.ts';

const CLIENTS = 9;
const ACTIVE = 4;
const RANDOM = 'at random';
const INSIDE_TOOL = 'inside a transactional tool';

const PLACES = [
  ...['message', 'message_start', 'token', 'message_end', 'tool_start', 'final'].map(
    (type) => `append.before.${type}`,
  ),
  ...['token', 'message_end', 'tool_end', 'final'].map((type) => `append.inside.${type}`),
  ...['before', 'inside', 'commit'].map((moment) => `transact.${moment}.tool_end`),
  'tool.after_effect.transactional',
  'tool.before_effect.external',
  'tool.before_effect.idempotent',
  INSIDE_TOOL,
  INSIDE_TOOL,
  RANDOM,
  RANDOM,
];
const STOPS = long ? PLACES.length * 5 : 8;

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function databaseForTest(): Promise<TestDatabase> {
  const database = await freshDatabase();
  cleanups.push(() => database.drop());
  return database;
}

test(
  `RUN-11 a pod that was stopped past its lease, ${STOPS} times, can neither append nor take effect, and goes on serving`,
  { timeout: STOPS * 12_000 },
  async () => {
    const random = createRandom();
    console.log(`CONTINUO_CHAOS_SEED=${random.seed}`);
    const database = await databaseForTest();
    await recordHolds(database);
    const fleet = new Fleet({ databaseUrl: database.url });
    cleanups.push(() => fleet.end());
    onTestFailed(() => console.log(fleet.logs));
    let stopped: TestPod | null = null;
    const awake = () => fleet.live.filter((pod) => pod !== stopped);
    const load = new Load({ bases: () => awake().map((pod) => pod.url), random, clients: CLIENTS });
    cleanups.push(() => load.abandon());
    fleet.fill(3);
    await fleet.atLeast(3);
    load.start();

    const active: number[] = [];
    let held = 0;
    const stop = async (pod: TestPod, where: string): Promise<StoppedPod> => {
      if (where === RANDOM) return stopNow(database, pod);
      if (where === INSIDE_TOOL)
        return stopInsideTool(database, pod, load, awake().find((other) => other !== pod)!.url);
      return stopAt(database, pod, `${where}#${random.between(1, 3)}`);
    };
    const places = random.shuffled(Array.from({ length: long ? 5 : 1 }, () => PLACES).flat());
    for (const where of places.slice(0, STOPS)) {
      await until(`${ACTIVE} runs are active`, () => load.open >= ACTIVE);
      const pod = await until('a pod executes runs', async () => {
        const holds = await holdCounts(database);
        const candidates = fleet.live.filter((each) => holds.has(each.process.pid!));
        return candidates.length > 0 && random.pick(candidates);
      });
      load.prefer(pod.url);
      const sleeper = await stop(pod, where);
      stopped = pod;
      active.push(load.open);
      held += sleeper.held.length;
      await takenOver(database, sleeper);
      await wake(database, sleeper);
      stopped = null;
      await executes(database, pod);
    }
    load.prefer(null);
    const runs = await load.finish();
    console.log(
      `${STOPS} stops, ${held} threads held by the stopped, ${runs.length} runs, at least ${Math.min(...active)} of them open at every stop`,
    );
    expect(await violations(database, runs)).toEqual([]);
    expect(Math.min(...active)).toBeGreaterThanOrEqual(ACTIVE);

    // Nothing that they lost holds them back: all that were stopped drain and end.
    for (const pod of fleet.live) pod.kill('SIGTERM');
    await until('all pods have drained', () => fleet.live.length === 0);
    expect(fleet.codes).toEqual([0, 0, 0]);
  },
);

/** New work is done by the very pod that is asked. */
async function executes(database: TestDatabase, pod: TestPod): Promise<void> {
  await until('the woken pod executes a run', async () => {
    const threadId = await createThread(pod.url);
    const { id } = await send(pod.url, threadId, { steps: [{ text: 'as before' }] });
    await followToEnd(() => [pod.url], id);
    const holds = await readHolds(database);
    return holds.some((hold) => hold.thread_id === threadId && hold.pid === pod.process.pid);
  });
}

test('RUN-11 pods that slept past their leases together keep their places', async () => {
  const database = await databaseForTest();
  const pods = await Promise.all(
    [1, 2, 3].map(() => startPod({ databaseUrl: database.url, leaseSeconds: 3 })),
  );
  for (const pod of pods) cleanups.push(() => pod.end());
  const places = async () => (await database.pool.query('select id from pods order by id')).rows;
  const before = await places();
  for (const pod of pods) pod.kill('SIGSTOP');
  await until('all leases are over', async () => (await late(database)) === 3);
  for (const pod of pods) pod.kill('SIGCONT');
  await until('all are renewed', async () => (await late(database)) === 0);
  expect(await places()).toEqual(before);
});

test('RUN-11 a pod that slept past its lease while it was renewed keeps its place', async () => {
  const database = await databaseForTest();
  const pod = await startPod({ databaseUrl: database.url, leaseSeconds: 3 });
  cleanups.push(() => pod.end());
  const before = await registeredAs(database, pod);
  const blocker = await database.pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('select from pods for update');
    await until('it asks to be renewed', async () => {
      const { rowCount } = await database.pool.query(
        "select from pg_stat_activity where query like '%pod_tick%' and wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    });
    pod.kill('SIGSTOP');
    await blocker.query('rollback');
  } finally {
    blocker.release();
  }
  await until('its lease is over', async () => (await late(database)) === 1);
  pod.kill('SIGCONT');
  await until('it is renewed', async () => (await late(database)) === 0);
  expect(await registeredAs(database, pod)).toEqual(before);
});

/** How many pods have not been renewed within their lease. */
async function late({ pool }: TestDatabase): Promise<number | null> {
  return (await pool.query('select from pods where heartbeat_at < clock_timestamp() - lease')).rowCount;
}

test('RUN-11 a pod whose connection does not answer, while another would, registers anew', async () => {
  const database = await databaseForTest();
  const pod = await startPod({ databaseUrl: database.url });
  cleanups.push(() => pod.end());
  const [before] = await registeredAs(database, pod);
  const blocker = await database.pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('select from pods for update');
    await until('it has another place', async () =>
      (await registeredAs(database, pod)).some((id) => id !== before),
    );
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
});

test('RUN-11 a pod whose connection falls silent while it registers anew tries another', async () => {
  const database = await databaseForTest();
  const pod = await startPod({ databaseUrl: database.url });
  cleanups.push(() => pod.end());
  const blocker = await database.pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table pods');
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_locks where database = (select oid from pg_database where datname = current_database()) and locktype = 'advisory' and classid = 4400",
    );
    await until('two connections wait for a place', async () => {
      const sql =
        "select from pg_stat_activity where query like 'insert into pods%' and wait_event_type = 'Lock'";
      return (await database.pool.query(sql)).rowCount === 2;
    });
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  await until('it has a place', async () => (await registeredAs(database, pod)).length > 0);
});

test('RUN-11 a pod that was given up cannot put its freed thread to sleep', async () => {
  const { pool } = await databaseForTest();
  const [thread, gone, other] = [randomUUID(), randomUUID(), randomUUID()];
  await pool.query(
    'insert into threads (id, workspace_id, owner, attempt) select $1, id, $2, 1 from workspaces',
    [thread, gone],
  );
  const { rows } = await pool.query<{ freed: number }>('select freed from pod_tick($1, 4400)', [other]);
  expect(rows).toEqual([{ freed: 1 }]);
  // It has not noticed yet, and looks what there is to do.
  await pool.query('select from take_facts($1, 1)', [thread]);
  const due = await pool.query('select from threads where id = $1 and wake_at <= clock_timestamp()', [
    thread,
  ]);
  expect(due.rowCount).toBe(1);
});

test('RUN-11 a pod that is late, or was removed, does not presume other pods dead', async () => {
  const { pool } = await databaseForTest();
  const [late, removed, inTime] = [randomUUID(), randomUUID(), randomUUID()];
  const lock = await pool.connect();
  try {
    await lock.query(
      'select pg_advisory_lock(4400, 1), pg_advisory_lock(4400, 2), pg_advisory_lock(4400, 3)',
    );
    await pool.query(
      `insert into pods (id, number, name, lease, heartbeat_at) values ($1, 1, 'sleeps', '1 s', now() - interval '1 h'),
        ($2, 2, 'late', '1 s', now() - interval '1 h'), ($3, 3, 'in time', '1 h', now())`,
      [randomUUID(), late, inTime],
    );
    const removes = async (id: string) =>
      (await pool.query<{ removed: number }>('select removed from pod_tick($1, 4400)', [id])).rows[0]!
        .removed;
    expect([await removes(late), await removes(removed), await removes(inTime)]).toEqual([0, 0, 1]);
  } finally {
    lock.release(true);
  }
});

test('RUN-11 pods that are late together do not wait for each other', async () => {
  const { pool } = await databaseForTest();
  const [late, other] = [randomUUID(), randomUUID()];
  await pool.query(
    `insert into pods (id, number, name, lease, heartbeat_at)
      values ($1, 1, 'late', '1 s', now() - interval '1 h'), ($2, 2, 'other', '1 h', now())`,
    [late, other],
  );
  const renewing = await pool.connect();
  try {
    await renewing.query('begin');
    await renewing.query('update pods set heartbeat_at = clock_timestamp() where id = $1', [late]);
    const { rows } = await pool.query<{ removed: number }>('select removed from pod_tick($1, 4400)', [other]);
    expect(rows).toEqual([{ removed: 0 }]);
  } finally {
    await renewing.query('commit');
    renewing.release();
  }
});
