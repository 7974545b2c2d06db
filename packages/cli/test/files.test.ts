// Files from a shell.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { usePod } from '@continuo/testkit/fixtures';
import { continuo, start } from './support.ts';

const world = usePod();
const folder = mkdtempSync(join(tmpdir(), 'continuo-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = (args: readonly string[], input?: string | Uint8Array, url = world.url) =>
  continuo(['files', ...args, '--url', url], {
    env: { NO_COLOR: '1' },
    ...(input !== undefined && { input }),
  });

test('PLUS-5 a file is written from a pipe or a file, and read back byte for byte', async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
  const local = join(folder, 'raw.bin');
  writeFileSync(local, bytes);
  expect((await files(['write', '/raw.bin', local])).stdout).toBe('/raw.bin is at version 1\n');
  expect(new Uint8Array((await files(['cat', 'raw.bin'])).raw)).toEqual(bytes);
  const shown = JSON.parse((await files(['cat', 'raw.bin', '--json'])).stdout);
  expect(shown).toMatchObject({
    path: '/raw.bin',
    version: 1,
    base64: Buffer.from(bytes).toString('base64'),
  });
  expect((await files(['write', 'raw.bin', local])).stdout).toBe('/raw.bin unchanged, at version 1\n');

  expect(JSON.parse((await files(['write', 'notes/a.md', '--json'], 'one\n')).stdout)).toMatchObject({
    path: '/notes/a.md',
    version: 1,
  });
  expect((await files(['ls'])).stdout).toMatch(/\/notes\/\n.*1000 B +1 .* person +\/raw\.bin\n/s);
  const { items } = JSON.parse((await files(['ls', '-r', '--json'])).stdout);
  expect(items.map(({ path }: { path: string }) => path)).toEqual(['/notes', '/notes/a.md', '/raw.bin']);
  expect(await files(['cat', 'none.md'])).toMatchObject({ code: 4, stdout: '' });
});

test('PLUS-5 versions are listed, compared and restored; a stale base is a conflict', async () => {
  await files(['write', 'v.md'], 'one\ntwo\n');
  await files(['write', 'v.md', '--base', '1'], 'one\n2\n');
  const stale = await files(['write', 'v.md', '--base', '1'], 'ONE\ntwo\n');
  expect(stale).toMatchObject({ code: 5, stdout: '' });
  expect((await files(['write', 'v.md', '--base', '0'], 'x')).code).toBe(5);
  const merged = await files(['write', 'm.md'], 'a\nb\nc\nd\ne\n');
  expect(merged.code).toBe(0);
  await files(['write', 'm.md'], 'A\nb\nc\nd\ne\n');
  expect((await files(['write', 'm.md', '--base', '1', '--merge'], 'a\nb\nc\nd\nE\n')).stdout).toContain(
    'merged into version 3',
  );
  expect((await files(['cat', 'm.md'])).stdout).toBe('A\nb\nc\nd\nE\n');

  const listed = (await files(['log', 'v.md'])).stdout.split('\n').slice(1, -1);
  expect(listed.map((line) => line.split(/ {2,}/)[0])).toEqual(['2', '1']);
  const diff = await files(['diff', 'v.md']);
  expect(diff.stdout).toContain('-two\n+2');
  expect(JSON.parse((await files(['diff', 'v.md', '1', '2', '--json'])).stdout)).toMatchObject({
    from: 1,
    to: 2,
    added: 1,
    removed: 1,
  });
  expect((await files(['diff', 'v.md', 'x'])).code).toBe(2);
  expect((await files(['cat', 'v.md', '--version', '1'])).stdout).toBe('one\ntwo\n');
  expect((await files(['restore', 'v.md', '1'])).stdout).toContain(
    'is at version 3, restored from version 1',
  );
  expect((await files(['cat', 'v.md'])).stdout).toBe('one\ntwo\n');
});

test('PLUS-5 a whole folder is pushed and pulled; an unchanged file makes no version', async () => {
  const local = join(folder, 'push');
  mkdirSync(join(local, 'deep/er'), { recursive: true });
  mkdirSync(join(local, '.git'));
  writeFileSync(join(local, '.git/config'), 'not this');
  writeFileSync(join(local, 'a.md'), 'a');
  writeFileSync(join(local, 'deep/er/ä b.bin'), Uint8Array.from([0, 255, 1]));
  symlinkSync('/etc/hostname', join(local, 'link'));

  const pushed = await files(['push', local, '/site']);
  expect(pushed).toMatchObject({ code: 0, stdout: '2 files written, 0 unchanged\n' });
  // Without a terminal: a line for each file.
  expect(pushed.stderr.trimEnd().split('\n')).toEqual(['1/2 /site/a.md', '2/2 /site/deep/er/ä b.bin']);
  expect((await files(['push', local, '/site'])).stdout).toBe('0 files written, 2 unchanged\n');

  const target = join(folder, 'pull');
  const pulled = await files(['pull', '/site', target, '--json']);
  expect(JSON.parse(pulled.stdout).items.map(({ path }: { path: string }) => path)).toEqual([
    '/site/a.md',
    '/site/deep/er/ä b.bin',
  ]);
  expect(pulled.stderr).toBe('');
  expect(readFileSync(join(target, 'a.md'), 'utf8')).toBe('a');
  expect([...readFileSync(join(target, 'deep/er/ä b.bin'))]).toEqual([0, 255, 1]);

  // Nothing is written through a symbolic link.
  const outside = join(folder, 'outside');
  const linked = join(folder, 'linked');
  mkdirSync(outside);
  mkdirSync(linked);
  symlinkSync(outside, join(linked, 'deep'));
  const refused = await files(['pull', '/site', linked]);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('is a symbolic link; pull does not write through links');
  expect(await readdir(outside)).toEqual([]);
});

test('PLUS-5 with a closed stdout a push continues, and a command that only prints ends', async () => {
  const local = join(folder, 'unread');
  mkdirSync(local);
  const names = Array.from({ length: 20 }, (_, index) => `${index}.md`);
  for (const name of names) writeFileSync(join(local, name), name);
  const unread = (args: readonly string[]) => {
    const { child, ended } = start(args, { env: { CONTINUO_URL: world.url } });
    child.stdout.destroy();
    child.stderr.destroy();
    return ended;
  };
  expect(await unread(['files', 'push', local, '/unread'])).toMatchObject({ code: 0 });
  expect((await files(['ls', '/unread'])).stdout.trim().split('\n')).toHaveLength(names.length + 1);

  const opened = await fetch(`${world.url}/api/v1/workspaces/default/chats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ goal: JSON.stringify({ steps: [{ text: 'so far', hang: true }] }) }),
  });
  const { chat } = (await opened.json()) as { chat: { id: string } };
  expect(await unread(['tail', chat.id])).toMatchObject({ code: 0 });
  await continuo(['stop', chat.id, '--url', world.url]);
});

test('PLUS-5 a push continues after a refused file, and reports it', async () => {
  const local = join(folder, 'odd');
  mkdirSync(local);
  for (const name of ['CON.txt', 'Case.txt', 'a.md', 'case.txt', 'z.md'])
    writeFileSync(join(local, name), name);
  const pushed = await files(['push', local, '/odd/']);
  expect(pushed).toMatchObject({ code: 1, stdout: '3 files written, 0 unchanged, 2 refused\n' });
  expect(pushed.stderr).toMatch(/^refused \/odd\/CON\.txt: .*device/m);
  expect(pushed.stderr).toMatch(/^refused \/odd\/case\.txt: The path cannot be used: .*Case\.txt/m);
  const again = await files(['push', local, '/odd', '--json']);
  expect(again).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(again.stdout)).toMatchObject({
    items: [{ path: '/odd/Case.txt' }, { path: '/odd/a.md' }, { path: '/odd/z.md', unchanged: true }],
    refused: [
      { path: '/odd/CON.txt', code: 'invalid_path' },
      { path: '/odd/case.txt', code: 'path_taken' },
    ],
  });
  // An error that concerns all files is reported once.
  const nowhere = await files(['push', local, '/odd', '-w', 'nowhere']);
  expect(nowhere).toMatchObject({ code: 4, stdout: '' });
  expect(nowhere.stderr).toContain('List the workspaces with: continuo workspaces list');
});

test('PLUS-5 a path with dot segments is a usage error, and no request is sent', async () => {
  const local = join(folder, 'up');
  mkdirSync(local);
  writeFileSync(join(local, 'a.md'), 'a');
  const before = (await files(['ls', '-r', '--json'])).stdout;
  for (const args of [
    ['cat', '../policy'],
    ['cat', '/notes/../../policy'],
    ['write', '../policy'],
    ['push', local, '../policy'],
    ['push', local, '/a/..'],
    ['ls', '..'],
    ['log', '/../a.md'],
    ['pull', '..', join(folder, 'nothing')],
  ]) {
    const { code, stdout, stderr } = await files([...args, '--json'], '{"rules":[]}');
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
    expect(JSON.parse(stderr).error.code).toBe('invalid_path');
  }
  expect((await files(['ls', '-r', '--json'])).stdout).toBe(before);
});

test('PLUS-5 errors about local files and paths are sentences that say what to do', async () => {
  const local = join(folder, 'words');
  const file = join(local, 'a.md');
  mkdirSync(local);
  writeFileSync(file, 'a');
  const refused = async (args: readonly string[], code: number, ...said: string[]) => {
    const ended = await files(args);
    expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' });
    for (const text of said) expect(ended.stderr).toContain(text);
    expect(ended.stderr).not.toMatch(/GET|scandir|ENO|EISDIR|blob|If-Match/);
  };
  const missing = join(folder, 'missing');
  await refused(['write', '/w.md', local], 2, `${local} is a folder`, 'files push');
  await refused(['write', '/w.md', missing], 4, `There is no file ${missing} on this machine`);
  await refused(['push', missing], 4, `There is no folder ${missing} on this machine`);
  await refused(['push', file], 2, `${file} is a file`, 'files write');
  await files(['write', '/words/in.md', file]);
  await refused(['pull', '/words', file], 1, `${file} already exists`);
  await refused(['cat', '/zzzzzzzzz.md'], 4, 'There is no file /zzzzzzzzz.md', 'continuo files ls -r');
  await refused(['cat', '/words'], 4, '/words is a folder', 'continuo files ls');
  await refused(['log', '/zzzzzzzzz.md'], 4, 'continuo files ls');
  await files(['write', '/words/in.md'], 'b');
  await refused(['write', '/words/in.md', file, '--base', '1'], 5, 'is at version 2', '--base');
  // A shell's `<(command)` is a file without a size.
  execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', join(local, 'pipe')]);
  const written = files(['write', '/fifo.md', join(local, 'pipe')]);
  await writeFile(join(local, 'pipe'), 'through a pipe');
  expect((await written).code).toBe(0);
  expect((await files(['cat', '/fifo.md'])).stdout).toBe('through a pipe');
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'PLUS-5 a pull that is ended by %s leaves only complete files, and says how many',
  async (signal) => {
    const names = Array.from({ length: 6 }, (_, index) => `${index}.bin`);
    const content = Buffer.alloc(4 * 1024 * 1024, signal);
    for (const name of names) {
      const url = `${world.url}/api/v1/workspaces/default/files/many/${name}`;
      expect((await fetch(url, { method: 'PUT', body: content })).ok).toBe(true);
    }
    const target = join(folder, signal);
    mkdirSync(target);
    const { child, ended } = start(['files', 'pull', '/many', target, '--url', world.url], {
      env: { NO_COLOR: '1' },
    });
    const watcher = watch(target, (_event, name) => {
      if (name?.endsWith('-partial') && !child.killed) child.kill(signal);
    });
    const { code, stdout, stderr } = await ended;
    watcher.close();
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    const there = (await readdir(target)).toSorted();
    expect(there).toEqual(names.slice(0, there.length));
    expect(stderr).toContain(
      `error Interrupted; ${there.length} of 6 files are in ${target}; each is complete.\n`,
    );
    for (const name of there) expect(readFileSync(join(target, name)).equals(content)).toBe(true);
  },
);

test('PLUS-5 a push that is interrupted says how many files were written', async () => {
  const local = join(folder, 'cut-push');
  mkdirSync(local);
  for (const name of ['a.md', 'b.md', 'c.md']) writeFileSync(join(local, name), name);
  let writes = 0;
  const between = createServer((request, response) => {
    writes += 1;
    if (writes === 2) return void child.kill('SIGINT');
    const target = fetch(`${world.url}${request.url}`, {
      method: 'PUT',
      body: Readable.toWeb(request) as BodyInit,
      duplex: 'half',
    } as RequestInit);
    void target.then(async (answer) => response.end(await answer.text()));
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void between.close());
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  const { child, ended } = start(['files', 'push', local, '/cut', '--url', url], { env: { NO_COLOR: '1' } });
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  expect(stderr).toContain('error Interrupted; 1 of 3 files were written; the next one may be, too.\n');
  expect((await files(['ls', '/cut', '--json'])).stdout).toContain('/cut/a.md');
});

test('PLUS-5 a server cannot make pull write outside of its folder', async () => {
  const paths = ['/../evil.md', '/a/../../evil.md', '//evil.md', '/a/./b', '/nul\0'];
  for (const path of paths) {
    const evil = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const tree = { items: [{ type: 'file', name: 'evil.md', path, version: 1, size: 4 }], next: null };
      response.end(request.url?.includes('/tree') ? JSON.stringify(tree) : 'evil');
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void evil.close());
    const target = join(folder, 'in/here');
    mkdirSync(target, { recursive: true });
    const url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    const { code, stderr } = await files(['pull', '/', target], undefined, url);
    expect({ path, code }).toEqual({ path, code: 1 });
    expect(stderr).toContain('not a path inside the folder');
    expect([await readdir(join(folder, 'in')), await readdir(target)]).toEqual([['here'], []]);
  }
});
