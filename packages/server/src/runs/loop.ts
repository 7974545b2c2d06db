// The run loop: an actor reads its thread's log and its facts, then repeats: decide, do the step, fold what was
// committed. The facts are taken again whenever somebody wakes it. Between steps it remembers nothing that the log and
// the facts do not hold.

import { v7 as uuidv7 } from 'uuid';
import type { EventData, NewEvent, SessionState } from '@continuo/protocol';
import { isEnded, transition, type SessionInput } from '../actors/session.ts';
import type { Hold, Work } from '../actors/pod.ts';
import type { Change, Entry } from '../log/group.ts';
import { CancelWins, type Pen } from '../log/pen.ts';
import { readForFold, readPartialText, readRunSeq } from '../log/statements.ts';
import { callModel } from './call-model.ts';
import { decide, type Facts, type QueuedRun, type Step } from './decide.ts';
import { takeFacts } from './facts.ts';
import {
  EMPTY,
  foldAll,
  knownVersion,
  workedMs,
  type CallState,
  type RunState,
  type ThreadState,
} from './fold.ts';
import { runTools } from './run-tools.ts';
import { messageRow, type LoopOptions, type StepContext } from './step.ts';

export function createRunLoop(options: LoopOptions): Work {
  return async (hold) => {
    const actor = await Actor.open(options, hold);
    return { wakeAt: await actor.live() };
  };
}

class Actor {
  readonly #options: LoopOptions;
  readonly #hold: Hold;
  readonly #pen: Pen;
  #state: ThreadState;
  /** As of the last wake-up: whoever wants something of the thread wakes us. */
  #facts: Facts = { now: 0, runs: [] };
  #informed = false;
  readonly #ended = new Set<string>();
  #cancel = new AbortController();
  /** The run whose first events are on their way. */
  #starting: string | null = null;
  #looking: Promise<void> = Promise.resolve();
  #lookAgain = false;

  static async open(options: LoopOptions, hold: Hold): Promise<Actor> {
    const state = foldAll(EMPTY, await readForFold(options.pool, hold.threadId));
    const runSeqs = new Map<string, number>();
    if (state.run) {
      runSeqs.set(
        state.run.id,
        await readRunSeq(options.pool, hold.threadId, state.run.id, state.run.firstSeq),
      );
    }
    return new Actor(options, hold, state, runSeqs);
  }

