// The probe fails closed, and the filter of system calls does on both machines what it says.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findBubblewrap } from '@continuo/testkit/fixtures';
import { probeSandbox, remedy } from '../../src/sandbox/probe.ts';
import { seccompFilter } from '../../src/sandbox/seccomp.ts';
import { wanted } from './support.ts';

const { isThere, without } = await findBubblewrap();

describe.skipIf(!isThere)(`a sandbox that cannot be trusted is not used${without}`, () => {
  /** Probes with another program in the place of bubblewrap. */
  async function probeWith(script: string) {
    const folder = await mkdtemp(join(tmpdir(), 'continuo-probe-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'bwrap'), `#!/bin/sh\n[ "$1" = --version ] && exit 0\n${script}\n`, {
      mode: 0o755,
    });
    return probeSandbox(wanted('auto'), join(folder, 'runner'), { PATH: folder });
  }

  test('WS-18 one that runs the command without isolation and reports success', async () => {
    const probed = await probeWith(`shift 2; "$@"; echo '{"exit-code": 0}' >&5`);
    expect(probed).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/does not hold: .*network.*seccomp/),
    });
  });

  test('WS-18 one that runs nothing and ends with exit code 0', async () => {
    const probed = await probeWith('exit 0');
    expect(probed).toMatchObject({ ok: false, reason: expect.stringContaining('without a report') });
  });

  test('WS-18 one that reports success without having run anything', async () => {
    const probed = await probeWith(`echo '{"exit-code": 0}' >&5`);
    expect(probed).toMatchObject({ ok: false, reason: expect.stringContaining('does not hold') });
  });

  // The launcher is started without the setting that would limit the command.
  test.each([
    ['nofile', 'open-files'],
    ['fsize', 'file-size'],
    ['cpu', 'cpu-time'],
  ])('WS-18 one that does not enforce a limit: %s', async (setting, missing) => {
    const folder = await mkdtemp(join(tmpdir(), 'continuo-probe-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    const perl = join(folder, 'perl');
    const script = `for arg; do shift; case "$arg" in ${setting}=*) ;; *) set -- "$@" "$arg";; esac; done`;
    await writeFile(perl, `#!/bin/sh\n${script}\nexec /usr/bin/perl "$@"\n`, { mode: 0o755 });
    const probed = await probeSandbox(wanted('auto'), join(folder, 'runner'), { PATH: folder });
    expect(probed).toMatchObject({ ok: false, reason: `the sandbox does not hold: ${missing} complete` });
  });

  test('WS-18 one that cannot be made', async () => {
    const probed = await probeWith('echo "bwrap: No permissions to create a new namespace"; exit 1');
    expect(probed).toMatchObject({ ok: false, remedy: expect.stringMatching(/./) });
  });
});

test.each([
  [
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    '1\n',
    'Ubuntu restricts user namespaces: sysctl -w',
  ],
  ['/proc/sys/kernel/unprivileged_userns_clone', '0\n', 'sysctl -w kernel.unprivileged_userns_clone=1'],
  ['/proc/sys/user/max_user_namespaces', '0\n', 'sysctl -w user.max_user_namespaces='],
  ['/.dockerenv', '', '--security-opt seccomp=unconfined'],
  ['/nothing', '', 'user namespaces, overlayfs, and Linux 5.19'],
])('WS-18 where %s is %j, the remedy says what to do', (file, content, says) => {
  expect(remedy((path) => (path === file ? content : null))).toContain(says);
});

/** Runs the filter as the kernel does, for a call with these arguments. */
function verdict(program: Buffer, audit: number, call: number, args: readonly number[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit, 4);
  args.forEach((value, index) => data.writeUInt32LE(value, 16 + 8 * index));
  let register = 0;
  for (let at = 0; ; at += 1) {
    const [code, value] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)];
    const holds =
      (code === 0x15 && register === value) ||
      (code === 0x35 && register >= value) ||
      (code === 0x45 && (register & value) !== 0);
    if (code === 0x06) return value;
    if (code === 0x20) register = data.readUInt32LE(value);
    else at += program.readUInt8(at * 8 + (holds ? 2 : 3));
  }
}

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const error = (errno: number) => 0x00050000 + errno;

test.each([
  {
    machine: 'x64',
    audit: 0xc000003e,
    read: 0,
    mount: 165,
    ptrace: 101,
    clone: 56,
    socket: 41,
    ioctl: 16,
    memfd: 319,
  },
  {
    machine: 'arm64',
    audit: 0xc00000b7,
    read: 63,
    mount: 40,
    ptrace: 117,
    clone: 220,
    socket: 198,
    ioctl: 29,
    memfd: 279,
  },
] as const)('WS-18 the filter of system calls on $machine', ({ machine, audit, ...call }) => {
  const program = seccompFilter(machine, true);
  const of = (number: number, ...args: number[]) => verdict(program, audit, number, args);
  expect(of(call.read)).toBe(ALLOW);
  expect(of(call.mount)).toBe(error(1));
  expect(of(call.ptrace)).toBe(error(1));
  expect(of(435)).toBe(error(38));
  // A thread, and a process with a user namespace.
  expect(of(call.clone, 0x003d0f00)).toBe(ALLOW);
  expect(of(call.clone, 0x10000011)).toBe(error(1));
  expect([1, 2, 10].map((family) => of(call.socket, family, 1, 6))).toEqual([ALLOW, ALLOW, ALLOW]);
  expect([17, 38, 40].map((family) => of(call.socket, family, 1, 0))).toEqual(Array(3).fill(error(97)));
  expect([of(call.socket, 16, 3, 0), of(call.socket, 16, 3, 12)]).toEqual([ALLOW, error(97)]);
  expect([of(call.ioctl, 0, 0x5401), of(call.ioctl, 0, 0x5412)]).toEqual([ALLOW, error(1)]);
  expect(of(call.memfd)).toBe(ALLOW);
  expect(verdict(seccompFilter(machine, false), audit, call.memfd)).toBe(error(38));
  expect(verdict(program, 0x40000003, call.read)).toBe(KILL);
  if (machine === 'x64') expect(of(0x40000000 + call.read)).toBe(error(38));
});
