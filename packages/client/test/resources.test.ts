// Each member of the client, once, against a real pod.

import { expect, expectTypeOf, test } from 'vitest';
import type { Chat, Run } from '@continuo/protocol';
import { usePod } from '@continuo/testkit/fixtures';
import { ApiError, createClient, VersionConflict, type EntityOf } from '../src/index.ts';

const key = 'a-key-of-sixteen-or-more';
const world = usePod({ CONTINUO_API_KEY: key });
const client = () => createClient({ baseUrl: `${world.url}/`, apiKey: key });
const script = (...steps: object[]) => JSON.stringify({ steps });

test('the API key is sent, and a missing or wrong key is refused', async () => {
  await expect(createClient({ baseUrl: world.url }).threads.list()).rejects.toMatchObject({
    code: 'unauthorized',
    status: 401,
  });
  await expect(createClient({ baseUrl: world.url, apiKey: 'another' }).threads.list()).rejects.toBeInstanceOf(
    ApiError,
  );
  expect((await client().ready()).status).toBe('ready');
});

test('threads and runs', async () => {
  const { threads, runs, usage } = client();
  const { id } = await threads.create({ title: 'Tea' });
  expect((await threads.get(id)).title).toBe('Tea');
  expect((await threads.list({ limit: 1 })).items.map((thread) => thread.id)).toEqual([id]);
  const { run } = await threads.send(
    id,
    { content: script({ error: { code: 'broken', message: 'no' } }) },
    { idempotencyKey: 'k' },
  );
  expectTypeOf(run).toExtend<Run>();
  expect(
    (
      await threads.send(
        id,
        { content: script({ error: { code: 'broken', message: 'no' } }) },
        { idempotencyKey: 'k' },
      )
    ).run.id,
  ).toBe(run.id);
  expect((await runs.ended(run.id)).status).toBe('error');
  const { run: again } = await runs.retry(run.id);
  expect(again.retry_of).toBe(run.id);
  await runs.ended(again.id);
  expect((await runs.why(again.id)).waits_for).toBe('nothing');
  const page = await runs.events(again.id, { after: 1, limit: 2 });
  expect(page.items.map((event) => event.id)).toEqual([2, 3]);
  await expect(runs.cancel(again.id)).rejects.toMatchObject({ code: 'run_ended' });
  expect((await threads.messages(id)).items[0]!.role).toBe('user');
  expect((await usage({ by: 'thread', thread_id: id })).items).toHaveLength(1);
});

test('chats', async () => {
  const { chats, runs } = client();
  const { chat, run } = await chats.open({ goal: script({ text: 'on', hang: true }) });
  expectTypeOf(chat).toExtend<Chat>();
  expect((await chats.list()).items.map(({ id }) => id)).toContain(chat.id);
  for await (const event of runs.stream(run.id)) if (event.type === 'token') break;
  expect((await chats.stop(chat.id)).status).toBe('cancelled');
  expect((await runs.ended(run.id)).status).toBe('canceled');
  const { run: next } = await chats.send(chat.id, { content: script({ text: 'ok' }) });
  await runs.ended(next.id);
  expect((await chats.ping(chat.id)).state).toBe('idle');
  expect((await chats.change(chat.id, { title: 'Green tea' })).title).toBe('Green tea');
  expect((await chats.sessions(chat.id)).items).toHaveLength(2);
  expect((await chats.messages(chat.id)).items.at(-1)!.content).toBe('ok');
  await expect(chats.resume(chat.id)).rejects.toMatchObject({ code: 'invalid_transition' });
  await expect(chats.pause(chat.id)).rejects.toMatchObject({ status: 409 });
  expect(await chats.remove(chat.id)).toBeUndefined();
  await expect(chats.get(chat.id)).rejects.toMatchObject({ code: 'chat_removed', status: 410 });
  expect((await chats.restore(chat.id)).removed_at).toBeNull();
});

