// The attacks, each in a sandbox of its own. After each, the workspace is as it was, and no process is left.

import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { findBubblewrap } from '@continuo/testkit/fixtures';
import { createBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/probe.ts';
import type { Limits } from '../../src/sandbox/limits.ts';
import { Output } from '../../src/sandbox/output.ts';
import type { Ending, Runner } from '../../src/sandbox/runner.ts';
import { createVolumes } from '../../src/sandbox/volumes.ts';
import { ATTACKS, type Attack } from './attacks.ts';

const { isThere, without } = await findBubblewrap();

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

describe.skipIf(!isThere)(`an attack${without}`, () => {
  let root: string;
  let env: Record<string, string>;
  let host: { tcp: Server; unix: Server; abstract: Server; process: ChildProcess };
  let runner: Runner;
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
    const probed = await probeBubblewrap(join(root, 'runner'), []);
    if (!probed.ok) throw new Error(`${probed.reason}; ${probed.remedy}`);
    runner = probed.runner;
  });
  afterAll(async () => {
    delete process.env.TOKEN;
    host.process.kill();
    for (const server of [host.tcp, host.unix, host.abstract]) server.close();
    await rm(root, { recursive: true, force: true });
  });

  async function attempt(by: Runner, { command }: Pick<Attack, 'command'>, milliseconds = 15_000) {
    const layers = await createVolumes(join(root, 'volumes'), by.owner).open('chat');
    const output = new Output();
    try {
      const ending: Ending = await by.run({
        command,
        cwd: '/workspace',
        env,
        slice: '',
        proxy: null,
        limits: LIMITS,
        milliseconds,
        folders: { ...layers, workspace },
        signal: new AbortController().signal,
        onOutput: (piece) => output.add(piece),
      });
      return { ending, output: output.text(), upper: await readdir(layers.upper) };
    } finally {
      await layers.remove();
      await rm(join(root, 'volumes/chat/scratch'), { recursive: true, force: true });
    }
  }

  async function expectContained(by: Runner, attack: Attack): Promise<void> {
    const { ending, output } = await attempt(by, attack, attack.killed === 'time' ? 300 : 15_000);
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
  }

  /** The processes of the host that run as the sandbox's user, or in bubblewrap. */
  function processesOf({ owner }: Runner): readonly string[] {
    return readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        if (/^State:\s+Z/m.test(status)) return false;
        const uid = Number(/^Uid:\s+(\d+)/m.exec(status)![1]);
        return owner
          ? uid === owner.uid
          : readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--args\x003');
      } catch {
        return false;
      }
    });
  }

  for (const [kind, attacks] of Object.entries(ATTACKS))
    describe(kind, () => {
      test.each(attacks.map((attack) => [attack.name, attack] as const))('WS-18 %s', (_, attack) =>
        expectContained(runner, attack),
      );
    });

  const machine = process.arch as 'x64' | 'arm64';
  const created = (perl: string) =>
    createBubblewrap({
      bwrap: '/usr/bin/bwrap',
      perl,
      folder: join(root, 'created'),
      readable: [],
      cgroups: null,
      machine,
    });
  const named = (name: string): Attack =>
    Object.values(ATTACKS)
      .flat()
      .find((attack) => attack.name === name)!;

  describe('where control groups cannot be used', () => {
    test.each([
      'a fork bomb',
      'a process that takes all memory',
      'many processes that take all memory',
      'running for ever, deaf to signals',
    ])('WS-18 %s', (name) => expectContained(created('/usr/bin/perl'), named(name)));
  });

  // Each of these attacks fails because of the named protection: without it, the attack is noticed.
  test.each([
    ['--unshare-net', 'a server of the host on loopback'],
    ['--unshare-net', 'an abstract socket of the host'],
    ['--unshare-net', 'other interfaces'],
    ['--seccomp 4', 'the system call io_uring_setup'],
    ['--seccomp 4', 'the system call keyctl'],
    ['--unshare-pid', 'processes of the host'],
    ['--remount-ro /', 'the root of the sandbox'],
    ['--hostname sandbox', 'the name of the host'],
  ])('without %s, the attack on %s succeeds', async (protection, name) => {
    const launcher = join(root, 'launcher-without');
    await writeFile(launcher, withoutOption(protection), { mode: 0o755 });
    await expect(expectContained(created(launcher), named(name))).rejects.toThrow('expected');
  });
});

/** A program that starts the launcher without one of bubblewrap's options. */
function withoutOption(option: string): string {
  const count = option.split(' ').length;
  return `#!/usr/bin/bash
args=()
while [ $# -gt 0 ]; do
  if [ "\${*:1:${count}}" = "${option}" ]; then shift ${count}; else args+=("$1"); shift; fi
done
exec /usr/bin/perl "\${args[@]}"
`;
}
