// Chats and workspaces from a shell.

import { expect, test, vi } from 'vitest';
import { usePod } from '@continuo/testkit/fixtures';
import { ask, until } from '@continuo/testkit';
import { continuo } from './support.ts';

// Many processes are started, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const world = usePod();
const run = (...args: string[]) => continuo([...args, '--url', world.url], { env: { NO_COLOR: '1' } });
const SHORT = JSON.stringify({ steps: [{ text: 'Done.' }] });

test('PLUS-5 chats are listed, shown, renamed, archived, removed and restored', async () => {
  expect(await run('chats')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('No chats'),
  });
  const at = `${world.url}/api/v1/workspaces/default/chats`;
  const { chat } = (await ask('POST', at, { goal: SHORT, title: 'Frogs' })).body;
  await until('the chat rests', async () => (await ask('GET', `${at}/${chat.id}`)).body.active_run === null);

  expect((await run('chats')).stdout).toMatch(new RegExp(`^${chat.id} +20\\d\\d-.* idle +Frogs$`, 'm'));
  expect(JSON.parse((await run('chats', '--json')).stdout).items).toMatchObject([{ id: chat.id }]);
  expect((await run('chats', 'show', chat.id)).stdout).toMatch(
    /^Frogs\nstate +idle\n[^]*tokens +\d+ in, \d+ out, in 1 runs/,
  );
  expect((await run('chats', 'rename', chat.id, 'Toads')).stdout).toBe(`${chat.id} is called Toads\n`);
  expect((await run('chats', 'archive', chat.id)).stdout).toBe('Toads is archived\n');
  expect((await run('chats', 'list')).stdout).toBe('');
  expect((await run('chats', 'list', '--archived')).stdout).toContain('Toads');
  expect((await run('chats', 'unarchive', chat.id)).stdout).toBe('Toads is no longer archived\n');
  const removed = await run('chats', 'remove', chat.id);
  expect(removed).toMatchObject({ code: 0, stdout: 'Toads is removed\n' });
  expect(removed.stderr).toContain(`continuo chats restore ${chat.id}`);
  expect((await run('chats', 'list', '--removed')).stdout).toContain('Toads');
  expect(await run('chats', 'show', chat.id)).toMatchObject({ code: 4 });
  expect((await run('chats', 'restore', chat.id)).stdout).toBe('Toads is restored\n');
  expect(await run('chats', 'show', 'x')).toMatchObject({ code: 2 });
  expect(await run('chats', 'list', '--archived', '--removed')).toMatchObject({ code: 2 });
});

test('PLUS-5 workspaces are created, listed, renamed, removed and restored by their names', async () => {
  expect((await run('workspaces', 'create', 'garden')).stdout).toBe('garden is created; -w garden uses it\n');
  expect(await run('workspaces', 'create', 'garden')).toMatchObject({ code: 5 });
  expect(await run('workspaces', 'create', 'Gärten')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('lower-case letters'),
  });
  expect((await run('workspaces')).stdout).toMatch(/^default .*\ngarden +0 +0 B +20/m);
  expect((await run('workspaces', 'rename', 'garden', 'orchard')).stdout).toBe('garden is called orchard\n');
  const removed = await run('workspaces', 'remove', 'orchard');
  expect(removed.stdout).toBe('orchard is removed, with its files, chats and projects\n');
  expect(removed.stderr).toMatch(/until 20.*continuo workspaces restore [0-9a-f-]{36}/);
  expect((await run('workspaces', 'list', '--removed')).stdout).toMatch(/^orchard +20.* +20/m);
  expect(await run('files', 'ls', '-w', 'orchard')).toMatchObject({ code: 4 });
  expect((await run('workspaces', 'restore', 'orchard')).stdout).toBe('orchard is restored\n');
  expect(await run('workspaces', 'restore', 'orchard')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('is not removed'),
  });
  expect(await run('workspaces', 'remove', 'default')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('default workspace cannot be removed'),
  });
});

test('PLUS-5 files and folders are moved, removed and restored from the trash', async () => {
  const files = (...args: string[]) => run('files', ...args);
  for (const path of ['notes/a.md', 'notes/deep/b.md'])
    await continuo(['files', 'write', path, '--url', world.url], { input: path });
  expect((await files('mv', 'notes/a.md', 'notes/c.md')).stdout).toBe('/notes/c.md is at version 2\n');
  expect((await files('mv', 'notes/c.md', 'poems/')).stdout).toBe('/poems/c.md is at version 3\n');
  expect((await files('mv', '/poems/', '/notes/poems')).stdout).toBe('/notes/poems/c.md is at version 4\n');
  expect(await files('mv', 'notes/poems/c.md', 'notes/deep/b.md')).toMatchObject({ code: 5 });
  expect(await files('mv', 'notes/poems/c.md', 'd.md', '--base', '1')).toMatchObject({ code: 5 });
  expect(await files('rm', 'notes')).toMatchObject({ code: 4, stderr: expect.stringContaining('rm -r') });
  expect((await files('rm', 'notes/deep/b.md')).stdout).toBe('/notes/deep/b.md is removed\n');
  expect((await files('restore', 'notes/deep/b.md')).stdout).toBe(
    '/notes/deep/b.md is restored, at version 3\n',
  );
  expect((await files('rm', '-r', 'notes')).stdout).toBe('/notes is removed, with 2 files\n');
  expect((await files('trash')).stdout).toMatch(/person +\/notes\/deep\/b\.md\n/);
  await continuo(['files', 'write', 'notes/deep/b.md', '--url', world.url], { input: 'another' });
  const back = await files('restore', 'notes');
  expect(back).toMatchObject({ code: 5, stdout: '/notes/poems/c.md is restored, at version 6\n' });
  expect(back.stderr).toContain('/notes/deep/b.md stays removed: /notes/deep/b.md is another file now');
  expect(await files('restore', 'never.md')).toMatchObject({ code: 4 });
});
