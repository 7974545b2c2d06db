// Runs CPU-heavy jobs on a few worker threads, so that the event loop stays free for other requests.
//
// 1. A job may run for `JOB_MS`, counted from when a thread starts it, and may use `HEAP_MB` of memory. Above either
//    limit the thread is terminated and the caller gets `TooMuchWork`; the next job gets a new thread.
// 2. An abort signal ends the wait for a thread, or terminates the thread that runs the job.
// 3. Waiting jobs take turns by key, so that one workspace cannot occupy all threads.
// 4. A small job runs at once on the caller's thread: sending it to another thread would take longer.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FairLimiter } from '../limits/fair-limiter.ts';
import { jobs } from './jobs.ts';

type Jobs = typeof jobs;

export interface Job {
  readonly name: keyof Jobs;
  readonly input: unknown;
}

export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly reason: string };

/** Time limit of one job, and memory limit of its thread in MiB. */
const JOB_MS = 10_000;
const HEAP_MB = 256;
/**
 * Node stops a thread 16 MiB above its limit. One collection must not promote more than that, or the thread's lack of memory ends
 * the whole process; by default a young generation can hold more.
 */
const YOUNG_MB = 8;
/** Maximum number of threads. Where there are more than two processors, one is left for the pod's own thread. */
const THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** A thread that is idle for this long is terminated, to free its memory. */
const IDLE_MS = 30_000;
/** A job whose input has at most this many characters runs on the caller's thread. */
const SMALL_CHARACTERS = 8192;
/** Nested markup takes its parsers time that grows with the square of its length, or faster. */
const SMALL_MARKUP = 1024;
const PARSERS_OF_MARKUP: ReadonlySet<string> = new Set<keyof Jobs>([
  'readPage',
  'renderMarkdown',
  'readYaml',
  'placeInYaml',
]);

/** The job exceeded its time or memory limit. */
export class TooMuchWork extends Error {
  readonly code = 'too_much_work';
}

interface JobOptions {
  /** Jobs with different keys take turns. A key is the id of a run or of a workspace. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
  /** The job may run for ever, however small its input is: it always runs on a thread. */
  readonly mayNotEnd?: boolean | undefined;
}

interface PoolOptions {
  readonly threads?: number;
  readonly jobMs?: number;
  readonly heapMb?: number;
}

export class WorkerPool {
  readonly #limiter: FairLimiter;
  readonly #jobMs: number;
  readonly #heapMb: number;
  readonly #idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout; readonly drop: () => void }[] =
    [];
  #started = 0;

  constructor({ threads = THREADS, jobMs = JOB_MS, heapMb = HEAP_MB }: PoolOptions = {}) {
    this.#limiter = new FairLimiter(threads);
    this.#jobMs = jobMs;
    this.#heapMb = heapMb;
  }

  /** How many threads were started so far, and how many are running a job. */
  get counts(): { readonly started: number; readonly busy: number } {
    return { started: this.#started, busy: this.#limiter.running };
  }

  async run<Name extends keyof Jobs>(
    name: Name,
    input: Parameters<Jobs[Name]>[0],
    { key, signal, mayNotEnd }: JobOptions,
  ): Promise<ReturnType<Jobs[Name]>> {
    signal?.throwIfAborted();
    const job: Job = { name, input };
    const small = PARSERS_OF_MARKUP.has(name) ? SMALL_MARKUP : SMALL_CHARACTERS;
    if (!mayNotEnd && isSmall(input, small)) return jobs[name](input as never) as ReturnType<Jobs[Name]>;
    const result = await this.#limiter.run(key, signal, () => this.#onThread(job, signal));
    return result as ReturnType<Jobs[Name]>;
  }

  /** Terminates the idle threads. */
  async close(): Promise<void> {
    await Promise.all(
      this.#idle.splice(0).map(({ worker, timer }) => {
        clearTimeout(timer);
        return worker.terminate();
      }),
    );
  }

  async #onThread(job: Job, signal: AbortSignal | undefined): Promise<unknown> {
    signal?.throwIfAborted();
    const worker = this.#takeWorker();
    try {
      const answer = await this.#runOn(worker, job, signal);
      this.#returnWorker(worker);
      if (answer.ok) return answer.result;
      throw new Error(`${job.name} failed: ${answer.reason}`);
    } catch (error) {
      // Terminating the thread is the only way to stop its job. Its slot is free once it is gone.
      if (!this.#idle.some((each) => each.worker === worker)) await worker.terminate();
      throw error;
    }
  }

  #runOn(worker: Worker, job: Job, signal: AbortSignal | undefined): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      const fail = (error: Error) => {
        end();
        // A thread that is being terminated can still emit an error.
        worker.on('error', () => undefined);
        reject(error);
      };
      const onAbort = () => fail(signal!.reason as Error);
      const timer = setTimeout(
        () => fail(new TooMuchWork(`took longer than ${this.#jobMs / 1000} s`)),
        this.#jobMs,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      const onMessage = (answer: Answer) => {
        end();
        resolve(answer);
      };
      const onError = (error: NodeJS.ErrnoException) =>
        fail(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new TooMuchWork(`used more than ${this.#heapMb} MiB of memory`)
            : error,
        );
      const onExit = () => fail(new Error(`the worker thread that ran ${job.name} ended`));
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(job);
    });
  }

  #takeWorker(): Worker {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.timer);
      idle.worker.off('error', idle.drop).off('exit', idle.drop);
      idle.worker.ref();
      return idle.worker;
    }
    this.#started += 1;
    // In a clone this file is TypeScript, in the package JavaScript; the worker's file has the same extension.
    const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    return new Worker(new URL(`./worker.${ending}`, import.meta.url), {
      name: 'continuo-compute',
      // The worker needs no settings, and must not see secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    });
  }

  #returnWorker(worker: Worker): void {
    // An idle thread must not keep the process alive.
    worker.unref();
    const drop = () => {
      const at = this.#idle.findIndex((each) => each.worker === worker);
      if (at >= 0) clearTimeout(this.#idle.splice(at, 1)[0]!.timer);
    };
    const timer = setTimeout(() => {
      drop();
      void worker.terminate();
    }, IDLE_MS).unref();
    worker.on('error', drop).on('exit', drop);
    this.#idle.push({ worker, timer, drop });
  }
}

/** Whether the strings of a value have at most `most` characters in total. */
function isSmall(value: unknown, most: number): boolean {
  let left = most;
  const count = (each: unknown): void => {
    if (left < 0) return;
    left -= typeof each === 'string' ? each.length : 1;
    if (typeof each === 'object' && each !== null) for (const part of Object.values(each)) count(part);
  };
  count(value);
  return left >= 0;
}

/** The one pool of this process. */
export const workers = new WorkerPool();
