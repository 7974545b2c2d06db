// The run loop. An actor owns one thread. It starts from the thread's log and facts, or from its claim snapshot, and then
// repeats: decide, do the step, fold the committed events. Every wake refreshes the facts. Between two steps the actor keeps
// no state that is not in the log or in the facts. How runs and sessions end is in endings.ts.

import type { EventData } from '@continuo/protocol';
import type { Hold, Work } from '../../actors/hold.ts';
import { ContextTexts } from '../../context/texts.ts';
import { TokenRatios } from '../../context/token-ratios.ts';
import type { Entry } from '../../log/group.ts';
import { Unwritable, type Pen } from '../../log/pen.ts';
import { readPartialText, readRunSeq } from '../../log/statements.ts';
import { toolsOfMode } from '../../context/mode.ts';
import { FactsChanged } from '../changes.ts';
import * as family from '../children/batches.ts';
import { readOutcomes } from '../children/outcomes.ts';
import { callModel } from '../steps/call-model.ts';
import { decide, newlyEnded, type QueuedRun, type Step } from './decide.ts';
import { Endings } from './endings.ts';
import { FactsReader } from './facts-reader.ts';
import { asFacts, ClaimSnapshot } from '../facts/facts.ts';
import {
  EMPTY,
  foldAll,
  knownVersion,
  workedMs,
  type RunState,
  type ThreadState,
} from '../../threads/fold.ts';
import type { StateEdit } from '../facts/edit-state.ts';
import { expireQuestions } from '../approvals/questions.ts';
import { replay, replayWhole } from './replay.ts';
import { startingMode, steeredMode } from './run-mode.ts';
import { createPureCalls, runTools } from '../steps/run-tools.ts';
import { SNAPSHOT_EVENTS, withinWindow, writeSnapshot } from './snapshots.ts';
import { timer, type LoopOptions, type StepContext } from '../steps/step.ts';
import { Summarizing } from './summarizing.ts';
import type { TracedRun } from '../../telemetry/traces/span.ts';
import type { OpenTrace } from '../../telemetry/traces/thread-trace.ts';
import { narrowed, type ToolRegistry } from '../../tools/registry.ts';
import { makeTitle } from '../steps/title.ts';
import * as write from './append-batch.ts';
import { tracedRun } from './traced-run.ts';

type GivenOptions = Omit<LoopOptions, 'pureCalls' | 'texts' | 'ratios'> &
  Partial<Pick<LoopOptions, 'ratios'>>;

