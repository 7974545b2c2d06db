// The mode parallel_agents: agents that a person names work at the same time, and their results are merged. The models are scripts.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePlan, printPlan, type EventData } from '@continuo/protocol';
import { ask, script, until } from '@continuo/testkit';
import {
  brokenInvariants,
  freshDatabase,
  startPod,
  type TestDatabase,
  type TestPod,
} from '@continuo/testkit/fixtures';
import { agentsPlanFile } from '../../src/planning/agents.ts';
import { hashOfPlan } from '../../src/planning/sync.ts';

let database: TestDatabase;
let pod: TestPod;
beforeAll(async () => {
  database = await freshDatabase();
  pod = await startPod({ databaseUrl: database.url });
});
afterAll(async () => {
  await pod.end();
  expect(await brokenInvariants(database.pool)).toEqual([]);
  await database.drop();
});

const workspace = () => `${pod.url}/api/v1/workspaces/default`;
const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const write = (path: string, content: string) => call('write', { path, content });

async function open(more: object, url = workspace()) {
  const answer = await ask('POST', `${url}/chats`, { title: 't', mode: 'parallel_agents', ...more });
  expect(answer.body).toMatchObject({ chat: { mode: 'parallel_agents' } });
  return { chat: answer.body.chat.id as string, run: answer.body.run.id as string };
}
const ended = (id: string) =>
  until('the run has ended', async () => {
    const run = (await ask('GET', `${pod.url}/api/runs/${id}`)).body;
    return ['done', 'error', 'canceled'].includes(run.status) ? run : null;
  });
const eventsOf = async <T extends keyof EventData>(thread: string, type: T) =>
  (
    await database.pool.query<{ data: EventData[T] }>(
      'select data from events where thread_id = $1 and type = $2 order by seq',
      [thread, type],
    )
  ).rows.map(({ data }) => data);
const children = async (run: string) =>
  (
    await database.pool.query<{ status: string; role: string; said: string }>(
      `select r.status, r.role, m.content ->> 'text' as said from runs r join messages m on m.id = r.message_id
        where r.parent_run = $1 order by r.queued_at, r.id`,
      [run],
    )
  ).rows;
const read = async (path: string) => (await fetch(`${workspace()}/files${path}`)).text();
const planOf = (run: string) => `/plans/agents-${run}.plan`;

test('WS-15 named agents work at the same time on one plan, each on its brief, and one text merges their results', async () => {
  const { chat, run } = await open({
    goal: `All of it ${script({ text: 'MERGED: one and two' })}`,
    agents: [
      { role: 'writer', brief: `Part one ${script(write('/pa/one.md', '1'), { text: 'one is written' })}` },
      { role: 'researcher', brief: `Part two ${script({ text: 'two is found' })}` },
    ],
  });
  expect(await ended(run)).toMatchObject({ status: 'done' });
  const started = await eventsOf(chat, 'child_start');
  expect(started.map(({ child, role }) => [child, role])).toEqual([
    ['agent-1', 'writer'],
    ['agent-2', 'researcher'],
    ['merge', 'assistant'],
  ]);
  const [first, second, merge] = await children(run);
  expect(first!.said).toContain('- researcher: Part two');
  expect(first!.said).toContain(planOf(run));
  expect(second!.said).toMatch(/^Your brief: Part two/);
  expect(merge!.said).toContain('<result>\none is written\n</result>\nIt changed /pa/one.md (version 1).');
  expect(merge!.said).toContain('<result>\ntwo is found\n</result>');
  const text = (await eventsOf(chat, 'final'))[0]!.text;
  expect(text).toMatch(/^MERGED: one and two\n\nThe plan is done/);
  const file = await read(planOf(run));
  expect(file.match(/- \[x\]/g)).toHaveLength(3);
  expect((await eventsOf(chat, 'plan_step')).at(-1)).toMatchObject({
    step: 3,
    step_id: 'merge',
    status: 'done',
  });
});

test('WS-15 agents that edit one file at the same time lose nothing of each other', async () => {
  const lines = ['alpha', ...Array(10).fill('-'), 'beta', ...Array(10).fill('-'), 'gamma'];
  const path = '/pa/shared.md';
  await fetch(`${workspace()}/files${path}`, { method: 'PUT', body: lines.join('\n') });
  const edit = (word: string) =>
    script(
      call('read', { path }),
      call('edit', { path, edits: [{ old_text: word, new_text: `${word} by its agent` }] }),
      {
        text: 'ok',
      },
    );
  const { run } = await open({
    goal: script({ text: 'merged' }),
    agents: ['alpha', 'beta', 'gamma'].map((word) => ({ role: 'writer', brief: edit(word) })),
  });
  expect(await ended(run)).toMatchObject({ status: 'done' });
  const after = await read(path);
  for (const word of ['alpha', 'beta', 'gamma']) expect(after).toContain(`${word} by its agent`);
  const { rows } = await database.pool.query('select version from files where path = $1', [path]);
  expect(rows).toEqual([{ version: 4 }]);
});

test('WS-15 a stop cancels all agents, which run at the same time', async () => {
  const hangs = script({ text: 'x', hang: true });
  const { chat, run } = await open({
    goal: 'x',
    agents: Array.from({ length: 8 }, () => ({ role: 'writer', brief: hangs })),
  });
  await until(
    'all eight are running',
    async () => (await children(run)).filter(({ status }) => status === 'running').length === 8,
  );
  expect((await ask('POST', `${workspace()}/chats/${chat}/stop`)).status).toBe(200);
  expect(await ended(run)).toMatchObject({ status: 'canceled' });
  await until('every agent is canceled', async () =>
    (await children(run)).every(({ status }) => status === 'canceled'),
  );
});

