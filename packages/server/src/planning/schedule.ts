// Which steps of a plan can start now. Pure.
//
// - S1 Stages run in order: a step starts after every step of the stages before its own has ended.
// - S2 In a sequence, a step starts after the one before it has ended. In a parallel stage, steps start at once, under the cap.
// - S3 A declared input always waits: a step starts after all its inputs have ended well.
// - S4 A failed step blocks what depends on it, and nothing else: the steps that have it as an input, the next step of its
//   sequence, and what depends on those. A skipped step blocks nothing.

import { stepsOf, type AgentPlan, type PlanStep, type PlanStepStatus } from '@continuo/protocol';

/** How many steps run at the same time, unless the run says otherwise. */
export const DEFAULT_CAP = 4;

export type Statuses = ReadonlyMap<string, PlanStepStatus>;

interface Schedule {
  /** Ids of steps to start, in the order of the plan. */
  readonly start: readonly string[];
  /** Ids of steps that can no longer start, each with the failed step that is the reason. */
  readonly block: readonly { readonly id: string; readonly by: string }[];
  /** Ids of blocked steps that wait again, because the reason is gone. */
  readonly unblock: readonly string[];
  /** No step runs or can start. */
  readonly done: boolean;
}

/** A step without a status is pending. `cap`: how many steps may run at the same time. */
export function scheduleSteps(plan: AgentPlan, statuses: Statuses, cap: number): Schedule {
  const statusOf = (id: string): PlanStepStatus => statuses.get(id) ?? 'pending';
  const blockers = findBlockers(plan, statusOf);
  const waits = (id: string) => isWaiting(statusOf(id)) && !blockers.has(id);
  const steps = stepsOf(plan);
  const running = steps.filter(({ id }) => statusOf(id) === 'running').length;
  const start = readySteps(plan, { statusOf, waits }).slice(0, Math.max(0, cap - running));
  const starting = new Set(start);
  return {
    start,
    block: steps.flatMap(({ id }) => {
      const by = blockers.get(id);
      return by !== undefined && statusOf(id) === 'pending' ? [{ id, by }] : [];
    }),
    unblock: steps.flatMap(({ id }) =>
      statusOf(id) === 'blocked' && waits(id) && !starting.has(id) ? [id] : [],
    ),
    done: running === 0 && !steps.some(({ id }) => waits(id)),
  };
}

function isWaiting(status: PlanStepStatus): boolean {
  return status === 'pending' || status === 'blocked';
}

function hasEndedWell(status: PlanStepStatus): boolean {
  return status === 'done' || status === 'skipped';
}

interface Reading {
  readonly statusOf: (id: string) => PlanStepStatus;
  /** The step has not started, and nothing keeps it from starting later. */
  readonly waits: (id: string) => boolean;
}

function readySteps(plan: AgentPlan, { statusOf, waits }: Reading): string[] {
  const open = plan.stages.find(({ steps }) =>
    steps.some(({ id }) => statusOf(id) === 'running' || waits(id)),
  );
  if (!open) return [];
  const ready = ({ id, inputs = [] }: PlanStep) =>
    waits(id) && inputs.every((input) => hasEndedWell(statusOf(input)));
  if (open.mode === 'parallel') return open.steps.filter(ready).map(({ id }) => id);
  const next = open.steps.find(({ id }) => statusOf(id) === 'running' || waits(id));
  return next && statusOf(next.id) !== 'running' && ready(next) ? [next.id] : [];
}

/** The steps that depend on a failed step, each with that failed step. */
function findBlockers(
  plan: AgentPlan,
  statusOf: (id: string) => PlanStepStatus,
): ReadonlyMap<string, string> {
  const dependsOn = dependencies(plan);
  const found = new Map<string, string>();
  const dependants = new Map<string, string[]>();
  for (const [id, before] of dependsOn)
    for (const each of before) dependants.set(each, [...(dependants.get(each) ?? []), id]);
  const reached = stepsOf(plan).flatMap(({ id }) => (statusOf(id) === 'failed' ? [[id, id] as const] : []));
  for (let next = reached.pop(); next; next = reached.pop()) {
    const [id, failed] = next;
    for (const dependant of dependants.get(id) ?? []) {
      if (found.has(dependant) || !isWaiting(statusOf(dependant))) continue;
      found.set(dependant, failed);
      reached.push([dependant, failed]);
    }
  }
  return found;
}

/** What each step depends on: its inputs, and in a sequence the step before. */
function dependencies({ stages }: AgentPlan): ReadonlyMap<string, readonly string[]> {
  return new Map(
    stages.flatMap(({ mode, steps }) =>
      steps.map(({ id, inputs = [] }, index) => {
        const before = mode === 'sequence' ? steps[index - 1]?.id : undefined;
        return [id, before === undefined ? inputs : [...inputs, before]] as const;
      }),
    ),
  );
}
