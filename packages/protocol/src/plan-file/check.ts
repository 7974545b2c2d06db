// Whether a plan can run: its inputs exist, come in time and form no cycle; its roles and tools exist. Every mistake is named.

import { PLAN_EXECUTORS, stepsOf, type AgentPlan, type PlanProblem, type PlanStep } from '../plans.ts';
import type { DetailKey } from './layout.ts';
import type { PlanPositions } from './parse.ts';

/** What a plan may name; null: not checked. */
export interface PlanVocabulary {
  readonly roles: ReadonlySet<string> | null;
  readonly tools: Pick<ReadonlySet<string>, 'has'> | null;
}

/** In the order of the file. Every problem names its step; `positions` give its line and column. */
export function checkPlan(
  plan: AgentPlan,
  { roles, tools }: PlanVocabulary,
  positions: PlanPositions = new Map(),
): readonly PlanProblem[] {
  const problems: PlanProblem[] = [];
  const at = (step: PlanStep, key: DetailKey, text: string) => {
    const position = positions.get(step.id);
    const { line, column } = position?.details.get(key) ?? { line: position?.line ?? 1, column: 1 };
    problems.push({ line, column, text, step_id: step.id });
  };
  const stageOf = new Map(plan.stages.flatMap((stage, index) => stage.steps.map((step) => [step.id, index])));
  const place = new Map(stepsOf(plan).map((step, index) => [step.id, index]));
  if (stepsOf(plan).length === 0)
    problems.push({
      line: 1,
      column: 1,
      text: 'The plan has no steps: write at least one, such as “- [ ] Draft the text”, under a stage.',
    });
  for (const [index, stage] of plan.stages.entries())
    for (const step of stage.steps) {
      for (const input of step.inputs ?? []) {
        const from = stageOf.get(input);
        if (from === undefined)
          at(step, 'inputs', `Step “${step.id}” waits for “${input}”, which is not a step of this plan.`);
        else if (from > index)
          at(
            step,
            'inputs',
            `Step “${step.id}” waits for “${input}” of a later stage, “${plan.stages[from]!.name}”: stages run in order.`,
          );
        else if (from === index && stage.mode === 'sequence' && place.get(input)! > place.get(step.id)!)
          at(step, 'inputs', `Step “${step.id}” waits for “${input}”, which comes after it in a sequence.`);
      }
      const isKnown =
        (PLAN_EXECUTORS as readonly string[]).includes(step.executor) || roles?.has(step.executor);
      if (roles && !isKnown)
        at(
          step,
          'executor',
          `There is no role “${step.executor}”: use ${PLAN_EXECUTORS.join(', ')} or one of the roles ${[...roles].join(', ')}.`,
        );
      for (const tool of step.tools ?? [])
        if (tools && !tools.has(tool)) at(step, 'tools', `There is no tool “${tool}”.`);
    }
  for (const cycle of plan.stages.flatMap(({ mode, steps }) =>
    mode === 'parallel' ? cyclesOf(steps) : [],
  )) {
    const names = [...cycle, cycle[0]!].map(({ id }) => `“${id}”`).join(' waits for ');
    at(cycle[0]!, 'inputs', `These steps wait for each other: ${names}.`);
  }
  return problems.toSorted((one, other) => one.line - other.line || one.column - other.column);
}

/**
 * One cycle for each set of steps that wait for each other. All other cycles have an input that comes too late, which is a
 * problem of its own. Iterative: a chain may be as long as a plan.
 */
function cyclesOf(steps: readonly PlanStep[]): readonly (readonly PlanStep[])[] {
  const known = new Map(steps.map((step) => [step.id, step]));
  const done = new Set<string>();
  const cycles: PlanStep[][] = [];
  for (const start of steps) {
    const path = done.has(start.id) ? [] : [{ step: start, next: 0 }];
    const onPath = new Set([start.id]);
    while (path.length > 0) {
      const top = path.at(-1)!;
      const input = top.step.inputs?.[top.next];
      top.next += 1;
      if (input === undefined) {
        path.pop();
        onPath.delete(top.step.id);
        done.add(top.step.id);
      } else if (onPath.has(input)) {
        const from = path.findIndex(({ step }) => step.id === input);
        cycles.push(path.slice(from).map(({ step }) => step));
      } else if (known.has(input) && !done.has(input)) {
        path.push({ step: known.get(input)!, next: 0 });
        onPath.add(input);
      }
    }
  }
  return cycles;
}
