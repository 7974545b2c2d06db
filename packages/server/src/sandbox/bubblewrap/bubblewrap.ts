// Runs commands with bubblewrap: namespaces of their own, an unprivileged user, no network, an empty environment, a
// filter for system calls, and limits. launch.pl prepares the folders and starts it.

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOW_PRIORITY } from '../../limits/low-priority.ts';
import { SandboxFailed, type Ending, type Execution, type Runner } from '../runner.ts';
import type { Cgroup, Cgroups } from '../cgroups.ts';
import { seccompFilter, type Machine } from '../seccomp.ts';
import { supervise } from '../supervise.ts';
import {
  environment,
  freeUid,
  HOME,
  rootFolders,
  shellCommand,
  SHM_BYTES,
  SYSTEM_FILES,
} from '../surroundings.ts';
import { watchMemory } from '../watch.ts';

const LAUNCH = fileURLToPath(new URL('../launch.pl', import.meta.url));
/** The user in the sandbox. */
const INSIDE = '65534';
/** How long a killed launcher has to report before it is killed itself. */
const REPORT_MS = 500;

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
  writeFileSync(filter, seccompFilter(machine, cgroups !== null));
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
    const { folders, limits } = execution;
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
      nice: LOW_PRIORITY,
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

    let late: NodeJS.Timeout | undefined;
    const end = (): void => {
      // The launcher kills the sandbox, whose first process takes all others with it, and reports. Without it, the
      // kernel does so when the launcher ends.
      child.kill('SIGTERM');
      late = setTimeout(() => child.kill('SIGKILL'), REPORT_MS);
    };
    const supervision = supervise(execution, child.stdout!, end, (exceeded) =>
      cgroup || child.pid === undefined
        ? []
        : [watchMemory(child.pid, limits.memoryBytes, () => exceeded('memory'))],
    );

    let report = '';
    let complaint = '';
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
      supervision.stop();
      clearTimeout(late);
    }
    const [, code, cpu] = /^(\d+|none) ([\d.]+)/.exec(report) ?? [];
    const cpuSeconds = Number(cpu ?? 0);
    const killedBy = supervision.killedBy();
    if (killedBy !== null) return { kind: 'killed', by: killedBy, cpuSeconds };
    if (await cgroup?.ranOutOfMemory()) return { kind: 'killed', by: 'memory', cpuSeconds };
    if (code !== undefined && code !== 'none') return { kind: 'exited', code: Number(code), cpuSeconds };
    throw new SandboxFailed(complaint.trim() || 'the sandbox ended without a report');
  }
}

/** What is the same for every command. */
function systemOptions({ readable }: BubblewrapOptions): readonly string[] {
  const readOnly = (path: string) => ['--ro-bind-try', path, path];
  return [
    ...words('--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try'),
    ...words(`--disable-userns --uid ${INSIDE} --gid ${INSIDE} --hostname sandbox --cap-drop ALL`),
    ...words('--die-with-parent --new-session --json-status-fd 5 --seccomp 4 --clearenv'),
    ...words('--ro-bind /usr /usr'),
    ...rootFolders().flatMap(({ path, link }) =>
      link === null ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ...SYSTEM_FILES.flatMap(readOnly),
    ...readable.flatMap(readOnly),
    ...words(`--proc /proc --dev /dev --size ${SHM_BYTES} --tmpfs /dev/shm --remount-ro /dev`),
    // Programs of node look for their packages in the folders above them, last in this one.
    ...words('--symlink /scratch/node_modules /node_modules'),
  ];
}

/** What differs from command to command. */
function callOptions(execution: Execution, place: string): readonly string[] {
  const { slice, proxy } = execution;
  return [
    '--bind',
    `${place}/workspace`,
    slice === '' ? '/workspace' : `/workspace/${slice}`,
    ...words(`--bind ${place}/scratch /scratch --bind ${place}/tmp /tmp --ro-bind ${place}/outputs /outputs`),
    ...(proxy === null ? [] : words(`--ro-bind ${place}/proxy /proxy`)),
    ...['passwd', 'group', 'hosts'].flatMap((name) => words(`--ro-bind ${place}/etc/${name} /etc/${name}`)),
    ...words('--remount-ro / --chdir'),
    slice === '' ? HOME : '/',
    ...environment(execution)
      .filter((variable) => !isForLoader(variable))
      .flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** Where the kernel shares the processors out by sessions (autogroups), the nice value of a process counts only within its own. */
const LOWER_SESSION = `{ echo ${LOW_PRIORITY} > /proc/self/autogroup; } 2> /dev/null; exec "$0" "$@"`;

/** The command in its shell. */
function commandLine(execution: Execution, hasCgroup: boolean): readonly string[] {
  const { processes } = execution.limits;
  const forLoader = environment(execution).filter(isForLoader);
  return [
    // Inside the user namespace of the sandbox, the limit counts its own processes only.
    ...(hasCgroup
      ? []
      : ['/bin/sh', '-c', LOWER_SESSION, ...words(`/usr/bin/prlimit --nproc=${processes}:${processes} --`)]),
    ...(forLoader.length === 0 ? [] : ['/usr/bin/env', ...forLoader.map((variable) => variable.join('='))]),
    ...shellCommand(execution),
  ];
}

/** The dynamic loader runs what these name in every program, so they are set behind the program that sets a limit. */
function isForLoader([name]: readonly [string, string]): boolean {
  return name.startsWith('LD_');
}

/** Options without a space inside. */
function words(text: string): readonly string[] {
  return text.split(' ');
}

/** A folder of the host to mount over for this command: one that the command does not need. */
function mountPlace(needed: readonly string[]): string {
  const isFree = (path: string) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
    !needed.some((folder) => folder === path || folder.startsWith(`${path}/`));
  const place = ['/mnt', '/media', '/srv', '/opt', '/tmp'].find(isFree);
  if (place === undefined) throw new SandboxFailed('none of /mnt, /media, /srv, /opt and /tmp can be used');
  return place;
}
