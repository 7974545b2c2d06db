// decide(state, facts) returns the next step. Pure. Every decision of the run loop is made here.

import type { ApprovalDecision, AttachedFile, Call, ThreadScope } from '@continuo/protocol';
import type { StoredPrincipal } from '../../identity/principal.ts';
import { withinCaps, type EndedChild, type Family, type Next } from '../children/conductor.ts';
import type { StateEdit } from '../facts/edit-state.ts';
import { memoryWork, type MemoryWork } from '../../context/summarizer.ts';
import type { MemoryRules } from '../../context/summary.ts';
import { pendingApproval, workedMs, type RunState, type ThreadState } from '../../threads/fold.ts';

export interface SentMessage {
  readonly id: string;
  readonly content: string;
  readonly files?: readonly AttachedFile[];
  readonly scope?: ThreadScope;
  /** A part of it is untrusted content. */
  readonly untrusted?: true;
}

export interface Decision {
  readonly decision: ApprovalDecision | 'expired';
  /** The input as a person edited it, or the answer to a question; null without either. */
  readonly input: unknown;
  readonly comment: string | null;
}

/** An open run, from its row. Only the next run has its message's content. */
export interface QueuedRun {
  readonly id: string;
  readonly ordinal: number;
  readonly message: SentMessage;
  readonly model: string;
  readonly role: string;
  readonly cancel: string | null;
  readonly pause: boolean;
  /** When the run begins or is dropped, the history is rewound to this seq of the thread. */
  readonly rewindTo: number | null;
  /** Steering messages for the run. */
  readonly steers: readonly SentMessage[];
  /** People's decisions, by approval id. */
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly limits: Limits;
  /** Milliseconds. */
  readonly queuedAt: number;
  readonly workspaceId: string;
  /** On whose behalf the run acts. */
  readonly principal: StoredPrincipal;
  /** Absent for a run with neither a parent nor a directive. */
  readonly family?: Family;
}

/** The limits of a run; null means no limit. */
export interface Limits {
  readonly steps: number;
  readonly tokens: number | null;
  /** In US dollars. Models without a known price do not count. */
  readonly cost: number | null;
  readonly seconds: number | null;
}

/** The facts of a thread: requests that its owner turns into events. */
export interface Facts {
  /** Milliseconds. */
  readonly now: number;
  /** The running run, the next one, and canceled runs, in queue order. */
  readonly runs: readonly QueuedRun[];
  /** Null if the facts have not been read. */
  readonly workspaceId: string | null;
  /** A stop was requested: the session must end. */
  readonly stop: boolean;
  /** Milliseconds. */
  readonly pingedAt: number | null;
  readonly titleWanted: boolean;
  /** A run opened the thread for a child, and nobody else has written there. Such a thread needs no memory. */
  readonly isChild: boolean;
  /** People's changes of the agent state. */
  readonly stateEdits: readonly StateEdit[];
}

export type Step =
  | { readonly kind: 'start'; readonly run: QueuedRun }
  | { readonly kind: 'take_over'; readonly run: RunState }
  | { readonly kind: 'call_model'; readonly run: RunState }
  | { readonly kind: 'run_tools'; readonly run: RunState; readonly calls: readonly Call[] }
  /** People have decided about every call that needs approval. */
  | { readonly kind: 'settle'; readonly run: RunState; readonly queued: QueuedRun }
  /** Steering messages become part of the running run. */
  | { readonly kind: 'take_in'; readonly run: RunState; readonly messages: readonly SentMessage[] }
  /** The conductor's next step: children ended, or can start. */
  | {
      readonly kind: 'conduct';
      readonly run: RunState;
      readonly queued: QueuedRun;
      readonly next: Exclude<Next, { kind: 'wait' }>;
    }
  | { readonly kind: 'pause'; readonly run: RunState }
  | { readonly kind: 'resume'; readonly run: RunState }
  | { readonly kind: 'finish'; readonly run: RunState }
  | { readonly kind: 'fail'; readonly run: RunState; readonly code: string; readonly error: string }
  | { readonly kind: 'cancel'; readonly run: RunState; readonly reason: string }
  /** The runs were canceled before they began. */
  | { readonly kind: 'drop'; readonly runs: readonly QueuedRun[] }
  | { readonly kind: 'edit_state'; readonly edits: readonly StateEdit[] }
  | { readonly kind: 'title' }
  /** The summarizer has work to do; it runs beside the next run. */
  | { readonly kind: 'summarize'; readonly work: MemoryWork }
  | { readonly kind: 'end_session'; readonly input: 'stop' | 'expire' }
  /** There is nothing to do now. The owner releases the thread; it is due again at `until`, or when a new fact arrives. */
  | { readonly kind: 'rest'; readonly until: number | null };

/** With more consecutive attempts that finish no step, the run is presumed to crash its pods, and fails. */
const STALLED_ATTEMPTS = 20;

/** The settings that decisions depend on. */
export interface DecisionRules {
  /** How long a session may be idle before it expires. */
  readonly idleMs: number;
  readonly memory: MemoryRules;
}

