import { appendFileSync } from 'node:fs'; // DBG
import { expect, test } from 'vitest';
import { createThread, followToEnd, type Frame } from '../client/api.ts';
import { freshDatabase } from '../client/database.ts';
import { brokenInvariants } from '../client/invariants.ts';
import { startPod } from '../client/pod.ts';
import { startCuttingProxy, type Cut, type Moment } from './support/cutting-proxy.ts';
import { insist, post, type Refusal } from './support/load.ts';
import { createObstacle } from './support/obstacle.ts';
import { long, seeded, type Chance } from './support/seeded.ts';
import { problemsOf, storedFrames } from './support/whole.ts';

/** What commits: the log's appends, a transactional tool's transaction, a message with its key. */
const COMMITS = ['append', 'append_with_changes', 'commit:append', 'commit:enqueue_run'];
const MOMENTS: readonly Moment[] = ['before', 'during', 'after'];
/** What else an actor's life hangs on, where a lost answer could leave a thread that nobody works on. */
const OTHERS = ['claim', 'release', 'take_facts', 'read_thread'];

const WORKERS = 5;
const STEPS = 3;

test(
  'L3 connections cut in the middle of COMMIT double nothing and lose nothing',
  { timeout: 1_800_000 },
  async () => {
    await cutUnderLoad({ cuts: long ? 300 : 50, all: false, chance: seeded(1) });
  },
);

test(
  'L3 a pod that loses all its connections in the middle of a COMMIT doubles nothing and loses nothing',
  { timeout: 1_800_000 },
  async () => {
    await cutUnderLoad({ cuts: long ? 100 : 16, all: true, chance: seeded(2) });
  },
);

interface Finished {
  readonly runId: string;
  readonly threadId: string;
  readonly note: string;
  readonly frames: readonly Frame[];
  readonly refusals: readonly Refusal[];
}

