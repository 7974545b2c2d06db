// Workspaces over HTTP: names, removal with its grace period, purging, and the threads in them.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ask, framesOf, until } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';
import { createPool } from '../../src/db/pool.ts';
import { doChores } from '../../src/upkeep/chores.ts';
import { sweepChunks } from '../../src/files/content.ts';
import { get, newSpace, put } from '../files/support.ts';

const home = mkdtempSync(join(tmpdir(), 'continuo-spaces-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const world = usePod({ CONTINUO_HOME: home });
const at = (path = '') => `${world.url}/api/v1/workspaces${path}`;

test.each([
  '',
  ' ',
  'Garden',
  'a b',
  'a/b',
  '../x',
  '.',
  '-a',
  'ä',
  'x'.repeat(65),
  'con',
  'nul',
  'com1',
  'aux',
  'node_modules',
  '01890000-0000-7000-8000-000000000000',
  'a\u0000',
])('a workspace cannot be called %j', async (name) => {
  const answer = await ask('POST', at(), { name });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_name' } });
});

test('a workspace is created, found by id and name, and renamed; names are unique', async () => {
  const made = await ask('POST', at(), { name: 'garden-1' });
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'garden-1', files: 0, bytes: 0, quota_bytes: expect.any(Number), removed_at: null },
  });
  const { id } = made.body;
  expect(made.headers.get('location')).toBe(`/api/v1/workspaces/${id}`);
  expect(await ask('POST', at(), { name: 'garden-1' })).toMatchObject({
    status: 409,
    body: { code: 'name_taken' },
  });
  await put({ id, name: 'garden-1', url: at('/garden-1') }, 'a.md', 'hello');
  await put({ id, name: 'garden-1', url: at('/garden-1') }, 'a.md', 'hello you');
  for (const key of [id, 'garden-1']) {
    expect((await ask('GET', at(`/${key}`))).body).toMatchObject({ id, files: 1, bytes: 14 });
  }
  expect((await ask('PATCH', at(`/${id}`), { name: 'garden-2' })).body).toMatchObject({
    id,
    name: 'garden-2',
  });
  expect((await ask('GET', at('/garden-1'))).body.code).toBe('workspace_not_found');
  expect((await get({ id, name: '', url: at('/garden-2') }, 'a.md')).bytes.toString()).toBe('hello you');
  expect((await ask('PATCH', at(`/${id}`), { name: 'default' })).body.code).toBe('name_taken');
  expect((await ask('PATCH', at(`/${id}`), { name: 'CON' })).body.code).toBe('invalid_name');
  for (const key of ['nobody', 'x'.repeat(64), '%27%20or%201=1', '01890000-0000-7000-8000-000000000000']) {
    expect(await ask('GET', at(`/${key}`))).toMatchObject({
      status: 404,
      body: { code: 'workspace_not_found' },
    });
  }
  const names: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: { body: { items: { name: string }[]; next: string | null } } = await ask(
      'GET',
      at(`?limit=1&after=${encodeURIComponent(after)}`),
    );
    names.push(...page.body.items.map(({ name }) => name));
    after = page.body.next;
  }
  expect(names).toEqual(['default', 'garden-2']);
});

test('many concurrent requests for a workspace of one name create one', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask('POST', at(), { name: 'race' })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array(11).fill(409),
  ]);
});

