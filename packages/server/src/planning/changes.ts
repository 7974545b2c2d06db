// The row changes of plans that commit with the events of a plan's run.

import type { ChangeKinds } from '../log/changes.ts';
import { FactsChanged } from '../runs/changes.ts';
import type { StepChange } from './steps.ts';

export type PlanChange =
  /** Statuses of steps, by compare-and-set: if one has another status by now, the append is refused. */
  | { kind: 'plan_steps'; event: number; plan: string; steps: readonly StepChange[] }
  /** The run is paused or resumed, and the plan with it. */
  | { kind: 'plan_pause'; event: number; plan: string; plan_state: 'paused' | 'running' }
  /** The run ends: the plan's state, and steps that were running are pending again. */
  | { kind: 'plan_end'; event: number; plan: string; plan_state: 'done' | 'failed' | 'stopped' };

export const PLAN_CHANGES: ChangeKinds<PlanChange> = {
  plan_steps: { json: ['steps'], refusal: () => new FactsChanged('the plan’s steps have changed') },
  plan_pause: {},
  plan_end: {},
};
