// The summarizer of a thread, which works beside its runs.

import type { Hold } from '../../actors/hold.ts';
import type { MemoryWork } from '../../context/summarizer.ts';
import type { Entry } from '../../log/group.ts';
import type { ThreadState } from '../../threads/fold.ts';
import type { LoopOptions } from '../steps/step.ts';
import { summarize } from '../steps/summarize.ts';
import type { AppendBatch } from './append-batch.ts';

interface Thread {
  readonly options: LoopOptions;
  readonly hold: Hold;
  readonly state: () => ThreadState;
  readonly write: (batch: AppendBatch) => Promise<unknown>;
}

export class Summarizing {
  readonly #thread: Thread;
  readonly #abort = new AbortController();
  #work: Promise<void> | null = null;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  get isRunning(): boolean {
    return this.#work !== null;
  }

  /** Resolves when the summarizer is done, or at the next wake, whose fact may start the next run. */
  endedOr(wake: Promise<void>): Promise<unknown> {
    return Promise.race([this.#work, wake]);
  }

  /** Starts the summarizer, unless it is running. */
  start(workspaceId: string, work: MemoryWork): void {
    this.#work ??= this.#summarize(workspaceId, work).finally(() => (this.#work = null));
  }

  abort(): void {
    this.#abort.abort();
  }

  /** What was rewound or summarized meanwhile is not appended. */
  async #summarize(workspaceId: string, work: MemoryWork): Promise<void> {
    const { options, hold, state, write } = this.#thread;
    const { lost, hurry, threadId } = hold;
    const signal = AbortSignal.any([this.#abort.signal, lost, hurry]);
    const { events, manifests } = await summarize(options, {
      workspaceId,
      threadId,
      state: state(),
      work,
      signal,
    });
    if (signal.aborted) return;
    const entries = events(state()).map((event): Entry => ({ runId: null, event }));
    if (entries.length > 0) await write({ entries, changes: manifests });
  }
}
