// The scheduler, on generated plans that are played to their end in every order that it allows.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepsOf, type AgentPlan, type PlanStep, type PlanStepStatus } from '@continuo/protocol';
import { scheduleSteps } from '../../src/planning/schedule.ts';

const step = (id: string, inputs: readonly string[] = []): PlanStep => ({
  id,
  title: id,
  intent: 'create',
  executor: 'writer',
  inputs,
});
const plan = (...stages: (readonly [AgentPlan['stages'][number]['mode'], ...PlanStep[]])[]): AgentPlan => ({
  id: 'p',
  goal: 'g',
  stages: stages.map(([mode, ...steps], index) => ({ id: `s${index}`, name: `${index}`, mode, steps })),
});
const of = (entries: Record<string, PlanStepStatus>) => new Map(Object.entries(entries));

test('PLAN-2 stages in order, a sequence one by one, a parallel stage under the cap, an input always waits', () => {
  const two = plan(['parallel', step('a'), step('b'), step('c', ['a'])], ['sequence', step('d'), step('e')]);
  expect(scheduleSteps(two, of({}), 4).start).toEqual(['a', 'b']);
  expect(scheduleSteps(two, of({}), 1).start).toEqual(['a']);
  expect(scheduleSteps(two, of({ a: 'running' }), 1).start).toEqual([]);
  expect(scheduleSteps(two, of({ a: 'done', b: 'running' }), 4).start).toEqual(['c']);
  expect(scheduleSteps(two, of({ a: 'done', b: 'done', c: 'done' }), 4).start).toEqual(['d']);
  expect(scheduleSteps(two, of({ a: 'done', b: 'done', c: 'done', d: 'running' }), 4).start).toEqual([]);
  expect(scheduleSteps(two, of({ a: 'done', b: 'skipped', c: 'done', d: 'skipped' }), 4).start).toEqual([
    'e',
  ]);
});

test('PLAN-2 a failed step blocks what depends on it and nothing else; skipping it lets that go on', () => {
  const two = plan(
    ['parallel', step('a'), step('b'), step('c', ['a'])],
    ['parallel', step('d', ['c']), step('e', ['b'])],
  );
  const failed = scheduleSteps(two, of({ a: 'failed', b: 'done' }), 4);
  expect(failed).toEqual({
    start: ['e'],
    block: [
      { id: 'c', by: 'a' },
      { id: 'd', by: 'a' },
    ],
    unblock: [],
    done: false,
  });
  const blocked = of({ a: 'failed', b: 'done', c: 'blocked', d: 'blocked', e: 'done' });
  expect(scheduleSteps(two, blocked, 4)).toEqual({ start: [], block: [], unblock: [], done: true });
  const skipped = scheduleSteps(two, new Map(blocked).set('a', 'skipped'), 4);
  expect(skipped).toEqual({ start: ['c'], block: [], unblock: ['d'], done: false });
});

test('PLAN-2 a sequence stops at its failed step, and the next stage runs what does not need it', () => {
  const two = plan(
    ['sequence', step('a'), step('b'), step('c')],
    ['parallel', step('d', ['a']), step('e', ['c'])],
  );
  expect(scheduleSteps(two, of({ a: 'done', b: 'failed' }), 4)).toEqual({
    start: ['d'],
    block: [
      { id: 'c', by: 'b' },
      { id: 'e', by: 'b' },
    ],
    unblock: [],
    done: false,
  });
});

/** Plans without cycles: a step's inputs come before it in the plan, or in its parallel stage. */
const plans = fc
  .array(
    fc.record({
      parallel: fc.boolean(),
      steps: fc.array(fc.array(fc.nat(40), { maxLength: 3 }), { maxLength: 6 }),
    }),
    {
      maxLength: 5,
    },
  )
  .map((stages): AgentPlan => {
    let count = 0;
    return {
      id: 'p',
      goal: 'g',
      stages: stages.map(({ parallel, steps }, index) => ({
        id: `s${index}`,
        name: `s${index}`,
        mode: parallel ? 'parallel' : 'sequence',
        steps: steps.map((inputs) => {
          const before = count;
          count += 1;
          return step(
            `${before}`,
            before === 0 ? [] : [...new Set(inputs.map((input) => `${input % before}`))],
          );
        }),
      })),
    };
  });

test('PLAN-2 every generated plan comes to its end, whatever fails, and every rule holds on the way', () => {
  fc.assert(
    fc.property(
      plans,
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.nat(1000)),
      fc.integer({ min: 0, max: 400 }),
      (given, cap, choices, failing) => {
        const next = () => choices.next().value!;
        const statuses = new Map<string, PlanStepStatus>();
        const statusOf = (id: string) => statuses.get(id) ?? 'pending';
        const steps = stepsOf(given);
        const ended = (id: string) => !['pending', 'running'].includes(statusOf(id));
        for (let turn = 0; ; turn += 1) {
          expect(turn).toBeLessThan(1000);
          const { start, block, unblock, done } = scheduleSteps(given, statuses, cap);
          expect(unblock).toEqual([]);
          for (const { id, by } of block) {
            expect([statusOf(id), statusOf(by)]).toEqual(['pending', 'failed']);
            statuses.set(id, 'blocked');
          }
          for (const id of start) {
            const stage = given.stages.findIndex((each) => each.steps.some((one) => one.id === id));
            const { inputs = [] } = steps.find((each) => each.id === id)!;
            expect(statusOf(id)).toBe('pending');
            expect(inputs.every((input) => statusOf(input) === 'done')).toBe(true);
            const before = given.stages.slice(0, stage).flatMap((each) => each.steps);
            expect(before.every((each) => ended(each.id))).toBe(true);
            const { mode, steps: beside } = given.stages[stage]!;
            const earlier = beside.slice(
              0,
              beside.findIndex((each) => each.id === id),
            );
            if (mode === 'sequence') expect(earlier.every((each) => ended(each.id))).toBe(true);
            statuses.set(id, 'running');
          }
          const running = steps.filter(({ id }) => statusOf(id) === 'running');
          expect(running.length).toBeLessThanOrEqual(cap);
          expect(done).toBe(running.length === 0);
          if (done) break;
          const { id } = running[next() % running.length]!;
          statuses.set(id, next() < failing ? 'failed' : 'done');
        }
        // Nothing is left over, and nothing is blocked without a reason.
        expect(steps.filter(({ id }) => statusOf(id) === 'pending')).toEqual([]);
        if (![...statuses.values()].includes('failed'))
          expect(steps.every(({ id }) => statusOf(id) === 'done')).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});
