// The statuses of a plan's steps, changed by compare-and-set.

import type { EventData, PlanStepStatus } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';

/** `from`: the statuses that the step may change from; null: any. */
export interface StepChange {
  readonly step_id: string;
  readonly from: readonly PlanStepStatus[] | null;
  readonly to: PlanStepStatus;
  readonly run?: string;
  readonly chat?: string;
  readonly error?: string;
  /** In dollars. */
  readonly cost?: number;
}

export interface PlanKey {
  readonly workspaceId: string;
  readonly planId: string;
}

/**
 * Makes the changes whose step has one of the statuses that they start from, and returns what changed. Each is in the change feed.
 * After the commit, call `changed` of the plans: it announces them, and has the file show them.
 */
export async function changeSteps(
  client: Queryable,
  { workspaceId, planId }: PlanKey,
  changes: readonly StepChange[],
): Promise<readonly EventData['plan_step'][]> {
  const { rows } = await client.query<{ changed: EventData['plan_step'][] }>({
    name: 'change_plan_steps',
    text: 'select change_plan_steps($1, $2, $3, clock_timestamp()) as changed',
    values: [workspaceId, planId, JSON.stringify(changes)],
  });
  return rows[0]!.changed;
}
