// How runs and sessions end. A run ends in one append: its last message, its end, its session's transition, and the release of
// the thread. The database does not release a thread that has new facts.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { SessionInput } from '../../actors/session.ts';
import type { ContextChange } from '../../context/manifest.ts';
import { memoryWork } from '../../context/summarizer.ts';
import type { Entry } from '../../log/group.ts';
import type { Pen } from '../../log/pen.ts';
import type { RunState, ThreadState } from '../../threads/fold.ts';
import { CancelWins, type LoopChange } from '../changes.ts';
import * as family from '../children/batches.ts';
import type { LoopOptions } from '../steps/step.ts';
import * as write from './append-batch.ts';
import { unreadSteers, type Step } from './decide.ts';
import type { FactsReader } from './facts-reader.ts';
import type { Summarizing } from './summarizing.ts';

interface Thread {
  readonly options: LoopOptions;
  readonly pen: Pen;
  readonly facts: FactsReader;
  readonly summarizing: Summarizing;
  readonly state: () => ThreadState;
  /** The state after these events are committed. */
  readonly predict: (entries: readonly Entry[]) => ThreadState;
  readonly decide: (state: ThreadState) => Step;
}

interface RunEnd {
  readonly status: 'done' | 'error' | 'canceled';
  /** The event before the terminal `state`. */
  readonly last: NewEvent;
  /** What the end is to the session. */
  readonly input: SessionInput;
  /** The reason of the session's transition; the status if absent. */
  readonly reason?: string;
  readonly error?: Pick<EventData['error'], 'code' | 'error'>;
  /** What else is in the append, before the end. */
  readonly before?: write.AppendBatch | undefined;
}

export class Endings {
  readonly #thread: Thread;
  /** Manifests of the run's requests that got no answer. They are appended with the end of the run. */
  #unanswered: readonly ContextChange[] = [];

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  recordLater(manifests: readonly ContextChange[]): void {
    this.#unanswered = manifests;
  }

  /** Appends a whole message. If it is the run's last, the end of the run is in the same append. */
  async conclude(entries: Entry[], changes: readonly LoopChange[]): Promise<void> {
    const { pen, decide, predict } = this.#thread;
    const step = decide(predict(entries));
    if (step.kind !== 'finish') return void (await pen.append(entries, changes));
    try {
      await this.finish(step.run, { entries, changes });
    } catch (error) {
      if (!(error instanceof CancelWins)) throw error;
      // The run will end canceled, and keeps the message.
      await pen.append(entries, changes);
      throw error;
    }
  }

  finish(run: RunState, before?: write.AppendBatch): Promise<void> {
    const { text, message } = run.last!;
    const last: NewEvent = { type: 'final', data: { text, sources: run.sources, message } };
    return this.#end(run, { status: 'done', last, input: 'finish', before });
  }

  fail(run: RunState, failure: EventData['error']): Promise<void> {
    const { code, error } = failure;
    const last: NewEvent = { type: 'error', data: failure };
    return this.#end(run, { status: 'error', last, input: 'fail', error: { code, error } });
  }

  /** No pod can append the step's events, so the run fails without them. */
  async failUnwritten(run: RunState, { message }: Error): Promise<void> {
    const { pen, state } = this.#thread;
    if (run.open !== null) {
      const data = { status: 'running' as const, attempt: run.attempts, supersedes: run.open };
      await pen.append([{ runId: run.id, event: { type: 'state', data } }]);
    }
    const error = `the run’s events could not be written: ${message}`;
    await this.fail(state().run!, { code: 'not_writable', error });
  }

  cancel(run: RunState, reason: string): Promise<void> {
    const last: NewEvent = { type: 'canceled', data: { reason } };
    return this.#end(run, { status: 'canceled', last, input: 'stop', reason });
  }

  async endSession(input: 'stop' | 'expire'): Promise<void> {
    const { facts, state } = this.#thread;
    const reason = input === 'stop' ? 'user_cancelled' : 'idle_timeout';
    await this.#appendAndRelease(null, write.session(state(), input, reason), { idles: false });
    facts.invalidate();
  }

  async #end(
    run: RunState,
    { status, last, input, reason = status, error, before = NOTHING }: RunEnd,
  ): Promise<void> {
    const { options, facts, state } = this.#thread;
    const queued = facts.require(run.id);
    const sent = status === 'done' ? [] : unreadSteers(run, queued);
    const parentThread = queued.family?.parentThread ?? null;
    const isChild = parentThread !== null;
    const conducting = queued.family?.conducting;
    const abandoned = status === 'done' ? undefined : conducting?.abandon(run, status);
    const batch = write.concatBatches(
      { entries: [], changes: this.#unanswered },
      before,
      family.conducted(run, abandoned?.events ?? []),
      write.end(run, status, [last], { sent, ...(error && { error }) }),
      // Nobody waits for the next message of a child's thread.
      write.session(state(), isChild && input === 'finish' ? 'complete' : input, reason),
    );
    this.#unanswered = [];
    const ending = family.withChanges(batch, abandoned?.changes ?? []);
    await this.#appendAndRelease(run.id, ending, { idles: status === 'done' && !isChild });
    conducting?.appended();
    if (parentThread !== null) options.wake(parentThread);
    for (const { thread } of family.openChildren(run)) options.wake(thread);
    facts.markEnded(run.id);
    options.metrics.runEnded(status, error?.code ?? null);
  }

  /**
   * Appends the end of a run or of a session, and releases the thread in the same append. If there are new facts, the thread has
   * an open run or a `wake_at`, and the database does not release it. While a refresh is pending, the append asks for no release,
   * because the refresh could lead to another append.
   */
  async #appendAndRelease(
    runId: string | null,
    { entries, changes }: write.AppendBatch,
    { idles }: { readonly idles: boolean },
  ): Promise<void> {
    const { options, pen, facts, summarizing, predict } = this.#thread;
    const { runs, isChild, titleWanted } = facts.current;
    const others = runs.some(({ id }) => id !== runId);
    const work = isChild ? null : memoryWork(predict(entries), options.memory);
    const isSummaryDue = summarizing.isRunning || (work && work.notBefore <= options.now());
    if (others || facts.isRefreshing || titleWanted || isSummaryDue)
      return void (await pen.append(entries, changes));
    facts.ignoreWakes();
    const wakeAt = Math.min(idles ? options.now() + options.idleMs : Infinity, work?.notBefore ?? Infinity);
    const wake_at = wakeAt === Infinity ? null : new Date(wakeAt).toISOString();
    try {
      await pen.append(entries, [...changes, { kind: 'release', event: 0, wake_at }]);
    } finally {
      // Wakes were ignored meanwhile, so the facts must be read again.
      facts.invalidate();
      if (!pen.released) facts.listen();
    }
  }
}

const NOTHING: write.AppendBatch = { entries: [], changes: [] };
