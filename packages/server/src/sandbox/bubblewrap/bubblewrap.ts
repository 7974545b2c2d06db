// Runs commands with bubblewrap: namespaces of their own, an unprivileged user, no network, an empty environment, a
// filter for system calls, and limits. launch.pl prepares the folders and starts it.

import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SandboxFailed, type Ending, type Execution, type Limit, type Runner } from '../runner.ts';
import type { Cgroup, Cgroups } from './cgroups.ts';
import { PROXY_ENVIRONMENT, RELAYED } from './relay.ts';
import { seccompFilter, type Machine } from './seccomp.ts';
import { watchDisk, watchMemory } from './watch.ts';

const LAUNCH = fileURLToPath(new URL('launch.pl', import.meta.url));
/** The user in the sandbox. */
const INSIDE = '65534';
/** How long a killed launcher has to report before it is killed itself. */
const REPORT_MS = 500;
const NICE = 10;
const SHM_BYTES = 64 * 1024 * 1024;

export interface BubblewrapOptions {
  /** Programs, absolute. */
  readonly bwrap: string;
  readonly perl: string;
  /** A folder of the server's own. */
  readonly folder: string;
  /** Folders of the host that commands may read, besides /usr. */
  readonly readable: readonly string[];
  readonly cgroups: Cgroups | null;
  readonly machine: Machine;
}

export function createBubblewrap(options: BubblewrapOptions): Runner {
  const { folder, machine, cgroups } = options;
  const uid = process.geteuid!() === 0 ? freeUid() : null;
  mkdirSync(folder, { recursive: true });
  const filter = join(folder, `seccomp-${machine}.bpf`);
  writeFileSync(filter, seccompFilter(machine));
  const place = mountPlace(options.readable);
  const system = systemOptions(options);
  let count = 0;

  return {
    name: 'bubblewrap',
    owner: uid === null ? null : { uid, gid: uid },
    run: async (execution) => {
      execution.signal.throwIfAborted();
      count += 1;
      const cgroup = (await cgroups?.create(`${process.pid}-${count}`, execution.limits)) ?? null;
      try {
        return await start(execution, cgroup);
      } finally {
        // Nobody waits for this. A group that stays is removed at a later start.
        cgroup?.remove().catch(() => undefined);
      }
    },
  };

  async function start(execution: Execution, cgroup: Cgroup | null): Promise<Ending> {
    const { folders, limits, signal } = execution;
    const settings = {
      arch: machine,
      uid: uid ?? 0,
      place,
      workspace: folders.workspace,
      slice: execution.slice,
      scratch: folders.scratch,
      upper: folders.upper,
      work: folders.work,
      tmp: folders.tmp,
      outputs: folders.outputs,
      ...(execution.proxy !== null && { proxy: execution.proxy }),
      core: 0,
      cpu: limits.cpuSeconds,
      fsize: limits.fileBytes,
      data: limits.memoryBytes,
      nofile: limits.openFiles,
      cgroups: cgroup?.folders.join(':') ?? '',
    };
    const args = [
      LAUNCH,
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      '--',
      options.bwrap,
      ...system,
      ...callOptions(execution, place),
      '--',
      ...commandLine(execution, cgroup !== null),
    ];
    const filterFd = openSync(filter, 'r');
    const child = spawn(options.perl, args, {
      cwd: '/',
      env: {},
      // Not in the terminal's process group: Ctrl-C is for the server alone.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', filterFd],
    });
    closeSync(filterFd);

    let killedBy: Limit | null = null;
    let late: NodeJS.Timeout | undefined;
    const kill = (by: Limit): void => {
      if (killedBy !== null) return;
      killedBy = by;
      // The launcher kills the sandbox, whose first process takes all others with it, and reports. Without it, the
      // kernel does so when the launcher ends.
      child.kill('SIGTERM');
      late = setTimeout(() => child.kill('SIGKILL'), REPORT_MS);
    };
    const onAbort = () => kill('canceled');
    signal.addEventListener('abort', onAbort);
    const timer = setTimeout(() => kill('time'), execution.milliseconds);
    const watches = [
      watchDisk(
        [
          { folders: [folders.scratch], bytes: limits.scratchBytes, entries: limits.entries },
          { folders: [folders.upper, folders.tmp], bytes: limits.layerBytes, entries: limits.entries },
        ],
        () => kill('scratch'),
      ),
      ...(cgroup || child.pid === undefined
        ? []
        : [watchMemory(child.pid, limits.memoryBytes, () => kill('memory'))]),
    ];

    let size = 0;
    let report = '';
    let complaint = '';
    child.stdout!.on('data', (piece: Buffer) => {
      if (killedBy === 'output') return;
      size += piece.length;
      execution.onOutput(piece);
      if (size > limits.outputBytes) kill('output');
    });
    child.stderr!.on('data', (piece: Buffer) => (complaint = (complaint + piece.toString()).slice(0, 2000)));
    child.stdio[3]!.on('data', (piece: Buffer) => (report += piece.toString()));
    try {
      await new Promise<void>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', () => resolve());
      });
    } catch (error) {
      throw new SandboxFailed(`the launcher could not be started: ${(error as Error).message}`);
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
      clearTimeout(late);
      for (const watch of watches) watch.stop();
    }
    const [, code, cpu] = /^(\d+|none) ([\d.]+)/.exec(report) ?? [];
    const cpuSeconds = Number(cpu ?? 0);
    if (killedBy !== null) return { kind: 'killed', by: killedBy, cpuSeconds };
    if (await cgroup?.ranOutOfMemory()) return { kind: 'killed', by: 'memory', cpuSeconds };
    if (code !== undefined && code !== 'none') return { kind: 'exited', code: Number(code), cpuSeconds };
    throw new SandboxFailed(complaint.trim() || 'the sandbox ended without a report');
  }
}

