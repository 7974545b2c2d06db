// The attacks on containers: the same as on bubblewrap. Starting a container takes long, so those that leave nothing to the next
// share one.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findPodman } from '@continuo/testkit/fixtures';
import { createContainerRunner } from '../../src/sandbox/container/container.ts';
import { probeSandbox } from '../../src/sandbox/probe.ts';
import { useAttackedHost } from './attack-world.ts';
import { ATTACKS } from './attacks.ts';
import { wanted } from './support.ts';

const { isThere, without } = await findPodman();
const MARK = '-- the next attack --';
const SHARED = [
  'reading outside',
  'writing outside',
  'through /proc',
  'for more privileges',
  'over the network',
];
const ALONE = ['signals to all processes', 'removing the workspace'];

describe.skipIf(!isThere)(`an attack on a container${without}`, () => {
  const host = useAttackedHost('podman');

  test.each(SHARED)('WS-18 %s', async (kind) => {
    const attacks = ATTACKS[kind]!.filter(({ name }) => !ALONE.includes(name));
    const command = attacks
      .map((attack) => `cd /workspace; bash -c ${quoted(attack.command)}; echo; echo '${MARK}'`)
      .join('\n');
    const output = await host.expectContained(host.runner, { name: kind, command });
    const outputs = output.split(`${MARK}\n`);
    expect(outputs).toHaveLength(attacks.length + 1);
    for (const [index, { name, expect: expected }] of attacks.entries()) {
      if (expected !== undefined)
        expect([name, outputs[index]]).toEqual([name, expect.stringContaining(expected)]);
    }
  });

  const alone = Object.entries(ATTACKS).flatMap(([kind, attacks]) =>
    attacks.filter(({ name }) => !SHARED.includes(kind) || ALONE.includes(name)),
  );
  test.each(alone.map((attack) => [attack.name, attack] as const))('WS-18 %s', async (_, attack) => {
    await host.expectContained(host.runner, attack);
  });

  // Each of these attacks fails because of the named protection: with another value, the attack is noticed.
  test.each([
    ['--network', 'host', 'a server of the host on loopback'],
    ['--user', '0:0', 'the super-user'],
    ['--hostname', 'other', 'the name of the host'],
  ])('with %s %s, the attack on %s succeeds', async (option, value, name) => {
    const program = join(host.root, 'podman-with');
    const script = `#!/usr/bin/bash
args=()
for arg in "$@"; do
  if [ "$last" = ${option} ]; then args+=(${value}); else args+=("$arg"); fi
  last=$arg
done
exec /usr/bin/podman "\${args[@]}"
`;
    await writeFile(program, script, { mode: 0o755 });
    const weak = await createContainerRunner({
      engine: 'podman',
      program,
      perl: '/usr/bin/perl',
      runtime: 'runc',
      folder: join(host.root, 'weak'),
      readable: [],
      machine: process.arch as 'x64' | 'arm64',
    });
    const attack = Object.values(ATTACKS)
      .flat()
      .find((each) => each.name === name)!;
    await expect(host.expectContained(weak, attack)).rejects.toThrow('expected');
  });
});

describe.skipIf(!isThere)(`an engine of containers that drops a limit is not used${without}`, () => {
  test.each([
    ['--memory', 'complete memory'],
    ['--pids-limit', 'process-count complete'],
  ])('WS-18 %s', async (option, reason) => {
    const folder = await mkdtemp(join(tmpdir(), 'continuo-probe-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    const script = `#!/usr/bin/bash
args=()
while [ $# -gt 0 ]; do
  case "$1" in ${option}|${option}-swap) shift 2;; *) args+=("$1"); shift;; esac
done
exec /usr/bin/podman "\${args[@]}"
`;
    await writeFile(join(folder, 'podman'), script, { mode: 0o755 });
    const probed = await probeSandbox(wanted('podman'), join(folder, 'runner'), { PATH: folder });
    expect(probed).toMatchObject({ ok: false, reason: `the sandbox does not hold: ${reason}` });
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
