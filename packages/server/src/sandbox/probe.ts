// Whether the sandbox that the configuration names can be used here. The probe makes one and looks from the inside: one that
// lacks a protection is not used, whatever its exit code says.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { createBubblewrap } from './bubblewrap/bubblewrap.ts';
import { openCgroups } from './cgroups.ts';
import { createContainerRunner } from './container/container.ts';
import { LIMITS, type Limits } from './limits.ts';
import { SandboxFailed, type Runner, type Unusable } from './runner.ts';
import { createVolumes } from './volumes.ts';

export type Probed = { readonly ok: true; readonly runner: Runner } | ({ readonly ok: false } & Unusable);

/** Small, so that the probe soon reaches them. */
const PROBED: Limits = { ...LIMITS, memoryBytes: 64 * 2 ** 20, processes: 30 };

/** Prints a word for each protection and each limit that is missing. */
const LOOK = `
[ "$(id -u)" = "$USER_ID" ] || echo user
[ "$(grep -c : /proc/net/dev)" = 1 ] || echo network
grep -q '^Seccomp:.2$' /proc/self/status || echo seccomp
grep -q '^CapEff:.0*$' /proc/self/status && grep -q '^CapBnd:.0*$' /proc/self/status || echo capabilities
grep -q '^NoNewPrivs:.1$' /proc/self/status || echo privileges
unshare --user true 2>/dev/null && echo namespaces
[ -z "$({ tr -d '\\0' < /proc/1/environ; } 2>/dev/null)" ] || echo environment
for found in /root/* /root/.[!.]* /home/* /home/.[!.]* /var/* /boot/*; do
  case ":$SHOWN:" in *":$found:"* | *":$found/"*) ;; *) [ ! -e "$found" ] || echo root; esac
done
[ "$(ls /proc | grep -c '^[0-9]')" -lt 12 ] || echo processes
[ ! -e "$CANARY" ] || echo files
{ echo new > /workspace/probe.txt && echo new > /workspace/new.txt; } || echo overlay
touch /usr/probe 2>/dev/null && echo system
[ "$(ulimit -c) $(ulimit -n)" = "0 ${PROBED.openFiles}" ] || echo open-files
[ "$(ulimit -f)" != unlimited ] || echo file-size
[ "$(ulimit -t)" != unlimited ] || echo cpu-time
perl -e 'my @all; for (1 .. ${PROBED.processes}) { my $one = fork // last; sleep 60, exit unless $one; push @all, $one }
  print "process-count\n" if @all == ${PROBED.processes}; kill 9, @all; 1 while wait > 0'
echo complete
echo "$(perl -e 'my $all = "x" x ${2 * PROBED.memoryBytes}; print "memory"' 2>/dev/null)"`;

export interface Wanted extends Pick<Config, 'sandboxFolders' | 'sandboxRuntime'> {
  readonly sandbox: Exclude<Config['sandbox'], 'off'>;
}

/** `folder` is the runner's own. */
export async function probeSandbox(
  { sandbox, sandboxFolders: readable, sandboxRuntime: runtime }: Wanted,
  folder: string,
  env: { readonly PATH?: string | undefined } = process.env,
): Promise<Probed> {
  if (process.platform !== 'linux')
    return unusable('commands need Linux', 'run the server on Linux, or in a virtual machine');
  const { arch: machine } = process;
  if (machine !== 'x64' && machine !== 'arm64')
    return unusable(`the processor is ${machine}`, 'use a machine with x64 or arm64');
  const [name, packages] = sandbox === 'auto' ? ['bwrap', 'bubblewrap'] : [sandbox, PACKAGES[sandbox]];
  const [program, perl] = [findProgram(name, env.PATH), findProgram('perl', env.PATH)];
  if (program === null || perl === null)
    return unusable(
      `${[program === null && packages, perl === null && 'perl'].filter(Boolean).join(' and ')} cannot be found`,
      `install it: apt-get install ${packages} perl (Debian, Ubuntu), or dnf install ${packages} perl (Fedora)`,
    );
  const common = { perl, folder, readable, machine };
  if (sandbox === 'auto')
    return tryOut(common, BUBBLEWRAP_USER, async () =>
      createBubblewrap({ ...common, bwrap: program, cgroups: await openCgroups() }),
    );
  if (process.geteuid!() !== 0)
    return unusable(
      `commands in containers of ${sandbox} need a server that runs as root, which mounts the workspace for them`,
      'run the server as root, or remove CONTINUO_SANDBOX to use bubblewrap',
    );
  const inContainers = `${sandbox} must be able to start containers, and to see the folders of the server; CONTINUO_SANDBOX_RUNTIME names another runtime`;
  return tryOut(
    common,
    null,
    () => createContainerRunner({ ...common, engine: sandbox, program, runtime }),
    inContainers,
  );
}

