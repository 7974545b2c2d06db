// Builds `dist`, the content of the package: the command, the server, the client and shared packages, compiled file by
// file in the layout of the clone, and the console's build. Code that finds files relative to itself (sql/, the
// built-in roles, the console) therefore finds them here, too. Other packages stay dependencies.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { buildConsole } from '../../scripts/console.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const packages = dirname(here);
const root = dirname(packages);
const dist = join(here, 'dist');

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({
  // The second file runs in the server's worker threads; nothing imports it.
  input: [join(here, 'src/main.ts'), join(packages, 'server/src/compute/worker.ts')],
  platform: 'node',
  external: (id) => !/^[./]|^@continuo\//.test(id),
  // Some modules are imported only for their side effects.
  treeshake: false,
});
await bundle.write({
  dir: dist,
  format: 'esm',
  preserveModules: true,
  preserveModulesRoot: packages,
  entryFileNames: '[name].js',
});
await bundle.close();

const { name, version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
writeFileSync(join(dist, 'cli/package.json'), JSON.stringify({ name, version, type: 'module' }));
cpSync(join(root, 'LICENSE'), join(here, 'LICENSE'));
await buildConsole(root, async () => {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const { status } = spawnSync(process.execPath, [vite, 'build', 'packages/console'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // Independent of the caller's NODE_ENV: React has another build for development.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error('the console could not be built');
});
for (const path of [
  'server/sql',
  'server/src/agents/built-in',
  'server/src/sandbox/launch.pl',
  'server/src/sandbox/container/enter.pl',
  'server/src/context/prompts',
  'console/dist',
])
  cpSync(join(packages, path), join(dist, path), { recursive: true });
