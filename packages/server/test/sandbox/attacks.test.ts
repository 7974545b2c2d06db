// The attacks on bubblewrap, each in a sandbox of its own.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { findBubblewrap } from '@continuo/testkit/fixtures';
import { createBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import { useAttackedHost } from './attack-world.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { processesWhere, stubborn } from './processes.ts';

const { isThere, without } = await findBubblewrap();

describe.skipIf(!isThere)(`an attack${without}`, () => {
  const host = useAttackedHost('auto');
  for (const [kind, attacks] of Object.entries(ATTACKS))
    describe(kind, () => {
      test.each(attacks.map((attack) => [attack.name, attack] as const))('WS-18 %s', async (_, attack) => {
        await host.expectContained(host.runner, attack);
      });
    });

  const machine = process.arch as 'x64' | 'arm64';
  const created = (perl: string) =>
    createBubblewrap({
      bwrap: '/usr/bin/bwrap',
      perl,
      folder: join(host.root, 'created'),
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
      'memory of processes that a second thread starts',
      'memory in files without a name',
      'memory in segments that no process uses',
      'running for ever, deaf to signals',
    ])('WS-18 %s', async (name) => {
      await host.expectContained(created('/usr/bin/perl'), named(name));
    });

    test('WS-18 variables for the dynamic loader do not act on the program that sets a limit', async () => {
      const { output } = await host.attempt(
        created('/usr/bin/perl'),
        { command: 'cat /scratch/ld.* | grep -o "transferring control: .*" | sort -u' },
        { variables: { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: '/scratch/ld' } },
      );
      expect(output).toContain('bash');
      expect(output).not.toContain('prlimit');
    });
  });

  test('WS-11 a command that is canceled while its sandbox is being made does not run', async () => {
    for (const runner of [host.runner, created('/usr/bin/perl')]) {
      const canceled = await host.attempt(runner, { command: 'echo started' }, { isCanceled: true });
      expect(canceled).toMatchObject({ ending: { kind: 'killed', by: 'canceled' }, output: '' });
    }
  });

  // The server starts the launcher, and the kernel kills it with the server.
  test('WS-11 nothing is left of a sandbox that was being made when its server was killed', async () => {
    const { command, name } = stubborn();
    for (let round = 0; round < 10; round += 1) {
      const ended = host
        .attempt(created('/usr/bin/perl'), { command })
        .catch((error: Error) => error.message);
      const found = (program: string) =>
        processesWhere((line) => line.includes(name) && line.includes(program));
      await until('bubblewrap is started', () => found('bwrap --args').length > 0, { every: 1 });
      for (const pid of found('launch.pl')) process.kill(Number(pid), 'SIGKILL');
      await until('nothing is left', () => found('').length === 0);
      expect(await ended).toBe('the sandbox ended without a report');
    }
  });

  // Each of these attacks fails because of the named protection: without it, the attack is noticed.
  test.each([
    ['--unshare-net', 'a server of the host on loopback'],
    ['--unshare-net', 'an abstract socket of the host'],
    ['--unshare-net', 'other interfaces'],
    ['--seccomp 4', 'the system call io_uring_setup'],
    ['--seccomp 4', 'the system call keyctl'],
    ['--remount-ro /', 'the root of the sandbox'],
    ['--hostname sandbox', 'the name of the host'],
  ])('without %s, the attack on %s succeeds', async (protection, name) => {
    const launcher = join(host.root, 'launcher-without');
    await writeFile(launcher, withoutOption(protection), { mode: 0o755 });
    await expect(host.expectContained(created(launcher), named(name))).rejects.toThrow('expected');
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
