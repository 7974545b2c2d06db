// What to do next = decide(state, facts). Pure and small: every decision of the run loop is here.

import type { CallState, RunState, ThreadState } from './fold.ts';

/** A run that waits, as its row says. */
export interface QueuedRun {
  readonly id: string;
  readonly ordinal: number;
  readonly message: { readonly id: string; readonly content: string };
  readonly model: string;
  readonly role: string;
  readonly cancel: string | null;
}

/** What others want of the thread. */
export interface Facts {
  /** The open runs in order; the one that has begun comes first. */
  readonly runs: readonly QueuedRun[];
}

export type Step =
  | { readonly kind: 'start'; readonly run: QueuedRun }
  | { readonly kind: 'take_over'; readonly run: RunState }
  | { readonly kind: 'call_model'; readonly run: RunState }
  | { readonly kind: 'run_tools'; readonly run: RunState; readonly calls: readonly CallState[] }
  | { readonly kind: 'finish'; readonly run: RunState }
  | { readonly kind: 'fail'; readonly run: RunState; readonly code: string; readonly error: string }
  | { readonly kind: 'cancel'; readonly run: RunState; readonly reason: string }
  | { readonly kind: 'drop'; readonly run: QueuedRun; readonly reason: string }
  | { readonly kind: 'rest' };

/** Model calls at most in one run. */
const MODEL_CALLS = 100;
/** Attempts in a row that may end without a finished step: more, and the run is what kills its pods. */
const STALLED_ATTEMPTS = 20;

export function decide(state: ThreadState, facts: Facts, attempt: number): Step {
  const { run } = state;
  const dropped = facts.runs.find((queued) => queued.cancel !== null && queued.id !== run?.id);
  if (dropped) return { kind: 'drop', run: dropped, reason: dropped.cancel! };
  if (!run) {
    const next = facts.runs[0];
    return next ? { kind: 'start', run: next } : { kind: 'rest' };
  }
  // Until its event is in the log, a hold is not complete: this comes before everything else.
  if (run.heldBy !== attempt) return { kind: 'take_over', run };

  const cancel = facts.runs.find((queued) => queued.id === run.id)?.cancel ?? null;
  if (cancel !== null) return { kind: 'cancel', run, reason: cancel };
  if (run.stalled > STALLED_ATTEMPTS) {
    return {
      kind: 'fail',
      run,
      code: 'too_many_attempts',
      error: `the run was taken over ${run.stalled} times without finishing a step`,
    };
  }
  if (run.last?.error) return { kind: 'fail', run, ...run.last.error };
  const calls = run.calls.filter((call) => call.stage.kind !== 'ended');
  if (calls.length > 0) return { kind: 'run_tools', run, calls };
  if (run.last && run.calls.length === 0 && !run.last.cut) return { kind: 'finish', run };
  if (run.modelCalls >= MODEL_CALLS) {
    return {
      kind: 'fail',
      run,
      code: 'step_limit',
      error: `the run made ${MODEL_CALLS} model calls without coming to an end`,
    };
  }
  return { kind: 'call_model', run };
}
