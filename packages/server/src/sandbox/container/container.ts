// Runs commands in containers of Docker or podman, with any runtime, such as gVisor's. The image is empty: programs come
// from the host's /usr, read-only, so nothing is downloaded. launch.pl mounts the workspace with the command's layer above,
// and enter.pl is the container's first process.

import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sha256 } from '../../files/content.ts';
import { LOW_PRIORITY } from '../../limits/low-priority.ts';
import { CPU_SHARES, outOfMemory } from '../cgroups.ts';
import { SandboxFailed, type Ending, type Execution, type Runner } from '../runner.ts';
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

const run = promisify(execFile);
const LAUNCH = fileURLToPath(new URL('../launch.pl', import.meta.url));
const ENTER = new URL('enter.pl', import.meta.url);
/** How long a container has to end after its input was closed, before it is removed. */
const END_MS = 500;
/** Small enough for systems whose hard limit is low; the container's own limit of processes is stricter. */
const USER_PROCESSES = 32_000;
const LABEL = 'continuo.sandbox';

export interface ContainerOptions {
  readonly engine: 'docker' | 'podman';
  /** Programs, absolute. */
  readonly program: string;
  readonly perl: string;
  /** The engine's runtime; its default if absent. */
  readonly runtime: string | undefined;
  /** A folder of the server's own. */
  readonly folder: string;
  /** Folders of the host that commands may read, besides /usr. */
  readonly readable: readonly string[];
  readonly machine: Machine;
}

/** The server is root: it mounts the workspace where the engine sees it. */
export async function createContainerRunner(options: ContainerOptions): Promise<Runner> {
  const { engine, program, folder, machine, runtime } = options;
  const uid = freeUid();
  await mkdir(folder, { recursive: true });
  const filter = seccompFilter(machine, true).toString('hex');
  const enter = await readFile(ENTER, 'utf8');
  const image = await importImage(program, folder);
  const system = await systemOptions(options, uid);
  await removeAbandoned(program, folder);

  return {
    name: runtime === undefined ? engine : `${engine} with ${runtime}`,
    owner: { uid, gid: uid },
    run: async (execution) => {
      execution.signal.throwIfAborted();
      const place = join(dirname(execution.folders.upper), 'mounts');
      await mkdir(place);
      const mount = await mountWorkspace(execution, { ...options, place, uid });
      try {
        return await start(execution, join(place, 'workspace'));
      } finally {
        await mount.remove();
      }
    },
  };

  async function start(execution: Execution, workspace: string): Promise<Ending> {
    const name = `continuo-${randomUUID()}`;
    const args = [
      'run',
      '--name',
      name,
      ...system,
      ...callOptions(execution, workspace),
      image,
      '/usr/bin/perl',
      '-e',
      enter,
    ];
    // Not in the terminal's process group: Ctrl-C is for the server alone.
    const child = spawn(program, args, { cwd: '/', detached: true });
    const { stdin, stdout, stderr } = child;
    // The container ends when its input does, even if the server is killed.
    stdin.on('error', () => undefined);
    stdin.write(input(execution));
    let late: NodeJS.Timeout | undefined;
    const supervision = supervise(execution, stdout, () => {
      stdin.end();
      late = setTimeout(() => void run(program, ['rm', '--force', name]).catch(() => undefined), END_MS);
    });

    let told = '';
    let isReported = false;
    let overMemory = false;
    stderr.on('data', (piece: Buffer) => {
      told = (told + piece.toString()).slice(-4000);
      if (isReported || !REPORT.test(told)) return;
      isReported = true;
      void wasOutOfMemory(name)
        .then((was) => (overMemory = was))
        .finally(() => stdin.end());
    });
    let status: number | null;
    try {
      status = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
    } catch (error) {
      throw new SandboxFailed(`${program} could not be started: ${(error as Error).message}`);
    } finally {
      supervision.stop();
      clearTimeout(late);
    }
    const [, code, cpu] = REPORT.exec(told) ?? [];
    const cpuSeconds = Number(cpu ?? 0);
    const killedBy = supervision.killedBy();
    if (killedBy !== null) return { kind: 'killed', by: killedBy, cpuSeconds };
    // If there is no report, the kernel has killed the first process, too.
    if (overMemory || (code === undefined && status === KILLED))
      return { kind: 'killed', by: 'memory', cpuSeconds };
    if (code !== undefined) return { kind: 'exited', code: Number(code), cpuSeconds };
    throw new SandboxFailed(told.trim() || `${engine} ended with exit code ${status} and without a report`);
  }

  /** What enter.pl reads. It does not appear in the command lines on the host. */
  function input(execution: Execution): Buffer {
    const variables = environment(execution).map(([name, value]) => `${name}=${value}`);
    const fields = [
      machine,
      filter,
      LOW_PRIORITY,
      HOME,
      variables.length,
      ...variables,
      ...shellCommand(execution),
    ];
    const content = Buffer.from(fields.map((field) => `${field}\0`).join(''));
    return Buffer.concat([Buffer.from(`${content.length}\n`), content]);
  }

  async function wasOutOfMemory(name: string): Promise<boolean> {
    try {
      const { stdout } = await run(program, ['inspect', '--format', '{{.State.Pid}}', name]);
      return await outOfMemory(Number(stdout));
    } catch {
      // The container is already gone, because the command was killed meanwhile.
      return false;
    }
  }
}