/** Where a command starts. */
const HOME = '/workspace';
const ENTER = 'cd -- "$1" && exec "$0" -c "$2"';
const SHELL = existsSync('/usr/bin/bash') ? '/usr/bin/bash' : '/bin/sh';

/** What is the same for every command. */
function systemOptions({ readable }: BubblewrapOptions): readonly string[] {
  const readOnly = (path: string) => ['--ro-bind-try', path, path];
  const certificates = ['/etc/ssl/certs', '/etc/ssl/openssl.cnf'];
  return [
    ...words('--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try'),
    ...words(`--disable-userns --uid ${INSIDE} --gid ${INSIDE} --hostname sandbox --cap-drop ALL`),
    ...words('--die-with-parent --new-session --json-status-fd 5 --seccomp 4 --clearenv'),
    ...words('--ro-bind /usr /usr'),
    ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap(rootFolder),
    ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime', ...certificates].flatMap(readOnly),
    ...readable.flatMap(readOnly),
    ...words(`--proc /proc --dev /dev --size ${SHM_BYTES} --tmpfs /dev/shm --remount-ro /dev`),
    // Programs of node look for their packages in the folders above them, last in this one.
    ...words('--symlink /scratch/node_modules /node_modules'),
  ];
}

/** What differs from command to command. */
function callOptions({ env, slice, proxy }: Execution, place: string): readonly string[] {
  return [
    '--bind',
    `${place}/workspace`,
    slice === '' ? '/workspace' : `/workspace/${slice}`,
    ...words(`--bind ${place}/scratch /scratch --bind ${place}/tmp /tmp --ro-bind ${place}/outputs /outputs`),
    ...(proxy === null ? [] : words(`--ro-bind ${place}/proxy /proxy`)),
    ...['passwd', 'group', 'hosts'].flatMap((name) => words(`--ro-bind ${place}/etc/${name} /etc/${name}`)),
    ...words('--remount-ro / --chdir'),
    slice === '' ? HOME : '/',
    ...Object.entries({ ...(proxy !== null && PROXY_ENVIRONMENT), ...env }).flatMap(([name, value]) => [
      '--setenv',
      name,
      value,
    ]),
  ];
}

/** The command in its shell. Only the command has a low priority: the sandbox around it is made at once. */
function commandLine({ command, cwd, limits, proxy }: Execution, hasCgroup: boolean): readonly string[] {
  const { processes } = limits;
  return [
    // Inside the user namespace of the sandbox, the limit counts its own processes only.
    ...(hasCgroup ? [] : words(`/usr/bin/prlimit --nproc=${processes}:${processes} --`)),
    ...words(`/usr/bin/nice -n ${NICE}`),
    ...(proxy === null ? [] : RELAYED),
    ...(cwd === HOME ? [SHELL, '-c', command] : [SHELL, '-c', ENTER, SHELL, cwd, command]),
  ];
}

/** Options without a space inside. */
function words(text: string): readonly string[] {
  return text.split(' ');
}

/** /bin and its like: links into /usr on most systems, folders on some. */
function rootFolder(name: string): readonly string[] {
  const path = `/${name}`;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** A folder of the host that a mount hides from this one command: none that the command needs. */
function mountPlace(needed: readonly string[]): string {
  const isFree = (path: string) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
    !needed.some((folder) => folder === path || folder.startsWith(`${path}/`));
  const place = ['/mnt', '/media', '/srv', '/opt', '/tmp'].find(isFree);
  if (place === undefined) throw new SandboxFailed('none of /mnt, /media, /srv, /opt and /tmp can be used');
  return place;
}

const FIRST_UID = 54400;

/** A user id that no account uses, below 65536 so that it exists in containers. */
function freeUid(): number {
  const used = new Set(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => Number(line.split(':')[2])),
  );
  let uid = FIRST_UID;
  while (used.has(uid)) uid += 1;
  return uid;
}