test('WS-15 agents share one budget; a failed agent leaves the merging blocked, and the answer and the metrics say so', async () => {
  const refusals = async () => {
    const metrics = await (await fetch(`${pod.url}/metrics`)).text();
    return Number(/^continuo_budget_refusals_total\{code="step_limit"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  const before = await refusals();
  const spent = await open({
    goal: script({ text: 'merged' }),
    limits: { steps: 1 },
    agents: [
      { role: 'writer', brief: script({ text: 'one' }) },
      { role: 'writer', brief: script({ text: 'two' }) },
    ],
  });
  expect(await ended(spent.run)).toMatchObject({ status: 'done' });
  const statuses = (await children(spent.run)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual(['done', 'error']);
  const text = (await eventsOf(spent.chat, 'final'))[0]!.text;
  expect(text).toContain('The plan is not done');
  expect(text).toMatch(/Merge the results of all agents: blocked/);
  expect(text).toContain('the budget of 1');
  expect(await refusals()).toBe(before + 1);
});

test('WS-15 notes in the file of the agents’ plan do not change the plan', () => {
  const file = agentsPlanFile(
    'goal',
    [
      { role: 'writer', brief: 'a' },
      { role: 'editor', brief: 'b' },
    ],
    'assistant',
  );
  const hash = (text: string) => {
    const parsed = parsePlan(text, 'p');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    return hashOfPlan(parsed.plan);
  };
  expect(hash(`${file}\nwriter: the names are in /names.md\n- editor: thanks\n`)).toBe(hash(file));
});

test('WS-15 without named agents, a planner divides the goal, and the approved plan runs eight steps at a time', async () => {
  const steps = Array.from({ length: 6 }, (_, index) => ({
    id: `p${index}`,
    title: `p${index} ${script({ text: 'x', hang: true })}`,
    intent: 'create' as const,
    executor: 'writer',
  }));
  const plan = { id: 'p', goal: 'g', stages: [{ id: 's', name: 'S', mode: 'parallel' as const, steps }] };
  const goal = script(write('/plans/at-once.plan', printPlan(plan)), { text: 'planned' });
  const { chat, run } = await open({ goal });
  const planId = await until('the plan waits', async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      "select p.id from plans p join files f on f.id = p.id where f.path = '/plans/at-once.plan' and p.run_id = $1",
      [run],
    );
    return rows[0]?.id;
  });
  expect((await children(run))[0]!.said).toContain('Several roles are to work at the same time');
  expect((await ask('POST', `${workspace()}/plans/${planId}/approve`, {})).status).toBe(200);
  await until(
    'all six are running',
    async () => (await children(run)).filter(({ status }) => status === 'running').length === 6,
  );
  await ask('POST', `${workspace()}/chats/${chat}/stop`);
  expect(await ended(run)).toMatchObject({ status: 'canceled' });
});

/** Has a pod that is alone killed at the fault, after it got the request; then another pod, on the same database, is asked. */
async function afterKill(fault: string, body: object, check: (run: string, chat: string) => Promise<void>) {
  const before = { database, pod };
  database = await freshDatabase();
  try {
    const victim = await startPod({ databaseUrl: database.url, fault, env: { CONTINUO_SANDBOX: 'off' } });
    // The victim may be dead before it has answered.
    await ask('POST', `${victim.url}/api/v1/workspaces/default/chats`, body).catch(() => null);
    expect((await victim.exited).signal).toBe('SIGKILL');
    await victim.end();
    pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_SANDBOX: 'off' } });
    const { rows } = await database.pool.query<{ id: string; thread_id: string }>(
      'select id, thread_id from runs where parent_run is null',
    );
    expect(rows).toHaveLength(1);
    await check(rows[0]!.id, rows[0]!.thread_id);
    await pod.end();
    expect(await brokenInvariants(database.pool)).toEqual([]);
  } finally {
    await database.drop();
    ({ database, pod } = before);
  }
}

test.each([
  'append.before.child_start',
  'append.inside.child_start',
  'append.after.child_start',
  'append.before.child_end',
  'append.after.child_end',
])(
  'WS-15 PLAN-6 kill -9 at %s: another pod goes on with the agents, and nothing is done twice',
  { timeout: 120_000 },
  async (fault) => {
    const paths = ['a', 'b', 'c'].map((name) => `/pa/${name}.md`);
    const body = {
      title: 'killed',
      mode: 'parallel_agents',
      goal: script({ text: 'merged' }),
      agents: paths.map((path) => ({ role: 'writer', brief: script(write(path, 'once'), { text: 'ok' }) })),
    };
    await afterKill(fault, body, async (run, chat) => {
      expect(await ended(run)).toMatchObject({ status: 'done' });
      const started = (await eventsOf(chat, 'child_start')).map(({ child }) => child);
      expect(started).toEqual(['agent-1', 'agent-2', 'agent-3', 'merge']);
      const { rows } = await database.pool.query<{ path: string; version: number }>(
        "select path, version from files where path like '/pa/%' order by path",
      );
      expect(rows).toEqual(paths.map((path) => ({ path, version: 1 })));
      const plans = await database.pool.query("select from files where path like '/plans/%'");
      expect(plans.rowCount).toBe(1);
    });
  },
);