const REPORT = /^ended (\d+) ([\d.]+)$/m;
/** The exit code of an engine whose container was killed by a signal. */
const KILLED = 137;

interface Mount {
  remove(): Promise<void>;
}

/** Mounts the workspace at `place`/workspace. It is unmounted when it is removed, or the server is killed. */
async function mountWorkspace(
  { folders: { workspace, upper, work }, slice }: Execution,
  { perl, place, uid, machine: arch }: ContainerOptions & { readonly place: string; readonly uid: number },
): Promise<Mount> {
  const settings = { arch, uid, place, workspace, slice, upper, work, container: 1 };
  const args = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const launcher = spawn(perl, [LAUNCH, ...args], { cwd: '/', env: {}, detached: true });
  let complaint = '';
  launcher.stderr.on('data', (piece: Buffer) => (complaint += piece.toString()));
  const ended = new Promise<void>((resolve, reject) => {
    launcher.once('error', reject);
    launcher.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(complaint.trim() || `the launcher ended with exit code ${code}`)),
    );
  });
  try {
    await Promise.race([once(launcher.stdout, 'data'), ended]);
  } catch (error) {
    throw new SandboxFailed((error as Error).message);
  }
  return {
    remove: () => {
      launcher.stdin.end();
      return ended;
    },
  };
}

/** An image with nothing but folders to mount on, and the links that the host has in its root. */
async function importImage(program: string, folder: string): Promise<string> {
  const skeleton = join(folder, 'skeleton');
  await rm(skeleton, { recursive: true, force: true });
  for (const path of [
    'usr',
    'etc',
    'proc',
    'dev',
    'sys',
    'run',
    'tmp',
    'workspace',
    'scratch',
    'outputs',
    'proxy',
  ])
    await mkdir(join(skeleton, path), { recursive: true });
  // Programs of node look for their packages in the folders above them, last in this one.
  const links = [...rootFolders(), { path: '/node_modules', link: '/scratch/node_modules' }];
  for (const { path, link } of links)
    await (link === null ? mkdir(join(skeleton, path)) : symlink(link, join(skeleton, path)));
  const image = `continuo-sandbox:${sha256(Buffer.from(JSON.stringify(links)))
    .toString('hex')
    .slice(0, 12)}`;
  const isThere = await run(program, ['image', 'inspect', image]).then(
    () => true,
    () => false,
  );
  if (isThere) return image;
  const archive = join(folder, 'skeleton.tar');
  await run('tar', [
    '--create',
    '--file',
    archive,
    '--owner=0',
    '--group=0',
    '--directory',
    skeleton,
    '.',
  ]).catch(failed);
  await run(program, ['import', archive, image]).catch(failed);
  return image;
}

