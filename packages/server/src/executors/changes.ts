// The row change of executors that commits with events: the state that an executor wants back.

import type { ChangeKinds } from '../log/changes.ts';

export type ExecutorChange = {
  readonly kind: 'executor_state';
  readonly event: number;
  readonly answer: string;
  readonly workspace: string;
  readonly kept: unknown;
};

export const EXECUTOR_CHANGES: ChangeKinds<ExecutorChange> = { executor_state: { json: ['kept'] } };
