import type { PlanProblem } from '@continuo/protocol';

/** Why something cannot be done with a plan. The message says what to do. */
export class PlanError extends Error {
  readonly code:
    | 'plan_not_found'
    | 'step_not_found'
    | 'step_not_retryable'
    | 'step_not_skippable'
    | 'plan_not_sound'
    | 'plan_changed';
  readonly problems: readonly PlanProblem[];

  constructor(code: PlanError['code'], message: string, problems: readonly PlanProblem[] = []) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}
