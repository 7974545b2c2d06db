// Plans: how much longer a parallel stage takes than one of its steps, what scheduling adds to a step, and whether a step of a long plan
// costs what one of a short plan costs; and what plans cost that wait for a person.

import type { Client } from 'pg';
import { treeCpuMs } from '../measure/cpu.ts';
import { bytes, median, digits, ratio } from '../measure/numbers.ts';
import { pause } from '../measure/clock.ts';
import { connect } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { judged, type Line, type Row } from './line.ts';

const MOST_AT_CAP_8 = 1.3;
const MOST_AT_CAP_4 = 2.3;
const MOST_OVERHEAD_MS = 15;
/** How much more a step near the end of a long plan may cost: noise, and no growth. */
const MOST_GROWTH = 1.25;
const MOST_PARKED_BYTES = 100;
/** Postgres still analyzes the copied rows while it is watched. */
const MOST_PARKED_CPU_MS = 20;
/** How long the CPU is watched. */
const WATCHED_MS = 5000;
/** Approving a plan needs a person. */
const TOKEN = 'a-token-of-the-benchmark-0123456789';
const WORKSPACE = '/api/v1/workspaces/default';
/** A step: an answer at a fixed pace. */
const PACED = continuoModel('fake-10-200');
const AT_ONCE = continuoModel('fake-0-20');

export const plans: Line = {
  key: 'plans',
  measure: (stage) =>
    stage.withPods(
      'plans',
      1,
      async ([pod], databaseUrl) => {
        await runPlan(pod!, { mode: 'parallel', steps: 8, cap: 8, model: AT_ONCE });
        return [
          ...(await parallel(stage, pod!)),
          await overhead(stage, pod!),
          await growth(stage, pod!),
          await parked(stage, pod!, databaseUrl),
        ];
      },
      { CONTINUO_PERSON_TOKEN: TOKEN },
    ),
};

async function parallel(stage: Stage, pod: Pod): Promise<Row[]> {
  const taken = { one: [] as number[], cap8: [] as number[], cap4: [] as number[] };
  for (let round = 0; round < stage.options.rounds; round += 1) {
    taken.one.push((await runPlan(pod, { mode: 'parallel', steps: 1, cap: 8, model: PACED })).ms);
    taken.cap8.push((await runPlan(pod, { mode: 'parallel', steps: 8, cap: 8, model: PACED })).ms);
    taken.cap4.push((await runPlan(pod, { mode: 'parallel', steps: 8, cap: 4, model: PACED })).ms);
  }
  const one = median(taken.one);
  const row = (cap: number, ms: number, most: number): Row => ({
    key: `plans-cap-${cap}`,
    line: `a parallel stage of 8 equal steps at cap ${cap}, against one step of 2 s`,
    target: `≤ ${most}×`,
    measured: `${ratio(ms / one)} (${digits(ms, 'ms')} against ${digits(one, 'ms')})`,
    verdict: judged(ms / one <= most),
  });
  return [row(8, median(taken.cap8), MOST_AT_CAP_8), row(4, median(taken.cap4), MOST_AT_CAP_4)];
}

/** What a sequence takes besides the runs of its steps. */
async function overhead(stage: Stage, pod: Pod): Promise<Row> {
  const steps = stage.many(50, 15);
  const perStep: number[] = [];
  for (let round = 0; round < stage.options.rounds; round += 1) {
    const { ms, runs } = await runPlan(pod, { mode: 'sequence', steps, cap: 4, model: AT_ONCE });
    const worked = runs.reduce((sum, run) => sum + (run.ended - run.started), 0);
    perStep.push((ms - worked) / steps);
  }
  return {
    key: 'plans-overhead',
    line: `scheduling of a plan of ${steps} steps in sequence: time besides the steps’ own runs, a step`,
    target: `≤ ${MOST_OVERHEAD_MS} ms`,
    measured: digits(median(perStep), 'ms'),
    verdict: judged(median(perStep) <= MOST_OVERHEAD_MS),
  };
}