test('approvals and policies', async () => {
  const { chats, approvals, policies, runs, toolResult } = client();
  await policies.set({ rules: [{ tool: 'external', action: 'ask' }] });
  expect((await policies.get()).rules).toHaveLength(1);
  const { run } = await chats.open({
    goal: script({ calls: [{ tool: 'external', input: { note: 'x' } }] }, { text: 'so' }),
  });
  for await (const event of runs.stream(run.id)) {
    if (event.type !== 'approval') continue;
    expect((await approvals.get(event.data.approval)).decision).toBeNull();
    expect((await approvals.list()).items.map(({ id }) => id)).toEqual([event.data.approval]);
    await approvals.decide(event.data.approval, { decision: 'deny', comment: 'no' });
    const late = approvals.decide(event.data.approval, { decision: 'approve' });
    await expect(late).rejects.toMatchObject({
      code: 'already_decided',
      problem: { approval: { decision: 'deny' } },
    });
  }
  const call = (await runs.events(run.id, { limit: 1000 })).items.find((event) => event.type === 'tool_end');
  if (call?.type !== 'tool_end') throw new Error('the call did not end');
  expect((await toolResult(`${run.id}:${call.data.call}`)).outcome).toBe('denied');
});

test('files, in a workspace of their own', async () => {
  const { files, workspaces } = client();
  const where = { workspace: 'garden' };
  await workspaces.create({ name: 'garden' });
  expect((await workspaces.list()).items.map(({ name }) => name)).toContain('garden');
  const path = '/notes/ä & b#%.md';
  expect((await files.write(path, 'one\n', { ...where, base: null })).version).toBe(1);
  await expect(files.write(path, 'two\n', { ...where, base: null })).rejects.toMatchObject({
    code: 'version_conflict',
    status: 412,
  });
  expect((await files.write(path, 'two\n', { ...where, base: 1 })).version).toBe(2);
  await expect(
    files.write(path, 'three\n', { ...where, base: 1, onConflict: 'refuse' }),
  ).rejects.toMatchObject({ code: 'version_conflict' });
  const read = await files.read(path, { ...where, version: 1 });
  expect([read.version, read.type, await read.text()]).toEqual([1, 'text/markdown; charset=utf-8', 'one\n']);
  expect(files.url(path, where)).toBe(
    `${world.url}/api/v1/workspaces/garden/files/notes/%C3%A4%20%26%20b%23%25.md`,
  );
  expect((await files.tree({ path: '/notes' }, where)).items.map(({ path: each }) => each)).toEqual([path]);
  expect((await files.search({ q: 'two' }, where)).items[0]!.path).toBe(path);
  expect((await files.diff({ path, from: 1, to: 2 }, where)).added).toBe(1);
  expect((await files.move({ from: path, to: '/b.md' }, where)).count).toBe(1);
  const zip = await (await files.pack('/', where)).arrayBuffer();
  expect((await files.unpack(zip, '/copy', where)).written).toBe(1);
  expect((await files.remove('/b.md', { ...where, base: 3 })).removed_at).not.toBeNull();
  expect((await files.versions({ path: '/b.md' }, where)).items).toHaveLength(4);
  await files.restore({ path: '/b.md', version: 1 }, where);
  expect((await workspaces.changes({ limit: 2 }, where)).items.map(({ seq }) => seq)).toEqual([1, 2]);
  expect((await workspaces.get(where)).files).toBe(2);
  expect((await workspaces.rename('yard', where)).name).toBe('yard');
  expect((await workspaces.remove({ workspace: 'yard' })).removed_at).not.toBeNull();
});

