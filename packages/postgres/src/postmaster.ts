/**
 * The server's main process, as described by postmaster.pid. Callers of the functions that start, stop or clean up hold the lock.
 *
 * 1. A process id alone proves nothing: it may have been reused by another program, or belong to a zombie process.
 * 2. A server is ready when it answers, not when a file says so.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Programs } from './binaries.ts';
import { systemCode } from './errors.ts';
import { folderName, spawnAs } from './identity.ts';
import { openLog } from './log-file.ts';
import type { Paths } from './paths.ts';
import { PORT } from './socket.ts';
import { until } from './wait.ts';

export interface Postmaster {
  readonly pid: number;
  /** Undefined until the server listens. */
  readonly socketFolder: string | undefined;
  readonly status: string;
}

/** The contents of postmaster.pid, which may be out of date. */
function readPostmaster(data: string): Postmaster | undefined {
  let text: string;
  try {
    text = readFileSync(join(data, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  return { pid, socketFolder: lines[4]?.trim() || undefined, status: lines[7]?.trim() ?? '' };
}

/** The running server of a data folder. */
export function livePostmaster(data: string): Postmaster | undefined {
  const postmaster = readPostmaster(data);
  return postmaster && runsIn(postmaster.pid, data) ? postmaster : undefined;
}

/** Removes a stale postmaster.pid. Postgres would take any process with the recorded id for a running server. */
export function clearStalePid(data: string): void {
  const postmaster = readPostmaster(data);
  if (!postmaster || !exists(postmaster.pid) || runsIn(postmaster.pid, data)) return;
  rmSync(join(data, 'postmaster.pid'), { force: true });
}

interface Launch {
  readonly paths: Paths;
  readonly programs: Programs;
  readonly socketFolder: string;
  readonly durable: boolean;
}

/**
 * Starts the server in its own session, so that signals to our process group do not reach it. Resolves when the server has ended,
 * with the end of its log.
 */
export function startPostmaster({ paths, programs, socketFolder, durable }: Launch): Promise<string> {
  const log = openLog(paths.log);
  const settings = Object.entries(settingsFor(socketFolder, durable)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const command: [string, ...string[]] = [
    programs.postgres,
    '-D',
    folderName(programs.identity, paths.data),
    ...settings,
  ];
  const child = spawnAs(programs.identity, command, {
    cwd: paths.data,
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
  });
  child.unref();
  return new Promise((resolve) => {
    const end = (why: string) => {
      resolve(why);
      log.close();
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', () => end(log.tail()));
  });
}

function settingsFor(socketFolder: string, durable: boolean): Record<string, string | number> {
  return {
    listen_addresses: '',
    port: PORT,
    // The setting is a list: without the quotes, a comma would separate two entries.
    unix_socket_directories: `"${socketFolder}"`,
    unix_socket_permissions: '0700',
    cluster_name: clusterName(socketFolder),
    // A pod uses 22 at most: enough for many servers on one machine, and for tests that start pods all the time.
    max_connections: 400,
    shared_buffers: '128MB',
    fsync: durable ? 'on' : 'off',
    // A commit reaches the operating system before it is acknowledged, so it survives a killed Postgres either way.
    synchronous_commit: 'on',
    full_page_writes: durable ? 'on' : 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Query errors go to the client; the log is only for events of the server itself.
    log_min_messages: 'log',
    log_checkpoints: 'off',
  };
}

/** Fast shutdown: rolls back open transactions, and keeps everything that was committed. */
export async function stopPostmaster(data: string): Promise<void> {
  const { pid } = livePostmaster(data) ?? {};
  if (pid === undefined) return;
  const gone = () => (runsIn(pid, data) ? undefined : true);
  signal(pid, 'SIGINT');
  if (await until({ limit: 30_000 }, gone)) return;
  signal(pid, 'SIGQUIT');
  if (await until({ limit: 5_000 }, gone)) return;
  signal(pid, 'SIGKILL');
  await until({ limit: 5_000 }, gone);
}

/**
 * Ends the backends of a killed server. A busy backend notices late that its server is gone, and until then holds the shared
 * memory that a new server refuses to share.
 */
export function endOrphans(data: string, socketFolder: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    if (worksIn(pid, data) ?? isTitled(pid, socketFolder)) signal(pid, 'SIGQUIT');
  }
}

/** Every process of a server has this name in its title. */
function clusterName(socketFolder: string): string {
  return basename(socketFolder);
}

function isTitled(pid: number, socketFolder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(
      `postgres: ${clusterName(socketFolder)}: `,
    );
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

function runsIn(pid: number, data: string): boolean {
  if (!exists(pid)) return false;
  if (process.platform !== 'linux') return nameByPs(pid) === 'postgres';
  // Root in a container may not read the working folder of another user's process; then the name has to be enough.
  return worksIn(pid, data) ?? true;
}

/** Whether a process is a Postgres of that folder; undefined if it is a Postgres but its folder cannot be read. */
function worksIn(pid: number, data: string): boolean | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
    if (name !== 'postgres' || state === 'Z' || state === 'X') return false;
    return sameFolder(`/proc/${pid}/cwd`, data);
  } catch {
    return false;
  }
}

function sameFolder(link: string, folder: string): boolean | undefined {
  try {
    readlinkSync(link);
    const [one, other] = [statSync(link), statSync(folder)];
    return one.ino === other.ino && one.dev === other.dev;
  } catch (error) {
    const code = systemCode(error);
    return code === 'EACCES' || code === 'EPERM' ? undefined : false;
  }
}

function nameByPs(pid: number): string | undefined {
  try {
    return basename(execFileSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).trim());
  } catch {
    return undefined;
  }
}