  constructor(options: LoopOptions, hold: Hold, state: ThreadState, runSeqs: ReadonlyMap<string, number>) {
    this.#options = options;
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
    hold.onWake = () => {
      // One look under way and one to come see everything.
      if (this.#lookAgain) return;
      this.#lookAgain = true;
      this.#looking = this.#looking.then(() => {
        this.#lookAgain = false;
        return this.#lookUntilSeen();
      });
    };
  }

  /** Works until there is nothing to do, or until the thread must be let go; says when to look again. */
  async live(): Promise<Date | null> {
    for (;;) {
      let looking: Promise<void>;
      do {
        if (!this.#informed) await this.#inform();
        looking = this.#looking;
        await looking;
      } while (looking !== this.#looking || !this.#informed);
      this.#hold.lost.throwIfAborted();
      const step = this.#decide();
      if (step.kind === 'rest' || step.kind === 'await') {
        // A look that began now would take facts that nobody acts on: who comes later finds the thread let go.
        this.#hold.onWake = null;
        return null;
      }
      if (this.#hold.draining && !ENDING.has(step.kind)) return new Date(0);
      try {
        await this.#do(step);
      } catch (error) {
        // The cancel came first: the facts say so now, and the next decision is another one.
        if (!(error instanceof CancelWins)) throw error;
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
    const step = this.#decide();
    if (step.kind === 'cancel') this.#cancel.abort();
    // A run that is being started is canceled like any other once it has begun.
    if (step.kind === 'drop' && step.run.id !== this.#starting) {
      await this.#drop(step.run, step.reason);
      await this.#look();
    }
  }

  /** In turn with the looks: what was asked for earlier must not come later, and hide what is new. */
  #inform(): Promise<void> {
    const informed = this.#looking.then(() => this.#takeFacts());
    this.#looking = informed.catch(() => undefined);
    return informed;
  }

  async #takeFacts(): Promise<void> {
    const runs = await takeFacts(this.#options.pool, this.#hold, this.#options.limits);
    this.#facts = { now: this.#options.now(), runs };
    this.#informed = true;
  }

  #decide(): Step {
    // Facts that were asked for before a run ended, and came after, still tell of it.
    const runs = this.#facts.runs.filter(({ id }) => !this.#ended.has(id));
    this.#facts = { now: this.#options.now(), runs };
    return decide(this.#state, this.#facts, this.#hold.attempt);
  }

  #do(step: Exclude<Step, { kind: 'rest' | 'await' }>): Promise<unknown> {
    switch (step.kind) {
      case 'start':
        return this.#start(step.run);
      case 'take_over':
        return this.#takeOver(step.run);
      case 'call_model':
        return this.#within((context) => callModel(context, step.run));
      case 'run_tools':
        return this.#within((context) => runTools(context, step.calls));
      case 'finish':
        return this.#finish(step.run);
      case 'fail':
        return this.#fail(step.run, { code: step.code, error: step.error });
      case 'cancel':
        return this.#end(step.run, 'canceled', [{ type: 'canceled', data: { reason: step.reason } }], 'stop');
      case 'drop':
        return this.#drop(step.run, step.reason);
    }
  }

  async #start(run: QueuedRun): Promise<void> {
    this.#cancel = new AbortController();
    this.#starting = run.id;
    this.#options.metrics.runStarted(this.#facts.now - run.queuedAt);
    const { id, content } = run.message;
    const session = this.#session('start', 'message');
    const entries: Entry[] = [
      ...session.entries,
      { runId: run.id, event: { type: 'state', data: { status: 'running', attempt: 1 } } },
      { runId: run.id, event: { type: 'message', data: { id, role: 'user', content } } },
    ];
    await this.#pen.append(entries, [
      ...session.changes,
      { kind: 'start', event: session.entries.length, run: run.id },
    ]);
    this.#starting = null;
  }

  async #takeOver(run: RunState): Promise<void> {
    this.#options.metrics.takenOver();
    const state: EventData['state'] = { status: 'running', attempt: run.attempts + 1 };
    const queued = this.#queued(run.id);
    if (run.open === null) {
      await this.#pen.append([{ runId: run.id, event: { type: 'state', data: state } }]);
      return;
    }
    if (queued.cancel === null) {
      await this.#pen.append([
        { runId: run.id, event: { type: 'state', data: { ...state, supersedes: run.open } } },
      ]);
      return;
    }
    // Nobody will write this message again: what it said so far is kept.
    const text = await readPartialText(this.#options.pool, this.#hold.threadId, run.id, run.open);
    const entries: Entry[] = [{ runId: run.id, event: { type: 'state', data: state } }];
    const changes: Change[] = [];
    if (text !== '') {
      const data = {
        message: run.open,
        text,
        parts: [{ kind: 'text' as const, text }],
        ended: 'interrupted' as const,
      };
      entries.push({ runId: run.id, event: { type: 'message_end', data } });
      changes.push(messageRow(1, queued, data));
    }
    await this.#pen.append(entries, changes);
  }

  #finish(run: RunState): Promise<unknown> {
    const final: EventData['final'] = {
      text: run.last!.text,
      sources: run.sources,
      message: run.last!.message,
    };
    return this.#end(run, 'done', [{ type: 'final', data: final }], 'finish');
  }

  #fail(run: RunState, failure: EventData['error']): Promise<void> {
    return this.#end(run, 'error', [{ type: 'error', data: failure }], 'fail', failure);
  }

  /** A run's last append: unanswered calls are answered, so that the history stays valid; then the end. */
  async #end(
    run: RunState,
    status: 'done' | 'error' | 'canceled',
    last: readonly NewEvent[],
    input: SessionInput,
    error?: EventData['error'],
  ): Promise<void> {
    const events: NewEvent[] = [
      ...run.calls.flatMap(unanswered),
      ...last,
      { type: 'state', data: { status } },
    ];
    const session = this.#session(input, status);
    const entries = events.map((event): Entry => ({ runId: run.id, event }));
    const end: Change = {
      kind: 'end',
      event: entries.length - 1,
      run: run.id,
      status,
      error: error ?? null,
      usage: run.usage,
      cost: run.cost,
    };
    const shifted = session.changes.map((change) => ({ ...change, event: change.event + entries.length }));
    await this.#pen.append([...entries, ...session.entries], [end, ...shifted]);
    this.#closed(run.id);
    this.#options.metrics.runEnded(status, error?.code ?? null);
  }

  /** A run that was canceled before it began. */
  async #drop(run: QueuedRun, reason: string): Promise<void> {
    const entries: Entry[] = [
      { runId: run.id, event: { type: 'canceled', data: { reason } } },
      { runId: run.id, event: { type: 'state', data: { status: 'canceled' } } },
    ];
    await this.#pen.append(entries, [{ kind: 'end', event: 1, run: run.id, status: 'canceled' }]);
    this.#closed(run.id);
    this.#options.metrics.runEnded('canceled', null);
  }

  /** The facts told of the next run only: what comes after it must be asked for. */
  #closed(runId: string): void {
    this.#ended.add(runId);
    this.#informed = false;
  }

  #session(input: SessionInput, reason: string): { entries: Entry[]; changes: Change[] } {
    const live = this.#state.session && !isEnded(this.#state.session.state) ? this.#state.session : null;
    const { id, state } = live ?? { id: uuidv7(), state: 'idle' as SessionState };
    // A run that starts in a running session: its pod died between two runs, or somebody resumed it.
    if (input === 'start' && state === 'running') return { entries: [], changes: [] };
    const next = transition(state, input);
    if (!next.ok) throw new Error(next.problem);
    const data = { session: id, from_state: state, to_state: next.state, reason };
    return {
      entries: [{ runId: null, event: { type: 'session', data } }],
      changes: [{ kind: 'session', event: 0, id, state: next.state, reason }],
    };
  }

  #queued(runId: string): QueuedRun {
    const queued = this.#facts.runs.find((run) => run.id === runId);
    if (!queued) throw new Error(`run ${runId} is open in the log but not in its row`);
    return queued;
  }

  /** Does a step of the run's agent; what it resolves to, if anything, ends the run. */
  async #within(step: (context: StepContext) => Promise<EventData['error'] | null>): Promise<void> {
    const { agents, workspaceOf } = this.#options;
    const run = this.#state.run!;
    const queued = this.#queued(run.id);
    const workspaceId = await workspaceOf(this.#hold.threadId);
    if (workspaceId === null) throw new Error(`thread ${this.#hold.threadId} is gone`);
    const made = await agents.make({ workspaceId, role: queued.role, model: queued.model });
    if (!made.ok) return this.#fail(run, { code: made.code, error: made.problem });
    const { agent } = made;
    const deadline = timer(queued.limits.seconds, workedMs(run, this.#options.now()));
    const canceled = AbortSignal.any([this.#cancel.signal, deadline.signal]);
    const interrupted = AbortSignal.any([canceled, this.#hold.lost, this.#hold.hurry]);
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
          canceled,
          interrupted,
          queued,
          history: this.#state.history,
          known: (fileId) => knownVersion(this.#state, fileId),
        }),
      )
      .finally(() => deadline.end());
    if (failure) await this.#fail(this.#state.run!, failure);
  }
}

/** Aborts when the seconds are over, of which some have passed. */
function timer(seconds: number | null, passedMs: number): { signal: AbortSignal; end(): void } {
  const over = new AbortController();
  if (seconds === null) return { signal: over.signal, end: () => undefined };
  const timeout = setTimeout(() => over.abort(), Math.max(0, seconds * 1000 - passedMs));
  return { signal: over.signal, end: () => clearTimeout(timeout) };
}

/** Steps that end a run are done even while the pod drains. */
const ENDING: ReadonlySet<Step['kind']> = new Set(['finish', 'fail', 'cancel', 'drop']);

function unanswered({ call, tool, stage }: CallState): NewEvent[] {
  if (stage.kind === 'ended') return [];
  const outcome = stage.kind === 'started' ? ('unknown' as const) : ('canceled' as const);
  const error =
    outcome === 'unknown'
      ? 'the run ended before the outcome was known'
      : 'the run ended before this call was made';
  return [{ type: 'tool_end', data: { tool, output: { error }, call, success: false, outcome } }];
}
