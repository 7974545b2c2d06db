// Executors in TypeScript: a program that writes the answers of runs. The worker claims assignments, keeps their leases, posts what
// the answer yields, and stops where the server says so.

import { ApiError, isTemporary } from '../errors.ts';
import { createHttp, type ClientOptions, type Http, type Schemas } from '../http.ts';
import { backoffMs, wait } from '../wait.ts';
import { performAssignment, type Answer } from './assignment.ts';

export { ask, finish, toolCall } from './events.ts';
export type { Answer, Task, ToolResult } from './assignment.ts';
export type { ExecutorEvent } from './events.ts';

export interface WorkerOptions extends ClientOptions {
  /** Messages and roles choose this executor by the model `executor/<name>`. */
  readonly executor: string;
  /** Writes one answer. It yields text, or events; what it yields is posted at once. */
  readonly answer: Answer;
  /** Claims answers of this workspace alone; of all workspaces that the key may use if absent. */
  readonly workspace?: string;
  /** Claims answers of runs with this role alone; of all roles if absent. */
  readonly role?: string;
  /** How many answers are written at the same time; 1 if absent. */
  readonly concurrency?: number;
  /** Names this program, for people who ask what a run waits for. */
  readonly by?: string;
  /** Stops the worker: it claims nothing more, and finishes the answers that it has begun. */
  readonly signal?: AbortSignal;
  /** How long answers may take after a stop; then they are given back to the server. 20 if absent. */
  readonly drainSeconds?: number;
  /** Whether SIGTERM and SIGINT stop the worker; true if absent. The second signal ends the drain. */
  readonly stopOnSignals?: boolean;
  /** What an answer threw, and what kept the worker from its server. Written to the console if absent. */
  readonly onError?: (error: unknown) => void;
}

/** How long a claim waits for work, in seconds. */
const WAIT_SECONDS = 30;

/** Resolves when the worker has been stopped and its answers are finished; rejects if the server refuses its claims. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { concurrency = 1, drainSeconds = 20 } = options;
  const stop = new AbortController();
  const cut = new AbortController();
  const unlisten = listenForStops(options, stop, cut);
  let timer: ReturnType<typeof setTimeout> | undefined;
  stop.signal.addEventListener('abort', () => {
    timer = setTimeout(() => cut.abort(new Error('The worker was stopped.')), drainSeconds * 1000);
  });
  if (options.signal?.aborted) stop.abort();
  const http = createHttp(options);
  const slots = Array.from({ length: concurrency }, async () => {
    try {
      await work(http, options, { stop: stop.signal, cut: cut.signal });
    } finally {
      // A slot that is refused ends the others, too.
      stop.abort();
    }
  });
  try {
    const refused = (await Promise.allSettled(slots)).find(({ status }) => status === 'rejected');
    if (refused?.status === 'rejected') throw refused.reason;
  } finally {
    clearTimeout(timer);
    unlisten();
  }
}

interface Stops {
  readonly stop: AbortSignal;
  readonly cut: AbortSignal;
}

async function work(http: Http, options: WorkerOptions, { stop, cut }: Stops): Promise<void> {
  const { answer, onError = console.error } = options;
  let failures = 0;
  while (!stop.aborted) {
    try {
      const assignment = await claim(http, options, stop);
      failures = 0;
      if (assignment) await performAssignment({ http, assignment, answer, cut, onError });
    } catch (error) {
      if (stop.aborted) return;
      if (!isTemporary(error)) throw error;
      failures += 1;
      if (failures === 1) onError(error);
      const again = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
      await wait(Math.max(again, backoffMs(failures, Math.random())), stop);
    }
  }
}

/** Undefined if no assignment came in time. */
function claim(
  http: Http,
  { executor, workspace, role, by }: WorkerOptions,
  signal: AbortSignal,
): Promise<Schemas['Assignment'] | undefined> {
  const body = {
    wait: WAIT_SECONDS,
    ...(workspace !== undefined && { workspace }),
    ...(role !== undefined && { role }),
    ...(by !== undefined && { by }),
  };
  return http.call('post', '/api/v1/executors/{name}/claim', { path: { name: executor }, body, signal });
}

/** Node's `process`, where there is one. */
interface Signals {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): void;
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): void;
}

/** The first signal stops, the second cuts. The returned function takes the listeners away. */
function listenForStops(options: WorkerOptions, stop: AbortController, cut: AbortController): () => void {
  const { signal, stopOnSignals = true } = options;
  const end = (): void => stop.abort();
  const signaled = (): void =>
    stop.signal.aborted ? cut.abort(new Error('The worker was stopped.')) : end();
  const { process } = globalThis as { process?: Signals };
  const listened = stopOnSignals ? process : undefined;
  signal?.addEventListener('abort', end);
  listened?.on('SIGTERM', signaled);
  listened?.on('SIGINT', signaled);
  return () => {
    signal?.removeEventListener('abort', end);
    listened?.off('SIGTERM', signaled);
    listened?.off('SIGINT', signaled);
  };
}
