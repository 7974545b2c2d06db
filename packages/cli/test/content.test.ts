// Content from a shell.

import { expect, test, vi } from 'vitest';
import { PERSON_TOKEN } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { continuo } from './support.ts';

// Many processes are started, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const world = usePod();
const content = (...args: string[]) =>
  continuo(['content', ...args, '--url', world.url], {
    env: { NO_COLOR: '1', TZ: 'Europe/Berlin', CONTINUO_PERSON_TOKEN: PERSON_TOKEN },
  });
const write = (text: string) =>
  fetch(`${world.url}/api/v1/workspaces/default/files/content/articles/tea.md`, {
    method: 'PUT',
    body: text,
  });

test('WS-17 a piece is checked, scheduled, canceled, published and taken off from a shell', async () => {
  expect(await content('list')).toMatchObject({ code: 0, stdout: '' });
  await write('---\ntitle: Tea\n---\n[gone](gone.md)\n');
  const refused = await content('check', 'articles', 'tea');
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('there is no such file');
  await write('---\ntitle: Tea\n---\nWater.\n');
  expect((await content('check', 'articles', 'tea')).stdout).toBe('Tea: version 2, 1 words\n');
  const year = new Date().getFullYear() + 1;
  expect((await content('publish', 'articles', 'tea', '--at', `${year}-03-01T09:00`)).stdout).toMatch(
    /^articles\/tea, version 2, is published /,
  );
  const { items } = JSON.parse((await content('list', 'articles', '--json')).stdout);
  // Nine o'clock in Berlin, in winter.
  expect(items).toMatchObject([{ state: 'draft', scheduled: { at: `${year}-03-01T08:00:00.000Z` } }]);
  expect((await content('list')).stdout).toMatch(/articles +tea +draft +version 2, /);
  expect((await content('cancel', 'articles', 'tea')).stdout).toBe('articles/tea is no longer scheduled\n');
  expect((await content('publish', 'articles', 'tea')).stdout).toBe('articles/tea is live, version 2\n');
  expect((await content('unpublish', 'articles', 'tea')).stdout).toBe('articles/tea is no longer live\n');
  expect(await content('publish', 'articles', 'tea', '--at', 'soon')).toMatchObject({ code: 2 });
  expect((await content('add-key', 'Blog')).stdout).toMatch(/^crk_[\w-]{43}\n$/);
  expect((await content('keys')).stdout).toMatch(/Blog .* never/);
  expect((await content('remove-key', 'Blog')).stdout).toBe('Blog no longer works\n');
  expect((await content('remove-key', 'Blog')).code).toBe(1);
});