test('a removed workspace is 404, can be restored while its name is free, and the default one cannot be removed', async () => {
  const space = await newSpace(world.url, 'gone');
  await put(space, 'a.md', 'x');
  const thread = await ask('POST', `${world.url}/api/threads`, { workspace: 'gone' });
  expect(thread.body.workspace_id).toBe(space.id);
  const messages = `${world.url}/api/threads/${thread.body.id}/messages`;
  const hanging = await ask('POST', messages, { content: JSON.stringify({ steps: [{ hang: true }] }) });

  const removed = await ask('DELETE', space.url);
  expect(removed.body).toMatchObject({
    id: space.id,
    removed_at: expect.any(String),
    purged_after: expect.any(String),
  });
  expect((await framesOf(world.url, hanging.body.run.id)).at(-1)!.data).toEqual({ status: 'canceled' });
  for (const url of [
    space.url,
    at(`/${space.id}`),
    `${space.url}/files/a.md`,
    `${space.url}/tree`,
    `${space.url}/events`,
  ])
    expect(await ask('GET', url)).toMatchObject({ status: 410, body: { code: 'workspace_removed' } });
  expect((await put(space, 'b.md', 'x')).status).toBe(410);
  const refused = await ask('POST', messages, { content: 'hello' });
  expect(refused).toMatchObject({ status: 410, body: { code: 'workspace_removed' } });
  const again = await ask('POST', `${world.url}/api/runs/${hanging.body.run.id}/retry`);
  expect(again).toMatchObject({ status: 410, body: { code: 'workspace_removed' } });
  expect((await ask('POST', `${world.url}/api/threads`, { workspace: space.id })).status).toBe(410);
  expect((await ask('DELETE', at(`/${space.id}`))).status).toBe(410);
  expect(
    (await ask('GET', at('?removed=true'))).body.items.map(({ name }: { name: string }) => name),
  ).toEqual(['gone']);

  const other = await newSpace(world.url, 'gone');
  expect(await ask('POST', at(`/${space.id}/restore`))).toMatchObject({
    status: 409,
    body: { code: 'name_taken' },
  });
  await ask('PATCH', at(`/${other.id}`), { name: 'other' });
  expect((await ask('POST', at('/gone/restore'))).body).toMatchObject({
    id: space.id,
    removed_at: null,
    files: 1,
  });
  expect((await get(space, 'a.md')).bytes.toString()).toBe('x');
  expect((await ask('POST', messages, { content: '{"steps":[{"text":"ok"}]}' })).status).toBe(202);
  expect((await ask('POST', `${space.url}/restore`)).body).toMatchObject({
    status: 409,
    code: 'workspace_not_removed',
  });

  expect(await ask('DELETE', at('/default'))).toMatchObject({
    status: 403,
    body: { code: 'default_workspace' },
  });
  expect(await ask('PATCH', at('/default'), { name: 'main' })).toMatchObject({
    status: 403,
    body: { code: 'default_workspace', detail: expect.stringContaining('renamed') },
  });
  expect((await ask('PATCH', at('/default'), { name: 'default' })).status).toBe(200);
});

