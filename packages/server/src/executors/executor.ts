// Who writes the next answer of a run. The local executor asks the run's model; a model named `executor/<name>` stands for a
// program outside the server, which claims the answer as an assignment (remote.ts). Everything else stays with the pod that
// owns the thread: the log, tools, policies, approvals, budgets.

import type { StreamEvent } from '@continuo/engine';
import { EXECUTOR_PREFIX } from '../models/executor-model.ts';
import type { Model, ModelRequest } from '../models/model.ts';

/** One answer to write. */
export interface Assignment {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly workspaceId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly role: string;
  /** The owner's attempt. */
  readonly attempt: number;
  /** The span of the answer, if runs are traced: spans of the executor are its children. */
  readonly traceparent: string | null;
  /** The executor's last answer in this thread, whose state it gets back; null if there is none. */
  lastAnswer(): { readonly runId: string; readonly message: string } | null;
  /** Stores a state with the finished message. */
  keep(state: unknown): void;
}

export interface Executor {
  /** Failures arrive as `stream_error` events; an abort of the request's signal ends the stream. */
  answer(assignment: Assignment): AsyncIterable<StreamEvent>;
}

/** The executor claimed the answer, began it, and then sent nothing until its lease ended. The next executor starts the message over. */
export const EXECUTOR_LOST = 'executor_lost';

/** Asks the model itself. */
export const local: Executor = { answer: ({ model, request }) => model.stream(request) };

/** Chooses by the model's name. */
export function createExecutors(remote: Executor): Executor {
  return {
    answer: (assignment) =>
      (assignment.model.id.startsWith(EXECUTOR_PREFIX) ? remote : local).answer(assignment),
  };
}