const PACKAGES = { docker: 'docker.io', podman: 'podman' };
const BUBBLEWRAP_USER = 65534;

/** `user`: the command's user as it sees it; null if it is the owner of the runner's folders. */
async function tryOut(
  { folder, readable }: { readonly folder: string; readonly readable: readonly string[] },
  user: number | null,
  create: () => Promise<Runner>,
  inContainers?: string,
): Promise<Probed> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const home = await mkdtemp(join(folder, 'probe-'));
  try {
    const runner = await create();
    const workspace = join(home, 'workspace');
    await mkdir(workspace);
    await writeFile(join(workspace, 'probe.txt'), 'old\n');
    const layers = await createVolumes(join(home, 'volumes'), runner.owner).open('probe');
    let output = '';
    const ending = await runner.run({
      command: LOOK,
      cwd: '/workspace',
      env: {
        PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
        CANARY: join(workspace, 'probe.txt'),
        SHOWN: readable.join(':'),
        USER_ID: String(user ?? runner.owner!.uid),
      },
      folders: { ...layers, workspace },
      slice: '',
      proxy: null,
      limits: PROBED,
      milliseconds: 30_000,
      signal: new AbortController().signal,
      onOutput: (piece) => (output += piece.toString()),
    });
    const isUntouched = readFileSync(join(workspace, 'probe.txt'), 'utf8') === 'old\n';
    const isEnd = ending.kind === 'exited' ? ending.code === 0 : ending.by === 'memory';
    if (output.trim() === 'complete' && isEnd && isUntouched) return { ok: true, runner };
    return unusable(
      `the sandbox does not hold: ${isUntouched ? output.trim().replaceAll(/\s+/g, ' ').slice(0, 500) : 'the workspace was changed'}`,
      /process-count|memory/.test(output)
        ? 'memory and processes must be limited: switch on the control groups memory and pids, and let the server or the engine use them'
        : 'report this with the versions of the sandbox and of the kernel',
    );
  } catch (error) {
    if (!(error instanceof SandboxFailed)) throw error;
    return unusable(`the sandbox cannot be made: ${error.message}`, inContainers ?? remedy());
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** What lets this machine make user namespaces. `read` returns null for a file that is not there. */
export function remedy(read: (path: string) => string | null = readIfThere): string {
  const setting = (path: string) => read(path)?.trim();
  if (setting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'Ubuntu restricts user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, and put it into /etc/sysctl.d to keep it';
  if (setting('/proc/sys/kernel/unprivileged_userns_clone') === '0')
    return 'user namespaces are off: sysctl -w kernel.unprivileged_userns_clone=1';
  if (setting('/proc/sys/user/max_user_namespaces') === '0')
    return 'user namespaces are off: sysctl -w user.max_user_namespaces=10000';
  if (read('/.dockerenv') !== null || read('/run/.containerenv') !== null)
    return 'a container must be allowed to create namespaces and mounts: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN, or run the server outside of a container';
  return 'commands need user namespaces, overlayfs, and Linux 5.19 or newer';
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function findProgram(name: string, path = ''): string | null {
  const folders = [...path.split(delimiter), '/usr/bin', '/bin', '/usr/local/bin'];
  const found = folders
    .map((folder) => join(folder, name))
    .find((file) => file.startsWith('/') && existsSync(file));
  return found !== undefined && spawnSync(found, ['--version'], { env: {} }).status === 0 ? found : null;
}

function unusable(reason: string, remedyInWords: string): Probed {
  return { ok: false, reason, remedy: remedyInWords };
}
