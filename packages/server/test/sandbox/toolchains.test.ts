// Real toolchains in the sandbox: packages are installed into the scratch volume from a folder of the workspace, and later
// commands use them.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findBubblewrap, findPodman } from '@continuo/testkit/fixtures';
import { place, said } from '../files/tools/support.ts';
import { useSandbox } from './support.ts';

const { isThere, without } = await findBubblewrap();
const skipped = (program: string) =>
  existsSync(program) ? '' : ` (skipped: there is no ${program}; install it to run this)`;

/** A package as npm stores it in a registry. */
async function packed(name: string, version: string, main: string, dependencies = {}): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'continuo-package-'));
  try {
    await mkdir(join(folder, 'package'));
    const manifest = { name, version, type: 'module', exports: './index.js', dependencies };
    await writeFile(join(folder, 'package/package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'package/index.js'), main);
    execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
    return await readFile(join(folder, 'package.tgz'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!isThere)(`a toolchain${without}`, () => {
  const world = useSandbox();

  const npm = skipped('/usr/bin/npm');
  test.skipIf(npm !== '')(
    `WS-18 an npm project installs its packages from a folder and passes its tests${npm}`,
    async () => {
      const { call, write, workspace } = await place(world);
      await write(
        '/registry/plus-1.0.0.tgz',
        await packed('plus', '1.0.0', 'export const plus = (a, b) => a + b;'),
      );
      const twice = "import { plus } from 'plus'; export const twice = (a) => plus(a, a);";
      await write('/registry/twice-2.0.0.tgz', await packed('twice', '2.0.0', twice, { plus: '1.0.0' }));
      const scripts = { test: 'node --test' };
      await write('/app/package.json', JSON.stringify({ name: 'app', type: 'module', scripts }));
      await write(
        '/app/app.test.js',
        "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { twice } from 'twice';\ntest('twice', () => assert.equal(twice(21), 42));\n",
      );
      const install = await call('exec', {
        command: 'npm install --offline --prefix /scratch /workspace/registry/*.tgz',
      });
      expect(said(install)).toContain('added 2 packages');
      expect(install.output).toMatchObject({ exit_code: 0, changes: [] });
      const tested = await call('exec', { command: 'npm test', cwd: '/app' });
      expect(said(tested)).toContain('pass 1');
      expect(tested.output).toMatchObject({ exit_code: 0, changes: [] });
      expect((await world.paths(workspace)).some((path) => path.includes('node_modules'))).toBe(false);
    },
  );

  const python = skipped('/usr/bin/python3');
  test.skipIf(python !== '')(
    `WS-18 a Python project keeps its virtual environment between commands${python}`,
    async () => {
      const { call, write } = await place(world);
      await write('/lib/plus.py', 'def plus(a, b):\n    return a + b\n');
      await write(
        '/app/test_app.py',
        'import unittest\nfrom plus import plus\n\n\nclass Test(unittest.TestCase):\n    def test_plus(self):\n        self.assertEqual(plus(1, 2), 3)\n',
      );
      const made = await call('exec', {
        command:
          '/usr/bin/python3 -m venv --without-pip /scratch/venv && cp lib/*.py /scratch/venv/lib/python3*/site-packages/',
      });
      expect(made.output).toMatchObject({ exit_code: 0, changes: [] });
      const tested = await call('exec', { command: 'which python && python -m unittest', cwd: '/app' });
      expect(said(tested)).toContain('/scratch/venv/bin/python');
      expect(said(tested)).toContain('OK');
      expect(tested.output).toMatchObject({ exit_code: 0, changes: [] });
    },
  );
});

const { isThere: isPodman, without: withoutPodman } = await findPodman();

describe.each([
  ['auto', isThere, without],
  ['podman', isPodman, withoutPodman],
] as const)('a folder of the configuration, with %s', (sandbox, isUsable, missing) => {
  // A sandbox has a /tmp of its own.
  const folder = mkdtempSync('/var/tmp/continuo-toolchain-');
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'greet'), '#!/bin/sh\necho "hello from $0"\n', { mode: 0o755 });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.skipIf(!isUsable)(`is there${missing}`, () => {
    const world = useSandbox({ sandbox, readable: [folder] });

    test('WS-18 under its own path, read-only', async () => {
      const { call } = await place(world);
      const end = await call('exec', {
        command: `${folder}/greet; touch ${folder}/new || echo refused; ls ${folder}`,
      });
      expect(said(end)).toMatch(new RegExp(`^hello from ${folder}/greet\ntouch: .*\nrefused\ngreet\n`));
    });
  });
});
