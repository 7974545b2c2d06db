// What the steps of a run have in common.

import { v7 as uuidv7 } from 'uuid';
import type { EventData } from '@continuo/protocol';
import type { Hold } from '../../actors/hold.ts';
import type { Agent, Agents } from '../../agents/agent.ts';
import type { Pool } from '../../db/pool.ts';
import type { FairLimiter } from '../../fair-limiter.ts';
import type { Faults } from '../../faults.ts';
import type { Writer } from '../../log/append.ts';
import type { Change, Entry } from '../../log/group.ts';
import type { Pen } from '../../log/pen.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Decision, Limits, QueuedRun } from '../loop/decide.ts';
import type { ThreadState } from '../../threads/fold.ts';
import type { ThreadStateCache } from '../loop/thread-state-cache.ts';

export interface LoopOptions {
  readonly pool: Pool;
  readonly writer: Writer;
  readonly states: ThreadStateCache;
  readonly agents: Agents;
  readonly limits: Limits;
  /** Lines of a tool's result that later runs are shown. */
  readonly summaryLines: number;
  /** How long a running tool may go on after a cancel. */
  readonly cancelGraceMs: number;
  /** How long a session may idle before it ends. */
  readonly idleMs: number;
  /** How long people have to answer; null: for as long as they like. */
  readonly approvalMs: number | null;
  readonly now: () => number;
  /** Milliseconds since any moment, by a clock that never jumps. */
  readonly elapsed: () => number;
  /** Where pure calls of all runs of the pod wait for their turn. */
  readonly pureCalls: FairLimiter;
  readonly metrics: Pick<Metrics, 'runStarted' | 'runEnded' | 'takenOver' | 'modelCalled'>;
  /** Told of a snapshot that could not be written; the thread is read from its log then. */
  readonly onSnapshotFailed?: (threadId: string, error: Error) => void;
  readonly faults?: Faults | undefined;
}

/** What a step may use of its actor. */
export interface StepContext {
  readonly options: LoopOptions;
  readonly workspaceId: string;
  readonly agent: Agent;
  /** The agent's, as they are for this step. */
  readonly tools: ToolRegistry;
  readonly hold: Hold;
  readonly pen: Pen;
  /** Resolves once what the step was decided on is committed; before it, nothing may have an effect. */
  readonly begun: Promise<void>;
  /** Aborts when the run is to stop, the thread is lost, or the pod in a hurry: whatever runs, ends. */
  readonly interrupted: AbortSignal;
  /** Aborts when the run is to stop: it was canceled, or its time is over. */
  readonly canceled: AbortSignal;
  readonly queued: QueuedRun;
  readonly history: ThreadState['history'];
  readonly omitted: ThreadState['omitted'];
  /** The whole history from the log, where `omitted` says that this one is not. */
  readonly wholeHistory: () => Promise<ThreadState['history']>;
  readonly refused: ThreadState['refused'];
  readonly tooLong: ThreadState['tooLong'];
  /** The version of a file that the thread read or wrote last, as of now. */
  known(fileId: string): number | null;
  /** Resolves when a person has decided, or the time for it is over. */
  decision(approval: string): Promise<Decision>;
  /** Stops the clock of the run's time limit; the result starts it again. */
  readonly rest: () => () => void;
  /** Appends a whole message, and the run's end with it if it is the last. */
  readonly conclude: (entries: Entry[], changes: readonly Change[]) => Promise<void>;
}

/** The row of a model's message, for people to read; its parts are in the log. */
export function messageRow(event: number, run: QueuedRun, data: EventData['message_end']): Change {
  const content = { text: data.text, message: data.message, ended: data.ended };
  return { kind: 'message', event, id: uuidv7(), run: run.id, ordinal: run.ordinal, content };
}

export interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
  /** Stops the clock; the result starts it again. */
  rest(): () => void;
}

/** Aborts when the seconds are over, of which some have passed. */
export function timer(seconds: number | null, passedMs: number): Deadline {
  const over = new AbortController();
  if (seconds === null) return { signal: over.signal, end: () => undefined, rest: () => () => undefined };
  let leftMs = seconds * 1000 - passedMs;
  let startedAt = 0;
  let resting = 0;
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
    rest: () => {
      resting += 1;
      if (resting === 1) {
        clearTimeout(timeout);
        leftMs -= performance.now() - startedAt;
      }
      return () => {
        resting -= 1;
        if (resting === 0 && !ended) run();
      };
    },
  };
}
