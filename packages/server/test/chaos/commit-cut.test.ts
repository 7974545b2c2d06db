// A commit whose answer never comes may have happened or not. Nothing may be doubled for it, nothing lost.

import { expect, onTestFinished, test } from 'vitest';
import { createThread, followToEnd, type Frame } from '../client/api.ts';
import { freshDatabase, type TestDatabase } from '../client/database.ts';
import { brokenInvariants } from '../client/invariants.ts';
import { startPod } from '../client/pod.ts';
import { startCuttingProxy, type Cut, type CuttingProxy, type Moment } from './support/cutting-proxy.ts';
import { insist, post, type Refusal } from './support/load.ts';
import { createObstacle } from './support/obstacle.ts';
import { long, seeded, type Chance } from './support/seeded.ts';
import { problemsOfDone, storedFrames } from './support/whole.ts';

/** What commits: the log's appends, a transactional tool's transaction, a message with its key. */
const COMMITS = ['append', 'append_with_changes', 'commit:append', 'commit:enqueue_run'];
const MOMENTS: readonly Moment[] = ['before', 'during', 'after'];
/** What else an actor's life hangs on: a lost answer could leave a thread that nobody works on. */
const OTHERS = ['claim', 'release', 'take_facts', 'read_thread'];

const timeout = 1_800_000;
/** Runs that are active all the while. */
const WORKERS = 5;

test(
  'L3 a connection cut in the middle of COMMIT doubles nothing and loses nothing',
  { timeout },
  async () => {
    const chance = seeded(1);
    const times = long ? 300 : 50;
    await cutUnderLoad({
      cuts: [...commits(times, chance), ...others(long ? 96 : 16, chance)],
      all: false,
      chance,
    });
  },
);

test(
  'L3 a pod that loses all its connections in the middle of COMMIT doubles nothing and loses nothing',
  { timeout },
  async () => {
    const chance = seeded(2);
    await cutUnderLoad({ cuts: commits(long ? 100 : 16, chance), all: true, chance });
  },
);

interface Plan {
  readonly cuts: readonly Cut[];
  /** Every connection of the pod at once, its lock's included. */
  readonly all: boolean;
  readonly chance: Chance;
}

async function cutUnderLoad({ cuts, all, chance }: Plan): Promise<void> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const obstacle = await createObstacle(database.url, 500);
  onTestFinished(() => obstacle.close());
  const proxies: CuttingProxy[] = [];
  const urls: string[] = [];
  for (let pods = 0; pods < 2; pods += 1) {
    const proxy = await startCuttingProxy(database.url, obstacle);
    onTestFinished(() => proxy.close());
    // With a direct address, a pod's lock and its LISTEN connection are left in peace.
    const env = all ? {} : { CONTINUO_DIRECT_URL: database.url };
    const pod = await startPod({ databaseUrl: proxy.url, env });
    onTestFinished(() => pod.end());
    proxies.push(proxy);
    urls.push(pod.url);
  }

  const finished: Finished[] = [];
  let stopping = false;
  const workers = Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      for (let turn = 0; !stopping; turn += 1) {
        const bases = (worker + turn) % 2 === 0 ? urls : urls.toReversed();
        finished.push(await oneRun(bases, `w${worker}.${turn}`));
      }
    }),
  );
  const hit = await cutOneByOne({ proxies, cuts, all, chance, workers });
  stopping = true;
  await workers;
  report({ seed: chance.seed, all, hit, runs: finished.length });
  for (const cut of new Set(cuts.map(nameOf))) expect(hit.get(cut), cut).toBeGreaterThan(0);
  await expectWhole(database, finished);
}

interface Finished {
  readonly runId: string;
  readonly note: string;
  readonly frames: readonly Frame[];
  readonly refusals: readonly Refusal[];
}

const STEPS = 3;

