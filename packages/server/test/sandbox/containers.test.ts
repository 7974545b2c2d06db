// Commands in containers: what a command sees and proposes, its network, its end, and what is refused. The attacks are in
// attacks-containers.test.ts.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createThread, send, until } from '@continuo/testkit';
import { findPodman, freshDatabase, startPod } from '@continuo/testkit/fixtures';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { probeSandbox } from '../../src/sandbox/probe.ts';
import { place, said } from '../files/tools/support.ts';
import { running, stubborn } from './processes.ts';
import { useSandbox, wanted } from './support.ts';

const { isThere, without } = await findPodman();

describe.skipIf(!isThere)(`a command in a container${without}`, () => {
  const world = useSandbox({ sandbox: 'podman', outgoing: createOutgoing({ allow: ['127.0.0.0/8'] }) });

  test('WS-18 sees the workspace, and its changes are a proposal that apply_changes makes real', async () => {
    const { call, write, text } = await place(world);
    await write('/notes/a.txt', 'one\n');
    const end = await call('exec', {
      command:
        'cat notes/a.txt; echo "$GREETING"; pwd; echo two >> notes/a.txt; echo b > b.txt; ln -s /etc/passwd link; touch /scratch/kept; exit 3',
      env: { GREETING: 'hello,\n"you"' },
    });
    expect(said(end)).toContain('one\nhello,\n"you"\n/workspace\n[exit code 3');
    expect(end.output).toMatchObject({
      changes: [
        { path: '/b.txt', base: 0 },
        { path: '/notes/a.txt', base: 1 },
      ],
      left_out: [{ path: '/link', reason: 'it is a symbolic link' }],
    });
    expect(await text('/notes/a.txt')).toBe('one\n');
    await call('apply_changes', { call: end.call, paths: ['/notes/a.txt'] });
    expect(await text('/notes/a.txt')).toBe('one\ntwo\n');
    const slice = await call('exec', {
      command: 'ls /scratch; pwd; find /workspace -type f; echo c > c.txt',
      slice: '/notes',
    });
    expect(said(slice)).toContain('kept\n/workspace/notes\n/workspace/notes/a.txt\n[exit code 0');
    expect(slice.output).toMatchObject({ changes: [{ path: '/notes/c.txt', base: 0 }] });
  });

  test('WS-18 reaches the hosts of its call through the proxy, and no other', async () => {
    const server = createServer((_, response) => response.end('the listed host'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { call, workspace } = await place(world);
    const policy = { rules: [{ tool: '*', action: 'allow' }], network: [`127.0.0.1:${port}`] };
    await world.pool.query('update workspaces set policy = $2 where id = $1', [
      workspace,
      JSON.stringify(policy),
    ]);
    const end = await call('exec', {
      command: `curl -sS http://127.0.0.1:${port}/; curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.2:${port}/`,
      network: [`127.0.0.1:${port}`],
    });
    expect(said(end)).toContain('the listed host');
    expect(said(end)).toContain('403');
  });
});

describe.skipIf(!isThere)(`a server that runs commands in containers${without}`, () => {
  test('WS-11 kill -9 of the server leaves no process of a command', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const env = { CONTINUO_SANDBOX: 'podman', CONTINUO_SANDBOX_RUNTIME: 'runc' };
    const pod = await startPod({ databaseUrl: database.url, env });
    const { command, name } = stubborn();
    const steps = [{ calls: [{ tool: 'exec', input: { command } }] }, { text: 'Done.' }];
    await send(pod.url, await createThread(pod.url), { steps });
    await until('the tree runs', () => running(name).length === 3);
    pod.kill('SIGKILL');
    await until('the tree is gone', () => running(name).length === 0);
  });
});

describe('a container that cannot be trusted is not used', () => {
  test.each([
    [
      'that runs the command without isolation',
      'while [ "$1" != /usr/bin/perl ]; do shift; done; exec "$@"',
      'does not hold',
    ],
    ['that ends without having run anything', 'exit 0', 'without a report'],
    ['that cannot be made', 'echo "Error: no such runtime" >&2; exit 125', 'no such runtime'],
  ])('WS-18 one %s', async (_, script, reason) => {
    const folder = await mkdtemp(join(tmpdir(), 'continuo-probe-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o755);
    const program = `#!/bin/sh\n[ "$1" = run ] || exit 0\n${script}\n`;
    await writeFile(join(folder, 'docker'), program, { mode: 0o755 });
    const probed = await probeSandbox(wanted('docker'), join(folder, 'runner'), { PATH: folder });
    const isRoot = process.geteuid!() === 0;
    expect(probed).toMatchObject({
      ok: false,
      reason: expect.stringContaining(isRoot ? reason : 'runs as root'),
      remedy: expect.stringMatching(/./),
    });
  });
});
