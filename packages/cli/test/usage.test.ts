// The command without a server: help, usage errors, and missing settings.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { EXIT } from '../src/failure.ts';
import { continuo } from './support.ts';

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifest = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}/package.json`, import.meta.url), 'utf8')) as Manifest;

/** A port without a listener: reserved, then released. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('PLUS-5 --help lists every command and the exit codes, --version is the package’s', async () => {
  const help = await continuo(['--help']);
  expect(help.code).toBe(0);
  const commands =
    'start chat runs tail why top stop approve chats workspaces files projects entities documents search backup restore migrate doctor';
  for (const name of commands.split(' ')) expect(help.stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  expect(help.stdout).toContain('3 no server');
  const version = await continuo(['--version']);
  expect(version.stdout).toBe(`${manifest('cli').version}\n`);
});

test('the exit codes match docs/cli.md', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| (\d+) \| /gm)].map(([, code]) => Number(code));
  expect(documented).toEqual(Object.values(EXIT));
});

test('PLUS-5 a usage error is exit code 2 and says what is allowed', async () => {
  for (const args of [
    ['chta'],
    ['tail'],
    ['runs', '--status', 'gone'],
    ['runs', '-n', '0'],
    ['files', 'nothing'],
    ['--port', 'seven'],
    ['start', '--port', '65536'],
    ['tail', 'x'],
    ['why', '..'],
    ['stop', '01a1e264'],
    ['approve', 'x'],
    ['chat', 'hi', '--chat', 'x'],
    ['runs', '--chat', ''],
  ]) {
    const { code, stdout, stderr } = await continuo(args);
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
    expect(stderr).toMatch(/error: /);
  }
  expect((await continuo(['chta'])).stderr).toContain("unknown command 'chta'");
  for (const options of [['--json'], ['--home', 'x'], ['--port', '5000']])
    expect((await continuo([...options, 'runs'])).stderr).toContain(
      "options come after the command's name: continuo runs [options]",
    );
  expect((await continuo(['--url', 'x', 'runs'])).stderr).toContain("options come after a command's name");
});

test('PLUS-5 with --json a usage error is JSON as well', async () => {
  const wrong = [
    ["'foo' is invalid. Allowed choices", 'runs', '--json', '--status', 'foo'],
    ['It must be a whole number', 'runs', '-n', '0', '--json'],
    ['It must be an id', 'tail', '--json', 'nope'],
    ["missing required argument 'run'", 'why', '--json'],
    ["missing required argument 'to'", 'files', 'mv', 'h/x.md', '--json'],
    ["unknown command 'foo'", 'foo', '--json'],
    [
      'files needs a command: ls, cat, write, log, diff, restore, mv, rm, trash, pull, push',
      'files',
      '--json',
    ],
    ["unknown command 'nothing'", 'files', 'nothing', '--json'],
    ["unknown option '--all'", 'files', '--all', '--json'],
    ["options come after the command's name: continuo files ls [options]", 'files', '--json', 'ls'],
    ['Unknown command', 'help', 'foo', '--json'],
    ["options come after the command's name", '--json', 'runs'],
    ['"nonsense" is not a server address', 'runs', '--json', '--url', 'nonsense'],
    ['"ftp://x" is not a server address', 'doctor', '--json', '--url', 'ftp://x'],
    ['must not contain a user name or password', 'runs', '--json', '--url', 'http://me:secret@x'],
    ['must not contain "?"', 'runs', '--json', '--url', 'http://x/?a=1'],
  ] as const;
  const ended = await Promise.all(
    wrong.map(async ([message, ...args]) => ({ message, args, ...(await continuo(args)) })),
  );
  for (const { message, args, code, stdout, stderr } of ended) {
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: expect.stringContaining(message), hint: expect.any(String) },
    });
  }
  const { code, stderr } = await continuo(['runs'], { env: { CONTINUO_URL: 'localhost:4400' } });
  expect(code).toBe(2);
  expect(stderr).toContain('such as http://127.0.0.1:4400');
});

test('PLUS-5 without a server, every command that needs one says how to start it, with exit code 3', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const id = '01a1e264-eff2-7144-8d90-9c91a4b3dc89';
  const commands = [
    ['chat', 'hi'],
    ['runs'],
    ['tail', id],
    ['why', id],
    ['stop', id],
    ['approve'],
    ['top', '--once'],
    ['files', 'ls'],
    ['projects', 'list'],
    ['entities', 'list', 'task'],
    ['documents', 'tree'],
    ['search', 'tea'],
  ];
  const ended = await Promise.all(commands.map((args) => continuo([...args, '--url', url])));
  for (const { code, stdout, stderr } of ended) {
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(url);
    expect(stderr).toContain('Start a server with `continuo`');
  }
  const { code, stderr } = await continuo(['runs', '--json'], { env: { CONTINUO_URL: url } });
  expect(code).toBe(3);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'connection_failed', hint: expect.any(String) },
  });
});

test('PLUS-5 an invalid setting stops the start with a clear error', async () => {
  const { code, stderr } = await continuo([], { env: { CONTINUO_PORT: 'seven' } });
  expect(code).toBe(1);
  expect(stderr).toContain('CONTINUO_PORT is "seven"; allowed: a whole number');
});

test('the package has the dependencies of its parts, in the same versions, and three of its own', () => {
  const parts = ['engine', 'protocol', 'client', 'offline-model', 'postgres', 'server'].map(manifest);
  const merged = (of: 'dependencies' | 'optionalDependencies') =>
    Object.assign({}, ...parts.map((part) => part[of] ?? {})) as Record<string, string>;
  const { dependencies, optionalDependencies } = manifest('cli');
  const own = ['@clack/prompts', 'commander', 'picocolors'];
  const ours = (name: string) => own.includes(name) || name.startsWith('@continuo/');
  const foreign = (of: Record<string, string>) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !ours(name)));
  expect(foreign(dependencies!)).toEqual(foreign(merged('dependencies')));
  expect(optionalDependencies).toEqual(merged('optionalDependencies'));
});