async function oneRun(bases: readonly string[], note: string): Promise<Finished> {
  const threadId = await insist(() => createThread(bases[0]!));
  const transactional = (which: string) => ({ tool: 'transactional', input: { note: `${note} ${which}` } });
  const pure = { tool: 'pure', input: { note, delay_ms: 2 } };
  const content = JSON.stringify({
    steps: [
      { reasoning: 'step by step', tokens: 10, delay_ms: 2, calls: [transactional('first'), pure] },
      { tokens: 10, delay_ms: 2, calls: [pure, transactional('second')] },
      { tokens: 5, delay_ms: 2 },
    ],
  });
  const { run, refusals } = await post(() => bases, `/api/threads/${threadId}/messages`, { content }, note);
  return { runId: run.id, note, refusals, frames: await followToEnd(() => bases, run.id) };
}

async function expectWhole({ pool }: TestDatabase, finished: readonly Finished[]): Promise<void> {
  const refused = finished.flatMap(({ refusals }) => refusals);
  expect(refused.filter(({ code }) => code !== 'database_unavailable')).toEqual([]);
  expect(finished.flatMap(({ runId, frames }) => problemsOfDone(runId, frames, STEPS))).toEqual([]);
  for (const { runId, frames } of finished) {
    expect(frames.map((frame) => frame.raw)).toEqual(await storedFrames(pool, runId));
  }
  const effects = await pool.query<{ note: string; times: number }>(
    "select note, count(*)::int as times from effects where kind = 'transactional' group by note",
  );
  const expected = finished.flatMap(({ note }) => [`${note} first`, `${note} second`]);
  const once = expected.map((note) => ({ note, times: 1 }));
  expect(effects.rows.toSorted(byNote)).toEqual(once.toSorted(byNote));
  const rows = await pool.query<{
    runs: number;
    said: number;
  }>(`select (select count(*)::int from runs) as runs,
    (select count(*)::int from messages where role = 'user') as said`);
  expect(rows.rows[0]).toEqual({ runs: finished.length, said: finished.length });
  expect(await brokenInvariants(pool)).toEqual([]);
}

function byNote(a: { note: string }, b: { note: string }): number {
  return a.note < b.note ? -1 : 1;
}

// The cuts

/** Every commit at every moment, again and again. */
function commits(times: number, chance: Chance): Cut[] {
  return deal(times, chance, COMMITS, MOMENTS);
}

function others(times: number, chance: Chance): Cut[] {
  return deal(times, chance, OTHERS, ['before', 'after']);
}

function deal(
  times: number,
  chance: Chance,
  statements: readonly string[],
  moments: readonly Moment[],
): Cut[] {
  const every = statements.flatMap((statement) => moments.map((moment): Cut => ({ statement, moment })));
  const cuts: Cut[] = [];
  while (cuts.length < times) cuts.push(...chance.shuffled(every).slice(0, times - cuts.length));
  return cuts;
}

function nameOf({ statement, moment }: Cut): string {
  return `${statement} ${moment}`;
}

interface Cutting extends Plan {
  readonly proxies: readonly CuttingProxy[];
  readonly workers: Promise<unknown>;
}

async function cutOneByOne({
  proxies,
  cuts,
  all,
  chance,
  workers,
}: Cutting): Promise<ReadonlyMap<string, number>> {
  const hit = new Map<string, number>();
  for (const next of chance.shuffled(cuts)) {
    const proxy = chance.pick(proxies);
    // If a worker fails, there may never be anything to cut.
    const cut = (what: Cut) => Promise.race([proxy.cut({ ...what, all }), workers]);
    // An actor that does not know what it committed lets its thread go, and its pod claims it anew.
    if (next.statement === 'claim') await cut({ statement: 'commit:append', moment: 'after' });
    while ((await cut(next)) === false);
    hit.set(nameOf(next), (hit.get(nameOf(next)) ?? 0) + 1);
  }
  return hit;
}

interface Report {
  readonly seed: number;
  readonly all: boolean;
  readonly hit: ReadonlyMap<string, number>;
  readonly runs: number;
}

function report({ seed, all, hit, runs }: Report): void {
  const total = [...hit.values()].reduce((sum, times) => sum + times, 0);
  const lines = [...hit].toSorted().map(([name, times]) => `  ${name.padEnd(28)} ${times}`);
  const what = all ? 'all connections of a pod' : 'one connection';
  process.stdout.write(`${what} cut ${total} times under ${runs} runs, seed ${seed}:\n${lines.join('\n')}\n`);
}