export function createRunLoop(given: GivenOptions): Work {
  const { pool, ratios = new TokenRatios({ pool }) } = given;
  const texts = new ContextTexts(pool);
  const options: LoopOptions = { ...given, pureCalls: createPureCalls(), texts, ratios };
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
  readonly #facts: FactsReader;
  readonly #summarizing: Summarizing;
  readonly #endings: Endings;
  #cancel = new AbortController();
  /** Resolves when the database has committed or refused the first events of a run. */
  #starting: Promise<void> = READY;

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
      actor.#facts.set(asFacts(claim.rows, options.limits));
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
    this.#facts = new FactsReader({
      options,
      hold,
      openRun: () => this.#state.run?.id ?? null,
      onCancel: () => this.#isCanceled() && this.#cancel.abort(),
      onRefresh: () => this.#doAtOnce(),
    });
    this.#summarizing = new Summarizing({
      options,
      hold,
      state: () => this.#state,
      write: (batch) => this.#write(batch),
    });
    this.#endings = new Endings({
      options,
      pen: this.#pen,
      facts: this.#facts,
      summarizing: this.#summarizing,
      state: () => this.#state,
      predict: (entries) => this.#predictState(entries),
      decide: (predicted) => this.#decide(predicted),
    });
  }

  close(): void {
    this.#summarizing.abort();
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

  /** Works until there is nothing to do, or until the thread must be released. */
  async live(): ReturnType<Work> {
    for (;;) {
      await this.#facts.refreshed();
      this.#hold.lost.throwIfAborted();
      if (this.#state.omitted?.stale) await this.#restoreHistory();
      const step = this.#decide();
      if (step.kind === 'rest' && this.#summarizing.isRunning && !this.#hold.draining) {
        await this.#summarizing.endedOr(this.#facts.nextWake);
        continue;
      }
      if (step.kind === 'rest') {
        this.#facts.ignoreWakes();
        return { wakeAt: step.until === null ? null : new Date(step.until) };
      }
      if (this.#hold.draining && !ENDING.has(step.kind)) return { wakeAt: new Date(0) };
      try {
        await this.#do(step);
        if (this.#pen.released) return 'released';
      } catch (error) {
        if (isValueError(error) && this.#state.run) await this.#endings.failUnwritten(this.#state.run, error);
        // The database accepted a cancel or another fact first. The next decision acts on the refreshed facts.
        else if (!(error instanceof FactsChanged)) throw error;
        this.#facts.invalidate();
      }
    }
  }

  /** Does what cannot wait for the step in flight. Resolves to whether there was anything. */
  async #doAtOnce(): Promise<boolean> {
    if (this.#isCanceled()) this.#cancel.abort();
    if (!AT_ONCE.has(this.#decide().kind)) return false;
    // A run that is just being started must begin first; then it is canceled like any other.
    await this.#starting;
    const step = this.#decide();
    if (step.kind === 'drop') await this.#drop(step.runs);
    else if (step.kind === 'edit_state') await this.#editState(step.edits);
    else return false;
    return true;
  }

  #decide(state = this.#state): Step {
    return decide(state, this.#facts.current, this.#hold.attempt, this.#options);
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
        if (this.#facts.require(step.run.id).family?.conducting) this.#facts.invalidate();
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
        return this.#endings.finish(step.run);
      case 'fail':
        return this.#endings.fail(step.run, { code: step.code, error: step.error });
      case 'cancel':
        return this.#endings.cancel(step.run, step.reason);
      case 'drop':
        return this.#drop(step.runs);
      case 'edit_state':
        return this.#editState(step.edits);
      case 'title':
        return this.#title();
      case 'summarize':
        this.#summarizing.start(this.#workspaceId(), step.work);
        return this.#summarizing.endedOr(this.#facts.nextWake);
      case 'end_session':
        return this.#endings.endSession(step.input);
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
    this.#options.metrics.runStarted(this.#facts.current.now - run.queuedAt);
    const batch = write.concatBatches(
      write.session(this.#state, 'start', 'message'),
      write.start(run, startingMode(this.#state, run)),
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
    const queued = this.#facts.require(run.id);
    // The unfinished message of a canceled run is not generated again, so its partial text is kept.
    const text =
      run.open !== null && queued.cancel !== null
        ? await readPartialText(this.#options.pool, this.#hold.threadId, run.id, run.open)
        : null;
    await this.#write(write.takeOver(run, queued, text));
    const questions = write.openQuestions(run).map(({ approval }) => approval);
    await expireQuestions(this.#options.pool, this.#hold, questions);
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
    this.#facts.invalidate();
    if (next.kind === 'act') {
      const messages = await Promise.all(
        next.spawn.map((spawn) => queued.family!.conducting!.message(pool, spawn)),
      );
      const started = family.startChildren(
        queued,
        this.#state.scope,
        next.spawn.map((spawn, index) => ({ ...spawn, message: messages[index]! })),
      );
      await this.#write(write.concatBatches(batch, started));
      started.threads.forEach(wake);
      queued.family!.conducting!.appended();
      return;
    }
    if (batch.entries.length > 0) await this.#write(batch);
    if (next.kind === 'fail')
      return this.#endings.fail(this.#state.run!, { code: next.code, error: next.error });
    const text = await queued.family!.conducting!.closing(pool, this.#state.run!);
    const closing = family.withChanges(write.closingMessage(this.#state.run!, queued, text), next.changes);
    await this.#endings.conclude(closing.entries, closing.changes);
  }

  async #pauseOrResume(run: RunState, input: 'pause' | 'resume'): Promise<void> {
    const reason = input === 'pause' ? 'user_paused' : 'user_resumed';
    const batch = write.session(this.#state, input, reason, run.id);
    const isPaused = input === 'pause';
    const conducting = this.#facts.require(run.id).family?.conducting;
    const paused = { ...batch, changes: [...batch.changes, ...family.pauseChildren(run, isPaused)] };
    await this.#write(family.withChanges(paused, conducting?.paused(isPaused) ?? []));
    conducting?.appended();
    for (const { thread } of family.openChildren(run)) this.#options.wake(thread);
  }

  async #drop(runs: readonly QueuedRun[]): Promise<void> {
    await this.#write(write.drop(runs));
    for (const { id } of runs) {
      this.#facts.markEnded(id);
      this.#options.metrics.runEnded('canceled', null);
    }
  }

  /** The running run has a cancel request. */
  #isCanceled(): boolean {
    const { run } = this.#state;
    return run !== null && (this.#facts.find(run.id)?.cancel ?? null) !== null;
  }

  /** Any new fact aborts the title's model call, so that it need not wait for the model. */
  async #title(): Promise<void> {
    const woken = new AbortController();
    void this.#facts.nextWake.then(() => woken.abort());
    const signal = AbortSignal.any([woken.signal, this.#hold.lost, this.#hold.hurry]);
    const thread = { workspaceId: this.#workspaceId(), threadId: this.#hold.threadId };
    const { titled, manifests } = await makeTitle(this.#options, thread, this.#state.history, signal);
    this.#hold.lost.throwIfAborted();
    const { title } = titled;
    await this.#write({
      entries: [{ runId: null, event: { type: 'titled', data: titled } }],
      changes: [{ kind: 'title', event: 0, title }, ...manifests],
    });
    this.#facts.invalidate();
  }

  async #editState(edits: readonly StateEdit[]): Promise<void> {
    await this.#write(write.editState(this.#state, edits, new Date(this.#options.now()).toISOString()));
    this.#facts.invalidate();
  }

  #workspaceId(): string {
    return this.#facts.current.workspaceId!;
  }

  #traced(runId: string): TracedRun | null {
    const queued = this.#facts.find(runId);
    return queued ? tracedRun(queued, this.#hold.threadId) : null;
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
    const queued = this.#facts.require(run.id);
    const { workspaceId } = queued;
    const { role, model } = queued;
    const made = await agents.make({ workspaceId, role, model, scope: state.scope });
    if (!made.ok) {
      await begun;
      return this.#endings.fail(this.#state.run!, { code: made.code, error: made.problem });
    }
    const { agent } = made;
    const deadline = timer(queued.limits.seconds, workedMs(run, this.#facts.current.now));
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
          decision: (approval) => this.#facts.decision(approval),
          pauseClock: () => deadline.pauseClock(),
          recordLater: (manifests) => this.#endings.recordLater(manifests),
          conclude: (entries, changes) => this.#endings.conclude(entries, changes),
        }),
      )
      .finally(() => deadline.end());
    if (failure) await this.#endings.fail(this.#state.run!, failure);
  }
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

/** Steps that are done while another one is in flight. */
const AT_ONCE: ReadonlySet<Step['kind']> = new Set(['drop', 'edit_state']);

/** Steps that end a run or a session. A draining pod still does them. */
const ENDING: ReadonlySet<Step['kind']> = new Set(['finish', 'fail', 'cancel', 'drop', 'end_session']);