test('projects, entities, documents, edges and search, in a workspace of their own', async () => {
  const { workspaces } = client();
  await workspaces.create({ name: 'moon' });
  const { projects, entities, entity, documents, edges, kinds, search } = createClient({
    baseUrl: world.url,
    apiKey: key,
    workspace: 'moon',
  });
  expect((await kinds()).items.map(({ kind }) => kind)).toContain('requirement');
  const { project, entitiesCreated, edgesCreated } = await projects.create({
    name: 'Apollo',
    purpose: 'Land on the moon.',
    goals: ['Land'],
    tasks: [{ title: 'Build', goal: 0 }],
  });
  expect([entitiesCreated.length, edgesCreated.length]).toEqual([4, 2]);
  const tasks = entities('task');
  const page = await tasks.list({ project_id: project.id, state: 'todo' });
  expectTypeOf(page.items[0]!).toEqualTypeOf<EntityOf<'task'>>();
  const [task] = page.items;
  expect(page.as_of).toBeGreaterThan(0);
  const started = await tasks.change(task!.id, { state: 'in_progress' }, { base: task!.version });
  const stale = await tasks
    .change(task!.id, { priority: 'high' }, { base: task!.version })
    .catch((error: unknown) => error);
  expect(stale).toBeInstanceOf(VersionConflict);
  expect(stale).toBeInstanceOf(ApiError);
  expect((stale as VersionConflict).current).toMatchObject({
    version: started.version,
    state: 'in_progress',
  });
  await expect(tasks.remove(task!.id, { base: 1 })).rejects.toMatchObject({ code: 'version_conflict' });
  expect((await tasks.board({ project_id: project.id })).columns.map(({ count }) => count)).toEqual([
    0, 1, 0, 0, 0,
  ]);
  expect((await tasks.remove(task!.id)).removed_at).not.toBeNull();
  expect((await tasks.restore(task!.id)).state).toBe('in_progress');
  expect((await tasks.versions(task!.id, { limit: 2 })).items.map(({ op }) => op)).toEqual([
    'restore',
    'remove',
  ]);

  const risk = await entities('risk').create({ project_id: project.id, title: 'Dust', impact: 'high' });
  const edge = await edges.create({ from_id: task!.id, rel: 'mitigates', to_id: risk.id });
  expect((await edges.list(risk.id)).items).toMatchObject([
    { label: 'is mitigated by', entity: { id: task!.id } },
  ]);
  expect(await edges.remove(edge.id)).toBeUndefined();
  expect((await entity(risk.id)).kind).toBe('risk');

  const research = await documents.create({
    project_id: project.id,
    title: 'Research',
    content: 'Of craters.',
  });
  const dust = await documents.create({ project_id: project.id, title: 'Dust', parent_id: research.id });
  expect((await documents.byPath(project.id, 'research/dust')).id).toBe(dust.id);
  await expect(documents.byPath(project.id, 'research/dost')).rejects.toMatchObject({
    problem: { suggestions: expect.arrayContaining(['Research/Dust']) },
  });
  await documents.change(research.id, { content: 'Of seas.' }, { base: research.version });
  expect((await documents.get(research.id)).content).toBe('Of seas.');
  await documents.move(dust.id, { parent_id: null, order: 0 });
  const { root } = await documents.structure(project.id);
  expect(root[0]!.id).toBe(dust.id);
  expect((await search({ q: 'seas' })).items).toHaveLength(1);

  const zip = await (await projects.pack(project.id)).arrayBuffer();
  const copy = await projects.unpack(zip);
  expect(copy.entitiesCreated).toHaveLength(7);
  expect((await projects.list()).items.map(({ name }) => name)).toEqual(['Apollo', 'Apollo']);
  await projects.remove(copy.project.id);
  await expect(projects.get(copy.project.id)).rejects.toMatchObject({
    code: 'project_not_found',
    status: 404,
  });
  expect((await projects.restore(copy.project.id)).removed_at).toBeNull();
  expect((await projects.change(project.id, { state: 'done' })).state).toBe('done');
});

test('roles, skills and MCP servers', async () => {
  const { roles, skills, mcp } = client();
  expect(await skills.list()).toEqual({ items: [], next: null });
  expect((await roles.list()).items.map(({ name }) => name)).toContain('assistant');
  expect((await roles.get('writer')).source.kind).toBe('built-in');
  await mcp.set('nobody', {
    transport: 'http',
    url: 'http://127.0.0.1:9/mcp',
    headers: {},
    trust: false,
    timeout_seconds: 5,
    enabled: false,
  });
  expect((await mcp.list()).items.map(({ name, state }) => [name, state.status])).toEqual([
    ['nobody', 'disabled'],
  ]);
  expect(await mcp.remove('nobody')).toBeUndefined();
});