/** The time between two ends of steps, at the beginning and at the end of a long plan. */
async function growth(stage: Stage, pod: Pod): Promise<Row> {
  const steps = stage.many(1000, 200);
  const { runs } = await runPlan(pod, { mode: 'parallel', steps, cap: 8, model: AT_ONCE });
  const ends = runs.map(({ ended }) => ended).toSorted((one, other) => one - other);
  const part = Math.floor(steps / 5);
  const paceOf = (some: readonly number[]) => (some.at(-1)! - some[0]!) / (some.length - 1);
  // The first fifth warms up.
  const [early, late] = [paceOf(ends.slice(part, 2 * part)), paceOf(ends.slice(-part))];
  return {
    key: 'plans-growth',
    line: `a step of a plan of ${steps}: in its last fifth, against its second`,
    target: `≤ ${MOST_GROWTH}×`,
    measured: `${ratio(late / early)} (${digits(late, 'ms')} against ${digits(early, 'ms')})`,
    verdict: judged(late / early <= MOST_GROWTH),
  };
}

/** What the pod and Postgres use while many runs wait for the approval of their plans, against none. */
async function parked(stage: Stage, pod: Pod, databaseUrl: string): Promise<Row> {
  const count = stage.many(10_000, 1000);
  const client = await connect(databaseUrl);
  try {
    const thread = await waitForApproval(pod, client);
    const rest = async () => {
      const { heapUsed, external } = await pod.program.ask<NodeJS.MemoryUsage>('memory');
      const cpu = () => treeCpuMs(pod.program.pid) + treeCpuMs(stage.postgres.postmaster);
      const before = cpu();
      await pause(WATCHED_MS);
      return { heap: heapUsed + external, cpu: ((cpu() - before) / WATCHED_MS) * 1000 };
    };
    const none = await rest();
    await copyParked(client, thread, count);
    await pause(WATCHED_MS);
    const all = await rest();
    const { rows } = await client.query<{ owned: number; waiting: number }>(
      `select count(t.owner)::int as owned, count(*)::int as waiting
        from runs r join threads t on t.id = r.thread_id where r.status = 'running'`,
    );
    if (rows[0]!.waiting !== count + 1) throw new Error(`${rows[0]!.waiting} runs wait, not ${count + 1}`);
    const heap = (all.heap - none.heap) / count;
    return {
      key: 'plans-parked',
      line: `${count} parked parents, whose plans wait for approval: what each adds to the pod’s memory, and all of them to the CPU of the pod and Postgres`,
      target: `≤ ${bytes(MOST_PARKED_BYTES)}, ≤ ${MOST_PARKED_CPU_MS} ms/s, owned by no pod`,
      measured: `${bytes(Math.max(0, heap))}, ${digits(all.cpu, 'ms/s')} against ${digits(none.cpu, 'ms/s')}, ${rows[0]!.owned} owned`,
      verdict: judged(
        heap <= MOST_PARKED_BYTES && all.cpu - none.cpu <= MOST_PARKED_CPU_MS && rows[0]!.owned === 0,
      ),
    };
  } finally {
    await client.end();
  }
}

/** Opens a chat with a plan that nobody has approved; the thread of its parked run. */
async function waitForApproval(pod: Pod, client: Client): Promise<string> {
  const text = '---\nplan: parked\ngoal: Wait\n---\n\n## All (sequence)\n\n- [ ] Wait {#wait}\n';
  const { id } = await http<{ id: string }>(pod, 'PUT', `${WORKSPACE}/files/plans/parked.plan`, text);
  const body = { goal: 'Wait', mode: 'plan_then_execute', plan_id: id, model: AT_ONCE };
  const { run } = await http<{ run: { thread_id: string } }>(pod, 'POST', `${WORKSPACE}/chats`, body);
  for (;;) {
    const { rowCount } = await client.query(
      `select from threads t join runs r on r.thread_id = t.id join plans p on p.run_id = r.id
        where t.id = $1 and t.owner is null and r.status = 'running'`,
      [run.thread_id],
    );
    if (rowCount === 1) return run.thread_id;
    await pause(50);
  }
}

