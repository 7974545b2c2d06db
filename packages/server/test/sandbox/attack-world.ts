// A host with secrets and servers, and commands that attack it from a sandbox. After each, the workspace is as it was, and no process
// is left.

import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { until } from '@continuo/testkit';
import type { Limits } from '../../src/sandbox/limits.ts';
import { Output } from '../../src/sandbox/output.ts';
import { probeSandbox, type Wanted } from '../../src/sandbox/probe.ts';
import type { Ending, Runner } from '../../src/sandbox/runner.ts';
import { createVolumes } from '../../src/sandbox/volumes.ts';
import type { Attack } from './attacks.ts';
import { wanted } from './support.ts';

const MiB = 2 ** 20;
/** Small, so that attacks reach them soon. */
const LIMITS: Limits = {
  memoryBytes: 128 * MiB,
  processes: 50,
  cpuSeconds: 20,
  openFiles: 256,
  fileBytes: 16 * MiB,
  layerBytes: 64 * MiB,
  scratchBytes: 64 * MiB,
  entries: 5000,
  outputBytes: MiB,
};

/** The runner is the one that this configuration chooses; others can be tried, too. */
export function useAttackedHost(sandbox: Wanted['sandbox']) {
  let runner: Runner;
  let root: string;
  let env: Record<string, string>;
  let host: { tcp: Server; unix: Server; abstract: Server; process: ChildProcess };
  let workspace: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'continuo-attack-'));
    await chmod(root, 0o755);
    const secret = join(root, 'secret-of-the-host.txt');
    await writeFile(secret, 'the secret of the host\n');
    workspace = join(root, 'workspace');
    await mkdir(workspace);
    await writeFile(join(workspace, 'kept.txt'), 'kept\n');
    await symlink(secret, join(workspace, 'planted-link'));
    const [tcp, unix, abstract] = [createServer(), createServer(), createServer()];
    const name = `continuo-attack-${process.pid}`;
    await Promise.all([
      new Promise<void>((resolve) => tcp.listen(0, '::', resolve)),
      new Promise<void>((resolve) => unix.listen(join(root, 'socket'), resolve)),
      new Promise<void>((resolve) => abstract.listen(`\0${name}`, resolve)),
    ]);
    const child = spawn('sleep', ['1000'], { env: { TOKEN: 'token-of-the-host' } });
    host = { tcp, unix, abstract, process: child };
    env = {
      PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
      SECRET: secret,
      SOCKET: join(root, 'socket'),
      ABSTRACT: name,
      PORT: String((tcp.address() as AddressInfo).port),
      PID: String(child.pid),
    };
    process.env.TOKEN = 'token-of-the-server';
    const probed = await probeSandbox(wanted(sandbox), join(root, 'runner'));
    if (!probed.ok) throw new Error(`${probed.reason}; ${probed.remedy}`);
    runner = probed.runner;
  });
  afterAll(async () => {
    delete process.env.TOKEN;
    host.process.kill();
    for (const server of [host.tcp, host.unix, host.abstract]) server.close();
    await rm(root, { recursive: true, force: true });
  });

  async function attempt(
    by: Runner,
    { command }: Pick<Attack, 'command'>,
    { milliseconds = 30_000, isCanceled = false, variables = {} } = {},
  ) {
    const layers = await createVolumes(join(root, 'volumes'), by.owner).open('chat');
    const output = new Output();
    const canceling = new AbortController();
    try {
      const ended = by.run({
        command,
        cwd: '/workspace',
        env: { ...env, ...variables },
        slice: '',
        proxy: null,
        limits: LIMITS,
        milliseconds,
        folders: { ...layers, workspace },
        signal: canceling.signal,
        onOutput: (piece) => output.add(piece),
      });
      if (isCanceled) canceling.abort();
      const ending: Ending = await ended;
      return { ending, output: output.text(), upper: await readdir(layers.upper) };
    } finally {
      await layers.remove();
      await rm(join(root, 'volumes/chat/scratch'), { recursive: true, force: true });
    }
  }

  /** Returns the output. */
  async function expectContained(by: Runner, attack: Attack): Promise<string> {
    const { ending, output } = await attempt(by, attack, {
      milliseconds: attack.killed === 'time' ? 300 : undefined,
    });
    expect(output).not.toContain('ESCAPED');
    expect(output).not.toContain('secret of the host');
    if (attack.expect !== undefined) expect(output).toContain(attack.expect);
    if (attack.killed === undefined) expect(ending.kind).toBe('exited');
    else if (!attack.mayFail || ending.kind === 'killed')
      expect(ending).toMatchObject({ kind: 'killed', by: attack.killed });
    expect((await readdir(workspace)).toSorted()).toEqual(['kept.txt', 'planted-link']);
    expect(readFileSync(join(workspace, 'kept.txt'), 'utf8')).toBe('kept\n');
    expect((await lstat(join(workspace, 'kept.txt'))).mode & 0o777).toBe(0o644);
    await until('no process of the sandbox is left', () => processesOf(by).length === 0);
    return output;
  }

  /** The processes of the host that run as the sandbox's user, or in bubblewrap. */
  function processesOf({ owner }: Runner): readonly string[] {
    return readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        if (/^State:\s+Z/m.test(status)) return false;
        const uid = Number(/^Uid:\s+(\d+)/m.exec(status)![1]);
        // Tests of both kinds may run at the same time, as the same user.
        const isInContainer = /docker|libpod/.test(readFileSync(`/proc/${pid}/cgroup`, 'utf8'));
        if (isInContainer !== (sandbox !== 'auto')) return false;
        return owner
          ? uid === owner.uid
          : readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--args\x003');
      } catch {
        return false;
      }
    });
  }

  return {
    get root() {
      return root;
    },
    get runner() {
      return runner;
    },
    attempt,
    expectContained,
  };
}
