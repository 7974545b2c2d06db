// A cancel at any moment: accepted or refused, and what was said stays true.

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ApiError,
  call,
  createThread,
  follow,
  followToEnd,
  send,
  until,
  type Frame,
  type RunBody,
} from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { long, seeded, type Chance } from './support/seeded.ts';
import { problemsOf, storedFrames } from './support/whole.ts';

const MOMENTS = long ? 500 : 100;
/** Threads that are worked on at a time. */
const AT_ONCE = 6;

let database: TestDatabase;
let pods: TestPod[];

beforeAll(async () => {
  database = await freshDatabase();
  const start = () => startPod({ databaseUrl: database.url, armable: true });
  pods = await Promise.all([start(), start()]);
});

afterAll(async () => {
  await Promise.all(pods.map((pod) => pod.end()));
  await database.drop();
});

test(
  `RUN-10 a run that is canceled at ${MOMENTS} random moments ends once, and never final after a 200`,
  { timeout: 1_800_000 },
  async () => {
    const chance = seeded(5);
    const plans = Array.from({ length: MOMENTS }, (_, index) => planOf(chance, index));
    const outcomes: Outcome[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let plan = plans.pop(); plan; plan = plans.pop()) outcomes.push(await carryOut(plan));
      }),
    );
    report(chance.seed, outcomes);

    expect(outcomes.flatMap(problemsWith)).toEqual([]);
    for (const { run, frames } of outcomes) {
      expect(frames.map((frame) => frame.raw)).toEqual(await storedFrames(database.pool, run.id));
    }
    expect(await brokenEffects(outcomes)).toEqual([]);
    expect(await brokenInvariants(database.pool)).toEqual([]);
    const { rows } = await database.pool.query(
      "select id, state from sessions where state <> all ('{idle,cancelled,error}')",
    );
    expect(rows).toEqual([]);
    // The moments were spread: some came before the run had begun, some while it talked or worked, some too late.
    for (const stage of STAGES)
      expect(outcomes.filter((outcome) => outcome.stage === stage).length, stage).toBeGreaterThan(0);
  },
);

test('RUN-10 a run that is canceled while its first events are being written ends like any other', async () => {
  const thread = await createThread(pods[0]!.url);
  const gate = await database.pool.connect();
  await gate.query('begin; lock table events in exclusive mode');
  const run = await send(pods[0]!.url, thread, { steps: [{ text: 'never said' }] });
  await until('an append waits for a lock', async () => (await waiting()) > 0);
  await cancel(pods[0]!.url, run.id);
  // The owner of the thread has noticed.
  await until('the thread is no longer due', async () => !(await isDue(thread)));
  await gate.query('commit');
  gate.release();
  const frames = await followToEnd(() => [pods[1]!.url], run.id);
  expect(frames.slice(-2).map((frame) => frame.data)).toEqual([
    { reason: 'user_cancelled' },
    { status: 'canceled' },
  ]);
  expect((await sessionOf(thread)).state).toBe('cancelled');
});

async function waiting(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    "select count(*)::int as n from pg_locks where database = (select oid from pg_database where datname = current_database()) and relation = 'events'::regclass and not granted",
  );
  return rows[0]!.n;
}

async function isDue(thread: string): Promise<boolean> {
  const { rows } = await database.pool.query('select from threads where id = $1 and wake_at is not null', [
    thread,
  ]);
  return rows.length > 0;
}

async function sessionOf(thread: string): Promise<{ state: string | null; active: string | null }> {
  const found = await call<{ session: { state: string } | null; active_run: string | null }>(
    'GET',
    `${pods[0]!.url}/api/threads/${thread}`,
  );
  return { state: found.session?.state ?? null, active: found.active_run };
}

// What is tried

type Target = 'executing' | 'other';

interface Plan {
  readonly index: number;
  readonly script: unknown;
  /** The run is one that waits behind another. */
  readonly queued: boolean;
  /** Cancel when this many events have been seen; null: as soon as the message is accepted. */
  readonly after: number | null;
  readonly delayMs: number;
  /** More than one: at the same time. */
  readonly targets: readonly Target[];
}

const TOOLS = ['transactional', 'pure', 'idempotent', 'external'];

function planOf(chance: Chance, index: number): Plan {
  const calls = () =>
    chance
      .shuffled(TOOLS)
      .slice(0, 1 + chance.below(4))
      .map((tool) => ({ tool, input: { note: `n${index}`, delay_ms: chance.below(25) } }));
  const text = { tokens: 5 + chance.below(20), delay_ms: chance.below(4) };
  const steps = chance.pick([
    [text],
    [{ ...text, reasoning: 'a thought, and another thought, and one more' }],
    [{ calls: calls() }, text],
    [{ ...text, calls: calls() }, { calls: calls() }, { text: 'that was all' }],
    [{ text: 'begun, and then nothing', hang: true }],
    [{ ...text, error: { code: 'overloaded', message: 'the model gave up' } }],
  ]);
  const queued = chance.below(5) === 0;
  return {
    index,
    script: { steps },
    queued,
    after: chance.below(queued ? 2 : 4) === 0 ? null : chance.below(36),
    delayMs: chance.below(8),
    targets: chance.pick<Target[]>([
      ['executing'],
      ['other'],
      ['executing', 'executing'],
      ['executing', 'other'],
      ['other', 'other'],
    ]),
  };
}

const STAGES = ['queued', 'model', 'tools', 'ended'] as const;

