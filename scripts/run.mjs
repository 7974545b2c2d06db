// Where every npm script begins. Plain JavaScript, because it must run on whatever Node the
// machine has (20 or newer) before anything is installed: it brings node_modules up to date with
// the lockfile, then hands over to the Node that the lockfile pins.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { constants } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildConsole } from './console.mjs';
import { withLock } from './lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const tool = (path) => join(root, 'node_modules', path);

const oxfmt = tool('oxfmt/bin/oxfmt');
const oxlint = tool('oxlint/bin/oxlint');
const tsc = tool('typescript/bin/tsc');
const vitest = tool('vitest/vitest.mjs');
const knip = tool('knip/bin/knip.js');
const vite = tool('vite/bin/vite.js');

/** @type {[name: string, parts: string[][]][]} */
const stages = [
  ['format', [[oxfmt, '--check', '.']]],
  ['lint and import direction', [[oxlint]]],
  [
    'types',
    [
      [tsc, '--project', '.'],
      [tsc, '--project', 'packages/engine'],
      [tsc, '--project', 'packages/engine/test'],
      [tsc, '--project', 'packages/protocol'],
      [tsc, '--project', 'packages/protocol/test'],
      [tsc, '--project', 'packages/offline-model'],
      [tsc, '--project', 'packages/offline-model/test'],
      [tsc, '--project', 'packages/postgres'],
      [tsc, '--project', 'packages/server'],
      [tsc, '--project', 'packages/testkit'],
      [tsc, '--project', 'packages/client'],
      [tsc, '--project', 'packages/client/test'],
      [tsc, '--project', 'packages/console'],
      [tsc, '--project', 'packages/console/test'],
      [tsc, '--project', 'packages/cli'],
      [tsc, '--project', 'packages/create-continuo'],
      [tsc, '--project', 'packages/create-continuo/templates/chat'],
      [tsc, '--project', 'packages/create-continuo/templates/worker', '--noEmit'],
      [tsc, '--project', 'bench'],
      [tsc, '--project', 'examples'],
    ],
  ],
  ['dead code', [[knip, '--no-progress', '--no-config-hints']]],
];

const [command, ...args] = process.argv.slice(2);
const commands = {
  start: (installed) => start(installed),
  test: async () => {
    await buildConsole(root, build);
    return run([vitest, 'run', ...args]);
  },
  chaos: () => run([vitest, 'run', ...args], { CONTINUO_CHAOS: 'long' }),
  bench: async () => {
    await buildConsole(root, build);
    return run([join(root, 'bench', 'main.ts'), ...args]);
  },
  recall: () => run([join(root, 'bench', 'recall', 'main.ts'), ...args]),
  memory: () => run([join(root, 'bench', 'memory', 'main.ts'), ...args]),
  // Two tests compare a generated file with what it is generated from, and write it, too: the client's types with the
  // server's document, sql/schema.sql with a migrated database.
  generate: () =>
    run([
      vitest,
      'run',
      'packages/client/test/generated.test.ts',
      'packages/server/test/db/schema.test.ts',
      '--update=all',
    ]),
  check,
  format: () => run([oxfmt, '--write', '.', ...args]),
};

if (!Object.hasOwn(commands, command)) {
  fail(`"${command ?? ''}" is not a command: ${Object.keys(commands).join(', ')}.`);
}
process.exitCode = await commands[command](await install());

// ——— dependencies

/** Makes node_modules match the lockfile. Two scripts that start at once install once. */
async function install() {
  const stamp = join(root, 'node_modules', '.continuo-lock');
  const wanted = `${hash(join(root, 'package-lock.json'))} ${process.platform}-${process.arch}\n`;
  const current = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (current()) return false;
  return withLock(join(root, '.install.lock'), async () => {
    if (current()) return false;
    console.error('installing dependencies…');
    rmSync(stamp, { force: true });
    // Not `npm ci`: it refuses a lockfile without every platform's optional packages, and it empties
    // node_modules under a server that runs from there. --no-save leaves the lockfile as it is.
    const { code, output } = await npm([
      'install',
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ]);
    if (code !== 0) fail(`${output.trimEnd()}\nThe dependencies could not be installed.`);
    writeFileSync(stamp, wanted);
    return true;
  });
}

