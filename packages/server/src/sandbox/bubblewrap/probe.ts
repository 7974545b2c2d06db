// Whether bubblewrap can be used here. The probe makes a sandbox and looks from the inside: one that lacks a protection
// is not used, whatever its exit code says.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { LIMITS } from '../limits.ts';
import { SandboxFailed, type Runner, type Unusable } from '../runner.ts';
import { createVolumes } from '../volumes.ts';
import { createBubblewrap, type BubblewrapOptions } from './bubblewrap.ts';
import { openCgroups } from './cgroups.ts';

export type Probed = { readonly ok: true; readonly runner: Runner } | ({ readonly ok: false } & Unusable);

/** Prints a word for each protection that is missing. */
const LOOK = `
[ "$(id -u)" = 65534 ] || echo user
[ "$(grep -c : /proc/net/dev)" = 1 ] || echo network
grep -q '^Seccomp:.2$' /proc/self/status || echo seccomp
grep -q '^CapEff:.0*$' /proc/self/status && grep -q '^CapBnd:.0*$' /proc/self/status || echo capabilities
grep -q '^NoNewPrivs:.1$' /proc/self/status || echo privileges
unshare --user true 2>/dev/null && echo namespaces
[ -z "$(tr -d '\\0' < /proc/1/environ)" ] || echo environment
[ "$(ls /proc | grep -c '^[0-9]')" -lt 12 ] || echo processes
[ ! -e "$CANARY" ] || echo files
{ echo new > /workspace/probe.txt && echo new > /workspace/new.txt; } || echo overlay
touch /usr/probe 2>/dev/null && echo system
echo complete`;

export async function probeBubblewrap(
  folder: string,
  readable: readonly string[],
  env: { readonly PATH?: string | undefined } = process.env,
): Promise<Probed> {
  if (process.platform !== 'linux')
    return unusable('commands need Linux', 'run the server on Linux, or in a virtual machine');
  const { arch: machine } = process;
  if (machine !== 'x64' && machine !== 'arm64')
    return unusable(`the processor is ${machine}`, 'use a machine with x64 or arm64');
  const [bwrap, perl] = [findProgram('bwrap', env.PATH), findProgram('perl', env.PATH)];
  if (bwrap === null || perl === null)
    return unusable(
      `${[bwrap === null && 'bubblewrap', perl === null && 'perl'].filter(Boolean).join(' and ')} cannot be found`,
      'install it: apt-get install bubblewrap perl (Debian, Ubuntu), or dnf install bubblewrap perl (Fedora)',
    );
  return tryOut({ bwrap, perl, folder, readable, cgroups: await openCgroups(), machine });
}

async function tryOut(options: BubblewrapOptions): Promise<Probed> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const home = await mkdtemp(join(options.folder, 'probe-'));
  try {
    const runner = createBubblewrap(options);
    const workspace = join(home, 'workspace');
    await mkdir(workspace);
    await writeFile(join(workspace, 'probe.txt'), 'old\n');
    const layers = await createVolumes(join(home, 'volumes'), runner.owner).open('probe');
    let output = '';
    const ending = await runner.run({
      command: LOOK,
      cwd: '/workspace',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', CANARY: join(workspace, 'probe.txt') },
      folders: { ...layers, workspace },
      slice: '',
      proxy: null,
      limits: LIMITS,
      milliseconds: 30_000,
      signal: new AbortController().signal,
      onOutput: (piece) => (output += piece.toString()),
    });
    const isUntouched = readFileSync(join(workspace, 'probe.txt'), 'utf8') === 'old\n';
    if (output.trim() === 'complete' && ending.kind === 'exited' && ending.code === 0 && isUntouched)
      return { ok: true, runner };
    return unusable(
      `the sandbox does not hold: ${isUntouched ? output.trim().replaceAll(/\s+/g, ' ').slice(0, 500) : 'the workspace was changed'}`,
      'report this with the version of bubblewrap and of the kernel',
    );
  } catch (error) {
    if (!(error instanceof SandboxFailed)) throw error;
    return unusable(`the sandbox cannot be made: ${error.message}`, remedy());
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function remedy(): string {
  const setting = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');
  if (setting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'Ubuntu restricts user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, and put it into /etc/sysctl.d to keep it';
  if (setting('/proc/sys/kernel/unprivileged_userns_clone') === '0')
    return 'user namespaces are off: sysctl -w kernel.unprivileged_userns_clone=1';
  if (setting('/proc/sys/user/max_user_namespaces') === '0')
    return 'user namespaces are off: sysctl -w user.max_user_namespaces=10000';
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv'))
    return 'a container must be allowed to create namespaces and mounts: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN, or run the server outside of a container';
  return 'commands need user namespaces, overlayfs, and Linux 5.19 or newer';
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
