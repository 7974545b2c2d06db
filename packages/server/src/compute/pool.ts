// Work that can take the processor for long is done by a few worker threads, so that everybody else is served meanwhile.
//
// 1. A job has `JOB_MS` from when a thread takes it, and `HEAP_MB` of memory. A thread that needs more is ended and the caller gets
//    `TooMuchWork`; the next job gets a new thread.
// 2. An abort ends the wait for a thread, or the thread that does the job.
// 3. Jobs wait for a thread in turn by key, so that one workspace cannot keep all threads for itself.
// 4. What is small is done at once, on the caller's thread: the way to another one takes longer.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FairLimiter } from '../fair-limiter.ts';
import { jobs } from './jobs.ts';

type Jobs = typeof jobs;

export interface Job {
  readonly name: keyof Jobs;
  readonly input: unknown;
}

export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly reason: string };

/** How long one job may take, and the megabytes that its thread may use. */
const JOB_MS = 10_000;
const HEAP_MB = 256;
/** Threads at most. One more than there are processors but one would slow down the pod's own thread. */
const THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** A thread that was idle for so long is ended: its memory goes back. */
const IDLE_MS = 30_000;
/** A job with fewer characters is done at once. */
const SMALL_CHARACTERS = 8192;

/** The job took more time or memory than a job may. */
export class TooMuchWork extends Error {
  readonly code = 'too_much_work';
}

interface JobOptions {
  /** Jobs of different keys take turns: the id of a run, or of a workspace. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
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

  /** Threads that were started so far, and that are at work. */
  get counts(): { readonly started: number; readonly busy: number } {
    return { started: this.#started, busy: this.#limiter.running };
  }

  async run<Name extends keyof Jobs>(
    name: Name,
    input: Parameters<Jobs[Name]>[0],
    { key, signal }: JobOptions,
  ): Promise<ReturnType<Jobs[Name]>> {
    signal?.throwIfAborted();
    const job: Job = { name, input };
    if (isSmall(input)) return jobs[name](input as never) as ReturnType<Jobs[Name]>;
    const result = await this.#limiter.run(key, signal, () => this.#onThread(job, signal));
    return result as ReturnType<Jobs[Name]>;
  }

  /** Ends the threads that are idle. */
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
    const worker = this.#take();
    try {
      const answer = await this.#answerTo(worker, job, signal);
      this.#giveBack(worker);
      if (answer.ok) return answer.result;
      throw new Error(`${job.name} failed: ${answer.reason}`);
    } catch (error) {
      // Nothing else ends what a thread is doing. Its place is free when it is gone.
      if (!this.#idle.some((each) => each.worker === worker)) await worker.terminate();
      throw error;
    }
  }

  #answerTo(worker: Worker, job: Job, signal: AbortSignal | undefined): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      const fail = (error: Error) => {
        end();
        // A thread that is being ended may still fail.
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
            ? new TooMuchWork(`took more than ${this.#heapMb} MiB of memory`)
            : error,
        );
      const onExit = () => fail(new Error(`the thread that did ${job.name} ended`));
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(job);
    });
  }

  #take(): Worker {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.timer);
      idle.worker.off('error', idle.drop).off('exit', idle.drop);
      idle.worker.ref();
      return idle.worker;
    }
    this.#started += 1;
    // Sources in the clone, compiled in the package: the thread's file has the same ending as this one.
    const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    return new Worker(new URL(`./worker.${ending}`, import.meta.url), {
      name: 'continuo-compute',
      // It needs no settings and no secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
  }

  #giveBack(worker: Worker): void {
    // An idle thread keeps no process alive.
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

/** Whether all strings of a value together have few characters. */
function isSmall(value: unknown): boolean {
  let left = SMALL_CHARACTERS;
  const count = (each: unknown): void => {
    if (left < 0) return;
    left -= typeof each === 'string' ? each.length : 1;
    if (typeof each === 'object' && each !== null) for (const part of Object.values(each)) count(part);
  };
  count(value);
  return left >= 0;
}

/** The pool of this process. */
export const workers = new WorkerPool();
