// The load: so many clients, each of which sends a message, follows its run to the end over any of the pods, and
// sends the next. A request that fails is repeated elsewhere under its key; a stream that breaks is resumed.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, createThread, followToEnd, send, type Frame, type RunBody } from '@continuo/testkit';
import type { Chance } from '../support/seeded.ts';
import { inventScript, type Script } from './script.ts';

/** A run that was acknowledged, and all that its follower saw. */
export interface PlayedRun {
  readonly id: string;
  readonly threadId: string;
  readonly script: Script;
  readonly frames: readonly Frame[];
}

export interface LoadOptions {
  readonly bases: () => readonly string[];
  readonly random: Chance;
  readonly clients: number;
}

export class Load {
  readonly #options: LoadOptions;
  readonly #stop = new AbortController();
  readonly #clients: Promise<void>[] = [];
  readonly #played: PlayedRun[] = [];
  #open = 0;
  #ending = false;
  #preferred: string | null = null;
  #failure: Error | null = null;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Runs that were acknowledged and have not been seen to end. */
  get open(): number {
    if (this.#failure) throw this.#failure;
    return this.#open;
  }

  /** The runs that have been seen to end so far. */
  get played(): readonly PlayedRun[] {
    return this.#played;
  }

  start(): void {
    for (let client = 0; client < this.#options.clients; client += 1) {
      this.#clients.push(this.#play(client).catch((error: Error) => void (this.#failure ??= error)));
    }
  }

  /** New runs are sent there for now, so that this pod is the one that executes them. */
  prefer(base: string | null): void {
    this.#preferred = base;
  }

  /** Sends nothing more, and waits for in-flight requests. */
  async finish(): Promise<readonly PlayedRun[]> {
    this.#ending = true;
    await Promise.all(this.#clients);
    if (this.#failure) throw this.#failure;
    return this.#played;
  }

  async abandon(): Promise<void> {
    this.#ending = true;
    this.#stop.abort();
    await Promise.all(this.#clients);
  }

  /** One more run, of the caller's own making, executed by the pod that is asked. */
  async play(base: string, script: Script): Promise<{ id: string; ended: Promise<void> }> {
    return this.#follow(await createThread(base), script, (threadId) => send(base, threadId, script));
  }

  async #play(client: number): Promise<void> {
    const { random } = this.#options;
    for (let round = 0; !this.#ending; round += 1) {
      const threadId = await this.#insist((base, signal) => createThread(base, signal));
      // Now and then two runs of a thread, the second of which waits for the first.
      const names = random.between(0, 3) === 0 ? ['a', 'b'] : ['a'];
      const runs = [];
      for (const name of names) {
        const script = inventScript(random, `${client}/${round}${name}`);
        const key = { 'idempotency-key': randomUUID() };
        const post = () => this.#insist((base, signal) => send(base, threadId, script, key, signal));
        runs.push(await this.#follow(threadId, script, post));
      }
      await Promise.all(runs.map((run) => run.ended));
    }
  }

  async #follow(
    threadId: string,
    script: Script,
    post: (threadId: string) => Promise<RunBody>,
  ): Promise<{ id: string; ended: Promise<void> }> {
    const { id } = await post(threadId);
    this.#open += 1;
    // Each follower begins at another pod, so that some are always with the one that executes.
    const turn = this.#options.random.between(0, 9);
    const bases = () => rotated(this.#options.bases(), turn);
    const ended = followToEnd(bases, id, this.#stop.signal).then((frames) => {
      this.#open -= 1;
      this.#played.push({ id, threadId, script, frames });
    });
    // It is awaited only after the next message was sent.
    ended.catch(() => undefined);
    return { id, ended };
  }

  /** Asks one pod after another until one answers. */
  async #insist<T>(ask: (base: string, signal: AbortSignal) => Promise<T>): Promise<T> {
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const bases = this.#options.bases();
      const preferred =
        this.#preferred !== null && bases.includes(this.#preferred) && this.#options.random.between(0, 3) > 0;
      try {
        if (bases.length === 0) throw new Error('no pod is up');
        return await ask(
          preferred ? this.#preferred! : this.#options.random.pick(bases),
          AbortSignal.timeout(3000),
        );
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) throw error;
        await pause(20);
      }
    }
  }
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const at = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
