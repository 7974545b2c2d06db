// kill -9 of pods that run whole plans, over HTTP, at every commit that concerns them and at random. CONTINUO_CHAOS=long: more often.

import { afterAll, expect, onTestFailed, test } from 'vitest';
import { printPlan, type AgentPlan, type PlanStep } from '@continuo/protocol';
import { ask, until } from '@continuo/testkit';
import { brokenInvariants, freshDatabase } from '@continuo/testkit/fixtures';
import { Fleet } from './killing/fleet.ts';
import { killAtEach, pointsAround } from './killing/points.ts';
import { createRandom, long } from './support/seeded.ts';

// The result of a transactional call commits in the transaction of its effect.
const POINTS = [
  ...pointsAround(['plan_step', 'child_start', 'child_end', 'final', 'state']),
  ...['before', 'inside', 'commit', 'after'].map((moment) => `transact.${moment}.tool_end`),
];
const ROUNDS = long ? 8 : 1;
const AT_RANDOM = long ? 40 : 6;
/** How many plans are being carried out while pods die. */
const AT_ONCE = 3;
const STEPS = 7;

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

/** Each step has one effect, which commits with its call's result. */
function planWith(name: string): AgentPlan {
  const step = (id: string, inputs?: readonly string[]): PlanStep => {
    const calls = [{ tool: 'transactional', input: { note: `${name}.${id}` } }];
    const steps = [
      { tokens: 3, delay_ms: 2, calls },
      { tokens: 3, delay_ms: 2 },
    ];
    const title = `${id} ⟦${JSON.stringify({ steps })}⟧`;
    return { id, title, intent: 'create', executor: 'assistant', ...(inputs && { inputs }) };
  };
  const stages: [AgentPlan['stages'][number]['mode'], ...PlanStep[]][] = [
    ['parallel', step('a'), step('b'), step('c')],
    ['sequence', step('d', ['a', 'b']), step('e')],
    ['parallel', step('f', ['c']), step('g', ['e'])],
  ];
  return {
    id: name,
    goal: `The goal of ${name}`,
    stages: stages.map(([mode, ...steps], at) => ({ id: `s${at}`, name: `Stage ${at}`, mode, steps })),
  };
}

test(
  'PLAN-6 pods are killed at any moment of a plan: every step is done exactly once, and the budget has what they spent',
  { timeout: 900_000 },
  async () => {
    const random = createRandom();
    console.log(`CONTINUO_CHAOS_SEED=${random.seed}`);
    const database = await freshDatabase();
    cleanups.push(() => database.drop());
    const fleet = new Fleet({ databaseUrl: database.url });
    cleanups.push(() => fleet.end());
    onTestFailed(() => console.log(fleet.logs));

    let names = 0;
    /** The pod that is asked may die meanwhile: then another plan is started instead. */
    const start = async () => {
      const workspace = `${random.pick(fleet.urls)}/api/v1/workspaces/default`;
      const name = `p${(names += 1)}`;
      await fetch(`${workspace}/files/plans/${name}.plan`, {
        method: 'PUT',
        body: printPlan(planWith(name)),
        headers: { 'content-type': 'text/markdown' },
      });
      const found = await database.pool.query<{ id: string }>('select id from files where path = $1', [
        `/plans/${name}.plan`,
      ]);
      const plan = `${workspace}/plans/${found.rows[0]!.id}`;
      await ask('POST', `${plan}/approve`, {});
      const limits = { steps: 1000, tokens: 10_000_000 };
      await ask('POST', `${plan}/run`, { model: 'offline/script', limits });
    };
    const open = async () =>
      (
        await database.pool.query<{ n: number }>(
          "select count(*)::int as n from runs where directive is not null and status in ('queued', 'running')",
        )
      ).rows[0]!.n;
    const keepBusy = async () => {
      for (let missing = AT_ONCE - (await open()); missing > 0; missing -= 1)
        await start().catch((error: Error) => {
          if (!(error instanceof TypeError)) throw error;
        });
    };
    const named = Array.from({ length: ROUNDS }, () => POINTS).flat();
    await killAtEach({ fleet, random, points: [...named, ...Array<null>(AT_RANDOM).fill(null)], keepBusy });
    fleet.fill(2);
    await until('every plan has ended', async () => (await open()) === 0);

    const { rows } = await database.pool.query<Record<string, unknown>>(
      `select p.status, n.state,
        (select count(*)::int from plan_steps s where s.plan_id = n.id and s.status = 'done') as steps,
        (select count(*)::int from runs c where c.parent_run = p.id) as children,
        (select count(*)::int from runs c where c.parent_run = p.id and c.status = 'done') as done,
        (select count(*)::int from events e where e.thread_id = p.thread_id and e.type = 'plan_step'
          and e.data ->> 'status' = 'done') as told,
        (select count(*)::int from effects x
          where x.note like replace(split_part(f.path, '/', 3), 'plan', '') || '%') as effects
       from runs p join plans n on n.id = (p.directive ->> 'plan_id')::uuid join files f on f.id = n.id
       where p.directive is not null`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(AT_ONCE);
    expect(rows).toEqual(
      Array(rows.length).fill({
        status: 'done',
        state: 'done',
        steps: STEPS,
        children: STEPS,
        done: STEPS,
        told: STEPS,
        effects: STEPS,
      }),
    );
    const budgets = await database.pool.query<{ spent: number; used: number; calls: number }>(
      `select b.tokens::int as spent, b.steps as calls,
        (select sum((c.usage ->> 'input')::int + (c.usage ->> 'output')::int)::int from runs c where c.budget = b.run_id) as used
       from budgets b`,
    );
    expect(budgets.rows).toHaveLength(rows.length);
    expect(budgets.rows.map(({ spent }) => spent)).toEqual(budgets.rows.map(({ used }) => used));
    expect((await database.pool.query('select from reservations')).rowCount).toBe(0);
    expect(await brokenInvariants(database.pool)).toEqual([]);
  },
);
