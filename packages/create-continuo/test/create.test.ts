// `npm create continuo`: packed, run in an empty folder, and each template installed from tarballs, built, and used with a server.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ask, createThread, seen } from '@continuo/testkit';
import { chromiumPath, violations, WITHOUT } from '@continuo/testkit/browser';
import {
  freePort,
  installInto,
  LIBRARIES,
  npm,
  packPackages,
  usePod,
  withoutNpm,
} from '@continuo/testkit/fixtures';

const MINUTES = 60_000;
vi.setConfig({ testTimeout: 5 * MINUTES });
const NO_REGISTRY = 'there is no npm registry to install from';
const world = usePod({ CONTINUO_MODEL: 'offline/instant' });

let folder: string;
const tarball = (name: string) => {
  const found = readdirSync(folder).find((each) => each.endsWith('.tgz') && each.includes(name));
  return join(folder, found ?? `${name} was not packed`);
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'continuo-create-'));
  await packPackages([...LIBRARIES, 'create-continuo'], folder);
}, 5 * MINUTES);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `npm create continuo` does once it has the package. */
const create = (...args: string[]) =>
  npm(['exec', '--yes', `--package=${tarball('create-continuo')}`, '--', 'create-continuo', ...args], folder);

async function install(app: string): Promise<boolean> {
  const libraries = LIBRARIES.map((name) => tarball(`continuo-${name}-`));
  return installInto(join(folder, app), libraries);
}

/** Starts a program of the app that ends with the test. */
function run(app: string, args: readonly string[]): ChildProcess {
  const env = withoutNpm({ CONTINUO_URL: world.url });
  const child = spawn(process.execPath, args, {
    cwd: join(folder, app),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const prints = (child: ChildProcess, text: string) =>
  new Promise<void>((resolve, reject) => {
    let printed = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes(text)) resolve();
    });
    child.once('exit', () => reject(new Error(`it ended before it printed ${text}: ${printed}`)));
  });

test('PLUS-5 npm create continuo makes a worker that type-checks, builds, and writes the answers of runs', async (context) => {
  const { stdout } = await create('my-worker', '--template', 'worker');
  expect(stdout).toContain('cd my-worker');
  expect(readFileSync(join(folder, 'my-worker/.gitignore'), 'utf8')).toContain('node_modules/');
  expect(JSON.parse(readFileSync(join(folder, 'my-worker/package.json'), 'utf8'))).toMatchObject({
    name: 'my-worker',
    dependencies: { '@continuo/client': '0.1.0' },
  });
  if (!(await install('my-worker'))) context.skip(NO_REGISTRY);
  await npm(['run', 'build'], join(folder, 'my-worker'));
  const worker = run('my-worker', ['dist/worker.js']);
  await prints(worker, 'Answers for executor/hello');
  const thread = await createThread(world.url);
  const { body } = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content: 'Good morning',
    model: 'executor/hello',
  });
  expect((await seen(world.url, body.run.id, 'final')).data).toMatchObject({
    text: expect.stringContaining('You said "Good morning". That was message 1.'),
  });
  const written = await fetch(`${world.url}/api/v1/workspaces/default/files/notes/greetings.md`);
  expect(await written.text()).toContain('1: Good morning');
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill('SIGTERM');
  expect(await exited).toBe(0);
});

test.skipIf(chromiumPath === null)(
  `PLUS-5 npm create continuo makes a React chat that type-checks, builds, and chats in a browser${WITHOUT}`,
  async (context) => {
    await create('My Chat');
    expect(JSON.parse(readFileSync(join(folder, 'My Chat/package.json'), 'utf8'))).toMatchObject({
      name: 'my-chat',
    });
    if (!(await install('My Chat'))) context.skip(NO_REGISTRY);
    await npm(['run', 'build'], join(folder, 'My Chat'));
    const port = await freePort();
    const preview = run('My Chat', [
      'node_modules/vite/bin/vite.js',
      'preview',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ]);
    await prints(preview, String(port));
    const browser = await chromium.launch({
      executablePath: chromiumPath!,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 390, height: 700 } });
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello there');
    await page.keyboard.press('Enter');
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('Hello there', { exact: true }).waitFor();
    await messages.locator('.answer').waitFor();
    const address = page.url();
    expect(address).toMatch(/#[0-9a-f-]{36}$/);
    await page.getByRole('textbox', { name: 'Message' }).fill('And again');
    await page.getByRole('button', { name: 'Send' }).click();
    await messages.locator('.answer').nth(1).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await messages.locator('.answer').nth(1).waitFor();
    expect(await messages.locator('.person').allTextContents()).toEqual(['Hello there', 'And again']);
    if (process.env.PICTURES)
      await page.screenshot({ path: join(process.env.PICTURES, 'template-chat.png') });
    await page.getByRole('link', { name: 'New chat' }).click();
    await page.getByText('Say something.').waitFor();
  },
);

test('npm create continuo refuses a folder with files, an unknown template, and no folder, and says what is there', async () => {
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full/mine.txt'), 'x');
  const refused = [
    [['full'], 'is not an empty folder'],
    [['full/mine.txt'], 'is not an empty folder'],
    [['new', '--template', 'toString'], 'there are: chat, worker'],
    [[], 'Name one folder'],
    [['new', '--colour'], '--colour'],
  ] as const;
  const program = join(import.meta.dirname, '../index.mjs');
  for (const [args, message] of refused) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect({ args, status, stderr }).toEqual({ args, status: 2, stderr: expect.stringContaining(message) });
  }
  expect(readdirSync(join(folder, 'full'))).toEqual(['mine.txt']);
  expect(readdirSync(folder)).not.toContain('new');
});

test('the templates name the versions of the libraries and tools that the repository is tested with', () => {
  const root = join(import.meta.dirname, '../../..');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  for (const template of ['chat', 'worker']) {
    const manifest = JSON.parse(
      readFileSync(join(root, 'packages/create-continuo/templates', template, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
    const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    for (const [name, version] of named.filter(([each]) => each !== '@continuo/client'))
      expect([name, version]).toEqual([name, lock.packages[`node_modules/${name}`]!.version]);
  }
});