/** What is the same for every command. */
async function systemOptions(
  { engine, runtime, folder, readable }: ContainerOptions,
  uid: number,
): Promise<readonly string[]> {
  const files = {
    passwd: `root:x:0:0::/:/usr/sbin/nologin\nsandbox:x:${uid}:${uid}::/scratch/home:/bin/sh\n`,
    group: `root:x:0:\nsandbox:x:${uid}:\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost\n',
    'resolv.conf': '',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const shown = [
    '/usr',
    ...rootFolders().flatMap(({ path, link }) => (link === null ? [path] : [])),
    ...[...SYSTEM_FILES, ...readable].filter((path) => existsSync(path)),
  ];
  return [
    ...(runtime === undefined ? [] : ['--runtime', runtime]),
    // podman asks systemd for control groups, which is not everywhere.
    ...(engine === 'podman' && !existsSync('/run/systemd/system') ? ['--cgroup-manager', 'cgroupfs'] : []),
    ...(engine === 'podman' ? ['--read-only-tmpfs=false'] : []),
    ...words('--rm --interactive --sig-proxy=false --pull never --log-driver none'),
    '--label',
    `${LABEL}=${folder}`,
    ...words(`--network none --read-only --user ${uid}:${uid} --hostname sandbox --cap-drop ALL`),
    ...words(`--security-opt no-new-privileges --ipc private --shm-size ${SHM_BYTES}`),
    // A command needs none of these system folders, so they are hidden.
    ...['/sys', '/sys/fs/cgroup', '/run'].flatMap((path) => ['--tmpfs', `${path}:ro,size=4k`]),
    ...shown.flatMap((path) => bind(path, path, 'ro')),
    ...Object.keys(files).flatMap((name) => bind(join(folder, name), `/etc/${name}`, 'ro')),
  ];
}

/** What differs from command to command. */
function callOptions({ folders, slice, proxy, limits }: Execution, workspace: string): readonly string[] {
  const { memoryBytes, processes } = limits;
  const users = {
    core: 0,
    cpu: limits.cpuSeconds,
    fsize: limits.fileBytes,
    nofile: limits.openFiles,
    nproc: USER_PROCESSES,
  };
  return [
    ...words(`--memory ${memoryBytes} --memory-swap ${memoryBytes} --pids-limit ${processes}`),
    // Without root, the controller may not be delegated.
    ...(process.getuid?.() === 0 ? ['--cpu-shares', String(CPU_SHARES)] : []),
    ...Object.entries(users).flatMap(([name, value]) => ['--ulimit', `${name}=${value}:${value}`]),
    ...bind(workspace, slice === '' ? '/workspace' : `/workspace/${slice}`, 'rw'),
    ...bind(folders.scratch, '/scratch', 'rw'),
    ...bind(folders.tmp, '/tmp', 'rw'),
    ...bind(folders.outputs, '/outputs', 'ro'),
    ...(proxy === null ? [] : bind(proxy, '/proxy', 'ro')),
  ];
}

/** As fields of a comma-separated line: a path may contain a colon. */
function bind(source: string, target: string, access: 'ro' | 'rw'): readonly string[] {
  const fields = [
    'type=bind',
    `source=${source}`,
    `target=${target}`,
    ...(access === 'ro' ? ['readonly'] : []),
  ];
  return [
    '--mount',
    fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(','),
  ];
}

/** Removes containers that never started, because their server was killed. A running container ends with its server. */
async function removeAbandoned(program: string, folder: string): Promise<void> {
  const filters = ['created', 'exited'].flatMap((status) => ['--filter', `status=${status}`]);
  const args = ['ps', '--all', '--quiet', '--filter', `label=${LABEL}=${folder}`, ...filters];
  const names = await run(program, args).then(({ stdout }) => stdout.split('\n').filter(Boolean), failed);
  if (names.length > 0) await run(program, ['rm', '--force', ...names]).catch(failed);
}

function failed(error: Error & { readonly stderr?: string }): never {
  throw new SandboxFailed(error.stderr?.trim() || error.message);
}

/** Options without a space inside. */
function words(text: string): readonly string[] {
  return text.split(' ');
}