async function cutUnderLoad({
  cuts,
  all,
  chance,
}: {
  cuts: number;
  all: boolean;
  chance: Chance;
}): Promise<void> {
  const database = await freshDatabase();
  const obstacle = await createObstacle(database.url, 500);
  const proxies = await Promise.all([
    startCuttingProxy(database.url, obstacle),
    startCuttingProxy(database.url, obstacle),
  ]);
  // Alone, the direct address leaves a pod's lock and its LISTEN connection in peace.
  const env = all ? {} : { CONTINUO_DIRECT_URL: database.url };
  const pods = await Promise.all(proxies.map((proxy) => startPod({ databaseUrl: proxy.url, env })));
  const urls = pods.map((pod) => pod.url);
  const finished: Finished[] = [];
  let stopping = false;
  const dbg = setInterval(
    async () =>
      appendFileSync(
        '/tmp/cut.log',
        `fin ${finished.length} ${JSON.stringify((await database.pool.query("select r.id, r.status, t.owner, t.attempt, t.wake_at, (select json_agg(number) from pods p where p.id = t.owner) live, (select max(seq) from events e where e.thread_id=t.id) seq from runs r join threads t on t.id=r.thread_id where r.status in ('queued','running')")).rows, null, 0)}\n${pods.map((p) => p.output().slice(-1500)).join('\n--\n')}\n`,
      ),
    5000,
  ); // DBG
  try {
    const workers = Array.from({ length: WORKERS }, async (_, worker) => {
      for (let turn = 0; !stopping; turn += 1) {
        const first = (worker + turn) % urls.length;
        const bases = [...urls.slice(first), ...urls.slice(0, first)];
        finished.push(await oneRun(() => bases, `w${worker}.${turn}`));
      }
    });
    const hit = await direct(proxies, deckOf(cuts, all, chance), chance, Promise.all(workers));
    stopping = true;
    await Promise.all(workers);

    report(chance.seed, all, hit, finished.length);
    for (const statement of COMMITS)
      for (const moment of MOMENTS) expect(hit.get(`${statement} ${moment}`) ?? 0).toBeGreaterThan(0);
    expect(finished.flatMap(({ refusals }) => refusals).filter(({ status }) => status !== 503)).toEqual([]);
    expect(finished.flatMap(({ runId, frames }) => problemsOf(runId, frames, { steps: STEPS }))).toEqual([]);
    for (const { runId, frames } of finished)
      expect(frames.map((frame) => frame.raw)).toEqual(await storedFrames(database.pool, runId));

    const effects = await database.pool.query<{ note: string; n: number }>(
      "select note, count(*)::int as n from effects where kind = 'transactional' group by note",
    );
    const counted = new Map(effects.rows.map(({ note, n }) => [note, n]));
    const expected = finished.flatMap(({ note }) => [`${note} first`, `${note} second`]);
    expect(expected.filter((note) => counted.get(note) !== 1)).toEqual([]);
    expect(counted.size).toBe(expected.length);

    const runs = await database.pool.query<{ n: number }>('select count(*)::int as n from runs');
    const said = await database.pool.query<{ n: number }>(
      "select count(*)::int as n from messages where role = 'user'",
    );
    expect([runs.rows[0]!.n, said.rows[0]!.n]).toEqual([finished.length, finished.length]);
    expect(await brokenInvariants(database.pool)).toEqual([]);
  } catch (error) {
    process.stdout.write(pods.map((pod) => pod.output().slice(-4000)).join('\n---\n'));
    throw error;
  } finally {
    stopping = true;
    clearInterval(dbg); // DBG
    await Promise.all(pods.map((pod) => pod.end()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await obstacle.close();
    await database.drop();
  }
}

async function oneRun(bases: () => readonly string[], note: string): Promise<Finished> {
  const threadId = await insist(() => createThread(bases()[0]!));
  const calls = (which: string) => [
    { tool: 'transactional', input: { note: `${note} ${which}` } },
    { tool: 'pure', input: { note, delay_ms: 2 } },
  ];
  const content = JSON.stringify({
    steps: [
      { reasoning: 'one thing after another', tokens: 10, delay_ms: 2, calls: calls('first') },
      { tokens: 10, delay_ms: 2, calls: calls('second').toReversed() },
      { tokens: 5, delay_ms: 2 },
    ],
  });
  const { run, refusals } = await post(bases, `/api/threads/${threadId}/messages`, { content }, note);
  return { runId: run.id, threadId, note, refusals, frames: await followToEnd(bases, run.id) };
}

/** Every commit at every moment, again and again, and the other statements in between. */
function deckOf(cuts: number, all: boolean, chance: Chance): Cut[] {
  const commits = COMMITS.flatMap((statement) => MOMENTS.map((moment): Cut => ({ statement, moment, all })));
  const others = OTHERS.flatMap((statement) =>
    (['before', 'after'] as const).map((moment): Cut => ({ statement, moment, all })),
  );
  const deck: Cut[] = [];
  while (deck.length < cuts) deck.push(...chance.shuffled([...commits, ...others.slice(0, all ? 4 : 8)]));
  return [...chance.shuffled(commits), ...deck].slice(0, cuts);
}

/** Cuts one card of the deck after the other, at one pod or the other. */
async function direct(
  proxies: readonly { cut(cut: Cut): Promise<void>; disarm(): void }[],
  deck: readonly Cut[],
  chance: Chance,
  workers: Promise<unknown>,
): Promise<Map<string, number>> {
  const hit = new Map<string, number>();
  for (const card of deck) {
    const proxy = chance.pick(proxies);
    // If a worker fails, nothing may come that could be cut.
    appendFileSync('/tmp/cut.log', `${Date.now()} arm ${JSON.stringify(card)} ${proxies.indexOf(proxy)}\n`); // DBG
    await Promise.race([proxy.cut(card), workers]);
    const name = `${card.statement} ${card.moment}`;
    hit.set(name, (hit.get(name) ?? 0) + 1);
  }
  return hit;
}

function report(seed: number, all: boolean, hit: ReadonlyMap<string, number>, runs: number): void {
  const lines = [...hit].toSorted().map(([name, times]) => `  ${name.padEnd(34)} ${times}`);
  const total = [...hit.values()].reduce((sum, times) => sum + times, 0);
  process.stdout.write(
    `${total} cuts ${all ? 'of all connections' : 'of one connection'} under ${runs} runs, seed ${seed}:\n${lines.join('\n')}\n`,
  );
}
