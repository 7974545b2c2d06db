// The trash: a folder is removed with everything in it, removed files are listed, and come back.

import { expect, test } from 'vitest';
import { ANONYMOUS, ask } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { bytes, get, newSpace, put } from './support.ts';

const world = usePod();

test('WS-4 a folder is removed with everything in it, and its files come back with their ids and their history', async () => {
  const space = await newSpace(world.url);
  const one = (await put(space, 'notes/one.md', 'one')).body;
  const two = (await put(space, 'notes/deep/two.md', 'two')).body;
  await put(space, 'notes.md', 'stays');
  const removed = await ask('DELETE', `${space.url}/tree?path=/notes`);
  expect(removed).toMatchObject({ status: 200, body: { count: 2 } });
  expect((await get(space, 'notes/one.md')).status).toBe(404);
  expect((await get(space, 'notes.md')).status).toBe(200);

  const { items, next } = (await ask('GET', `${space.url}/trash`)).body;
  expect(next).toBeNull();
  expect(items).toMatchObject([
    { path: expect.any(String), version: 2, size: 3, text: true, removed_by: { kind: 'person' } },
    { version: 2 },
  ]);
  expect(new Set(items.map(({ id }: { id: string }) => id))).toEqual(new Set([one.id, two.id]));
  expect(new Set(items.map(({ removed_at }: { removed_at: string }) => removed_at)).size).toBe(1);
  expect((await ask('GET', `${space.url}/trash?q=DEEP`)).body.items).toMatchObject([
    { path: '/notes/deep/two.md' },
  ]);
  const page = (await ask('GET', `${space.url}/trash?limit=1`)).body;
  expect(page.items).toHaveLength(1);
  expect((await ask('GET', `${space.url}/trash?limit=1&after=${page.next}`)).body).toMatchObject({
    items: [{ id: items[1].id }],
    next: null,
  });
  expect((await ask('GET', `${space.url}/trash?after=x`)).body.code).toBe('invalid_cursor');

  const back = await ask('POST', `${space.url}/trash/restore`, { files: [one.id, two.id] });
  expect(back.body).toMatchObject({
    files: [
      { id: two.id, version: 3 },
      { id: one.id, version: 3 },
    ],
    skipped: [],
  });
  expect((await get(space, 'notes/deep/two.md')).bytes.toString()).toBe('two');
  expect((await ask('GET', `${space.url}/trash`)).body.items).toEqual([]);
  // A file that is not removed is left as it is.
  const again = await ask('POST', `${space.url}/trash/restore`, { files: [one.id] });
  expect(again.body).toEqual({ files: [], skipped: [] });
});

test('WS-4 a file whose path is taken stays in the trash, and the answer names it with the reason', async () => {
  const space = await newSpace(world.url);
  const taken = (await put(space, 'a.md', 'first')).body;
  const below = (await put(space, 'b/c.md', 'below')).body;
  const free = (await put(space, 'd.md', 'free')).body;
  for (const path of ['a.md', 'b/c.md', 'd.md']) await bytes('DELETE', `${space.url}/files/${path}`);
  await put(space, 'a.md', 'second');
  await put(space, 'b', 'a file');
  const { body } = await ask('POST', `${space.url}/trash/restore`, { files: [taken.id, below.id, free.id] });
  expect(body).toMatchObject({
    files: [{ id: free.id }],
    skipped: [
      { id: taken.id, path: '/a.md', reason: '/a.md is another file now' },
      { id: below.id, path: '/b/c.md', reason: '/b is a file' },
    ],
  });
  expect((await get(space, 'a.md')).bytes.toString()).toBe('second');
  const elsewhere = await ask('POST', `${space.url}/restore`, { file: taken.id, version: 1, to: '/e.md' });
  expect(elsewhere.body).toMatchObject({ id: taken.id, path: '/e.md' });
});

test('what cannot be removed or restored is refused with what to do', async () => {
  const space = await newSpace(world.url);
  const role = (await put(space, 'agents/mine.md', 'You read.')).body;
  await put(space, 'a.md', 'x');
  const remove = (path: string, headers?: Record<string, string>) =>
    ask('DELETE', `${space.url}/tree?path=${encodeURIComponent(path)}`, undefined, headers);
  expect(await remove('/none')).toMatchObject({ status: 404, body: { code: 'file_not_found' } });
  expect(await remove('/')).toMatchObject({ status: 400, body: { code: 'invalid_path' } });
  expect(await remove('/chats')).toMatchObject({ status: 403, body: { code: 'read_only' } });
  expect(await remove('/agents', ANONYMOUS)).toMatchObject({
    status: 403,
    body: { code: 'person_required' },
  });
  expect((await remove('/agents')).status).toBe(200);
  const restore = (files: unknown, headers?: Record<string, string>) =>
    ask('POST', `${space.url}/trash/restore`, { files }, headers);
  expect(await restore([role.id], ANONYMOUS)).toMatchObject({ status: 403 });
  expect((await restore([role.id])).body.files).toMatchObject([{ path: '/agents/mine.md' }]);
  expect(await restore(['01890000-0000-7000-8000-000000000001'])).toMatchObject({
    status: 404,
    body: { code: 'file_not_found' },
  });
  expect(await restore([])).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
});

test('ONT-3 a restored project names the files that stay removed, because their paths are taken', async () => {
  const space = await newSpace(world.url);
  const { project } = (await ask('POST', `${space.url}/projects`, { name: 'Party' })).body;
  await put(space, `projects/party/list.md`, 'one');
  expect((await ask('DELETE', `${space.url}/projects/${project.id}`)).status).toBe(200);
  await put(space, `projects/party/list.md`, 'another');
  const { body } = await ask('POST', `${space.url}/projects/${project.id}/restore`);
  expect(body).toMatchObject({
    id: project.id,
    removed_at: null,
    skipped: [{ path: '/projects/party/list.md', reason: '/projects/party/list.md is another file now' }],
  });
  const removed = (await ask('GET', `${space.url}/projects?removed=true`)).body.items;
  expect(removed).toEqual([]);
});
