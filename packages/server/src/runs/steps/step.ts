// Types and helpers that the steps of a run share.

import { v7 as uuidv7 } from 'uuid';
import type { EventData } from '@continuo/protocol';
import type { Hold } from '../../actors/hold.ts';
import type { Agent, Agents } from '../../agents/agent.ts';
import type { ContextChange } from '../../context/manifest.ts';
import type { Packs } from '../../context/request.ts';
import type { ContextTexts } from '../../context/texts.ts';
import type { TokenRatios } from '../../context/token-ratios.ts';
import type { Pool } from '../../db/pool.ts';
import type { FairLimiter } from '../../limits/fair-limiter.ts';
import type { Executor } from '../../executors/executor.ts';
import type { Faults } from '../../faults.ts';
import type { Writer } from '../../log/append.ts';
import type { Entry } from '../../log/group.ts';
import type { Pen } from '../../log/pen.ts';
import type { MemoryRules } from '../../context/summary.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { OpenTrace } from '../../telemetry/traces/thread-trace.ts';
import type { Conductors } from '../children/conductor.ts';
import type { LoopChange } from '../changes.ts';
import type { Decision, Limits, QueuedRun } from '../loop/decide.ts';
import type { RunState, ThreadState } from '../../threads/fold.ts';
import type { Secrets } from '../../workspaces/secrets.ts';
import type { ThreadStateCache } from '../loop/thread-state-cache.ts';

export interface LoopOptions {
  readonly pool: Pool;
  readonly writer: Writer;
  readonly states: ThreadStateCache;
  readonly agents: Agents;
  /** Writes the answers. */
  readonly executor: Executor;
  /** By the mode of a run's directive. */
  readonly conductors: Conductors;
  /** Tells a thread's owner, on any pod, that the thread has new facts; if no pod owns the thread, it is claimed. */
  readonly wake: (threadId: string) => void;
  readonly packs: Packs;
  readonly texts: ContextTexts;
  readonly ratios: TokenRatios;
  readonly limits: Limits;
  readonly secrets: Pick<Secrets, 'read'>;
  /** Maximum lines of a tool's result that later runs are shown. */
  readonly summaryLines: number;
  /** How long a running tool may continue after a cancel. */
  readonly cancelGraceMs: number;
  /** How long a session may idle before it ends. */
  readonly idleMs: number;
  /** When summaries are due, and who makes them. */
  readonly memory: MemoryRules;
  /** How long an approval waits for a decision; null means for ever. */
  readonly approvalMs: number | null;
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** Limits the pure calls of all runs on this pod. */
  readonly pureCalls: FairLimiter;
  readonly metrics: Pick<Metrics, 'runStarted' | 'runEnded' | 'takenOver' | 'modelCalled' | 'budgetRefused'>;
  /** Null without traces. */
  readonly traces: OpenTrace | null;
  /** Called when a snapshot could not be written. The next claim then folds more of the log. */
  readonly onSnapshotFailed?: (threadId: string, error: Error) => void;
  readonly faults?: Faults | undefined;
}

/** What a step may use of its actor. */
export interface StepContext {
  readonly options: LoopOptions;
  readonly workspaceId: string;
  readonly agent: Agent;
  /** The agent's tools for this step. */
  readonly tools: ToolRegistry;
  readonly hold: Hold;
  readonly pen: Pen;
  /** Resolves when the state that the step was decided on is committed. Until then, the step must have no effect. */
  readonly begun: Promise<void>;
  /** Aborts when `canceled` aborts, the thread is lost, or the grace period of a drain is over. The step must end at once. */
  readonly interrupted: AbortSignal;
  /** Aborts when the run is canceled or exceeds its time limit. */
  readonly canceled: AbortSignal;
  readonly queued: QueuedRun;
  readonly scope: ThreadState['scope'];
  /** Absent if the run may act. */
  readonly mode: RunState['mode'];
  readonly history: ThreadState['history'];
  readonly omitted: ThreadState['omitted'];
  readonly memory: ThreadState['memory'];
  /** Reads the whole history from the log, if `history` omits turns. */
  readonly wholeHistory: () => Promise<ThreadState['history']>;
  readonly refused: ThreadState['refused'];
  readonly tooLong: ThreadState['tooLong'];
  /** The version of a file that the thread last read or wrote. */
  known(fileId: string): number | null;
  /** Resolves to the decision of an approval. */
  decision(approval: string): Promise<Decision>;
  /** Stops the clock of the run's time limit. The returned function starts it again. */
  readonly pauseClock: () => () => void;
  /** Appends the manifests of requests without an answer with the end of the run. */
  readonly recordLater: (manifests: readonly ContextChange[]) => void;
  /** Appends a whole message. If it is the run's last, the end of the run is in the same append. */
  readonly conclude: (entries: Entry[], changes: readonly LoopChange[]) => Promise<void>;
}

/** The row of a model's message, with its text. Its parts are only in the log. */
export function messageRow(event: number, run: QueuedRun, data: EventData['message_end']): LoopChange {
  const content = { text: data.text, message: data.message, ended: data.ended };
  return { kind: 'message', event, id: uuidv7(), ordinal: run.ordinal, content };
}

export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
  /** Stops the clock. The returned function starts it again. */
  pauseClock(): () => void;
}

/** A deadline after `seconds`, of which `passedMs` have passed already. Null means no deadline. */
export function timer(seconds: number | null, passedMs: number): Deadline {
  const over = new AbortController();
  if (seconds === null)
    return { signal: over.signal, end: () => undefined, pauseClock: () => () => undefined };
  let leftMs = seconds * 1000 - passedMs;
  let startedAt = 0;
  let pauses = 0;
  let ended = false;
  let timeout: NodeJS.Timeout;
  const run = () => {
    startedAt = performance.now();
    timeout = setTimeout(() => over.abort(), Math.max(0, leftMs));
  };
  run();
  return {
    signal: over.signal,
    end: () => {
      ended = true;
      clearTimeout(timeout);
    },
    pauseClock: () => {
      pauses += 1;
      if (pauses === 1) {
        clearTimeout(timeout);
        leftMs -= performance.now() - startedAt;
      }
      return () => {
        pauses -= 1;
        if (pauses === 0 && !ended) run();
      };
    },
  };
}
