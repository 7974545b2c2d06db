// The run loop. An actor owns one thread. It starts from the thread's log and facts, or from its claim snapshot, and then
// repeats: decide, do the step, fold the committed events. Every wake refreshes the facts. Between two steps the actor keeps
// no state that is not in the log or in the facts.
//
// A run ends in one append: its last message, its end, its session's transition, and the release of the thread. The database
// does not release a thread that has new facts.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { SessionInput } from '../../actors/session.ts';
import type { Hold, Work } from '../../actors/hold.ts';
import type { ContextChange } from '../../context/manifest.ts';
import { ContextTexts } from '../../context/texts.ts';
import type { Entry } from '../../log/group.ts';
import { Unwritable, type Pen } from '../../log/pen.ts';
import { readPartialText, readRunSeq } from '../../log/statements.ts';
import { decideMode, toolsOfMode } from '../../context/mode.ts';
import { CancelWins, FactsChanged, type LoopChange } from '../changes.ts';
import * as family from '../children/batches.ts';
import { withConductor } from '../children/conductor.ts';
import { readOutcomes } from '../children/outcomes.ts';
import { callModel } from '../steps/call-model.ts';
import {
  decide,
  newlyEnded,
  unreadSteers,
  type Decision,
  type Facts,
  type QueuedRun,
  type SentMessage,
  type Step,
} from './decide.ts';
import { asFacts, Canceled, takeFacts, ClaimSnapshot } from '../facts/facts.ts';
import {
  EMPTY,
  foldAll,
  knownVersion,
  workedMs,
  type RunState,
  type ThreadState,
} from '../../threads/fold.ts';
import type { StateEdit } from '../facts/edit-state.ts';
import { memoryWork, type MemoryWork } from '../../context/summarizer.ts';
import { expireQuestions } from '../approvals/questions.ts';
import { replay, replayWhole } from './replay.ts';
import { createPureCalls, runTools } from '../steps/run-tools.ts';
import { SNAPSHOT_EVENTS, withinWindow, writeSnapshot } from './snapshots.ts';
import { timer, type LoopOptions, type StepContext } from '../steps/step.ts';
import { summarize } from '../steps/summarize.ts';
import type { TracedRun } from '../../telemetry/traces/span.ts';
import type { OpenTrace } from '../../telemetry/traces/thread-trace.ts';
import { narrowed, type ToolRegistry } from '../../tools/registry.ts';
import { makeTitle } from '../steps/title.ts';
import * as write from './append-batch.ts';
import { tracedRun } from './traced-run.ts';

export function createRunLoop(given: Omit<LoopOptions, 'pureCalls' | 'texts'>): Work {
  const texts = new ContextTexts(given.pool);
  const options: LoopOptions = { ...given, pureCalls: createPureCalls(), texts };
  return async (hold) => {
    const actor = await Actor.open(options, hold);
    return actor.live().finally(() => actor.close());
  };
}

interface InitialState {
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
  readonly #trace: ReturnType<OpenTrace> | null;
  #state: ThreadState;
  /** As of the last refresh. Every new fact wakes the owner, which refreshes them. */
  #facts: Facts = NO_FACTS;
  /** False when the facts must be read again before the next decision. */
  #hasFreshFacts = false;
  /** The offset of the wall clock from the monotonic clock when this hold first saw the run. */
  #clock: { readonly run: string | null; readonly offset: number } | null = null;
  /** Runs that this hold has ended. A refresh that was in flight may still list them. */
  readonly #ended = new Set<string>();
  #cancel = new AbortController();
  /** Aborts the title's model call: any new fact is more urgent. */
  #titleAbort: AbortController | null = null;
  /** The summarizer at work, beside runs. Null if it is not. */
  #summarizing: Promise<void> | null = null;
  readonly #summarizeAbort = new AbortController();
  /** Resolves at the next wake. */
  #woken = Promise.withResolvers<void>();
  /** Resolves when the database has committed or refused the first events of a run. */
  #starting: Promise<void> = READY;
  /** The last refresh of the facts in the queue. Refreshes run one at a time. */
  #lastRefresh: Promise<void> = Promise.resolve();
  /** Refreshes in flight or queued. */
  #pendingRefreshes = 0;
  /** A refresh that a wake asked for is queued and has not begun. */
  #refreshQueued = false;
  /** Manifests of the run's requests that got no answer. They are appended with the end of the run. */
  #unanswered: readonly ContextChange[] = [];
  /** Resolvers of calls that wait for the answer to a question, by approval id. */
  readonly #decisionWaiters = new Map<string, (decision: Decision) => void>();

