// Runs the command as people do: a process of its own, with pipes or at a terminal.

import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { onTestFailed, onTestFinished } from 'vitest';
import { PERSON_TOKEN } from '@continuo/testkit';

export const BIN = fileURLToPath(new URL('../bin/continuo.mjs', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as bytes. */
  readonly raw: Buffer;
}

export interface Started {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  readonly bin?: string;
  readonly node?: string;
}

/** Only the necessary variables: no setting of the test run reaches the command. */
export function environment(env: Started['env']): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, CONTINUO_PERSON_TOKEN: PERSON_TOKEN, ...env };
}

export function start(
  args: readonly string[],
  { env, input, cwd, bin = BIN, node = process.execPath }: Started = {},
) {
  const child = spawn(node, [bin, ...args], { env: environment(env), cwd, stdio: 'pipe' });
  // The command may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      const raw = Buffer.concat(stdout);
      resolve({ code, stdout: raw.toString(), stderr: Buffer.concat(stderr).toString(), raw });
    });
  });
  return { child, ended };
}

export function continuo(args: readonly string[], options: Started = {}): Promise<Ended> {
  return start(args, options).ended;
}

/** `script` (util-linux) provides the terminal. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0;

export interface Terminal {
  /** Resolves when the screen has shown the text, after the text that was last waited for. */
  shows(text: string): Promise<void>;
  press(keys: string): void;
  readonly ended: Promise<number | null>;
  /** Everything shown, without colours and cursor movements. */
  screen(): string;
}

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const ENTER = '\r';
export const DOWN = '\u001B[B';

/** A usual size; a terminal made by a pipe has 0 columns. */
export function terminal(
  args: readonly string[],
  { env, columns = 200 }: Started & { readonly columns?: number } = {},
): Terminal {
  const command = [process.execPath, BIN, ...args]
    .map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`)
    .join(' ');
  const child = spawn(
    'script',
    [
      '--quiet',
      '--return',
      '--flush',
      '--command',
      `stty cols ${columns} rows 50; exec ${command}`,
      '/dev/null',
    ],
    {
      env: { ...environment(env), TERM: 'xterm-256color', SHELL: '/bin/sh' },
      stdio: 'pipe',
    },
  );
  child.stdin.on('error', () => undefined);
  onTestFinished(() => void child.kill());
  let seen = '';
  let place = 0;
  let look = () => undefined as void;
  let waited = '';
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    look();
  });
  const screen = () => stripVTControlCharacters(seen).replaceAll('\r', '');
  onTestFailed(() => void process.stderr.write(`waited for ${JSON.stringify(waited)}:\n${screen()}\n`));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    ended,
    screen,
    press: (keys) => void child.stdin.write(keys),
    shows: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const found = screen().indexOf(text, place);
          if (found === -1) return;
          place = found + text.length;
          look = () => undefined;
          resolve();
        };
        void ended.then(() =>
          reject(new Error(`it ended and did not show ${JSON.stringify(text)}:\n${screen()}`)),
        );
        waited = text;
        look();
      }),
  };
}
