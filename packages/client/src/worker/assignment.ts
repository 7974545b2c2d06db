// One assignment from its claim to its end: the answer is written while heartbeats keep the lease. When the server refuses either, or
// has not been heard of for the lease, the claim is lost, and the answer's signal aborts.

import { ApiError, ConnectionError, isTemporary } from '../errors.ts';
import type { Http, Schemas } from '../http.ts';
import { backoffMs, wait } from '../wait.ts';
import { eventsOf, type ExecutorEvent } from './events.ts';
import { Outbox } from './outbox.ts';

type Assignment = Schemas['Assignment'];

/** The result of a call. */
export interface ToolResult {
  readonly call: string;
  readonly tool: string;
  readonly output?: unknown;
  readonly failed: boolean;
}

/** One answer to write. */
export interface Task extends Readonly<Schemas['AssignmentRequest']> {
  readonly runId: string;
  readonly threadId: string;
  readonly workspaceId: string;
  /** Names the answer within its run, such as `m1`. */
  readonly message: string;
  /** The results of the calls of the run's last answer, in the order of the calls; empty at the beginning of a run. */
  readonly results: readonly ToolResult[];
  /** Aborts when the answer is no longer wanted: after a cancel, or when the claim is lost. */
  readonly signal: AbortSignal;
}

export type Answer = (task: Task) => AsyncIterable<string | ExecutorEvent>;

interface Performance {
  readonly http: Http;
  readonly assignment: Assignment;
  readonly answer: Answer;
  /** Gives the assignment back. */
  readonly cut: AbortSignal;
  readonly onError: (error: unknown) => void;
}

const PATH = '/api/v1/runs/{id}/assignments/{answer}';

/** Never rejects: what goes wrong ends this answer, and the worker claims the next one. */
export async function performAssignment({
  http,
  assignment,
  answer,
  cut,
  onError,
}: Performance): Promise<void> {
  const { run_id: id, message, claim, lease_seconds: lease } = assignment;
  const path = { id, answer: message };
  const over = new AbortController();
  const done = new AbortController();
  const signal = AbortSignal.any([over.signal, cut]);
  const end = (reason: unknown): void => over.abort(reason);
  const leaseTimer = createLease(lease, () => end(new ConnectionError('The lease of the claim is over.')));

  /** A request that takes longer than `seconds` is a lost connection. */
  const send = async (to: 'events' | 'heartbeat', body: object, seconds: number, until: AbortSignal) => {
    const late = AbortSignal.timeout(Math.ceil(seconds * 1000));
    const request = { path, body: { claim, ...body } as never, signal: AbortSignal.any([until, late]) };
    await http.call('post', `${PATH}/${to}`, request).catch((error: unknown) => {
      throw late.aborted ? new ConnectionError('The server is not responding.', { cause: error }) : error;
    });
  };
  const post = async (seq: number, events: readonly ExecutorEvent[]): Promise<void> => {
    await send('events', { seq, events }, lease, signal);
    leaseTimer.extend();
  };
  const beat = async (): Promise<void> => {
    const seconds = Math.min(30, lease / 3);
    const idle = AbortSignal.any([signal, done.signal]);
    for (let failures = 0; !idle.aborted;) {
      try {
        await send('heartbeat', { wait: seconds }, seconds * 2, idle);
        leaseTimer.extend(seconds);
        failures = 0;
      } catch (error) {
        if (idle.aborted) return;
        if (!isTemporary(error)) return end(error);
        failures += 1;
        await wait(Math.min(seconds * 1000, backoffMs(failures, Math.random())), idle);
      }
    }
  };

  const outbox = new Outbox(post, signal, end);
  const beating = beat();
  try {
    await write(answer(toTask(assignment, signal)), outbox, signal);
  } catch (error) {
    if (!signal.aborted) {
      onError(error);
      outbox.add({ type: 'fail', code: 'executor_failed', error: wordsOf(error) });
      await outbox.flushed();
    }
  } finally {
    done.abort();
    leaseTimer.end();
    await beating;
  }
  // What is not finished goes to another worker at once, instead of after the lease.
  if (cut.aborted && !over.signal.aborted)
    await send('heartbeat', { release: true }, 5, over.signal).catch((error: unknown) =>
      error instanceof ApiError ? undefined : onError(error),
    );
}

/** Posts what the answer yields, until it returns or the signal aborts. */
async function write(
  answer: AsyncIterable<string | ExecutorEvent>,
  outbox: Outbox,
  signal: AbortSignal,
): Promise<void> {
  const iterator = answer[Symbol.asyncIterator]();
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'));
  });
  let isFinished = false;
  while (!isFinished) {
    const next = await Promise.race([iterator.next(), aborted]);
    if (next === 'aborted') {
      // The answer may take its time to notice; nothing that it still yields is sent.
      void iterator.return?.().then(undefined, () => undefined);
      return;
    }
    const events: readonly ExecutorEvent[] = next.done ? [{ type: 'finish' }] : eventsOf(next.value);
    events.forEach((event) => outbox.add(event));
    isFinished = events.some(({ type }) => type === 'finish' || type === 'fail');
    if (isFinished && !next.done) await iterator.return?.();
    await outbox.room();
  }
  await outbox.flushed();
}

function toTask(assignment: Assignment, signal: AbortSignal): Task {
  const { run_id: runId, thread_id: threadId, workspace_id: workspaceId, message, request } = assignment;
  const { history } = request;
  const results = resultsOf(runId, history);
  return { ...request, runId, threadId, workspaceId, message, results, signal };
}

/** A run that was canceled leaves results, too. They do not belong to the run that follows it. */
function resultsOf(runId: string, history: Assignment['request']['history']): readonly ToolResult[] {
  const index = history.findLastIndex(({ role }) => role === 'assistant');
  const answer = history[index];
  if (answer?.role !== 'assistant' || !answer.id.startsWith(`${runId}/`)) return [];
  return history.slice(index + 1).filter((each) => each.role === 'tool');
}

interface Lease {
  /** The server was heard of, so many seconds after the request was sent. */
  extend(after?: number): void;
  end(): void;
}

function createLease(seconds: number, over: () => void): Lease {
  let timer = setTimeout(over, seconds * 1000);
  return {
    extend: (after = 0) => {
      clearTimeout(timer);
      timer = setTimeout(over, (seconds - after) * 1000);
    },
    end: () => clearTimeout(timer),
  };
}

function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return (words || 'The executor failed.').slice(0, 4000);
}
