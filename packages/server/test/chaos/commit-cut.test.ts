// A commit whose answer never comes may have happened or not. Nothing may be doubled for it, nothing lost.

import { expect, onTestFinished, test } from 'vitest';
import { call, createThread, follow, followToEnd, send } from '@continuo/testkit';
import { brokenInvariants, freshDatabase, startPod } from '@continuo/testkit/fixtures';
import { expectWhole, keepBusy, type Busy } from './support/busy.ts';
import { startCuttingProxy, type Cut, type CuttingProxy, type Moment } from './support/cutting-proxy.ts';
import { insist } from './support/load.ts';
import { createObstacle } from './support/obstacle.ts';
import { long, seeded, type Chance } from './support/seeded.ts';

/** What commits: the log's appends, a transactional tool's transaction, a message with its key. */
const COMMITS = ['append', 'append_with_changes', 'commit:append', 'commit:enqueue_run'];
const MOMENTS: readonly Moment[] = ['before', 'during', 'after'];
/** What else an actor's life hangs on: a lost answer could leave a thread that nobody works on. */
const OTHERS = ['claim', 'release', 'take_facts', 'read_thread'];

const timeout = 1_800_000;
/** Runs that are active all the while. */
const CLIENTS = 5;

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

test('RUN-10 a cancel that a broken connection hides from the run still ends it', async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const proxy = await startCuttingProxy(database.url);
  onTestFinished(() => proxy.close());
  const env = { CONTINUO_DIRECT_URL: database.url };
  const pod = await startPod({ databaseUrl: proxy.url, armable: true, env });
  onTestFinished(() => pod.end());
  for (const statement of ['request_cancel', 'take_facts']) {
    for (const moment of ['before', 'after'] as const) {
      const thread = await createThread(pod.url);
      const run = await send(pod.url, thread, { steps: [{ text: 'begun', hang: true }] });
      for await (const frame of follow(pod.url, run.id)) if (frame.event === 'token') break;
      const cut = proxy.cut({ statement, moment });
      await insist(() => call('POST', `${pod.url}/api/runs/${run.id}/cancel`));
      await cut;
      const frames = await followToEnd(() => [pod.url], run.id);
      expect(frames.at(-1)!.data, `${statement} ${moment}`).toEqual({ status: 'canceled' });
    }
  }
  expect(await brokenInvariants(database.pool)).toEqual([]);
});

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
    const pod = await startPod({ databaseUrl: proxy.url, armable: true, env });
    onTestFinished(() => pod.end());
    proxies.push(proxy);
    urls.push(pod.url);
  }

  const busy = keepBusy(urls, { clients: CLIENTS, tokens: 10 });
  const hit = await cutOneByOne({ proxies, cuts, all, chance, busy });
  await busy.stop();
  report({ seed: chance.seed, all, hit, runs: busy.finished.length });
  for (const cut of new Set(cuts.map(nameOf))) expect(hit.get(cut), cut).toBeGreaterThan(0);
  await expectWhole(database.pool, busy.finished);
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
  readonly busy: Busy;
}

async function cutOneByOne({
  proxies,
  cuts,
  all,
  chance,
  busy,
}: Cutting): Promise<ReadonlyMap<string, number>> {
  const hit = new Map<string, number>();
  for (const next of chance.shuffled(cuts)) {
    const proxy = chance.pick(proxies);
    // If a client fails, there may never be anything to cut.
    const cut = (what: Cut) => Promise.race([proxy.cut({ ...what, all }), busy.failed]);
    // An actor that does not know what it committed lets its thread go, and its pod claims it anew.
    if (next.statement === 'release' || next.statement === 'claim')
      await cut({ statement: 'commit:append', moment: 'after' });
    while (!(await cut(next)));
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
  const lines = [...hit]
    .map(([name, times]) => `  ${name.padEnd(28)} ${times}`)
    .toSorted((a, b) => (a < b ? -1 : 1));
  const what = all ? 'all connections of a pod' : 'one connection';
  process.stdout.write(`${what} cut ${total} times under ${runs} runs, seed ${seed}:\n${lines.join('\n')}\n`);
}
