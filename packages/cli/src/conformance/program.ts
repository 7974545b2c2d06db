// The executor's program, started by the suite in a process group of its own, so that whatever it starts ends with it.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export class Program {
  readonly #command: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  #failure: Error | null = null;

  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    this.#command = command;
    this.#env = env;
  }

  start(): void {
    const [name = '', ...args] = this.#command;
    const env = { ...process.env, ...this.#env };
    this.#child = spawn(name, args, { env, detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
    this.#child.on('error', (error) => (this.#failure = error));
  }

  /** Throws if the program could not be started. */
  assertStarted(): void {
    if (this.#failure) throw new Error(`The program did not start: ${this.#failure.message}.`);
  }

  kill(): Promise<void> {
    return this.#signal('SIGKILL');
  }

  terminate(): Promise<void> {
    return this.#signal('SIGTERM');
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const isRunning = child.exitCode === null && child.signalCode === null;
    const exited = isRunning ? once(child, 'exit') : undefined;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group is gone.
    }
    await exited;
  }
}