interface Outcome {
  readonly plan: Plan;
  readonly run: RunBody;
  readonly answers: readonly { readonly status: number; readonly code?: unknown }[];
  readonly frames: readonly Frame[];
  readonly status: string;
  readonly session: { readonly state: string | null; readonly active: string | null };
  /** How the thread's next message ended. */
  readonly next: unknown;
  readonly stage: (typeof STAGES)[number];
}

async function carryOut(plan: Plan): Promise<Outcome> {
  const executing = pods[plan.index % 2]!.url;
  const other = pods[(plan.index + 1) % 2]!.url;
  const thread = await createThread(executing);
  if (plan.queued) await send(executing, thread, { steps: [{ tokens: 20, delay_ms: 3 }] });
  const run = await send(executing, thread, plan.script);
  const whole = followToEnd(() => [other, executing], run.id);
  if (plan.after !== null) await seen(executing, run.id, plan.after);
  await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
  const answers = await Promise.all(
    plan.targets.map((target) => cancel(target === 'executing' ? executing : other, run.id)),
  );
  const frames = await whole;
  const { status } = await call<RunBody>('GET', `${other}/api/runs/${run.id}`);
  const session = await sessionOf(thread);
  const next = await send(other, thread, { steps: [{ text: 'still here' }] });
  const last = (await followToEnd(() => [executing], next.id)).at(-1);
  return { plan, run, answers, frames, status, session, next: last?.data.status, stage: stageOf(frames) };
}

/** Resolves when so many events have been seen, or when there are no more; a hanging model says no more. */
async function seen(base: string, runId: string, count: number): Promise<void> {
  for await (const frame of follow(base, runId)) {
    if (frame.id >= count || String(frame.data.text).startsWith('nothing')) break;
  }
}

async function cancel(base: string, runId: string): Promise<{ status: number; code?: unknown }> {
  try {
    const run = await call<RunBody>('POST', `${base}/api/runs/${runId}/cancel`);
    return { status: run.cancel_requested_at === null ? 0 : 200 };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, code: error.body.code };
  }
}

/** Where the run was when it was canceled. */
function stageOf(frames: readonly Frame[]): Outcome['stage'] {
  const end = frames.findIndex((frame) => frame.event === 'canceled');
  if (end < 0) return 'ended';
  if (end === 0) return 'queued';
  const before = frames.slice(0, end).map((frame) => frame.event);
  return before.at(-1)!.startsWith('tool') ? 'tools' : 'model';
}

// What must be true

function problemsWith({ plan, run, answers, frames, status, session, next }: Outcome): string[] {
  const problems: string[] = [];
  const say = (what: string): number => problems.push(`plan ${plan.index}, run ${run.id}: ${what}`);
  const count = (type: string) => frames.filter((frame) => frame.event === type).length;
  const statuses = new Set(answers.map((answer) => answer.status));
  if (statuses.size !== 1) say(`its cancels were answered ${[...statuses].join(' and ')}`);
  const ends = frames.filter((frame) => frame.event === 'state' && frame.data.status !== 'running');
  if (ends.length !== 1) say(`it ended ${ends.length} times`);
  if (ends[0]?.data.status !== status)
    say(`its stream says ${String(ends[0]?.data.status)}, its row ${status}`);
  if (statuses.has(200)) {
    if (status !== 'canceled') say(`the cancel was accepted, and it is ${status}`);
    if (count('final') > 0) say('it is final after a 200');
    if (count('canceled') !== 1) say(`${count('canceled')} events say that it was canceled`);
  } else {
    if (!statuses.has(409) || answers.some(({ code }) => code !== 'run_ended'))
      say(`answered ${JSON.stringify(answers)}`);
    if (status !== 'done' && status !== 'error') say(`the cancel was refused, and it is ${status}`);
  }
  if (session.active === null && session.state === 'running') say('nothing runs, and its session is running');
  if (next !== 'done') say(`the thread's next message ended ${String(next)}`);
  return [...problems, ...problemsOf(run.id, frames)];
}

/** A transactional call that succeeded has its effect, any other has none; nothing else happens twice. */
async function brokenEffects(outcomes: readonly Outcome[]): Promise<string[]> {
  const { rows } = await database.pool.query<{ kind: string; key: string; times: number }>(
    'select kind, key, count(*)::int as times from effects group by kind, key',
  );
  const times = new Map(rows.map((row) => [`${row.kind} ${row.key}`, row.times]));
  return outcomes.flatMap(({ run, frames }) =>
    frames
      .filter((frame) => frame.event === 'tool_end' && frame.data.tool !== 'pure')
      .flatMap(({ data }) => {
        const happened = times.get(`${String(data.tool)} ${run.id}:${String(data.call)}`) ?? 0;
        const isRight =
          data.tool === 'transactional' || data.success ? happened === (data.success ? 1 : 0) : happened <= 1;
        return isRight
          ? []
          : [`run ${run.id}: ${JSON.stringify(data)} and its effect is there ${happened} times`];
      }),
  );
}

function report(seed: number, outcomes: readonly Outcome[]): void {
  const of = (test: (outcome: Outcome) => boolean) => outcomes.filter(test).length;
  const stages = STAGES.map((stage) => `${of((outcome) => outcome.stage === stage)} ${stage}`).join(', ');
  const accepted = of(({ answers }) => answers[0]!.status === 200);
  process.stdout.write(
    `${outcomes.length} runs canceled, seed ${seed}: ${accepted} accepted, ${outcomes.length - accepted} too late (${stages})\n`,
  );
}
