// The facts of a thread, as its owner knows them. Every wake reads them again, also while a step is in flight, so that a cancel
// takes effect at once. Refreshes run one at a time: the answer of an older query must not overwrite newer facts.

import type { Hold } from '../../actors/hold.ts';
import { CancelWins } from '../changes.ts';
import { withConductor } from '../children/conductor.ts';
import { Canceled, takeFacts } from '../facts/facts.ts';
import type { LoopOptions } from '../steps/step.ts';
import type { Decision, Facts, QueuedRun } from './decide.ts';

interface Reading {
  readonly options: Pick<LoopOptions, 'pool' | 'limits' | 'conductors' | 'now' | 'elapsed'>;
  readonly hold: Hold;
  /** The run that is open in the log. */
  readonly openRun: () => string | null;
  /** Called when a wake says that the open run is canceled, before the facts are read. */
  readonly onCancel: () => void;
  /** Called when a wake has refreshed the facts. Does what cannot wait for the step in flight; resolves to whether there was anything. */
  readonly onRefresh: () => Promise<boolean>;
}

export class FactsReader {
  readonly #reading: Reading;
  #facts: Omit<Facts, 'now'> = NO_FACTS;
  /** False when the facts must be read again before the next decision. */
  #isFresh = false;
  /** The offset of the wall clock from the monotonic clock when this hold first saw the run. */
  #clock: { readonly run: string | null; readonly offset: number } | null = null;
  /** Runs that this hold has ended. A refresh that was in flight may still list them. */
  readonly #ended = new Set<string>();
  /** The last refresh in the queue. */
  #last: Promise<void> = Promise.resolve();
  /** Refreshes in flight or queued. */
  #pending = 0;
  /** A refresh that a wake asked for is queued and has not begun. */
  #isQueued = false;
  #woken = Promise.withResolvers<void>();
  /** Resolvers of calls that wait for the answer to a question, by approval id. */
  readonly #waiting = new Map<string, (decision: Decision) => void>();

  constructor(reading: Reading) {
    this.#reading = reading;
    this.listen();
  }

  /** The facts as last read, without the runs that this hold has ended. */
  get current(): Facts {
    const runs = this.#facts.runs.filter(({ id }) => !this.#ended.has(id));
    return { ...this.#facts, now: this.#now(), runs };
  }

  get isRefreshing(): boolean {
    return this.#pending > 0;
  }

  /** Resolves at the next wake. */
  get nextWake(): Promise<void> {
    return this.#woken.promise;
  }

  find(runId: string): QueuedRun | null {
    return this.#facts.runs.find(({ id }) => id === runId) ?? null;
  }

  /** The row of a run that is open in the log. */
  require(runId: string): QueuedRun {
    const queued = this.find(runId);
    if (!queued) throw new Error(`run ${runId} is open in the log but not in its row`);
    return queued;
  }

  /** Resolves to the decision of an approval. */
  decision(approval: string): Promise<Decision> {
    return new Promise((resolve) => this.#waiting.set(approval, resolve));
  }

  set(facts: Omit<Facts, 'now'>): void {
    this.#facts = facts;
    this.#isFresh = true;
    for (const { decisions } of facts.runs)
      for (const [approval, decision] of decisions) {
        this.#waiting.get(approval)?.(decision);
        this.#waiting.delete(approval);
      }
  }

  /** The facts must be read again before the next decision. */
  invalidate(): void {
    this.#isFresh = false;
  }

  /** The facts hold only one queued run. To learn about the one after it, they must be read again. */
  markEnded(runId: string): void {
    this.#ended.add(runId);
    this.#isFresh = false;
  }

  /** Resolves when the facts are fresh and no refresh is pending. */
  async refreshed(): Promise<void> {
    let last: Promise<void>;
    do {
      if (!this.#isFresh) await this.#queue(() => this.#take());
      last = this.#last;
      await last;
    } while (last !== this.#last || !this.#isFresh);
  }

  listen(): void {
    const { hold, onCancel } = this.#reading;
    hold.onWake = (news) => {
      this.#woken.resolve();
      this.#woken = Promise.withResolvers();
      if (news instanceof Canceled) {
        this.#facts = news.in(this.#facts);
        onCancel();
      }
      // A queued refresh that has not begun will read this fact, too.
      if (this.#isQueued) return;
      this.#isQueued = true;
      void this.#queue(() => {
        this.#isQueued = false;
        return this.#refreshWithRetry();
      });
    };
  }

  /** A refresh from here on would take facts that this hold no longer acts on. A later fact wakes the released thread. */
  ignoreWakes(): void {
    this.#reading.hold.onWake = null;
  }

  #queue(refresh: () => Promise<void>): Promise<void> {
    this.#pending += 1;
    const done = this.#last.then(refresh).finally(() => (this.#pending -= 1));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #take(): Promise<void> {
    const { options, hold } = this.#reading;
    const facts = await takeFacts(options.pool, hold, options.limits);
    const runs = facts.runs.map((run) => withConductor(options.pool, options.conductors, run));
    this.set({ ...facts, runs: await Promise.all(runs) });
  }

  /** Retries with back-off: if a failed refresh already took the facts, no wake announces them again. */
  async #refreshWithRetry(): Promise<void> {
    const { hold, onRefresh } = this.#reading;
    for (let pause = 20; !hold.lost.aborted; pause = Math.min(pause * 2, 1000)) {
      try {
        do await this.#take();
        while (await onRefresh());
        return;
      } catch (error) {
        // With CancelWins, the run has ended meanwhile; the next decision reads the facts again.
        this.#isFresh = false;
        if (error instanceof CancelWins) return;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /**
   * The current time, by a clock that does not jump while this pod holds a run. When the hold first sees a run, the run's age
   * comes from the log's timestamps. From then on, the monotonic clock counts, so that a change of the wall clock cannot make the
   * run exceed its time limit.
   */
  #now(): number {
    const { options, openRun } = this.#reading;
    const run = openRun();
    const elapsed = options.elapsed();
    if (this.#clock?.run !== run) this.#clock = { run, offset: options.now() - elapsed };
    return elapsed + this.#clock.offset;
  }
}

const NO_FACTS: Omit<Facts, 'now'> = {
  runs: [],
  workspaceId: null,
  stop: false,
  pingedAt: null,
  titleWanted: false,
  isChild: false,
  stateEdits: [],
};
