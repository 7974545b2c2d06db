// The run loop: an actor reads its thread's log and its facts, or was told them by its claim, then repeats: decide, do
// the step, fold what was committed. The facts are taken again whenever somebody wakes it. Between steps it remembers
// nothing that the log and the facts do not hold.
//
// A run's end is one append: the last message, what follows from it by the same fold and the same decision, and the
// thread's release, which the database refuses if somebody wants something of the thread meanwhile.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { SessionInput } from '../../actors/session.ts';
import type { Hold, Work } from '../../actors/hold.ts';
import type { Change, Entry } from '../../log/group.ts';
import { CancelWins, Unwritable, type Pen } from '../../log/pen.ts';
import { readPartialText, readRunSeq } from '../../log/statements.ts';
import { callModel } from '../steps/call-model.ts';
import { decide, notTakenIn, type Decision, type Facts, type QueuedRun, type Step } from './decide.ts';
import { asFacts, Canceled, takeFacts, ClaimSnapshot } from '../facts/facts.ts';
import {
  EMPTY,
  foldAll,
  knownVersion,
  workedMs,
  type RunState,
  type ThreadState,
} from '../../threads/fold.ts';
import { expireQuestions } from '../approvals/questions.ts';
import { replay, replayWhole } from './replay.ts';
import { createPureCalls, runTools } from '../steps/run-tools.ts';
import { SNAPSHOT_EVENTS, withinWindow, writeSnapshot } from './snapshots.ts';
import { timer, type LoopOptions, type StepContext } from '../steps/step.ts';
import { makeTitle } from '../steps/title.ts';
import * as write from './append-batch.ts';

export function createRunLoop(given: Omit<LoopOptions, 'pureCalls'>): Work {
  const options: LoopOptions = { ...given, pureCalls: createPureCalls() };
  return async (hold) => {
    const actor = await Actor.open(options, hold);
    return actor.live().finally(() => actor.close());
  };
}

interface Beginning {
  readonly state: ThreadState;
  /** The seq of the thread's stored snapshot; 0 without one. */
  readonly snapshotSeq: number;
  readonly runSeqs: ReadonlyMap<string, number>;
}

class Actor {
  readonly #options: LoopOptions;
  readonly #hold: Hold;
  readonly #snapshotSeq: number;
  readonly #pen: Pen;
  #state: ThreadState;
  /** As of the last wake-up: whoever wants something of the thread wakes us. */
  #facts: Facts = NO_FACTS;
  #informed = false;
  /** How far the wall clock was ahead of the steady one when the run was first seen under this hold. */
  #clock: { readonly run: string | null; readonly ahead: number } | null = null;
  readonly #ended = new Set<string>();
  #cancel = new AbortController();
  /** What nobody needs any more when somebody wants something of the thread. */
  #leisure: AbortController | null = null;
  /** Resolves when the first events of a run are committed, or refused. */
  #starting: Promise<void> = READY;
  #looking: Promise<void> = Promise.resolve();
  /** Looks under way and to come. */
  #looks = 0;
  #lookAgain = false;
  /** Calls that wait for the answer to a question, by its approval. */
  readonly #deciding = new Map<string, (decision: Decision) => void>();

  static async open(options: LoopOptions, hold: Hold): Promise<Actor> {
    const told = hold.told instanceof ClaimSnapshot ? hold.told : null;
    const { state, snapshotSeq } =
      (told && known(options, hold, told)) ?? (await replay(options.pool, hold.threadId, hold.lost));
    const runSeqs = new Map<string, number>();
    if (state.run) {
      runSeqs.set(
        state.run.id,
        await readRunSeq(options.pool, hold.threadId, state.run.id, state.run.firstSeq),
      );
    }
    const actor = new Actor(options, hold, { state, snapshotSeq, runSeqs });
    if (told) actor.#inform(asFacts(told.rows, options.limits));
    return actor;
  }

  constructor(options: LoopOptions, hold: Hold, { state, snapshotSeq, runSeqs }: Beginning) {
    this.#options = options;
    this.#snapshotSeq = snapshotSeq;
    this.#hold = hold;
    this.#state = state;
    this.#pen = options.writer.open({
      threadId: hold.threadId,
      attempt: hold.attempt,
      seq: state.seq,
      runSeqs,
      onCommit: (rows) => (this.#state = foldAll(this.#state, rows)),
      onLost: (refusal) => hold.lose(refusal),
    });
    hold.lost.addEventListener('abort', () => this.#pen.lose());
    this.#listen();
  }

