// Budgets of runs with children: what they spend together, whatever they ask for and whenever they ask.

import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { costOf } from '../../src/models/prices.ts';
import { reserve, type Budget } from '../../src/runs/budgets/reserve.ts';
import { useLog } from './support.ts';

const world = useLog();

/** A parent with these limits, and children that draw on them. */
async function family(limits: Budget['limits'], children: number) {
  const thread = await world.thread();
  const parent = await world.run(thread);
  await world.pool.query('update runs set limits = $2 where id = $1', [parent, JSON.stringify(limits)]);
  const ids = [];
  for (let n = 0; n < children; n += 1) {
    const child = await world.run(await world.thread());
    await world.pool.query('update runs set parent_run = $2, budget = $2 where id = $1', [child, parent]);
    ids.push(child);
  }
  return { budget: { run: parent, limits }, children: ids };
}
const spend = (run: string, message: string, tokens: number, cost: number) =>
  world.pool.query('select on_append_spend($1, $2, $3, $4)', [run, message, tokens, cost]);
const totals = async (run: string) =>
  (
    await world.pool.query<{ steps: number; tokens: number; cost: number }>(
      'select steps, tokens::int, cost from budgets where run_id = $1',
      [run],
    )
  ).rows[0];
/** A model with a price. */
const PRICED = 'openai/gpt-4.1';
const priceOf = (input: number, output: number) => costOf(PRICED, { input, output })!;

test.each(['tokens', 'cost'] as const)(
  'the children of a run never spend more than its budget of %s and the error of one input estimate each',
  async (of) => {
    const call = fc.record({
      child: fc.nat(5),
      estimate: fc.integer({ min: 1, max: 3000 }),
      error: fc.integer({ min: -500, max: 500 }),
      output: fc.double({ min: 0, max: 1, noNaN: true }),
      /** Whether the call's pod dies, and another takes the run over. */
      dies: fc.boolean(),
      /** Whether it answers before the next call is made. */
      answersAtOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1000, max: 60_000 }),
        fc.array(call, { minLength: 5, maxLength: 40 }),
        async (limit, calls) => {
          const most = of === 'tokens' ? limit : priceOf(limit, 0);
          const { budget, children } = await family({ [of]: most }, 6);
          const errors = children.map(() => 0);
          const open = new Map<
            number,
            {
              readonly message: string;
              readonly tokens: number;
              readonly cost: number;
              readonly error: number;
            }
          >();
          let spent = 0;
          const answer = async (child: number) => {
            const asked = open.get(child);
            open.delete(child);
            if (!asked) return;
            await spend(children[child]!, asked.message, asked.tokens, asked.cost);
            spent += asked[of];
            errors[child] = Math.max(errors[child]!, asked.error);
          };
          for (const [index, each] of calls.entries()) {
            const { child } = each;
            await answer(child);
            const message = `m${index}`;
            const reserved = await reserve(world.pool, budget, {
              runId: children[child]!,
              message,
              model: PRICED,
              inputTokens: each.estimate,
            });
            if (!reserved.ok) continue;
            if (each.dies) {
              await world.pool.query('select on_append_unreserve($1)', [children[child]]);
              continue;
            }
            const input = Math.max(0, each.estimate + each.error);
            const output = Math.round(reserved.maxOutputTokens * each.output);
            const error = Math.max(0, each.error);
            open.set(child, {
              message,
              tokens: input + output,
              cost: priceOf(input, output),
              error: of === 'tokens' ? error : priceOf(error, 0),
            });
            if (each.answersAtOnce) await answer(child);
          }
          for (const child of children.keys()) await answer(child);
          // Sums of prices are rounded.
          const rounding = of === 'tokens' ? 0 : 1e-9;
          expect(spent).toBeLessThanOrEqual(most + errors.reduce((sum, error) => sum + error, 0) + rounding);
          if (spent > 0) expect((await totals(budget.run))![of]).toBeCloseTo(spent, 9);
          const left = await world.pool.query('select from reservations where budget = $1', [budget.run]);
          expect(left.rowCount).toBe(0);
        },
      ),
      { numRuns: 25 },
    );
  },
);

test('reservations that are made at the same time do not exceed the budget together', async () => {
  const { budget, children } = await family({ tokens: 20_000, steps: 5 }, 10);
  const all = await Promise.all(
    children.map((runId) =>
      reserve(world.pool, budget, { runId, message: 'm1', model: 'offline/script', inputTokens: 500 }),
    ),
  );
  const granted = all.flatMap((each) => (each.ok ? [each.maxOutputTokens] : []));
  expect(granted.reduce((sum, output) => sum + output + 500, 0)).toBeLessThanOrEqual(20_000);
  expect(granted.length).toBe(3);
  expect(all.filter((each) => !each.ok).map((each) => !each.ok && each.code)).toEqual(
    Array(7).fill('token_limit'),
  );
});

test('a model without a price is refused under a limit of money, and one with a price is limited in its output', async () => {
  const { budget, children } = await family({ cost: 0.01 }, 2);
  const ask = (runId: string, model: string) =>
    reserve(world.pool, budget, { runId, message: uuidv7(), model, inputTokens: 100 });
  expect(await ask(children[0]!, 'compatible/some')).toMatchObject({ ok: false, code: 'price_unknown' });
  const first = await ask(children[0]!, 'openai/gpt-4.1');
  expect(first).toMatchObject({ ok: true });
  expect(first.ok && first.maxOutputTokens).toBeLessThan(1300);
  expect(await ask(children[1]!, 'openai/gpt-4.1')).toMatchObject({ ok: false, code: 'cost_limit' });
});
