// The guides, run as they are written; and what they, llms.txt and the skill for coding agents name: commands, options, routes,
// settings and files that there are.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask, until } from '@continuo/testkit';
import {
  emptyDatabase,
  findNginx,
  freshDatabase,
  runNginx,
  startPod,
  temporaryFolder,
  usePod,
} from '@continuo/testkit/fixtures';
import { createProgram } from '../src/program.ts';
import { BIN, environment } from './support.ts';

// Many processes are started, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const ROOT = join(import.meta.dirname, '../../..');
const page = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const GUIDES = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
const PAGES = [...GUIDES, 'llms.txt', 'skills/continuo/SKILL.md'];

const world = usePod({ CONTINUO_MODEL: 'offline/demo' });

/** The blocks of a page in a language. */
const blocks = (path: string, language: string) =>
  [...page(path).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text!);

interface Paste {
  readonly folder: string;
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the blocks in one shell, which ends at the first command that fails; returns what each block printed. */
async function paste(given: readonly string[], { folder, url, env }: Paste): Promise<string[]> {
  const mark = '—— the next block ——';
  const script = given
    .join(`\necho '${mark}'\n`)
    .replaceAll('npx continuo ', `'${process.execPath}' '${BIN}' `)
    .replaceAll('http://127.0.0.1:4400', url);
  const own = environment({ CONTINUO_URL: url, NO_COLOR: '1', ...env });
  const child = spawn('sh', ['-e', '-c', script], {
    cwd: folder,
    env: { ...own, PATH: `${dirname(process.execPath)}${delimiter}${own.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, errors: code === 0 ? '' : errors, output: code === 0 ? '' : output }).toEqual({
    code: 0,
    errors: '',
    output: '',
  });
  return output.split(`${mark}\n`);
}

test('the guide from curl to a React page works as written', async () => {
  const guide = 'docs/guides/from-curl-to-a-react-page.md';
  const [, all, rest, second] = await paste(blocks(guide, 'sh'), {
    folder: temporaryFolder(),
    url: world.url,
  });
  expect(all).toMatch(/^id: 1\n/m);
  expect(all).toMatch(/^event: state\nid: \d+\ndata: \{"status":"done"/m);
  expect(rest).toBe(all!.slice(all!.indexOf('event: ', all!.indexOf('id: 3\n'))));
  const message = JSON.parse(second!) as { run: { id: string } };
  await until('the stop is obeyed', async () => {
    const { body } = await ask('GET', `${world.url}/api/runs/${message.run.id}`);
    return body.status === 'canceled' || body.status === 'done';
  });
});

test('the guide on installing the client works as written', async () => {
  const folder = temporaryFolder();
  // What npm install does; the packed library has a test of its own.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const guide = 'docs/guides/installing-the-client.md';
  writeFileSync(join(folder, 'hello.ts'), blocks(guide, 'ts')[0]!);
  const [printed] = await paste(blocks(guide, 'sh'), { folder, url: world.url });
  expect(printed).toMatch(/^\n\[running\]\n[^]+\n\[done\]\n$/);
});

test('the program of the skill for coding agents works as written', async () => {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'main.ts'), blocks('skills/continuo/SKILL.md', 'ts')[0]!);
  const [printed] = await paste(['node main.ts'], { folder, url: world.url });
  expect(printed).toContain('done');
});

test('the guide on a provider’s key works as written, with a provider that wants the key', async () => {
  const keys: (string | undefined)[] = [];
  const provider = createServer((request, response) => {
    keys.push(request.headers.authorization);
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (choice: object, usage?: object) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...usage })}\n\n`;
    response.write(chunk({ delta: { role: 'assistant', content: 'Hello.' }, finish_reason: null }));
    response.write(
      chunk(
        { delta: {}, finish_reason: 'stop' },
        { usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } },
      ),
    );
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void provider.close());
  const database = await freshDatabase();
  const { port } = provider.address() as AddressInfo;
  const pod = await startPod({
    databaseUrl: database.url,
    env: {
      CONTINUO_MODEL: 'compatible/m',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: 'the-key',
    },
  });
  onTestFinished(async () => {
    await pod.end();
    await database.drop();
  });
  const [used, usage] = await paste(blocks('docs/guides/a-providers-key.md', 'sh'), {
    folder: temporaryFolder(),
    url: pod.url,
  });
  expect(used).toContain('compatible/m');
  expect(used).toContain('Hello.\n');
  expect(new Set(keys)).toEqual(new Set(['Bearer the-key']));
  expect(usage).toContain('"key":"compatible/m"');
});

test('the guide on upgrading works as written: backup, recording, migration, check', async () => {
  const database = await emptyDatabase();
  onTestFinished(() => database.drop());
  const folder = temporaryFolder();
  const env = { DATABASE_URL: database.url, CONTINUO_HOME: join(folder, 'home') };
  const where = { folder, url: world.url, env };
  await paste(['npx continuo migrate'], where);
  const [recorded, checked] = await paste(blocks('docs/guides/upgrading.md', 'sh'), where);
  expect(recorded).toContain('before.zip');
  expect(checked).toContain('The schema is up to date.');
  const other = await emptyDatabase();
  onTestFinished(() => other.drop());
  const [back] = blocks('docs/guides/upgrading.md', 'shell').filter((block) => block.includes('restore'));
  await paste([back!], { ...where, env: { ...env, DATABASE_URL: other.url } });
});

const nginx = await findNginx();
test.skipIf('why' in nginx)(
  `RUN-12 the guide on nginx works as written, with TLS, and its stream is not buffered${'why' in nginx ? ` (skipped: ${nginx.why})` : ''}`,
  async () => {
    const guide = 'docs/guides/behind-nginx.md';
    const folder = temporaryFolder();
    const key = 'a-key-for-programs-0123456789';
    const database = await freshDatabase();
    const pod = await startPod({
      databaseUrl: database.url,
      env: { CONTINUO_API_KEY: key, CONTINUO_ALLOWED_HOSTS: 'localhost', CONTINUO_MODEL: 'offline/script' },
    });
    onTestFinished(async () => {
      await pod.end();
      await database.drop();
    });
    const [certificate, stream] = blocks(guide, 'sh');
    await paste([certificate!], { folder, url: pod.url });
    const [server] = blocks(guide, 'nginx');
    const proxy = await runNginx((nginx as { program: string }).program, (own, port) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${own}/${name};`,
      );
      const site = server!
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace('http://127.0.0.1:4400', pod.url)
        .replaceAll('/etc/nginx/tls', join(folder, 'tls'));
      return `${process.geteuid?.() === 0 ? 'user root;' : ''}
pid ${own}/pid;
events {}
http {
  access_log off;
  ${temporary.join(' ')}
  ${site}
}`;
    });
    onTestFinished(() => proxy.end());
    // The answer does not end by itself: what is read of it was not kept back until an end.
    const hanging = JSON.stringify(JSON.stringify({ steps: [{ text: 'so far', hang: true }] }));
    const command = stream!
      .replace('https://localhost/', `https://localhost:${proxy.port}/`)
      .replace('"Count to ten."', hanging);
    const child = spawn('sh', ['-c', `exec ${command}`], {
      cwd: folder,
      env: environment({ CONTINUO_API_KEY: key }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill());
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until(
      'the stream shows the text',
      () => /^data: \{"text":"so/m.test(output) || child.exitCode !== null,
    );
    expect({ output, code: child.exitCode }).toEqual({
      output: expect.stringContaining('data: {"text":"so'),
      code: null,
    });
  },
);

test('the systemd unit is one that systemd accepts', async (context) => {
  const verify = ['systemd-analyze', 'verify', join(ROOT, 'deploy/systemd/continuo.service')];
  const child = spawn(verify[0]!, verify.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve('absent'));
    child.once('close', resolve);
  });
  if (code === 'absent') context.skip('systemd is not installed');
  expect({ code, said: said.split('\n').filter((line) => line.includes('continuo')) }).toEqual({
    code: 0,
    said: [],
  });
});

describe('what the guides, llms.txt and the skill name is there', () => {
  test('commands and their options', () => {
    const program = createProgram({ quiet: true });
    const named = PAGES.flatMap((path) =>
      [...page(path).matchAll(/(?:npx continuo|(?<=`|^)continuo)(?: ((?:[a-z]+ ?)+))?([^`\n#]*)/gm)].map(
        ([, words = '', rest = '']) => ({ path, words: words.trim().split(' '), rest }),
      ),
    );
    expect(named.length).toBeGreaterThan(15);
    for (const { path, words, rest } of named) {
      const found = commandOf(program, words);
      if (words[0] !== '')
        expect({ path, words, found: found !== null }).toEqual({ path, words, found: true });
      const options = rest.split(' -- ')[0]!.match(/(?<=\s|^)--[a-z-]+/g) ?? [];
      const known = ['--help', ...(found ?? commandOf(program, ['start'])!).options.map(({ long }) => long)];
      expect({ path, words, unknown: options.filter((option) => !known.includes(option)) }).toEqual({
        path,
        words,
        unknown: [],
      });
    }
  });

  test('routes', async () => {
    const { body } = await ask('GET', `${world.url}/openapi.json`);
    const plain = (path: string) => path.replaceAll(/\{[^}]*\}/g, '{}');
    const routes = new Set(
      Object.entries<object>(body.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${plain(path)}`),
      ),
    );
    const named = PAGES.flatMap((path) =>
      [...page(path).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)/g)].map(
        ([, method, route]) => `${method} ${plain(route!)}`,
      ),
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((route) => !routes.has(route) && route !== 'GET /openapi.json')).toEqual([]);
  });

  test('settings, links and entries of the packages', () => {
    const settings = page('docs/operation.md');
    const client = JSON.parse(page('packages/client/package.json')) as { exports: Record<string, string> };
    for (const path of PAGES) {
      const text = page(path);
      for (const [name] of text.matchAll(/CONTINUO_[A-Z_]+/g))
        expect({ path, name, told: settings.includes(`\`${name}\``) }).toEqual({ path, name, told: true });
      for (const [, link] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g))
        expect({ path, link, there: existsSync(join(ROOT, dirname(path), link!)) }).toEqual({
          path,
          link,
          there: true,
        });
      for (const [, entry = ''] of text.matchAll(/@continuo\/client(\/[a-z]+)?/g))
        expect(Object.keys(client.exports)).toContain(`.${entry}`);
    }
  });

  test('the list of guides has every guide, and the README links to it', () => {
    const index = page('docs/guides/README.md');
    for (const guide of GUIDES.filter((path) => !path.endsWith('README.md')))
      expect(index).toContain(`(${guide.replace('docs/guides/', '')})`);
    expect(page('README.md')).toContain('(docs/guides/README.md)');
  });
});

/** The command that the first words name; null if there is none. */
function commandOf(program: Command, [first, second]: readonly string[]): Command | null {
  const found = program.commands.find((each) => each.name() === first);
  return found?.commands.find((each) => each.name() === second) ?? found ?? null;
}
