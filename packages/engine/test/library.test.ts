// The engine as a library: what it needs, what it is made of, and the program in its manual.

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const repository = join(root, '..', '..');
const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');

const compile = (project: string) => run(process.execPath, [compiler, '--project', project]);

async function temporaryFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, '.tmp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function sources(): Promise<{ name: string; text: string }[]> {
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) => ({
      name: relative(join(root, 'src'), file),
      text: await readFile(file, 'utf8'),
    })),
  );
}

async function manualProgram(): Promise<string> {
  const manual = await readFile(join(repository, 'docs', 'engine.md'), 'utf8');
  const programs = [...manual.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1]!);
  expect(programs).toHaveLength(1);
  return programs[0]!;
}

function expectManualOutput(stdout: string): void {
  expect(stdout).toMatch(/^polly conversation_start\npolly conversation_responding\npolly \{/);
  expect(stdout).toContain("text: 'who! is! there! '");
  expect(stdout).toMatch(/\npolly conversation_end\npolly cost 0\.014\n$/);
}

test('ENG-12 the package depends on nothing', async () => {
  const manifest: Record<string, unknown> = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  expect(manifest['exports']).toEqual({ '.': './src/index.ts' });
});

test('ENG-12 every import in the sources is of another source file', async () => {
  const files = await sources();
  const names = files.map(({ name }) => name);
  let count = 0;
  for (const { name, text } of files) {
    expect(text, name).not.toMatch(/\brequire\(|\bimport\(|^import '/m);
    for (const [, specifier] of text.matchAll(/\bfrom '([^']+)'/g)) {
      expect(specifier, name).toMatch(/^\.\.?\//);
      expect(names, name).toContain(join(dirname(name), specifier!));
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(20);
});

test('ENG-3 no source uses a clock or randomness', async () => {
  for (const { name, text } of await sources()) {
    expect(text, name).not.toMatch(/\b(Date|Math\.random|performance|crypto)\b/);
  }
});

test('ENG-12 the layout is that of the design', async () => {
  const names = (await sources()).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'index.ts',
      'AgentEngine.ts',
      'AgentProcessor.ts',
      'Driver.ts',
      'Presenter.ts',
      join('internal', 'index.ts'),
      join('internal', 'messageAssemblerProcessor.ts'),
      join('internal', 'stateMachineProcessor.ts'),
      join('internal', 'turnTrackerProcessor.ts'),
    ]),
  );
});

test('ENG-12 the internal processors are reached through internal/index.ts alone', async () => {
  const outside = (await sources()).filter(({ name }) => dirname(name) === '.');
  const reached = outside.flatMap(({ text }) =>
    [...text.matchAll(/from '(\.\/internal\/[^']+)'/g)].map(([, specifier]) => specifier),
  );
  expect(new Set(reached)).toEqual(new Set(['./internal/index.ts']));
});

test('ENG-10 examples/engine-with-stores.ts fills the three stores by presenters, on two engines', async () => {
  const { stdout } = await run(process.execPath, [join(repository, 'examples', 'engine-with-stores.ts')]);
  expect(stdout).toBe(
    [
      'polly said: "who! is! there!", "nobody!"',
      'jacko said: "good! night!"',
      'polly is at conversation_end, jacko is at conversation_end',
      'polly: 2 turns, 4 tokens in, 4 tokens out, cost 24',
      'jacko: 1 turn, 2 tokens in, 2 tokens out, cost 12',
      '',
    ].join('\n'),
  );
});

test('ENG-12 the sources compile with the language alone, without any platform', async () => {
  const settings = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'));
  expect(settings.compilerOptions).toMatchObject({ lib: ['es2023'], types: [] });
  await compile(root);
});

test.each(['setTimeout(() => {}, 1);', 'console.log(1);', 'process.exit();', "import 'node:fs';"])(
  'ENG-12 with those settings the compiler refuses %s',
  async (line) => {
    const folder = await temporaryFolder(here);
    await writeFile(join(folder, 'impure.ts'), `${line}\nexport {};\n`);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', include: ['impure.ts'] }),
    );
    await expect(compile(folder)).rejects.toMatchObject({ stdout: expect.stringContaining('impure.ts(1,') });
  },
);

test('ENG-12 the program in the manual is short, compiles and runs', async () => {
  const program = await manualProgram();
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
  const folder = await temporaryFolder(here);
  await writeFile(join(folder, 'example.ts'), program);
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', include: ['example.ts'] }),
  );
  await compile(folder);
  expectManualOutput((await run(process.execPath, [join(folder, 'example.ts')])).stdout);
});

test('ENG-12 the program runs with nothing but the engine installed', async () => {
  const folder = await temporaryFolder(tmpdir());
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await writeFile(join(folder, 'example.ts'), await manualProgram());
  expectManualOutput((await run(process.execPath, ['example.ts'], { cwd: folder })).stdout);
});
