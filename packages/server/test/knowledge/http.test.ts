// Knowledge over HTTP, on a real pod.

import { expect, test } from 'vitest';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();

test('ONT-1 ONT-2 a project, its entities and edges are created, changed, listed and removed over HTTP', async () => {
  const base = `${world.pod.url}/api/v1/workspaces/default`;
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${base}/${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  const created = await call('POST', 'projects', {
    name: 'Apollo',
    purpose: 'Land on the moon, and come back.',
    goals: ['Land on the moon'],
    tasks: [{ title: 'Build the lander', goal: 0, priority: 'high' }],
  });
  expect(created).toMatchObject({
    status: 201,
    body: { project: { name: 'Apollo', state: 'active', version: 1 } },
  });
  const project = created.body.project.id;
  const [task] = (await call('GET', `tasks?project_id=${project}`)).body.items;
  expect(task).toMatchObject({ title: 'Build the lander', state: 'todo', edges: [{ rel: 'supports' }] });
  const stale = await call('PATCH', `tasks/${task.id}`, { state: 'done' }, { 'if-match': '"1"' });
  expect(stale).toMatchObject({ status: 412, body: { code: 'version_conflict', current: { version: 2 } } });
  const done = await call('PATCH', `tasks/${task.id}`, { state: 'done' }, { 'if-match': '"2"' });
  expect(done).toMatchObject({ status: 200, body: { state: 'done', version: 3 } });
  expect(await call('PATCH', `tasks/${task.id}`, { state: 'blocked' })).toMatchObject({
    status: 422,
    body: { code: 'not_allowed' },
  });
  const board = await call('GET', `tasks/board?project_id=${project}`);
  expect(board.body.columns.find(({ state }: { state: string }) => state === 'done').count).toBe(1);
  const structure = await call('GET', `projects/${project}/doc-structure?include=metadata`);
  expect(structure.body).toMatchObject({ version: 1, documents: [{ title: 'Context' }] });
  const document = await call('POST', 'documents', {
    project_id: project,
    title: 'Moon',
    content: 'It is far.',
  });
  expect(document).toMatchObject({ status: 201, body: { path: '/projects/apollo/docs/Moon.md' } });
  const read = await call('GET', `documents/${document.body.id}`);
  expect(read.body.content).toBe('It is far.');
  expect(await call('GET', `projects/${project}/document-by-path?path=moon`)).toMatchObject({ status: 200 });
  expect(await call('GET', `projects/${project}/document-by-path?path=mon`)).toMatchObject({
    status: 404,
    body: { suggestions: ['Moon'] },
  });
  const far = { parent_id: null, order: 2 ** 31 };
  expect(await call('POST', `documents/${document.body.id}/move`, far)).toMatchObject({ status: 400 });
  const cycle = await call('POST', 'edges', { from_id: task.id, to_id: task.id, rel: 'depends_on' });
  expect(cycle).toMatchObject({ status: 422 });
  const links = await call('GET', `entities/${task.id}/edges`);
  expect(links.body).toMatchObject({
    items: [{ rel: 'supports', direction: 'out', entity: { kind: 'goal', project_id: project } }],
    as_of: (await call('GET', 'tasks')).body.as_of,
  });
  const versions = await call('GET', `tasks/${task.id}/versions`);
  expect(versions.body.items.map(({ op }: { op: string }) => op)).toEqual(['update', 'link', 'create']);
  expect((await call('DELETE', `projects/${project}`)).status).toBe(200);
  expect((await call('GET', `tasks/${task.id}`)).status).toBe(404);
  expect(await call('POST', 'tasks', { project_id: project, title: 'Too late' })).toMatchObject({
    status: 404,
    body: { code: 'project_not_found' },
  });
  expect((await call('GET', 'projects?removed=true')).body.items).toMatchObject([{ id: project }]);
  expect((await call('GET', 'projects')).body.items).toEqual([]);
  expect((await call('POST', `projects/${project}/restore`)).status).toBe(200);
  expect((await call('GET', `tasks/${task.id}`)).status).toBe(200);
  const file = await fetch(`${base}/files/projects/apollo/docs/Moon.md`);
  expect(file.status).toBe(200);
});

test('ONT-3 the search route finds entities and files, in a project and by kinds, with the members of both', async () => {
  const base = `${world.pod.url}/api/v1/workspaces/default`;
  const read = async (response: Response) => JSON.parse(await response.text());
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    return read(await fetch(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  };
  const search = async (query: string) => read(await fetch(`${base}/search?${query}`));
  const { project } = await post('projects', { name: 'Zephyr' });
  const task = await post('tasks', { project_id: project.id, title: 'Weigh the ballast' });
  const document = await post('documents', {
    project_id: project.id,
    title: 'Ballast',
    content: 'Sand, dry.',
  });
  await fetch(`${base}/files/notes/ballast.txt`, { method: 'PUT', body: 'ballast is sand' });
  const { items } = await search('q=ballast');
  expect(
    items.map((hit: Record<string, string>) => `${hit.found_in} ${hit.entity_type} ${hit.path}`).toSorted(),
  ).toEqual([
    'name document /projects/zephyr/docs/Ballast.md',
    'name file /notes/ballast.txt',
    'name task null',
  ]);
  expect(items.find((hit: Record<string, string>) => hit.entity_id === document.id)).toMatchObject({
    id: document.id,
    kind: 'file',
    title: 'Ballast',
    project_id: project.id,
    version: 1,
    size: expect.any(Number),
    score: expect.any(Number),
  });
  const tasks = await search(`q=ballast&kinds=task&project_id=${project.id}`);
  expect(tasks.items).toMatchObject([{ entity_id: task.id, id: null, path: null, kind: null, size: null }]);
  expect((await search('q=sand&in=text&kinds=file')).items).toMatchObject([
    { path: '/notes/ballast.txt', found_in: 'text', snippet: 'ballast is sand' },
  ]);
  expect(await search('q=sand&kinds=tsak')).toMatchObject({ status: 400, code: 'invalid_query' });
});