  static async open(options: LoopOptions, hold: Hold): Promise<Actor> {
    const claim = hold.claim instanceof ClaimSnapshot ? hold.claim : null;
    const { state, snapshotSeq } =
      (claim && cachedState(options, hold, claim)) ??
      (await replay(options.pool, hold.threadId, hold.lost, options.states.takeOlder(hold.threadId)));
    const runSeqs = new Map<string, number>();
    if (state.run) {
      runSeqs.set(
        state.run.id,
        await readRunSeq(options.pool, hold.threadId, state.run.id, state.run.firstSeq),
      );
    }
    const actor = new Actor(options, hold, { state, snapshotSeq, runSeqs });
    // A conductor reads its agenda with the facts.
    if (claim?.rows.every(({ family: known }) => known === null))
      actor.#setFacts(asFacts(claim.rows, options.limits));
    return actor;
  }

  constructor(options: LoopOptions, hold: Hold, { state, snapshotSeq, runSeqs }: InitialState) {
    this.#options = options;
    this.#snapshotSeq = snapshotSeq;
    this.#hold = hold;
    this.#state = state;
    this.#trace = options.traces?.(hold.threadId, (runId) => this.#traced(runId)) ?? null;
    this.#pen = options.writer.open({
      threadId: hold.threadId,
      attempt: hold.attempt,
      seq: state.seq,
      runSeqs,
      onCommit: (rows) => {
        this.#state = foldAll(this.#state, rows);
        this.#trace?.committed(rows);
      },
      onLost: (refusal) => hold.lose(refusal),
    });
    hold.lost.addEventListener('abort', () => this.#pen.lose());
    this.#listen();
  }

  close(): void {
    this.#summarizeAbort.abort();
    this.#pen.close();
    if (this.#pen.lost) return;
    const { pool, states, onSnapshotFailed } = this.#options;
    const { threadId } = this.#hold;
    const state = withinWindow(this.#state);
    const isDue = state.seq - this.#snapshotSeq >= SNAPSHOT_EVENTS;
    states.keep(threadId, { state, snapshotSeq: isDue ? state.seq : this.#snapshotSeq });
    if (!isDue) return;
    // The snapshot is not urgent: the release of the thread goes first.
    setImmediate(() => {
      writeSnapshot(pool, threadId, state).catch((error: Error) => onSnapshotFailed?.(threadId, error));
    });
  }

  #listen(): void {
    this.#hold.onWake = (news) => {
      this.#titleAbort?.abort();
      this.#woken.resolve();
      this.#woken = Promise.withResolvers();
      if (news instanceof Canceled) {
        this.#facts = news.in(this.#facts);
        if (this.#isCanceled()) this.#cancel.abort();
      }
      // A queued refresh that has not begun will read this fact, too.
      if (this.#refreshQueued) return;
      this.#refreshQueued = true;
      void this.#queueRefresh(() => {
        this.#refreshQueued = false;
        return this.#refreshWithRetry();
      });
    };
  }

  /** Works until there is nothing to do, or until the thread must be released. */
  async live(): ReturnType<Work> {
    for (;;) {
      let refresh: Promise<void>;
      do {
        // Queued behind other refreshes: the answer of an older query must not overwrite newer facts.
        if (!this.#hasFreshFacts) await this.#queueRefresh(() => this.#takeFacts());
        refresh = this.#lastRefresh;
        await refresh;
      } while (refresh !== this.#lastRefresh || !this.#hasFreshFacts);
      this.#hold.lost.throwIfAborted();
      if (this.#state.omitted?.stale) await this.#restoreHistory();
      const step = this.#decide();
      if (step.kind === 'rest' && this.#summarizing && !this.#hold.draining) {
        await this.#summarizerOrWake();
        continue;
      }
      if (step.kind === 'rest') {
        // A refresh from here on would take facts that this hold no longer acts on. A later fact wakes the released thread.
        this.#hold.onWake = null;
        return { wakeAt: step.until === null ? null : new Date(step.until) };
      }
      if (this.#hold.draining && !ENDING.has(step.kind)) return { wakeAt: new Date(0) };
      try {
        await this.#do(step);
        if (this.#pen.released) return 'released';
      } catch (error) {
        if (isValueError(error) && this.#state.run) await this.#failUnwritten(this.#state.run, error);
        // The database accepted a cancel or another fact first. The next decision acts on the refreshed facts.
        else if (!(error instanceof FactsChanged)) throw error;
        this.#hasFreshFacts = false;
      }
    }
  }

  /** Retries with back-off: if a failed refresh already took the facts, no wake announces them again. */
  async #refreshWithRetry(): Promise<void> {
    for (let pause = 20; !this.#hold.lost.aborted; pause = Math.min(pause * 2, 1000)) {
      try {
        return await this.#refreshFacts();
      } catch (error) {
        // With CancelWins, the run has ended meanwhile; the next decision reads the facts again.
        this.#hasFreshFacts = false;
        if (error instanceof CancelWins) return;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** Reads the facts while a step is in flight. A cancel takes effect at once, not after the step. */
  async #refreshFacts(): Promise<void> {
    await this.#takeFacts();
    if (this.#isCanceled()) this.#cancel.abort();
    if (!AT_ONCE.has(this.#decide().kind)) return;
    // A run that is just being started must begin first; then it is canceled like any other.
    await this.#starting;
    const step = this.#decide();
    if (step.kind === 'drop') await this.#drop(step.runs);
    else if (step.kind === 'edit_state') await this.#editState(step.edits);
    else return;
    await this.#refreshFacts();
  }

  #queueRefresh(refresh: () => Promise<void>): Promise<void> {
    this.#pendingRefreshes += 1;
    const done = this.#lastRefresh.then(refresh).finally(() => (this.#pendingRefreshes -= 1));
    this.#lastRefresh = done.catch(() => undefined);
    return done;
  }

  async #takeFacts(): Promise<void> {
    const { pool, limits, conductors } = this.#options;
    const facts = await takeFacts(pool, this.#hold, limits);
    const runs = await Promise.all(facts.runs.map((run) => withConductor(pool, conductors, run)));
    this.#setFacts({ ...facts, runs });
  }

  #setFacts(facts: Omit<Facts, 'now'>): void {
    this.#facts = { ...facts, now: this.#now() };
    this.#hasFreshFacts = true;
    for (const { decisions } of facts.runs)
      for (const [approval, decision] of decisions) {
        this.#decisionWaiters.get(approval)?.(decision);
        this.#decisionWaiters.delete(approval);
      }
  }

  /**
   * The current time, by a clock that does not jump while this pod holds a run. When the hold first sees a run, the run's age
   * comes from the log's timestamps. From then on, the monotonic clock counts, so that a change of the wall clock cannot make the
   * run exceed its time limit.
   */
  #now(): number {
    const run = this.#state.run?.id ?? null;
    const elapsed = this.#options.elapsed();
    if (this.#clock?.run !== run) this.#clock = { run, offset: this.#options.now() - elapsed };
    return elapsed + this.#clock.offset;
  }

  #decide(state = this.#state): Step {
    // Facts that were requested before a run ended may still list it.
    const runs = this.#facts.runs.filter(({ id }) => !this.#ended.has(id));
    this.#facts = { ...this.#facts, now: this.#now(), runs };
    return decide(state, this.#facts, this.#hold.attempt, this.#options);
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
        return this.#withAgent((context) => callModel(context, step.run));
      case 'run_tools':
        // A conductor reads the results of its calls with the facts.
        if (this.#queued(step.run.id).family?.conducting) this.#hasFreshFacts = false;
        return this.#withAgent((context) => runTools(context, step.run, step.calls));
      case 'settle':
        return this.#write(write.applyDecisions(step.run, step.queued));
      case 'take_in':
        return this.#write(write.steer(step.run, step.messages, steeredMode(step.run, step.messages)));
      case 'conduct':
        return this.#conduct(step);
      case 'pause':
      case 'resume':
        return this.#pauseOrResume(step.run, step.kind);
      case 'finish':
        return this.#finish(step.run);
      case 'fail':
        return this.#fail(step.run, { code: step.code, error: step.error });
      case 'cancel':
        return this.#cancelRun(step.run, step.reason);
      case 'drop':
        return this.#drop(step.runs);
      case 'edit_state':
        return this.#editState(step.edits);
      case 'title':
        return this.#title();
      case 'summarize':
        return this.#summarize(step.work);
      case 'end_session':
        return this.#endSession(step.input);
    }
  }

  /** Reads the whole history from the log. After a rewind, turns that the state omits may be visible again. */
  async #restoreHistory(): Promise<void> {
    while (this.#state.omitted) {
      const whole = await replayWhole(this.#options.pool, this.#hold.threadId, this.#hold.lost);
      // If an append committed meanwhile, the replayed state lacks it: replay again.
      if (whole.seq === this.#state.seq) this.#state = whole;
    }
  }

  async #start(run: QueuedRun): Promise<void> {
    if (run.rewindTo !== null) await this.#restoreHistory();
    this.#cancel = new AbortController();
    this.#pen.begin(run.id);
    this.#options.metrics.runStarted(this.#facts.now - run.queuedAt);
    const batch = write.concatBatches(
      write.session(this.#state, 'start', 'message'),
      write.start(run, modeOf(this.#state, run)),
    );
    const begun = this.#write(batch).then(() => {
      // A cancel that arrived before this commit could not abort anything yet.
      if (this.#isCanceled()) this.#cancel.abort();
    });
    this.#starting = begun.catch(() => undefined);
    // The model is called while the first append is in flight. Its answer is used only after that append has committed.
    const predicted = this.#predictState(batch.entries);
    const step = this.#decide(predicted);
    try {
      if (step.kind === 'call_model' && !this.#hold.draining)
        await this.#withAgent((context) => callModel(context, step.run), { state: predicted, begun });
    } finally {
      await begun;
    }
  }

  async #takeOver(run: RunState): Promise<void> {
    this.#options.metrics.takenOver();
    const queued = this.#queued(run.id);
    // The unfinished message of a canceled run is not generated again, so its partial text is kept.
    const text =
      run.open !== null && queued.cancel !== null
        ? await readPartialText(this.#options.pool, this.#hold.threadId, run.id, run.open)
        : null;
    await this.#write(write.takeOver(run, queued, text));
    const questions = write.openQuestions(run).map(({ approval }) => approval);
    await expireQuestions(this.#options.pool, this.#hold, questions);
  }

  /** Appends a whole message. If it is the run's last, the end of the run is in the same append. */
  async #conclude(entries: Entry[], changes: readonly LoopChange[]): Promise<void> {
    const step = this.#decide(this.#predictState(entries));
    if (step.kind !== 'finish') return void (await this.#pen.append(entries, changes));
    try {
      await this.#finish(step.run, { entries, changes });
    } catch (error) {
      if (!(error instanceof CancelWins)) throw error;
      // The run will end canceled, and keeps the message.
      await this.#pen.append(entries, changes);
      throw error;
    }
  }

  #predictState(entries: readonly Entry[]): ThreadState {
    const { threadId, attempt } = this.#hold;
    const at = new Date(this.#options.now());
    return write.predictState(this.#state, entries, { threadId, attempt, at });
  }

  /** Takes in the ends of children, and does what the run's conductor decided. All of it is one append. */
  async #conduct({ run, queued, next }: Extract<Step, { kind: 'conduct' }>): Promise<void> {
    const { pool, wake } = this.#options;
    const ended = newlyEnded(run, queued);
    const batch = write.concatBatches(
      family.endChildren(
        run,
        ended,
        await readOutcomes(
          pool,
          ended.map((child) => child.run),
        ),
      ),
      family.conducted(run, next.events),
    );
    this.#hasFreshFacts = false;
    if (next.kind === 'act') {
      const contents = await Promise.all(
        next.spawn.map((spawn) => queued.family!.conducting!.message(pool, spawn)),
      );
      const started = family.startChildren(
        queued,
        this.#state.scope,
        next.spawn.map((spawn, index) => ({ ...spawn, content: contents[index]! })),
      );
      await this.#write(write.concatBatches(batch, started));
      started.threads.forEach(wake);
      queued.family!.conducting!.appended();
      return;
    }
    if (batch.entries.length > 0) await this.#write(batch);
    if (next.kind === 'fail') return this.#fail(this.#state.run!, { code: next.code, error: next.error });
    const text = await queued.family!.conducting!.closing(pool, this.#state.run!);
    const closing = family.withChanges(write.closingMessage(this.#state.run!, queued, text), next.changes);
    await this.#conclude(closing.entries, closing.changes);
  }

  async #pauseOrResume(run: RunState, input: 'pause' | 'resume'): Promise<void> {
    const reason = input === 'pause' ? 'user_paused' : 'user_resumed';
    const batch = write.session(this.#state, input, reason, run.id);
    const changes = [...batch.changes, ...family.pauseChildren(run, input === 'pause')];
    await this.#write({ ...batch, changes });
    for (const { thread } of family.openChildren(run)) this.#options.wake(thread);
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

  /** No pod can append the step's events, so the run fails without them. */
  async #failUnwritten(run: RunState, { message }: Error): Promise<void> {
    if (run.open !== null) {
      const data = { status: 'running' as const, attempt: run.attempts, supersedes: run.open };
      await this.#pen.append([{ runId: run.id, event: { type: 'state', data } }]);
    }
    const error = `the run’s events could not be written: ${message}`;
    await this.#fail(this.#state.run!, { code: 'not_writable', error });
  }

  #cancelRun(run: RunState, reason: string): Promise<void> {
    return this.#end(run, 'canceled', [{ type: 'canceled', data: { reason } }], 'stop', { reason });
  }

  /** A run's last append. `reason` is the reason of the session's transition, by default the run's status. */
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
    const queued = this.#queued(run.id);
    const sent = status === 'done' ? [] : unreadSteers(run, queued);
    const parentThread = queued.family?.parentThread ?? null;
    const isChild = parentThread !== null;
    const conducting = queued.family?.conducting;
    const abandoned = status === 'done' ? undefined : conducting?.abandon(run, status);
    const batch = write.concatBatches(
      { entries: [], changes: this.#unanswered },
      before ?? NOTHING,
      family.conducted(run, abandoned?.events ?? []),
      write.end(run, status, last, { sent, ...(error && { error }) }),
      // Nobody waits for the next message of a child's thread.
      write.session(this.#state, isChild && input === 'finish' ? 'complete' : input, reason),
    );
    this.#unanswered = [];
    const ending = family.withChanges(batch, abandoned?.changes ?? []);
    await this.#appendAndRelease(run.id, ending, status === 'done' && !isChild);
    conducting?.appended();
    if (parentThread !== null) this.#options.wake(parentThread);
    for (const { thread } of family.openChildren(run)) this.#options.wake(thread);
    this.#markEnded(run.id);
    this.#options.metrics.runEnded(status, error?.code ?? null);
  }

  /**
   * Appends the end of a run or of a session, and releases the thread in the same append. If there are new facts, the thread has
   * an open run or a `wake_at`, and the database does not release it. While a refresh is pending, the append asks for no release,
   * because the refresh could lead to another append.
   */
  async #appendAndRelease(runId: string | null, batch: write.AppendBatch, idles: boolean): Promise<void> {
    const others = this.#facts.runs.some(({ id }) => id !== runId && !this.#ended.has(id));
    const work = memoryWork(this.#predictState(batch.entries), this.#options.memory);
    const isSummaryDue = this.#summarizing !== null || (work && work.notBefore <= this.#options.now());
    if (others || this.#pendingRefreshes > 0 || this.#facts.titleWanted || isSummaryDue)
      return void (await this.#write(batch));
    this.#hold.onWake = null;
    const wakeAt = Math.min(
      idles ? this.#options.now() + this.#options.idleMs : Infinity,
      work?.notBefore ?? Infinity,
    );
    const wake_at = wakeAt === Infinity ? null : new Date(wakeAt).toISOString();
    try {
      await this.#write({ ...batch, changes: [...batch.changes, { kind: 'release', event: 0, wake_at }] });
    } finally {
      // Wakes were ignored meanwhile, so the facts must be read again.
      this.#hasFreshFacts = false;
      if (!this.#pen.released) this.#listen();
    }
  }

  async #drop(runs: readonly QueuedRun[]): Promise<void> {
    await this.#write(write.drop(runs));
    for (const { id } of runs) {
      this.#markEnded(id);
      this.#options.metrics.runEnded('canceled', null);
    }
  }

  /** The running run has a cancel request. */
  #isCanceled(): boolean {
    const run = this.#state.run?.id;
    return this.#facts.runs.some(({ id, cancel }) => id === run && cancel !== null);
  }

  /** The facts hold only one queued run. To learn about the one after it, they must be read again. */
  #markEnded(runId: string): void {
    this.#ended.add(runId);
    this.#hasFreshFacts = false;
  }

  async #endSession(input: 'stop' | 'expire'): Promise<void> {
    await this.#appendAndRelease(null, write.session(this.#state, input, ENDED[input]), false);
    this.#hasFreshFacts = false;
  }

  /** Any new fact aborts the title's model call, so that it need not wait for the model. */
  async #title(): Promise<void> {
    this.#titleAbort = new AbortController();
    const signal = AbortSignal.any([this.#titleAbort.signal, this.#hold.lost, this.#hold.hurry]);
    const thread = { workspaceId: this.#facts.workspaceId!, threadId: this.#hold.threadId };
    const { titled, manifests } = await makeTitle(this.#options, thread, this.#state.history, signal);
    this.#titleAbort = null;
    this.#hold.lost.throwIfAborted();
    const { title } = titled;
    await this.#write({
      entries: [{ runId: null, event: { type: 'titled', data: titled } }],
      changes: [{ kind: 'title', event: 0, title }, ...manifests],
    });
    this.#hasFreshFacts = false;
  }

  async #editState(edits: readonly StateEdit[]): Promise<void> {
    await this.#write(write.editState(this.#state, edits, new Date(this.#options.now()).toISOString()));
    this.#hasFreshFacts = false;
  }

  /** Starts the summarizer, unless it is at work, and waits for it or for a new fact, which may start the next run. */
  #summarize(work: MemoryWork): Promise<unknown> {
    this.#summarizing ??= this.#runSummarizer(work).finally(() => (this.#summarizing = null));
    return this.#summarizerOrWake();
  }

  #summarizerOrWake(): Promise<unknown> {
    return Promise.race([this.#summarizing, this.#woken.promise]);
  }

  /** What was rewound or summarized meanwhile is not appended. */
  async #runSummarizer(work: MemoryWork): Promise<void> {
    const { lost, hurry, threadId } = this.#hold;
    const signal = AbortSignal.any([this.#summarizeAbort.signal, lost, hurry]);
    const workspaceId = this.#facts.workspaceId!;
    const question = { workspaceId, threadId, state: this.#state, work, signal };
    const { events, manifests } = await summarize(this.#options, question);
    if (signal.aborted) return;
    const entries = events(this.#state).map((event): Entry => ({ runId: null, event }));
    if (entries.length > 0) await this.#write({ entries, changes: manifests });
  }

  #traced(runId: string): TracedRun | null {
    const queued = this.#facts.runs.find((run) => run.id === runId);
    return queued ? tracedRun(queued, this.#hold.threadId) : null;
  }

  #queued(runId: string): QueuedRun {
    const queued = this.#facts.runs.find((run) => run.id === runId);
    if (!queued) throw new Error(`run ${runId} is open in the log but not in its row`);
    return queued;
  }

  /**
   * Runs a step with the run's agent. If the step resolves to a failure, the run ends with it. `state` is the state that the step was
   * decided on; `begun` resolves when that state is committed.
   */
  async #withAgent(
    step: (context: StepContext) => Promise<EventData['error'] | null>,
    { state, begun }: { state: ThreadState; begun: Promise<void> } = { state: this.#state, begun: READY },
  ): Promise<void> {
    const { agents } = this.#options;
    const run = state.run!;
    const queued = this.#queued(run.id);
    const { workspaceId } = queued;
    const { role, model } = queued;
    const made = await agents.make({ workspaceId, role, model, scope: state.scope });
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
          mode: run.mode,
          options: this.#options,
          workspaceId,
          agent,
          tools: onlyTools(toolsOfMode(tools, run.mode), queued.family?.tools ?? null),
          hold: this.#hold,
          pen: this.#pen,
          begun,
          canceled,
          interrupted,
          queued,
          scope: state.scope,
          history: state.history,
          omitted: state.omitted,
          memory: state.memory,
          wholeHistory: async () => {
            await begun;
            return (await replayWhole(this.#options.pool, this.#hold.threadId, this.#hold.lost)).history;
          },
          refused: state.refused,
          tooLong: state.tooLong,
          known: (fileId) => knownVersion(this.#state, fileId),
          decision: (approval) => new Promise((resolve) => this.#decisionWaiters.set(approval, resolve)),
          pauseClock: () => deadline.pauseClock(),
          recordLater: (manifests) => (this.#unanswered = manifests),
          conclude: (entries, changes) => this.#conclude(entries, changes),
        }),
      )
      .finally(() => deadline.end());
    if (failure) await this.#fail(this.#state.run!, failure);
  }
}

/** The mode of a run that starts; null if it may act: outside of projects, and for agents that another agent instructs. */
function modeOf(
  { scope, history }: ThreadState,
  { message, family: related }: QueuedRun,
): EventData['mode'] | null {
  if ((message.scope ?? scope).project_id === null || related !== undefined) return null;
  return decideMode(
    message.content,
    history.some(({ entry }) => entry.role === 'assistant'),
  );
}

/** The mode after steering messages; null if it stays. */
function steeredMode({ mode }: RunState, messages: readonly SentMessage[]): EventData['mode'] | null {
  if (mode === undefined) return null;
  const decided = messages
    .map(({ content }) => decideMode(content, true))
    .findLast(({ by }) => by === 'rules');
  return decided && decided.mode !== mode.mode ? decided : null;
}

/** The cached state of the thread, if its seq is the end of the log in the claim snapshot. */
function cachedState({ states }: LoopOptions, { threadId }: Hold, { seq }: ClaimSnapshot) {
  return seq === 0 ? { state: EMPTY, snapshotSeq: 0 } : states.take(threadId, seq);
}

/** The error comes from a value that cannot be stored or walked (nested too deep, too long). A retry would fail on any pod. */
function isValueError(error: unknown): error is Error {
  return error instanceof Unwritable || error instanceof RangeError;
}

function onlyTools(tools: ToolRegistry, names: readonly string[] | null): ToolRegistry {
  return names === null ? tools : narrowed(tools, (name) => names.includes(name));
}

const READY = Promise.resolve();
const NO_FACTS: Facts = {
  now: 0,
  runs: [],
  workspaceId: null,
  stop: false,
  pingedAt: null,
  titleWanted: false,
  stateEdits: [],
};
const NOTHING: write.AppendBatch = { entries: [], changes: [] };
const ENDED = { stop: 'user_cancelled', expire: 'idle_timeout' };

/** Steps that are done while another one is in flight. */
const AT_ONCE: ReadonlySet<Step['kind']> = new Set(['drop', 'edit_state']);

/** Steps that end a run or a session. A draining pod still does them. */
const ENDING: ReadonlySet<Step['kind']> = new Set(['finish', 'fail', 'cancel', 'drop', 'end_session']);
