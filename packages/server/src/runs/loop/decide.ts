// What to do next = decide(state, facts). Pure and small: every decision of the run loop is here.

import type { ApprovalDecision, AttachedFile, Call } from '@continuo/protocol';
import { pendingApproval, workedMs, type RunState, type ThreadState } from '../../threads/fold.ts';

export interface SentMessage {
  readonly id: string;
  readonly content: string;
  readonly files?: readonly AttachedFile[];
}

export interface Decision {
  readonly decision: ApprovalDecision | 'expired';
  /** What a person made of the call's input; null if nothing. */
  readonly input: unknown;
  readonly comment: string | null;
}

/** An open run, as its row says. The message's content is there for the one that is next. */
export interface QueuedRun {
  readonly id: string;
  readonly ordinal: number;
  readonly message: SentMessage;
  readonly model: string;
  readonly role: string;
  readonly cancel: string | null;
  readonly pause: boolean;
  /** The thread's seq to which the history is rewound when the run begins, or is dropped. */
  readonly rewindTo: number | null;
  /** What it was sent while at work, and what people decided, by approval. */
  readonly steers: readonly SentMessage[];
  readonly decisions: ReadonlyMap<string, Decision>;
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
  /** Null where nobody knows. */
  readonly workspaceId: string | null;
  /** The session is to end. */
  readonly stop: boolean;
  /** Milliseconds. */
  readonly pingedAt: number | null;
  readonly titleWanted: boolean;
}

export type Step =
  | { readonly kind: 'start'; readonly run: QueuedRun }
  | { readonly kind: 'take_over'; readonly run: RunState }
  | { readonly kind: 'call_model'; readonly run: RunState }
  | { readonly kind: 'run_tools'; readonly run: RunState; readonly calls: readonly Call[] }
  /** People have decided about all calls that asked. */
  | { readonly kind: 'settle'; readonly run: RunState; readonly queued: QueuedRun }
  /** Messages that came while the run was at work become part of it. */
  | { readonly kind: 'take_in'; readonly run: RunState; readonly messages: readonly SentMessage[] }
  | { readonly kind: 'pause'; readonly run: RunState }
  | { readonly kind: 'resume'; readonly run: RunState }
  | { readonly kind: 'finish'; readonly run: RunState }
  | { readonly kind: 'fail'; readonly run: RunState; readonly code: string; readonly error: string }
  | { readonly kind: 'cancel'; readonly run: RunState; readonly reason: string }
  /** These were canceled before they began. */
  | { readonly kind: 'drop'; readonly runs: readonly QueuedRun[] }
  | { readonly kind: 'title' }
  | { readonly kind: 'end_session'; readonly input: 'stop' | 'expire' }
  /** There is nothing to do, or not before somebody answers: the thread is let go as it is, until then at most. */
  | { readonly kind: 'rest'; readonly until: number | null };

/** Attempts in a row that may end without a finished step: more, and the run is what kills its pods. */
const STALLED_ATTEMPTS = 20;

/** `idleMs`: how long a session may idle. */
export function decide(state: ThreadState, facts: Facts, attempt: number, idleMs: number): Step {
  const { run } = state;
  // A run that carries a rewind is dropped when the runs before it have ended: what they still say is taken back, too.
  const dropped = facts.runs.filter(
    (queued) => queued.cancel !== null && queued.id !== run?.id && (queued.rewindTo === null || !run),
  );
  if (dropped.length > 0) return { kind: 'drop', runs: dropped };
  if (!run) return betweenRuns(state, facts, idleMs);

  const queued = facts.runs.find(({ id }) => id === run.id);
  const isPaused = run.rest?.for === 'resume';
  // A run that is paused fails once it goes on.
  const late = queued && !isPaused && lateLimit(run, queued.limits, facts.now);
  // A pod that only looks appends no event: a message behind a parked run must not count as another attempt at it.
  if (queued && !late && queued.cancel === null && rests(run, queued))
    return { kind: 'rest', until: expiryOf(run) };
  // Until its event is in the log, a hold is not complete: this comes before everything else.
  if (run.heldBy !== attempt) return { kind: 'take_over', run };

  if (queued && queued.cancel !== null) return { kind: 'cancel', run, reason: queued.cancel };
  if (late) return { kind: 'fail', run, ...late };
  if (queued && queued.pause !== isPaused) return { kind: queued.pause ? 'pause' : 'resume', run };
  if (run.stalled > STALLED_ATTEMPTS) {
    return {
      kind: 'fail',
      run,
      code: 'too_many_attempts',
      error: `the run was taken over ${run.stalled - 1} times without finishing a step`,
    };
  }
  const end = run.last?.end;
  if (end?.kind === 'failed') return { kind: 'fail', run, ...end.error };
  if (queued && isAnswered(run, queued)) return { kind: 'settle', run, queued };
  const calls = run.calls.filter((call) => call.stage.kind !== 'ended' && pendingApproval(call) === null);
  if (calls.length > 0) return { kind: 'run_tools', run, calls };
  const messages = queued ? notTakenIn(run, queued) : [];
  if (messages.length > 0) return { kind: 'take_in', run, messages };
  if (end?.kind === 'complete' && run.calls.length === 0 && !run.unanswered) return { kind: 'finish', run };
  const exceeded = queued && exceededLimit(run, queued.limits);
  return exceeded ? { kind: 'fail', run, ...exceeded } : { kind: 'call_model', run };
}

function betweenRuns({ session, history }: ThreadState, facts: Facts, idleMs: number): Step {
  if (facts.stop) return { kind: 'end_session', input: 'stop' };
  const next = facts.runs[0];
  if (next) return { kind: 'start', run: next };
  if (facts.titleWanted && history.length > 0) return { kind: 'title' };
  if (session?.state !== 'idle') return { kind: 'rest', until: null };
  const until = Math.max(session.since, facts.pingedAt ?? 0) + idleMs;
  return until <= facts.now ? { kind: 'end_session', input: 'expire' } : { kind: 'rest', until };
}

/** There is nothing to do before somebody resumes it, or decides. */
function rests(run: RunState, queued: QueuedRun): boolean {
  const isPaused = run.rest?.for === 'resume';
  if (queued.pause !== isPaused) return false;
  return isPaused || (run.rest?.for === 'approvals' && !isAnswered(run, queued));
}

/** People were asked, and have decided about all of it. */
function isAnswered({ calls }: RunState, { decisions }: QueuedRun): boolean {
  const asked = calls.map(pendingApproval).filter((approval) => approval !== null);
  return asked.length > 0 && asked.every(({ approval }) => decisions.has(approval));
}

/** When the first of its questions expires. */
function expiryOf({ calls, rest }: RunState): number | null {
  const times = calls.flatMap((call) => {
    const expiry = pendingApproval(call)?.expires_at;
    return expiry === undefined ? [] : [Date.parse(expiry)];
  });
  return times.length === 0 || rest?.for === 'resume' ? null : Math.min(...times);
}

/** What the run was sent and has not taken in. */
export function notTakenIn(run: RunState, { steers }: QueuedRun): readonly SentMessage[] {
  return steers.filter(({ id }) => !run.steered.includes(id));
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