  close(): void {
    this.#pen.close();
    if (this.#pen.lost || this.#state.run) return;
    const { pool, states, onSnapshotFailed } = this.#options;
    const { threadId } = this.#hold;
    const state = withinWindow(this.#state);
    const isDue = state.seq - this.#snapshotSeq >= SNAPSHOT_EVENTS;
    states.keep(threadId, { state, snapshotSeq: isDue ? state.seq : this.#snapshotSeq });
    if (!isDue) return;
    // Nobody waits for it: the next message may come first.
    setImmediate(() => {
      writeSnapshot(pool, threadId, state).catch((error: Error) => onSnapshotFailed?.(threadId, error));
    });
  }

  #listen(): void {
    this.#hold.onWake = (news) => {
      this.#leisure?.abort();
      if (news instanceof Canceled) {
        this.#facts = news.in(this.#facts);
        if (this.#isCanceled()) this.#cancel.abort();
      }
      // One look under way and one to come see everything.
      if (this.#lookAgain) return;
      this.#lookAgain = true;
      void this.#inTurn(() => {
        this.#lookAgain = false;
        return this.#lookUntilSeen();
      });
    };
  }

  /** Works until there is nothing to do, or until the thread must be let go. */
  async live(): ReturnType<Work> {
    for (;;) {
      let looking: Promise<void>;
      do {
        // In turn with the looks: what was asked for earlier must not come later, and hide what is new.
        if (!this.#informed) await this.#inTurn(() => this.#takeFacts());
        looking = this.#looking;
        await looking;
      } while (looking !== this.#looking || !this.#informed);
      this.#hold.lost.throwIfAborted();
      if (this.#state.omitted?.stale) await this.#restoreHistory();
      const step = this.#decide();
      if (step.kind === 'rest') {
        // A look that began now would take facts that nobody acts on: who comes later finds the thread let go.
        this.#hold.onWake = null;
        return { wakeAt: step.until === null ? null : new Date(step.until) };
      }
      if (this.#hold.draining && !ENDING.has(step.kind)) return { wakeAt: new Date(0) };
      try {
        await this.#do(step);
        if (this.#pen.released) return 'released';
      } catch (error) {
        if (isOfValues(error) && this.#state.run) await this.#failUnwritten(this.#state.run, error);
        // The cancel came first: the facts say so now, and the next decision is another one.
        else if (!(error instanceof CancelWins)) throw error;
        this.#informed = false;
      }
    }
  }

  /** Facts may have been taken without our hearing of it, and nobody wakes us for them again. */
  async #lookUntilSeen(): Promise<void> {
    for (let pause = 20; !this.#hold.lost.aborted; pause = Math.min(pause * 2, 1000)) {
      try {
        return await this.#look();
      } catch (error) {
        // The run was ended meanwhile: the next decision sees it.
        this.#informed = false;
        if (error instanceof CancelWins) return;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** Somebody wants something while a step is under way: a cancel cannot wait for its end. */
  async #look(): Promise<void> {
    await this.#takeFacts();
    if (this.#isCanceled()) this.#cancel.abort();
    if (this.#decide().kind !== 'drop') return;
    // A run that is being started is canceled like any other once it has begun.
    await this.#starting;
    const step = this.#decide();
    if (step.kind === 'drop') {
      await this.#drop(step.runs);
      await this.#look();
    }
  }

  #inTurn(look: () => Promise<void>): Promise<void> {
    this.#looks += 1;
    const looked = this.#looking.then(look).finally(() => (this.#looks -= 1));
    this.#looking = looked.catch(() => undefined);
    return looked;
  }

  async #takeFacts(): Promise<void> {
    this.#inform(await takeFacts(this.#options.pool, this.#hold, this.#options.limits));
  }

  #inform(facts: Omit<Facts, 'now'>): void {
    this.#facts = { ...facts, now: this.#now() };
    this.#informed = true;
    for (const { decisions } of facts.runs)
      for (const [approval, decision] of decisions) {
        this.#deciding.get(approval)?.(decision);
        this.#deciding.delete(approval);
      }
  }

  /**
   * The time, by a clock that does not jump while this pod holds a run: a run that was taken on is as old as the log's times say,
   * and grows older by the time that has passed since. A wall clock that is set does not end it.
   */
  #now(): number {
    const run = this.#state.run?.id ?? null;
    const elapsed = this.#options.elapsed();
    if (this.#clock?.run !== run) this.#clock = { run, ahead: this.#options.now() - elapsed };
    return elapsed + this.#clock.ahead;
  }

  #decide(state = this.#state): Step {
    // Facts that were asked for before a run ended, and came after, still tell of it.
    const runs = this.#facts.runs.filter(({ id }) => !this.#ended.has(id));
    this.#facts = { ...this.#facts, now: this.#now(), runs };
    return decide(state, this.#facts, this.#hold.attempt, this.#options.idleMs);
  }

  #write({ entries, changes }: write.AppendBatch): Promise<unknown> {
    return this.#pen.append(entries, changes);
  }

  #do(step: Exclude<Step, { kind: 'rest' }>): Promise<unknown> {
    switch (step.kind) {
      case 'start':
        return this.#start(step.run);
      case 'take_over':
        return this.#takeOver(step.run);
      case 'call_model':
        return this.#within((context) => callModel(context, step.run));
      case 'run_tools':
        return this.#within((context) => runTools(context, step.run, step.calls));
      case 'settle':
        return this.#write(write.settled(step.run, step.queued));
      case 'take_in':
        return this.#write(write.takenIn(step.run, step.messages));
      case 'pause':
        return this.#write(write.session(this.#state, 'pause', 'user_paused', step.run.id));
      case 'resume':
        return this.#write(write.session(this.#state, 'resume', 'user_resumed', step.run.id));
      case 'finish':
        return this.#finish(step.run);
      case 'fail':
        return this.#fail(step.run, { code: step.code, error: step.error });
      case 'cancel':
        return this.#cancelRun(step.run, step.reason);
      case 'drop':
        return this.#drop(step.runs);
      case 'title':
        return this.#title();
      case 'end_session':
        return this.#endSession(step.input);
    }
  }

  /** Reads the whole history from the log: turns that were left out may be shown again after a rewind. */
  async #restoreHistory(): Promise<void> {
    while (this.#state.omitted) {
      const whole = await replayWhole(this.#options.pool, this.#hold.threadId, this.#hold.lost);
      // An append that was committed meanwhile is in the held state alone.
      if (whole.seq === this.#state.seq) this.#state = whole;
    }
  }

  async #start(run: QueuedRun): Promise<void> {
    if (run.rewindTo !== null) await this.#restoreHistory();
    this.#cancel = new AbortController();
    this.#pen.begin(run.id);
    this.#options.metrics.runStarted(this.#facts.now - run.queuedAt);
    const batch = write.concatBatches(write.session(this.#state, 'start', 'message'), write.start(run));
    const begun = this.#write(batch).then(() => {
      // A cancel that came meanwhile found nothing to cancel.
      if (this.#isCanceled()) this.#cancel.abort();
    });
    this.#starting = begun.catch(() => undefined);
    // The model is asked while the beginning is being written; nothing is made of its answer before.
    const predicted = this.#predictState(batch.entries);
    const step = this.#decide(predicted);
    try {
      if (step.kind === 'call_model' && !this.#hold.draining)
        await this.#within((context) => callModel(context, step.run), { state: predicted, begun });
    } finally {
      await begun;
    }
  }

  async #takeOver(run: RunState): Promise<void> {
    this.#options.metrics.takenOver();
    const queued = this.#queued(run.id);
    // Nobody will write a message again whose run was canceled: what it said so far is kept.
    const text =
      run.open !== null && queued.cancel !== null
        ? await readPartialText(this.#options.pool, this.#hold.threadId, run.id, run.open)
        : null;
    await this.#write(write.takenOver(run, queued, text));
    const questions = write.openQuestions(run).map(({ approval }) => approval);
    await expireQuestions(this.#options.pool, this.#hold, questions);
  }

  /** A whole message. Where the run ends with it, its end is in the same append. */
  async #conclude(entries: Entry[], changes: readonly Change[]): Promise<void> {
    const step = this.#decide(this.#predictState(entries));
    if (step.kind !== 'finish') return void (await this.#pen.append(entries, changes));
    try {
      await this.#finish(step.run, { entries, changes });
    } catch (error) {
      if (!(error instanceof CancelWins)) throw error;
      // The run ends in another way, and the message was said all the same.
      await this.#pen.append(entries, changes);
      throw error;
    }
  }

  /** The state as it will be once the entries are committed. */
  #predictState(entries: readonly Entry[]): ThreadState {
    const { threadId, attempt } = this.#hold;
    const at = new Date(this.#options.now());
    return write.predictState(this.#state, entries, { threadId, attempt, at });
  }

  #finish(run: RunState, before?: write.AppendBatch): Promise<unknown> {
    const final: EventData['final'] = {
      text: run.last!.text,
      sources: run.sources,
      message: run.last!.message,
    };
    return this.#end(run, 'done', [{ type: 'final', data: final }], 'finish', { before });
  }

  #fail(run: RunState, failure: EventData['error']): Promise<void> {
    const { code, error } = failure;
    return this.#end(run, 'error', [{ type: 'error', data: failure }], 'fail', { error: { code, error } });
  }

  /** What the run was to write cannot be written, by any pod: it ends without it. */
  async #failUnwritten(run: RunState, { message }: Error): Promise<void> {
    if (run.open !== null) {
      const data = { status: 'running' as const, attempt: run.attempts, supersedes: run.open };
      await this.#pen.append([{ runId: run.id, event: { type: 'state', data } }]);
    }
    const error = `what the run was to write could not be written: ${message}`;
    await this.#fail(this.#state.run!, { code: 'not_writable', error });
  }

  #cancelRun(run: RunState, reason: string): Promise<void> {
    return this.#end(run, 'canceled', [{ type: 'canceled', data: { reason } }], 'stop', { reason });
  }

  /** A run's last append; `reason` is its session's, where it is more than how the run ended. */
  async #end(
    run: RunState,
    status: 'done' | 'error' | 'canceled',
    last: readonly NewEvent[],
    input: SessionInput,
    {
      error,
      before,
      reason = status,
    }: { error?: EventData['error']; before?: write.AppendBatch | undefined; reason?: string } = {},
  ): Promise<void> {
    const sent = status === 'done' ? [] : notTakenIn(run, this.#queued(run.id));
    const ending = write.concatBatches(
      before ?? NOTHING,
      write.end(run, status, last, { sent, ...(error && { error }) }),
      write.session(this.#state, input, reason),
    );
    await this.#letGoWith(run.id, ending, status === 'done');
    this.#closed(run.id);
    this.#options.metrics.runEnded(status, error?.code ?? null);
  }

  /**
   * Appends a run's end, or its session's, and lets the thread go with it. If somebody wants something of the thread meanwhile, there is
   * an open run or `wake_at` is set, and the database keeps the thread for us. A look that is under way could still
   * lead to an append, and then we do not ask.
   */
  async #letGoWith(runId: string | null, batch: write.AppendBatch, idles: boolean): Promise<void> {
    const others = this.#facts.runs.some(({ id }) => id !== runId && !this.#ended.has(id));
    if (others || this.#looks > 0 || this.#facts.titleWanted) return void (await this.#write(batch));
    this.#hold.onWake = null;
    const wake_at = idles ? new Date(this.#options.now() + this.#options.idleMs).toISOString() : null;
    try {
      await this.#pen.append(batch.entries, [...batch.changes, { kind: 'release', event: 0, wake_at }]);
    } finally {
      // What came meanwhile was not heard: the facts are taken again.
      this.#informed = false;
      if (!this.#pen.released) this.#listen();
    }
  }

  /** Runs that were canceled before they began. */
  async #drop(runs: readonly QueuedRun[]): Promise<void> {
    await this.#write(write.dropped(runs));
    for (const { id } of runs) {
      this.#closed(id);
      this.#options.metrics.runEnded('canceled', null);
    }
  }

  /** The run that has begun is to stop. */
  #isCanceled(): boolean {
    const run = this.#state.run?.id;
    return this.#facts.runs.some(({ id, cancel }) => id === run && cancel !== null);
  }

  /** The facts told of the next run only: what comes after it must be asked for. */
  #closed(runId: string): void {
    this.#ended.add(runId);
    this.#informed = false;
  }

  async #endSession(input: 'stop' | 'expire'): Promise<void> {
    await this.#letGoWith(null, write.session(this.#state, input, ENDED[input]), false);
    this.#informed = false;
  }

  /** Whoever wants something of the thread meanwhile does not wait for a model to find a title. */
  async #title(): Promise<void> {
    this.#leisure = new AbortController();
    const signal = AbortSignal.any([this.#leisure.signal, this.#hold.lost, this.#hold.hurry]);
    const titled = await makeTitle(this.#options, this.#facts.workspaceId!, this.#state.history, signal);
    this.#leisure = null;
    this.#hold.lost.throwIfAborted();
    const { title } = titled;
    await this.#pen.append(
      [{ runId: null, event: { type: 'titled', data: titled } }],
      [{ kind: 'title', event: 0, title }],
    );
    this.#informed = false;
  }

  #queued(runId: string): QueuedRun {
    const queued = this.#facts.runs.find((run) => run.id === runId);
    if (!queued) throw new Error(`run ${runId} is open in the log but not in its row`);
    return queued;
  }

  /**
   * Does a step of the run's agent; what it resolves to, if anything, ends the run. `state` is that which the step was
   * decided on, and `begun` resolves once it is committed.
   */
  async #within(
    step: (context: StepContext) => Promise<EventData['error'] | null>,
    { state, begun }: { state: ThreadState; begun: Promise<void> } = { state: this.#state, begun: READY },
  ): Promise<void> {
    const { agents } = this.#options;
    const run = state.run!;
    const queued = this.#queued(run.id);
    const { workspaceId } = queued;
    const made = await agents.make({ workspaceId, role: queued.role, model: queued.model });
    if (!made.ok) {
      await begun;
      return this.#fail(this.#state.run!, { code: made.code, error: made.problem });
    }
    const { agent } = made;
    const deadline = timer(queued.limits.seconds, workedMs(run, this.#now()));
    const canceled = AbortSignal.any([this.#cancel.signal, deadline.signal]);
    const refused = new AbortController();
    begun.catch(() => refused.abort());
    const interrupted = AbortSignal.any([canceled, refused.signal, this.#hold.lost, this.#hold.hurry]);
    const failure = await agent
      .tools(interrupted)
      .then((tools) =>
        step({
          options: this.#options,
          workspaceId,
          agent,
          tools,
          hold: this.#hold,
          pen: this.#pen,
          begun,
          canceled,
          interrupted,
          queued,
          history: state.history,
          omitted: state.omitted,
          wholeHistory: async () => {
            await begun;
            return (await replayWhole(this.#options.pool, this.#hold.threadId, this.#hold.lost)).history;
          },
          refused: state.refused,
          tooLong: state.tooLong,
          known: (fileId) => knownVersion(this.#state, fileId),
          decision: (approval) => new Promise((resolve) => this.#deciding.set(approval, resolve)),
          rest: () => deadline.rest(),
          conclude: (entries, changes) => this.#conclude(entries, changes),
        }),
      )
      .finally(() => deadline.end());
    if (failure) await this.#fail(this.#state.run!, failure);
  }
}

/** The state of a thread whose log is known to end where the claim says. */
function known({ states }: LoopOptions, { threadId }: Hold, { seq }: ClaimSnapshot) {
  return seq === 0 ? { state: EMPTY, snapshotSeq: 0 } : states.take(threadId, seq);
}

/** Of values that cannot be written or walked (nested too deep, too long): trying again, here or on another pod, fails again. */
function isOfValues(error: unknown): error is Error {
  return error instanceof Unwritable || error instanceof RangeError;
}

const READY = Promise.resolve();
const NO_FACTS: Facts = {
  now: 0,
  runs: [],
  workspaceId: null,
  stop: false,
  pingedAt: null,
  titleWanted: false,
};
const NOTHING: write.AppendBatch = { entries: [], changes: [] };
const ENDED = { stop: 'user_cancelled', expire: 'idle_timeout' };

/** Steps that end a run are done even while the pod drains. */
const ENDING: ReadonlySet<Step['kind']> = new Set(['finish', 'fail', 'cancel', 'drop', 'end_session']);
