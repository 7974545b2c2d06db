// Reads a plan from its file. A file that follows the form gives the plan and the status of each step; otherwise every mistake
// with its line and column. What is read is the plan's form alone: check.ts says whether its steps fit together.

import {
  isPlanId,
  PLAN_LIMITS,
  type AgentPlan,
  type PlanProblem,
  type PlanStage,
  type PlanStep,
  type PlanStepStatus,
} from '../plans.ts';
import {
  layoutOf,
  type Detail,
  type DetailKey,
  type PlanLayout,
  type StageLayout,
  type StepLayout,
} from './layout.ts';
import { readList, readText } from './values.ts';

export type ParsedPlan =
  | {
      readonly ok: true;
      readonly plan: AgentPlan;
      /** The status of every step, by its id. */
      readonly statuses: ReadonlyMap<string, PlanStepStatus>;
      readonly positions: PlanPositions;
    }
  | { readonly ok: false; readonly problems: readonly PlanProblem[] };

/** Where each step stands, and its details; counted from 1. */
export type PlanPositions = ReadonlyMap<string, StepPosition>;
interface StepPosition {
  readonly line: number;
  readonly details: ReadonlyMap<DetailKey, Position>;
}
interface Position {
  readonly line: number;
  readonly column: number;
}

/** The most problems that are reported; after them, one says how many more there are. */
const PROBLEMS = 100;

/** `id` is the plan's id if the file has none. */
export function parsePlan(text: string, id = 'plan'): ParsedPlan {
  if (text.length > PLAN_LIMITS.characters) {
    const sentence = `The file has ${text.length} characters; a plan may have at most ${PLAN_LIMITS.characters}.`;
    return { ok: false, problems: [{ line: 1, column: 1, text: sentence }] };
  }
  return readLayout(layoutOf(text), id);
}

function readLayout(layout: PlanLayout, id: string): ParsedPlan {
  const goal = layout.front.goal?.text ?? layout.heading ?? '';
  const plan: AgentPlan = {
    id: layout.front.plan?.text || id,
    goal,
    stages: layout.stages.map(toStage),
    ...(layout.front.constraints && { constraints: layout.front.constraints }),
  };
  const problems = [...layout.problems, ...limitProblems(layout, plan)];
  if (problems.length > 0)
    return {
      ok: false,
      problems: firstOf(problems.toSorted((a, b) => a.line - b.line || a.column - b.column)),
    };
  const steps = layout.stages.flatMap((stage) => stage.steps);
  return {
    ok: true,
    plan,
    statuses: new Map(steps.map((step) => [step.id, step.status])),
    positions: new Map(steps.map((step) => [step.id, positionOf(step)])),
  };
}

function firstOf(problems: readonly PlanProblem[]): readonly PlanProblem[] {
  const next = problems[PROBLEMS];
  if (!next) return problems;
  const text = `There are ${problems.length - PROBLEMS} more problems.`;
  return [...problems.slice(0, PROBLEMS), { line: next.line, column: next.column, text }];
}

function toStage({ id, name, mode, steps }: StageLayout): PlanStage {
  return { id, name, mode, steps: steps.map(toStep) };
}

export function toStep({ id, title, details }: StepLayout): PlanStep {
  const list = (key: DetailKey) => {
    const detail = details.get(key);
    return detail && { [key]: readList(detail.value) };
  };
  const text = (key: DetailKey, otherwise: string) => {
    const detail = details.get(key);
    return detail ? readText(detail.value) : otherwise;
  };
  return {
    id,
    title,
    intent: text('intent', 'update').toLowerCase() as PlanStep['intent'],
    executor: text('executor', 'planner'),
    ...list('tools'),
    ...list('inputs'),
    ...list('outputs'),
  };
}

function positionOf(step: StepLayout): StepPosition {
  const details = [...step.details].map(([key, at]): [DetailKey, Position] => [key, position(at)]);
  return { line: step.line + 1, details: new Map(details) };
}

function position({ line, column }: Pick<Detail, 'line' | 'column'>): Position {
  return { line: line + 1, column };
}

function limitProblems({ front, stages }: PlanLayout, plan: AgentPlan): readonly PlanProblem[] {
  const problems: PlanProblem[] = [];
  const say = (line: number, column: number, text: string) => problems.push({ line: line + 1, column, text });
  if (!isPlanId(plan.id) && front.plan)
    say(
      front.plan.line,
      front.plan.column,
      `“${plan.id}” is not an id: use letters, digits, “.”, “_” and “-”, at most ${PLAN_LIMITS.id}, beginning with a letter or digit.`,
    );
  const goalAt = front.goal ?? { line: 0, column: 1 };
  if (plan.goal === '')
    say(
      goalAt.line,
      goalAt.column,
      'The plan has no goal: write “goal: …” into the front matter, or a heading “# …”.',
    );
  if (plan.goal.length > PLAN_LIMITS.text)
    say(
      goalAt.line,
      goalAt.column,
      `The goal has ${plan.goal.length} characters; at most ${PLAN_LIMITS.text} are allowed.`,
    );
  const { constraints = [] } = plan;
  if (constraints.length > PLAN_LIMITS.constraints)
    say(
      0,
      1,
      `The plan has ${constraints.length} constraints; at most ${PLAN_LIMITS.constraints} are allowed.`,
    );
  constraints.forEach((text, index) => {
    if (text === '' || text.length > PLAN_LIMITS.text)
      say(
        0,
        1,
        `Constraint ${index + 1} has ${text.length} characters; 1 to ${PLAN_LIMITS.text} are allowed.`,
      );
  });
  if (stages.length > PLAN_LIMITS.stages)
    say(
      stages[PLAN_LIMITS.stages]!.line,
      1,
      `A plan has at most ${PLAN_LIMITS.stages} stages; this one has ${stages.length}.`,
    );
  for (const stage of stages)
    if (stage.name === '' || stage.name.length > PLAN_LIMITS.title)
      say(
        stage.line,
        1,
        `The stage’s name has ${stage.name.length} characters; 1 to ${PLAN_LIMITS.title} are allowed.`,
      );
  const steps = stages.flatMap((stage) => stage.steps);
  if (steps.length > PLAN_LIMITS.steps)
    say(
      steps[PLAN_LIMITS.steps]!.line,
      1,
      `A plan has at most ${PLAN_LIMITS.steps} steps; this one has ${steps.length}.`,
    );
  for (const step of steps) problems.push(...stepLimitProblems(step));
  return problems;
}

function stepLimitProblems(step: StepLayout): readonly PlanProblem[] {
  const problems: PlanProblem[] = [];
  if (step.title.length > PLAN_LIMITS.title)
    problems.push({
      line: step.line + 1,
      column: 1,
      step_id: step.id,
      text: `The title has ${step.title.length} characters; at most ${PLAN_LIMITS.title} are allowed.`,
    });
  for (const [key, detail] of step.details) {
    const items = key === 'intent' || key === 'executor' ? [readText(detail.value)] : readList(detail.value);
    const isTooLong = items.some((item) => item.length > PLAN_LIMITS.title);
    if (isTooLong || items.length > PLAN_LIMITS.listed)
      problems.push({
        ...position(detail),
        step_id: step.id,
        text: `“${key}” takes at most ${PLAN_LIMITS.listed} items of ${PLAN_LIMITS.title} characters.`,
      });
  }
  return problems;
}