function hash(path) {
  if (!existsSync(path)) fail(`${path} is missing: this is not a whole clone.`);
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The npm that called us, where there is one. */
function npm(npmArgs) {
  const cli = process.env.npm_execpath;
  const quiet = [...npmArgs, '--loglevel=error'];
  if (cli?.endsWith('.js')) return capture(process.execPath, [cli, ...quiet]);
  return capture('npm', quiet, { shell: process.platform === 'win32' });
}

// ——— the runtime

/** The pinned Node, or the machine's where the lockfile has none for this platform. */
function runtime() {
  const pinned = join(bin, 'node');
  if (existsSync(pinned)) return realpathSync(pinned);
  if (atLeast(22, 18)) return process.execPath;
  fail(
    `Continuo needs Node 22.18 or newer: this is ${process.version}, ` +
      `and there is no pinned Node for ${process.platform}-${process.arch}.`,
  );
}

function atLeast(major, minor) {
  const [a, b] = process.versions.node.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}

/**
 * From the second start on, npm finds the pinned Node first on its PATH, so this process is it
 * already and becomes the server. After an install it is not: it stays, as the server's parent.
 */
async function start(installed) {
  await buildConsole(root, build);
  const main = join(root, 'packages', 'cli', 'src', 'main.ts');
  const same = !installed && realpathSync(process.execPath) === runtime() && atLeast(24, 3);
  if (!same) return run([main, 'start', ...args]);
  process.argv = [process.execPath, main, 'start', ...args];
  await import(pathToFileURL(main).href);
  return process.exitCode;
}

async function build() {
  const { code, output } = await capture(runtime(), [vite, 'build', 'packages/console'], {
    cwd: root,
    // Whatever the caller is set to: React has another build for development.
    env: { NODE_ENV: 'production' },
  });
  if (code !== 0) fail(`${output.trimEnd()}\nThe console could not be built.`);
}

function run(nodeArgs, env = {}) {
  return wait(child(runtime(), ['--disable-warning=ExperimentalWarning', ...nodeArgs], { env }));
}

function child(file, childArgs, { env = {}, ...options } = {}) {
  const path = process.env.PATH?.split(delimiter).includes(bin)
    ? process.env.PATH
    : bin + delimiter + process.env.PATH;
  return spawn(file, childArgs, {
    // The server's settings and data folder belong to where it was started, the tools to the root.
    cwd: command === 'start' ? process.cwd() : root,
    stdio: 'inherit',
    ...options,
    env: { ...process.env, PATH: path, ...env },
  });
}

/**
 * Waits for a child and answers its exit code. Ctrl-C reaches the whole foreground group, the child
 * included: at a terminal it is not passed on, or the child would get it twice. Everything else is.
 */
function wait(proc) {
  const terminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  const pass = (signal) => {
    if (signal !== 'SIGINT' || !terminal) proc.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    proc.once('error', reject);
    proc.once('close', (code, signal) => {
      for (const each of signals) process.off(each, pass);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

// ——— check

async function check() {
  let failed = 0;
  for (const [name, parts] of stages) {
    const began = performance.now();
    const results = await twoAtATime(parts);
    const bad = results.filter((result) => result.code !== 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${bad.length === 0 ? 'ok    ' : 'failed'}  ${name} (${seconds} s)`);
    for (const { output } of bad) console.log(output.trimEnd());
    if (bad.length > 0) failed += 1;
  }
  console.log(`check: ${stages.length - failed} of ${stages.length} stages ok`);
  return failed === 0 ? 0 : 1;
}

/** More would only wait for each other, and for memory. */
async function twoAtATime(parts) {
  const results = [];
  const waiting = [...parts];
  const work = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift())
      results.push(await capture(runtime(), part));
  };
  await Promise.all([work(), work()]);
  return results;
}

async function capture(file, childArgs, options) {
  const proc = child(file, childArgs, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  proc.stdout.on('data', (chunk) => (output += chunk));
  proc.stderr.on('data', (chunk) => (output += chunk));
  return { code: await wait(proc), output };
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
