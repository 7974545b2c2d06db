// Starts servers as processes of their own, to be killed, stopped and continued.

import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';

const script = fileURLToPath(new URL('../pod/main.ts', import.meta.url));

export interface TestPod {
  readonly url: string;
  readonly process: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What it logged, for a failing test to show. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Ends it for good, whatever it is doing. */
  end(): Promise<void>;
}

export interface PodSettings {
  readonly databaseUrl: string;
  readonly leaseSeconds?: number;
  /** `point` or `point#n`: the process kills itself when it comes there for the nth time. */
  readonly fault?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startPod(settings: PodSettings): Promise<TestPod> {
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      DATABASE_URL: settings.databaseUrl,
      CONTINUO_PORT: '0',
      CONTINUO_MODEL: 'offline/script',
      CONTINUO_LOG_LEVEL: 'warn',
      CONTINUO_LEASE_SECONDS: String(settings.leaseSeconds ?? 1),
      ...(settings.fault && { CONTINUO_TEST_FAULT: settings.fault }),
      ...settings.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('url ')) resolve(line.slice(4));
      else output += `${line}\n`;
    });
    void exited.then(({ code, signal }) => reject(new Error(`the pod ended with ${code ?? signal}: ${output}`)));
  });
  return {
    url,
    process: child,
    exited,
    output: () => output,
    kill: (signal) => child.kill(signal),
    end: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}