/** More runs like the one of the thread, with their logs. */
async function copyParked(client: Client, thread: string, count: number): Promise<void> {
  await client.query(
    `create temporary table copies as select gen_random_uuid() as thread, gen_random_uuid() as run, gen_random_uuid() as message
      from generate_series(1, ${count})`,
  );
  const copy = (table: string, key: string, fields: string) =>
    client.query(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_strip_nulls(jsonb_build_object(${fields})))).*
        from copies c, ${table} t where t.${key} = $1`,
      [thread],
    );
  await client.query('begin');
  await copy('threads', 'id', `'id', c.thread`);
  await copy('messages', 'thread_id', `'id', c.message, 'thread_id', c.thread, 'run_id', c.run`);
  await copy('runs', 'thread_id', `'id', c.run, 'thread_id', c.thread, 'message_id', c.message`);
  await copy('sessions', 'thread_id', `'id', gen_random_uuid(), 'thread_id', c.thread`);
  await copy(
    'events',
    'thread_id',
    `'thread_id', c.thread, 'run_id', case when t.run_id is not null then c.run end`,
  );
  await client.query('commit');
}

interface Order {
  readonly mode: 'parallel' | 'sequence';
  readonly steps: number;
  readonly cap: number;
  readonly model: string;
}

interface Times {
  readonly started: number;
  readonly ended: number;
}

let named = 0;

async function runPlan(
  pod: Pod,
  { mode, steps, cap, model }: Order,
): Promise<{ ms: number; runs: readonly Times[] }> {
  const name = `bench-${(named += 1)}`;
  const list = Array.from(
    { length: steps },
    (_, n) => `- [ ] Step ${n} {#s${n}}\n  - executor: writer\n  - tools: none\n`,
  );
  await http(
    pod,
    'PUT',
    `${WORKSPACE}/files/plans/${name}.plan`,
    `---\nplan: ${name}\ngoal: Measure\n---\n\n## All (${mode})\n\n${list.join('')}`,
  );
  const { items } = await http<{ items: { id: string; path: string }[] }>(
    pod,
    'GET',
    `${WORKSPACE}/plans?limit=200`,
  );
  const plan = `${WORKSPACE}/plans/${items.find(({ path }) => path === `/plans/${name}.plan`)!.id}`;
  await http(pod, 'POST', `${plan}/approve`, {});
  const { run } = await http<{ run: { id: string } }>(pod, 'POST', `${plan}/run`, { cap, model });
  const { started, ended } = await endOf(pod, run.id);
  const progress = await http<{ state: string; stages: { steps: { run_id: string }[] }[] }>(
    pod,
    'GET',
    `${plan}/progress`,
  );
  if (progress.state !== 'done') throw new Error(`the plan is ${progress.state}`);
  const runs: Times[] = [];
  for (const { run_id } of progress.stages.flatMap((stage) => stage.steps))
    runs.push(await endOf(pod, run_id));
  return { ms: ended - started, runs };
}

async function endOf(pod: Pod, id: string): Promise<Times> {
  for (;;) {
    const run = await http<Record<string, string>>(pod, 'GET', `/api/runs/${id}`);
    if (run['ended_at'])
      return { started: Date.parse(run['started_at']!), ended: Date.parse(run['ended_at']) };
    await pause(50);
  }
}

async function http<T = unknown>(pod: Pod, method: string, path: string, body?: object | string): Promise<T> {
  const isText = typeof body === 'string';
  const response = await fetch(pod.url + path, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': isText ? 'text/markdown' : 'application/json',
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