export function decide(state: ThreadState, facts: Facts, attempt: number, rules: DecisionRules): Step {
  const { run } = state;
  if (facts.stateEdits.length > 0) return { kind: 'edit_state', edits: facts.stateEdits };
  // A run that carries a rewind is dropped only after the earlier runs have ended, so that the rewind covers all their events.
  const dropped = facts.runs.filter(
    (queued) => queued.cancel !== null && queued.id !== run?.id && (queued.rewindTo === null || !run),
  );
  if (dropped.length > 0) return { kind: 'drop', runs: dropped };
  if (!run) return betweenRuns(state, facts, rules);

  const queued = facts.runs.find(({ id }) => id === run.id);
  const isPaused = run.rest?.for === 'resume';
  // The time limit of a paused run is checked after it is resumed.
  const late = queued && !isPaused && lateLimit(run, queued.limits, facts.now);
  // A read-only claim appends no event: a message queued behind a parked run must not count as another attempt of that run.
  const next = queued ? conduct(run, queued) : null;
  if (queued && !late && queued.cancel === null && isWaiting(run, queued, next))
    return { kind: 'rest', until: next && !isPaused ? deadlineOf(run, queued.limits) : expiryOf(run) };
  // A new owner must append its takeover before any other event of the run.
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
  const messages = queued ? unreadSteers(run, queued) : [];
  if (messages.length > 0) return { kind: 'take_in', run, messages };
  if (queued && next && next.kind !== 'wait') return { kind: 'conduct', run, queued, next };
  if (end?.kind === 'complete' && run.calls.length === 0 && !run.unanswered) return { kind: 'finish', run };
  const exceeded = queued && exceededLimit(run, queued.limits);
  return exceeded ? { kind: 'fail', run, ...exceeded } : { kind: 'call_model', run };
}

function betweenRuns(state: ThreadState, facts: Facts, { idleMs, memory }: DecisionRules): Step {
  const { session, history } = state;
  if (facts.stop) return { kind: 'end_session', input: 'stop' };
  const next = facts.runs[0];
  if (next) return { kind: 'start', run: next };
  if (facts.titleWanted && history.length > 0) return { kind: 'title' };
  const work = facts.isChild ? null : memoryWork(state, memory);
  if (work && work.notBefore <= facts.now) return { kind: 'summarize', work };
  const retryAt = work?.notBefore ?? null;
  if (session?.state !== 'idle') return { kind: 'rest', until: retryAt };
  const expiry = Math.max(session.since, facts.pingedAt ?? 0) + idleMs;
  if (expiry <= facts.now) return { kind: 'end_session', input: 'expire' };
  return { kind: 'rest', until: Math.min(expiry, retryAt ?? Infinity) };
}

/** The run cannot continue until a person resumes it or decides about its calls, or until a child ends. */
function isWaiting(run: RunState, queued: QueuedRun, next: Next | null): boolean {
  const isPaused = run.rest?.for === 'resume';
  if (queued.pause !== isPaused) return false;
  if (isPaused) return true;
  if (next?.kind === 'wait') return unreadSteers(run, queued).length === 0;
  return run.rest?.for === 'approvals' && !isAnswered(run, queued);
}

/**
 * What the run's conductor does next. Null for a run that a model answers, for one with open calls, and for one whose closing
 * message is written.
 */
function conduct(run: RunState, queued: QueuedRun): Next | null {
  if (!queued.family?.conducting || run.calls.some(({ stage }) => stage.kind !== 'ended')) return null;
  if (run.last?.end.kind === 'complete' && run.calls.length === 0) return null;
  return withinCaps(queued.family.conducting.next(run), run, queued.family);
}

/** Children that ended since the run's last event. */
export function newlyEnded(run: RunState, { family }: QueuedRun): readonly EndedChild[] {
  const isOpen = (id: string) => run.children.some((child) => child.run === id && child.status === 'open');
  return (family?.ended ?? []).filter((ended) => isOpen(ended.run));
}

/** When the time limit ends a run that waits for its children. */
function deadlineOf(run: RunState, { seconds }: Limits): number | null {
  return seconds === null ? null : run.startedAt + run.restedMs + seconds * 1000;
}

/** At least one call needs approval, and people have decided about all of them. */
function isAnswered({ calls }: RunState, { decisions }: QueuedRun): boolean {
  const asked = calls.map(pendingApproval).filter((approval) => approval !== null);
  return asked.length > 0 && asked.every(({ approval }) => decisions.has(approval));
}

/** When the first pending approval expires. A paused run's approvals do not wake it. */
function expiryOf({ calls, rest }: RunState): number | null {
  const times = calls.flatMap((call) => {
    const expiry = pendingApproval(call)?.expires_at;
    return expiry === undefined ? [] : [Date.parse(expiry)];
  });
  return times.length === 0 || rest?.for === 'resume' ? null : Math.min(...times);
}

/** Steering messages that the run has not taken in yet. */
export function unreadSteers(run: RunState, { steers }: QueuedRun): readonly SentMessage[] {
  return steers.filter(({ id }) => !run.steered.includes(id));
}

type Exceeded = { readonly code: string; readonly error: string } | null;

/** The time limit. Checked at every step; a timer also interrupts the step itself. */
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
