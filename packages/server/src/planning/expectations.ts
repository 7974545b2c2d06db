// The expectations of a plan's run in the agent state of its chat: the expected outcome of the plan and of each step when it starts,
// and the actual outcome when it ends. Made from the plan and from rows, without a model.

import type { AgentPlan, EventData, NewEvent, PlanStep } from '@continuo/protocol';

/** Maximum characters of a part of an expectation. */
const CHARACTERS = 500;

type Expectation = NonNullable<NonNullable<EventData['agent_state_delta']['state']>['expectations']>[number];

/** The expected outcome of the plan's steps, when its run begins to carry them out. */
export function planStarts(plan: AgentPlan): Expectation {
  const { stages, constraints = [] } = plan;
  const steps = stages.reduce((sum, stage) => sum + stage.steps.length, 0);
  return expectation(actionOfPlan(plan), `All ${steps} steps end well`, constraints);
}

export function planEnds(plan: AgentPlan, isWell: boolean): Expectation {
  return expectation(
    actionOfPlan(plan),
    isWell ? 'Met: all steps ended well' : 'Not met: some steps failed or are blocked',
    plan.constraints,
  );
}

export function stepStarts(step: PlanStep): Expectation {
  return expectation(actionOfStep(step), wanted(step));
}

export function stepEnds(step: PlanStep, isWell: boolean, error?: string): Expectation {
  const ended = isWell ? 'Done' : `Failed${error === undefined ? '' : ` (${error})`}`;
  return expectation(actionOfStep(step), `${ended}. Expected: ${wanted(step)}`);
}

/** The event that records expectations. One with the action of an earlier one replaces it. */
export function expecting(expectations: readonly Expectation[]): NewEvent[] {
  if (expectations.length === 0) return [];
  const data = { source: 'plan' as const, state: { expectations: [...expectations] } };
  return [{ type: 'agent_state_delta', data }];
}

function expectation(action: string, outcome: string, invariants: readonly string[] = []): Expectation {
  return {
    action: cut(action),
    expected_outcome: cut(outcome),
    ...(invariants.length > 0 && { invariant: cut(invariants.join('; ')) }),
  };
}

const actionOfPlan = ({ goal }: AgentPlan) => `Carry out the plan: ${goal}`;
const actionOfStep = ({ id, title, executor }: PlanStep) => `Step ${id} (${executor}): ${title}`;

function wanted({ intent, outputs = [] }: PlanStep): string {
  return outputs.length > 0 ? `Produces ${outputs.join(', ')}` : `Ends with its ${intent} and a report`;
}

function cut(text: string): string {
  return text.length > CHARACTERS ? `${text.slice(0, CHARACTERS - 1).toWellFormed()}…` : text;
}