async function tablesWith(column: string): Promise<readonly string[]> {
  const { rows } = await world.database.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = $1`,
    [column],
  );
  return rows.map(({ name }) => name);
}

test('after the grace period a removed workspace is purged with its files and threads, and nothing else is', async () => {
  const [old, young, live] = [
    await newSpace(world.url, 'old'),
    await newSpace(world.url, 'young'),
    await newSpace(world.url, 'live'),
  ];
  for (const space of [old, young, live]) {
    await put(space, 'own.md', `only in ${space.name}`);
    await put(space, 'shared.md', 'in all of them');
    expect((await ask('POST', `${space.url}/projects`, { name: 'In all' })).status).toBe(201);
  }
  const thread = (await ask('POST', `${world.url}/api/threads`, { workspace: 'old' })).body.id as string;
  const sent = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content: '{"steps":[{"text":"ok"}]}',
  });
  await framesOf(world.url, sent.body.run.id);
  await ask('DELETE', old.url);
  await ask('DELETE', young.url);
  const ago = "clock_timestamp() - interval '7 days 1 minute'";
  await world.database.pool.query(`update workspaces set removed_at = ${ago} where id = $1`, [old.id]);

  const pool = createPool(
    { connection: world.database.url, applicationName: 'chores', leaseSeconds: 30 },
    () => undefined,
  );
  try {
    // Several pods come at once: one of them does it.
    await Promise.all(Array.from({ length: 4 }, () => doChores(pool)));
    await until(
      'the workspace is purged',
      async () =>
        (await count(world.database, 'workspaces where id = $1', [old.id])) === 0 ||
        doChores(pool).then(() => false),
    );
    for (const table of await tablesWith('workspace_id'))
      expect([table, await count(world.database, `${table} where workspace_id = $1`, [old.id])]).toEqual([
        table,
        0,
      ]);
    for (const table of await tablesWith('thread_id'))
      expect([table, await count(world.database, `${table} where thread_id = $1`, [thread])]).toEqual([
        table,
        0,
      ]);
    expect(await count(world.database, 'workspaces where id = $1', [young.id])).toBe(1);

    await world.database.pool.query("update chunks set touched_at = now() - interval '2 hours'");
    expect(await sweepChunks(pool)).toBe(1);
  } finally {
    await pool.end();
  }
  expect((await ask('POST', at('/young/restore'))).status).toBe(200);
  for (const space of [young, live]) {
    expect((await get(space, 'own.md')).bytes.toString()).toBe(`only in ${space.name}`);
    expect((await get(space, 'shared.md')).bytes.toString()).toBe('in all of them');
  }
});

test('threads are listed by workspace', async () => {
  const space = await newSpace(world.url);
  const ids: string[] = [];
  for (const workspace of [space.name, space.id]) {
    ids.push((await ask('POST', `${world.url}/api/threads`, { workspace })).body.id as string);
  }
  const listed = await ask('GET', `${world.url}/api/threads?workspace=${space.name}`);
  expect(listed.body.items.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
  expect(listed.body.items[0].workspace_id).toBe(space.id);
  const others = await ask('GET', `${world.url}/api/threads`);
  expect(others.body.items.some(({ id }: { id: string }) => ids.includes(id))).toBe(false);
  expect((await ask('GET', `${world.url}/api/threads?workspace=nobody`)).body.code).toBe(
    'workspace_not_found',
  );
  expect((await ask('POST', `${world.url}/api/threads`, { workspace: 'nobody' })).body.code).toBe(
    'workspace_not_found',
  );
});

test('a full workspace refuses writes, and says so', async () => {
  const space = await newSpace(world.url);
  await put(space, 'a', 'x');
  await world.database.pool.query('update workspaces set bytes = 1e15 where id = $1', [space.id]);
  expect((await put(space, 'b', 'x')).body).toMatchObject({ status: 413, code: 'workspace_full' });
  expect((await put(space, 'a', 'x')).body).toMatchObject({ unchanged: true });
  expect((await ask('GET', space.url)).body.files).toBe(1);
});

test('the documentation shows the routes, and a file’s path as one parameter', async () => {
  const { body } = await ask('GET', `${world.url}/openapi.json`);
  const file = body.paths['/api/v1/workspaces/{id}/files/{path}'];
  expect(Object.keys(file).toSorted()).toEqual(['delete', 'get', 'head', 'put']);
  expect(file.put.parameters.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'id',
    'if-match',
    'if-none-match',
    'on_conflict',
    'path',
  ]);
  for (const route of [
    'tree',
    'search',
    'versions',
    'diff',
    'moves',
    'restore',
    'archive',
    'events',
    'changes',
  ])
    expect(body.paths).toHaveProperty([`/api/v1/workspaces/{id}/${route}`]);
  const page = await ask('GET', `${world.url}/docs`);
  expect(page.text).toContain('files/<wbr>{path}');
  expect(page.text).toContain('--data-binary @file');
});

test('WS-2 files that disappear from the folder at once are asked about over HTTP, and put back or removed', async () => {
  const space = await newSpace(world.url);
  const root = join(home, 'workspaces', space.name);
  const paths = Array.from({ length: 25 }, (_, index) => `d/f${index}.md`);
  const removeMost = async () => {
    for (const path of paths) await put(space, path, path);
    await put(space, 'kept.md', 'kept');
    for (const path of paths) rmSync(join(root, path));
    return until('removals are held', async () => (await ask('GET', space.url)).body.held_removals);
  };
  expect(await ask('POST', `${space.url}/folder/restore`)).toMatchObject({
    status: 409,
    body: { code: 'nothing_held' },
  });
  expect(await removeMost()).toMatchObject({ files: 25 });
  expect(await ask('POST', `${space.url}/folder/restore`)).toMatchObject({
    status: 200,
    body: { held_removals: null },
  });
  await until('every file is on disk', async () => paths.every((path) => existsSync(join(root, path))));
  await removeMost();
  expect((await ask('POST', `${space.url}/folder/accept-removals`)).status).toBe(200);
  await until('one file is left', async () => (await ask('GET', space.url)).body.files === 1);
});
