// Postgres goes away under load. Pods bring it back or wait for it; what was acknowledged is still there.

import { expect, onTestFinished, test } from 'vitest';
import { createThread, followToEnd, send, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  makeHome,
  startPod,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { expectWhole, keepBusy } from './support/busy.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { residentMiB, rests } from './support/process.ts';
import { long, seeded } from './support/seeded.ts';
import { problemsOfDone, storedFrames } from './support/whole.ts';

const timeout = 1_800_000;
const KILLS = long ? 25 : 4;
/** Runs go on between two kills, however busy the machine is. */
const PATIENCE_MS = 120_000;

test(
  'RUN-9 pods whose Postgres is killed under load bring it back and lose nothing',
  { timeout },
  async () => {
    const chance = seeded(3);
    const home = makeHome();
    onTestFinished(() => home.remove());
    const start = () => startPod({ databaseUrl: '', armable: true, env: { CONTINUO_HOME: home.folder } });
    const pods = await Promise.all([start(), start()]);
    onTestFinished(async () => void (await Promise.all(pods.map((pod) => pod.end()))));
    const pool = home.connect();
    onTestFinished(() => pool.end());
    await pool.query('create table effects (id serial primary key, kind text, key text, note text)');

    const busy = keepBusy(
      pods.map((pod) => pod.url),
      { clients: 5, tokens: 60 },
    );
    const told: Acknowledged[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await Promise.race([
        until('4 runs are active', async () => (await active(pool)) >= 4, { within: PATIENCE_MS }),
        busy.failed,
      ]);
      const enough = busy.finished.length + chance.below(5);
      await Promise.race([
        until(`${enough} runs have finished`, () => busy.finished.length >= enough, { within: PATIENCE_MS }),
        busy.failed,
      ]);
      const postmaster = home.postmaster();
      process.kill(postmaster, 'SIGKILL');
      const isBack = () => ![0, postmaster].includes(home.postmaster());
      told.push(...(await Promise.all(pods.map((pod) => askUntilTaken(pod, isBack)))).flat());
    }
    await busy.stop();
    expect(pods.map((pod) => [pod.process.exitCode, pod.process.signalCode])).toEqual(
      pods.map(() => [null, null]),
    );
    process.stdout.write(
      `Postgres killed ${KILLS} times under ${busy.finished.length} runs, seed ${chance.seed}; ` +
        `${told.filter(({ status }) => status === 503).length} requests were told so\n`,
    );

    const refused = told.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const refusal of refused) {
      expect(refusal).toEqual({
        status: 503,
        code: 'database_unavailable',
        type: 'application/problem+json',
        retryAfter: '1',
      });
    }
    await expectWhole(pool, busy.finished);
  },
);

async function active(pool: { query(sql: string): Promise<{ rows: { n: number }[] }> }): Promise<number> {
  const found = await pool
    .query("select count(*)::int as n from runs where status = 'running'")
    .catch(() => null);
  return found?.rows[0]?.n ?? 0;
}

interface Acknowledged {
  readonly status: number;
  readonly code: unknown;
  readonly type: string | null;
  readonly retryAfter: string | null;
}

/** Posts threads until the database is back and takes one in; says what it was told. */
async function askUntilTaken(pod: TestPod, isBack: () => boolean): Promise<Acknowledged[]> {
  const told: Acknowledged[] = [];
  // The server processes of a killed Postgres may serve for a moment longer.
  while (told.at(-1)?.status !== 201 || !isBack()) {
    const response = await ask(pod);
    if (!response) continue;
    const { code } = (await response.json()) as { code?: unknown };
    const type = response.headers.get('content-type');
    told.push({ status: response.status, code, type, retryAfter: response.headers.get('retry-after') });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return told;
}

/** Null if the connection broke: a pod closes one that was idle, perhaps just when a request is sent on it. */
async function ask(pod: TestPod): Promise<Response | null> {
  try {
    return await fetch(`${pod.url}/api/threads`, { method: 'POST' });
  } catch (error) {
    const { code } = (error as Error).cause as { code?: unknown };
    if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return null;
    throw new Error(`a pod takes no connection (${String(code)}): ${pod.output()}`, { cause: error });
  }
}

test('RUN-9 a database that does not answer for longer than the lease costs no run what it had begun', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const proxy = await startCuttingProxy(database.url);
  onTestFinished(() => proxy.close());
  const pod = await startPod({ databaseUrl: proxy.url });
  onTestFinished(() => pod.end());
  const { id } = await send(pod.url, await createThread(pod.url), { steps: [{ tokens: 100, delay_ms: 20 }] });
  await until('the run streams', async () => (await talking(database.pool)) === 1);
  proxy.freeze();
  await pod.logged('trying another connection');
  const ready = await fetch(`${pod.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'unready', database: 'silent' }]);
  proxy.thaw();
  const frames = await followToEnd(() => [pod.url], id);
  expect(problemsOfDone(id, frames, 1)).toEqual([]);
  expect(frames.filter((frame) => frame.event === 'message_start')).toHaveLength(1);
  expect(pod.output()).not.toContain('no longer registered');
});

test(
  'L5 a pod whose database does not answer keeps a bounded part of what its models say',
  { timeout },
  async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const proxy = await startCuttingProxy(database.url);
    onTestFinished(() => proxy.close());
    const pod = await startPod({
      databaseUrl: proxy.url,
      armable: true,
      env: { CONTINUO_DIRECT_URL: database.url },
    });
    onTestFinished(() => pod.end());

    const before = residentMiB(pod.process.pid!);
    const runs = await Promise.all(
      Array.from({ length: RUNS }, async () => {
        const thread = await createThread(pod.url);
        return send(pod.url, thread, { steps: [{ tokens: TOKENS }] });
      }),
    );
    await until('all runs stream', async () => (await talking(database.pool)) === RUNS);
    proxy.freeze();
    await rests(pod.process.pid!);
    const after = residentMiB(pod.process.pid!);
    expect(await talking(database.pool)).toBe(RUNS);
    proxy.thaw();

    const streams = await Promise.all(runs.map((run) => followToEnd(() => [pod.url], run.id)));
    process.stdout.write(
      `${RUNS} models that say ${TOKENS} tokens while the database does not answer: ` +
        `${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB meanwhile\n`,
    );
    expect(after - before).toBeLessThan(192);
    expect(runs.flatMap((run, index) => problemsOfDone(run.id, streams[index]!, 1))).toEqual([]);
    for (const [index, run] of runs.entries()) {
      expect(streams[index]!.map((frame) => frame.raw)).toEqual(await storedFrames(database.pool, run.id));
    }
    expect(await brokenInvariants(database.pool)).toEqual([]);
  },
);

const RUNS = 8;
const TOKENS = 60_000;

/** How many models are in the middle of what they say. */
async function talking(pool: { query(sql: string): Promise<{ rows: { n: number }[] }> }): Promise<number> {
  const { rows } =
    await pool.query(`select count(distinct run_id)::int as n from events e where type = 'token'
    and not exists (select from events m where m.run_id = e.run_id and m.type = 'message_end')`);
  return rows[0]!.n;
}
