/** Folders, pods and servers for the tests of the embedded database; all of it is gone after each test. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { until } from '@continuo/testkit';
import { findBinaries, openEmbedded } from '../../src/index.ts';

const POD = fileURLToPath(new URL('./pod.ts', import.meta.url));

export const isRoot = process.geteuid?.() === 0;

/** Whether a program such as unshare exists, and may do here what it is asked to. */
export function canRunUnder(under: readonly string[]): boolean {
  const [program = '', ...args] = under;
  return spawnSync(program, [...args, process.execPath, '--version']).status === 0;
}

export interface Opened {
  readonly started: boolean;
  readonly connection: pg.ClientConfig & { readonly host: string };
  readonly url: string;
}

interface PodOptions extends Pick<SpawnOptions, 'uid' | 'gid' | 'env' | 'detached'> {
  readonly binaries?: string;
  /** A program that runs the pod, such as unshare with its arguments. */
  readonly under?: readonly string[];
}

const folders: string[] = [];
const homes: string[] = [];
const children: ChildProcess[] = [];

/** A temporary folder that everybody can enter, unless told otherwise. */
export function makeFolder(mode = 0o755, prefix = 'embedded-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

/** A home folder without a database. */
export function emptyHome(folder = makeFolder()): string {
  const home = join(folder, 'home');
  homes.push(home);
  return home;
}

let stopped: string | undefined;

/** A home folder whose database has been created and stopped: one for the tests of a file that leave it intact. */
export async function stoppedHome(): Promise<string> {
  if (stopped === undefined) {
    stopped = mkdtempSync(join(tmpdir(), 'embedded-'));
    chmodSync(stopped, 0o755);
    await (await openEmbedded({ home: stopped })).release();
  }
  homes.push(stopped);
  return stopped;
}

/** The programs as npm leaves them with install scripts off. The files are shared with the originals. */
export function copyOfBinaries(folder: string): string {
  const original = findBinaries();
  const native = join(folder, 'package', 'native');
  for (const entry of readdirSync(original, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const target = join(native, relative(original, entry.parentPath));
    mkdirSync(target, { recursive: true });
    linkOrCopy(join(entry.parentPath, entry.name), join(target, entry.name));
  }
  return native;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

export function listedLinks(native: string): { source: string; target: string }[] {
  return JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
}

export interface Pod {
  readonly pid: number;
  /** Sends a command and returns the answer. */
  ask(command: 'open' | 'ensure' | 'release'): Promise<Record<string, unknown>>;
  open(): Promise<Opened>;
  /** Lets the pod come to its end: there is nothing more to do. */
  end(): Promise<void>;
  /** Kills the pod, or its whole process group, and waits for its end. */
  kill(options?: { group: boolean }): Promise<void>;
}

export function startPod(home: string, options: PodOptions = {}): Pod {
  const { binaries, under = [], ...spawnOptions } = options;
  const command = [...under, process.execPath, POD, home, ...(binaries ? [binaries] : [])];
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: '/', ...spawnOptions });
  children.push(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} could not be started`);
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function ask(command: string): Promise<Record<string, unknown>> {
    child.stdin.write(`${command}\n`);
    const line = await lines.next();
    if (line.done) throw new Error(`the pod ended before it answered "${command}"`);
    return JSON.parse(line.value) as Record<string, unknown>;
  }

  return {
    pid,
    ask,
    async open() {
      const answer = await ask('open');
      if (answer['code'] !== undefined) throw new Error(String(answer['message']));
      return answer as unknown as Opened;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
    async kill({ group } = { group: false }) {
      process.kill(group ? -pid : pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Runs one statement on a connection of its own. */
export async function query(opened: Pick<Opened, 'connection'>, sql: string): Promise<unknown[]> {
  const client = new pg.Client(opened.connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

export function postmasterOf(home: string): number {
  return Number(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** The watchdog of a home is the shell that has its pipe open. */
export function watchdogOf(home: string): number | undefined {
  const pipe = join(home, 'postgres.pods');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find(
    (pid) => commandLine(pid).includes('continuo-watchdog') && commandLine(pid).includes(pipe),
  );
  return found === undefined ? undefined : Number(found);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
}

export function serverIsDown(home: string): boolean {
  return !existsSync(join(home, 'postgres', 'postmaster.pid'));
}

export async function cleanUp(): Promise<void> {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  for (const home of homes.splice(0)) await endServer(home);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function removeStoppedHome(): void {
  if (stopped !== undefined) rmSync(stopped, { recursive: true, force: true });
}

/** The watchdog ends the server; a test that killed it has to do so itself. */
async function endServer(home: string): Promise<void> {
  if (watchdogOf(home) === undefined && !serverIsDown(home)) {
    const pid = postmasterOf(home);
    if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
    await until('Postgres has stopped', () => !isAlive(pid));
  }
  await until('the watchdog has ended', () => watchdogOf(home) === undefined);
}
