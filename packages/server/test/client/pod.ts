// Starts servers as processes of their own, to be killed, stopped and continued.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { PERSON_TOKEN } from './api.ts';

export interface TestPod {
  readonly url: string;
  /** Its data folder; unless the test gave it one, it goes when the pod ends. */
  readonly home: string;
  readonly process: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What it logged, for a failing test to show. */
  output(): string;
  /** The points at which it stopped itself, and when (milliseconds since 1970). */
  readonly hits: readonly { readonly point: string; readonly at: number }[];
  /** From now on `point` or `point#n` is where it sends itself the signal; for a pod that is `armable`. */
  arm(fault: string, signal?: NodeJS.Signals): void;
  kill(signal: NodeJS.Signals): void;
  /** Ends it for good, whatever it is doing. */
  end(): Promise<void>;
}

export interface PodSettings {
  readonly databaseUrl: string;
  readonly leaseSeconds?: number;
  /** `point` or `point#n`: the process kills itself when it comes there for the nth time. */
  readonly fault?: string;
  /** Whether it can be given a fault later; it then ends with the test's own process. */
  readonly armable?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startPod(settings: PodSettings): Promise<TestPod> {
  const home = mkdtempSync(join(tmpdir(), 'continuo-pod-'));
  const child = spawn(process.execPath, [inject('podScript')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      // Starting is mostly compiling: from the second pod on it takes half the time.
      NODE_COMPILE_CACHE: join(tmpdir(), 'continuo-test-compiled'),
      DATABASE_URL: settings.databaseUrl,
      CONTINUO_HOME: home,
      CONTINUO_PORT: '0',
      CONTINUO_PERSON_TOKEN: PERSON_TOKEN,
      CONTINUO_MODEL: 'offline/script',
      CONTINUO_LOG_LEVEL: 'warn',
      CONTINUO_LEASE_SECONDS: String(settings.leaseSeconds ?? 1),
      ...(settings.fault && { CONTINUO_TEST_FAULT: settings.fault }),
      ...(settings.armable && { CONTINUO_TEST_ARMABLE: '1' }),
      ...settings.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A dead pod's input is of no interest.
  child.stdin.on('error', () => undefined);
  if (!settings.armable) child.stdin.end();
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      rmSync(home, { recursive: true, force: true });
      resolve({ code, signal });
    });
  });
  let output = '';
  const hits: { point: string; at: number }[] = [];
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const [word, point, at] = line.split(' ');
      if (word === 'hit') hits.push({ point: point!, at: Number(at) });
      if (word === 'url') resolve(line.slice(4));
      else output += `${line}\n`;
    });
    void exited.then(({ code, signal }) =>
      reject(new Error(`the pod ended with ${code ?? signal}: ${output}`)),
    );
  });
  return {
    url,
    home: settings.env?.CONTINUO_HOME ?? home,
    process: child,
    exited,
    output: () => output,
    hits,
    arm: (fault, signal = 'SIGKILL') => child.stdin.write(`${fault} ${signal}\n`),
    kill: (signal) => child.kill(signal),
    end: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}
