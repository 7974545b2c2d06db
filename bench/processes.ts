// Programs in processes of their own. Each answers questions over a channel, and ends with us.

import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly pid: number;
  /** What the program said when it was ready. */
  readonly ready: unknown;
  ask<T>(operation: string, args?: unknown): Promise<T>;
  stop(): Promise<void>;
}

interface Said {
  readonly ready?: unknown;
  readonly id?: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  readonly args?: readonly string[];
  /** Finds in the output what tells that the program is ready; without it, the program says so itself. */
  readonly readyIn?: (output: string) => unknown;
}

/** How long one question may take: every loop that a program runs is bounded well below. */
const ANSWER_MS = 600_000;
const START_MS = 60_000;
const STOP_MS = 20_000;

const running = new Set<ChildProcess>();

export async function startProgram(path: string, options: ProgramOptions = {}): Promise<Program> {
  const child = fork(fileURLToPath(new URL(path, import.meta.url)), options.args ?? [], {
    execArgv: ['--disable-warning=ExperimentalWarning', ...(options.nodeArgs ?? [])],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      NODE_ENV: 'production',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  // A question that cannot be asked any more: its asker hears of the program's end.
  child.on('error', () => undefined);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void exited.then(() => running.delete(child));
  const stop = () => end(child, exited);
  try {
    return await connect(child, path, options, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ends whatever is still running, by its own handle. */
export async function stopAll(): Promise<void> {
  await Promise.all(
    [...running].map((child) => end(child, new Promise((resolve) => child.once('exit', () => resolve())))),
  );
}

async function connect(
  child: ChildProcess,
  path: string,
  { readyIn }: ProgramOptions,
  stop: () => Promise<void>,
): Promise<Program> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let output = '';
  let asked = 0;
  const ready = await limited(START_MS, `${path} did not start`, (resolve, reject) => {
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
      const found = readyIn?.(output);
      if (found !== undefined) resolve(found);
    };
    child.stdout!.on('data', keep);
    child.stderr!.on('data', keep);
    child.on('message', (said: Said) => {
      if ('ready' in said) return resolve(said.ready);
      const asker = waiting.get(said.id!);
      waiting.delete(said.id!);
      if (said.error === undefined) asker?.resolve(said.value);
      else asker?.reject(new Error(`${path}: ${said.error}`));
    });
    child.once('exit', (code, signal) => {
      const ended = new Error(`${path} ended with ${code ?? signal}: ${output}`);
      reject(ended);
      for (const asker of waiting.values()) asker.reject(ended);
    });
  });

  return {
    pid: child.pid!,
    ready,
    stop,
    ask: <T>(operation: string, args: unknown = {}) =>
      limited<T>(ANSWER_MS, `${path} did not answer ${operation}`, (resolve, reject) => {
        asked += 1;
        waiting.set(asked, { resolve, reject });
        child.send({ id: asked, operation, args });
      }),
  };
}

async function end(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const last = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(last);
}

function limited<T>(
  ms: number,
  problem: string,
  begin: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${problem} within ${ms / 1000} s`)), ms);
    begin(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
