// What to do next = decide(state, facts). Pure and small: every decision of the run loop is here.

import { workedMs, type CallState, type RunState, type ThreadState } from './fold.ts';

/** An open run, as its row says. The message's content is there for the one that is next. */
export interface QueuedRun {
  readonly id: string;
  readonly ordinal: number;
  readonly message: { readonly id: string; readonly content: string };
  readonly model: string;
  readonly role: string;
  readonly cancel: string | null;
  readonly limits: Limits;
  /** Milliseconds. */
  readonly queuedAt: number;
  /** Where the thread lives. */
  readonly workspaceId: string;
}

/** What a run may use; null where there is no limit. */
export interface Limits {
  readonly steps: number;
  readonly tokens: number | null;
  /** In US dollars, as far as prices are known. */
  readonly cost: number | null;
  readonly seconds: number | null;
}

/** What others want of the thread. */
export interface Facts {
  /** Milliseconds. */
  readonly now: number;
  /** The run that has begun, the next one, and those that were canceled, in order. */
  readonly runs: readonly QueuedRun[];
}

export type Step =
  | { readonly kind: 'start'; readonly run: QueuedRun }
  | { readonly kind: 'take_over'; readonly run: RunState }
  | { readonly kind: 'call_model'; readonly run: RunState }
  | { readonly kind: 'run_tools'; readonly run: RunState; readonly calls: readonly CallState[] }
  /** A person must answer first: the thread is let go as it is. */
  | { readonly kind: 'await' }
  | { readonly kind: 'finish'; readonly run: RunState }
  | { readonly kind: 'fail'; readonly run: RunState; readonly code: string; readonly error: string }
  | { readonly kind: 'cancel'; readonly run: RunState; readonly reason: string }
  | { readonly kind: 'drop'; readonly run: QueuedRun; readonly reason: string }
  | { readonly kind: 'rest' };

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
  const queued = facts.runs.find(({ id }) => id === run.id);
  const late = queued && lateLimit(run, queued.limits, facts.now);
  // Who only looks writes nothing: a message behind a parked run must not count as another try at it.
  if (run.parkedAt !== null && !late && !queued?.cancel) return { kind: 'await' };
  // Until its event is in the log, a hold is not complete: this comes before everything else.
  if (run.heldBy !== attempt) return { kind: 'take_over', run };

  if (queued && queued.cancel !== null) return { kind: 'cancel', run, reason: queued.cancel };
  if (late) return { kind: 'fail', run, ...late };
  if (run.stalled > STALLED_ATTEMPTS) {
    return {
      kind: 'fail',
      run,
      code: 'too_many_attempts',
      error: `the run was taken over ${run.stalled - 1} times without finishing a step`,
    };
  }
  if (run.last?.error) return { kind: 'fail', run, ...run.last.error };
  const calls = run.calls.filter(({ stage }) => stage.kind === 'planned' || stage.kind === 'started');
  if (calls.length > 0) return { kind: 'run_tools', run, calls };
  if (run.last && run.calls.length === 0 && !run.last.cut) return { kind: 'finish', run };
  const exceeded = queued && exceededLimit(run, queued.limits);
  return exceeded ? { kind: 'fail', run, ...exceeded } : { kind: 'call_model', run };
}

type Exceeded = { readonly code: string; readonly error: string } | null;

/** Checked at every step, and cuts short what is under way. */
function lateLimit(run: RunState, { seconds }: Limits, now: number): Exceeded {
  if (seconds === null || workedMs(run, now) < seconds * 1000) return null;
  return { code: 'time_limit', error: `the run took longer than its limit of ${seconds} s` };
}

/** Checked before each model call. */
function exceededLimit(run: RunState, limits: Limits): Exceeded {
  const tokens = run.usage.input + run.usage.output;
  const cost = run.cost ?? 0;
  if (run.modelCalls >= limits.steps) {
    return {
      code: 'step_limit',
      error: `the run made ${run.modelCalls} model calls; its limit is ${limits.steps}`,
    };
  }
  if (limits.tokens !== null && tokens >= limits.tokens) {
    return { code: 'token_limit', error: `the run used ${tokens} tokens; its limit is ${limits.tokens}` };
  }
  if (limits.cost !== null && cost >= limits.cost) {
    return { code: 'cost_limit', error: `the run cost $${cost.toFixed(4)}; its limit is $${limits.cost}` };
  }
  return null;
}
