// The tools of knowledge, as agents use them: on a real pod, with scripted models.

import { expect, test } from 'vitest';
import { ask, framesOf, type Frame } from '@continuo/testkit';
import { startPod, usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const base = () => `${world.url}/api/v1/workspaces/default`;

// Tests look into bodies of every shape, and a wrong guess fails the test.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

interface Call {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

async function post(path: string, body: unknown): Promise<Body> {
  const answer = await ask('POST', `${base()}/${path}`, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

async function newProject(name: string, more: object = {}) {
  return (await post('projects', { name, purpose: 'To have fun.', ...more })).project;
}

/** Has an agent make these calls, one after the other, in a chat about a project; gives the frames of its run. */
async function play(
  project: { id: string } | null,
  calls: readonly Call[],
  how: object = {},
): Promise<Frame[]> {
  const steps = [...calls.map((call) => ({ calls: [call] })), { text: 'done' }];
  const { run } = await post('chats', {
    goal: JSON.stringify({ steps }),
    title: 'a test',
    ...(project && { project_id: project.id }),
    ...how,
  });
  return framesOf(world.url, run.id);
}

const ends = (frames: readonly Frame[]) =>
  frames.filter(({ event }) => event === 'tool_end').map(({ data }) => data as Body);
const operations = (frames: readonly Frame[]) =>
  frames.filter(({ event }) => event === 'operation').map(({ data }) => data as Body);

/** The output of one call, which must succeed. */
async function called(
  project: { id: string } | null,
  tool: string,
  input: Record<string, unknown>,
): Promise<Body> {
  const [end] = ends(await play(project, [{ tool, input }]));
  expect(end, JSON.stringify(end)).toMatchObject({ tool, success: true });
  return end.output;
}

/** The error of one call, which must fail. */
async function failed(
  project: { id: string },
  tool: string,
  input: Record<string, unknown>,
  how = {},
): Promise<string> {
  const [end] = ends(await play(project, [{ tool, input }], how));
  expect(end, JSON.stringify(end)).toMatchObject({ tool, success: false });
  return end.output.error;
}

const KINDS = [
  ['task', 'tasks', { title: 'Rent chairs', priority: 'high' }, { state: 'done' }],
  ['goal', 'goals', { title: 'Everybody sits' }, { measure: '40 chairs' }],
  ['plan', 'plans', { title: 'By train', description: 'The day train' }, { description: 'The night train' }],
  ['milestone', 'milestones', { title: 'Invitations sent' }, { due: '2026-12-24' }],
  ['risk', 'risks', { title: 'Rain', impact: 'high' }, { response: 'A tent' }],
  ['requirement', 'requirements', { title: 'Vegan food' }, { priority: 'must' }],
] as const;

test.each(KINDS)(
  'ONT-3 a %s is created, listed, found, read, changed and removed with its tools',
  async (kind, plural, given, patch) => {
    await ask('PUT', `${base()}/policy`, { rules: [{ tool: '*', action: 'allow' }] });
    const project = await newProject(`All ${plural}`);
    const created = await called(project, `create_onto_${kind}`, { project_id: project.id, ...given });
    expect(created).toMatchObject({ title: given.title, version: 1 });
    const { id } = created;
    const listed = await called(project, `list_onto_${plural}`, { project_id: project.id });
    expect(listed.items).toMatchObject([{ id, title: given.title }]);
    expect(listed.text).toContain(`${given.title} · `);
    expect(listed.text).toContain(`(id ${id}, version 1)`);
    const found = await called(project, `search_onto_${plural}`, {
      query: given.title,
      project_id: project.id,
    });
    expect(found.items).toMatchObject([{ entity_type: kind, entity_id: id, title: given.title }]);
    const details = await called(project, `get_onto_${kind}_details`, { [`${kind}_id`]: id });
    expect(details.text).toContain(given.title);
    const update = { [`${kind}_id`]: id, expected_version: 1, ...patch };
    expect(await called(project, `update_onto_${kind}`, update)).toMatchObject({ id, version: 2 });
    const stale = await failed(project, `update_onto_${kind}`, { ...update, title: 'Something else' });
    expect(stale).toContain('it is at version 2 now');
    expect(stale).toContain(JSON.stringify(Object.values(patch)[0]));
    expect(await called(project, `delete_onto_${kind}`, { [`${kind}_id`]: id })).toMatchObject({ id });
    expect(await failed(project, `get_onto_${kind}_details`, { [`${kind}_id`]: id })).toContain('removed');
  },
);

test('ONT-4 the metadata of several documents is read in one call, in the order asked for, and never their content', async () => {
  const project = await newProject('Metadata');
  const create = (title: string, content: string) =>
    called(project, 'create_onto_document', {
      project_id: project.id,
      parent_id: null,
      title,
      description: `About ${title}`,
      content,
    });
  const market = await create('Market', 'It grows.');
  const research = await create('Research', 'All that we know.');
  const { documents } = await called(project, 'get_document_metadata', {
    project_id: project.id,
    document_ids: [research.id, market.id],
  });
  const updated_at = expect.any(String);
  expect(documents).toMatchObject([
    { id: research.id, title: 'Research', description: 'About Research', content_length: 17, updated_at },
    { id: market.id, title: 'Market', description: 'About Market', content_length: 9, updated_at },
  ]);
  expect(JSON.stringify(documents)).not.toMatch(/It grows|All that we know/);
});

test('ONT-3 ONT-6 documents are created below a parent, found by path, read, changed, moved and removed with their tools', async () => {
  const project = await newProject('Documents');
  const create = (title: string, parent_id: string | null, content: string) =>
    called(project, 'create_onto_document', {
      project_id: project.id,
      parent_id,
      title,
      description: `About ${title}`,
      content,
    });
  const research = await create('Research', null, 'All that we know.');
  const market = await create('Market', research.id, 'It grows.');
  expect(market.path).toBe('/projects/documents/docs/Research/Market.md');

  const read = ends(
    await play(project, [{ tool: 'get_onto_document_details', input: { document_id: market.id } }]),
  )[0];
  expect(read.output.text).toContain('It grows.');
  expect(read).toMatchObject({ sources: [market.id], versions: { [market.id]: 1 } });
  const byPath = { project_id: project.id, path: 'research/market' };
  expect(await called(project, 'get_onto_document_details', byPath)).toMatchObject({ id: market.id });
  expect(
    await failed(project, 'get_onto_document_details', { project_id: project.id, path: 'Research/Markt' }),
  ).toContain('did you mean Research/Market?');

  expect(await called(project, 'get_document_path', { document_id: market.id })).toMatchObject({
    path: 'Research/Market',
  });
  const structure = JSON.parse((await called(project, 'get_doc_structure', { project_id: project.id })).text);
  expect(structure.root[1]).toMatchObject({
    id: research.id,
    title: 'Research',
    children: [{ id: market.id, title: 'Market', content_length: 9 }],
  });
  const listed = await called(project, 'list_onto_documents', { project_id: project.id });
  expect(listed.items.map(({ title }: { title: string }) => title)).toEqual([
    'Context',
    'Research',
    'Market',
  ]);

  const changed = await called(project, 'update_onto_document', {
    document_id: market.id,
    expected_version: market.version,
    content: 'It shrinks.',
  });
  expect(changed.version).toBe(market.version + 1);
  expect(
    await failed(project, 'update_onto_document', {
      document_id: market.id,
      expected_version: market.version,
      content: 'It grows again.',
    }),
  ).toContain(`version ${changed.version} now`);
  const moved = await called(project, 'move_onto_document', {
    document_id: market.id,
    parent_id: null,
    order: 0,
  });
  expect(moved.path).toBe('/projects/documents/docs/Market.md');
  const file = await ask('GET', `${base()}/files/projects/documents/docs/Market.md`);
  expect(file.text).toContain('It shrinks.');
  await called(project, 'delete_onto_document', { document_id: research.id });
  expect(await failed(project, 'get_onto_document_details', { document_id: research.id })).toContain(
    'removed',
  );
});

test('ONT-2 a project is created with all that belongs to it; entities are linked and searched over kinds', async () => {
  const project = await newProject('Where we are');
  const created = await called(project, 'create_onto_project', {
    name: 'Garden party',
    purpose: '40 people in the garden, and no rain plan.',
    goals: ['Everybody sits'],
    tasks: [{ title: 'Rent chairs', goal: 0 }, { title: 'Bake zucchini cake' }],
  });
  expect(created.entitiesCreated.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
    'document',
    'goal',
    'project',
    'task',
    'task',
  ]);
  expect(created.edgesCreated.map(({ rel }: { rel: string }) => rel).toSorted()).toEqual([
    'references',
    'supports',
  ]);
  const idOf = (title: string) =>
    created.entitiesCreated.find((each: Body) => (each.title ?? each.name) === title).id as string;
  const edge = { from_id: idOf('Bake zucchini cake'), rel: 'depends_on', to_id: idOf('Rent chairs') };
  expect((await called(project, 'link_onto_entities', edge)).text).toBe(
    'linked: Bake zucchini cake depends on Rent chairs',
  );
  expect(
    await failed(project, 'link_onto_entities', { ...edge, from_id: edge.to_id, to_id: edge.from_id }),
  ).toContain('circle');
  const details = await called(project, 'get_onto_task_details', { task_id: edge.from_id });
  expect(details.text).toContain(`- depends on the task Rent chairs (id ${edge.to_id})`);
  await called(project, 'unlink_onto_entities', edge);
  expect(await failed(project, 'unlink_onto_entities', edge)).toContain('not linked');
  const everywhere = await called(project, 'search_onto_workspace', { query: 'zucchini' });
  expect(everywhere.items).toMatchObject([{ entity_type: 'task', title: 'Bake zucchini cake' }]);
  const inside = { query: 'zucchini', project_id: project.id };
  expect((await called(project, 'search_onto_project', inside)).items).toEqual([]);
  const projects = await called(project, 'list_onto_projects', {});
  expect(projects.text).toContain(
    'Garden party · active · purpose: 40 people in the garden, and no rain plan.',
  );
  const details2 = await called(project, 'get_onto_project_details', { project_id: created.id });
  expect(details2.text).toContain('purpose: 40 people');
  const renamed = { project_id: created.id, expected_version: created.version, name: 'Summer party' };
  expect(await called(project, 'update_onto_project', renamed)).toMatchObject({ title: 'Summer party' });
  expect((await called(project, 'search_onto_projects', { query: 'summer' })).items).toHaveLength(1);
  await called(project, 'delete_onto_project', { project_id: created.id });
  expect(await failed(project, 'get_onto_task_details', { task_id: edge.from_id })).toContain('removed');
});

test('CHAT-5 operations are said in words: start with the call, success or error with its end, names and never ids', async () => {
  const project = await newProject('Operations');
  const task = await post('tasks', { project_id: project.id, title: 'Rent chairs' });
  const frames = await play(project, [
    { tool: 'list_onto_tasks', input: { project_id: project.id } },
    { tool: 'search_onto_project', input: { query: 'chairs for all', project_id: project.id } },
    { tool: 'get_onto_task_details', input: { task_id: task.id } },
    { tool: 'create_onto_goal', input: { project_id: project.id, title: 'Everybody sits' } },
    { tool: 'update_onto_task', input: { task_id: task.id, expected_version: 1, title: 'Rent 40 chairs' } },
    { tool: 'update_onto_task', input: { task_id: task.id, expected_version: 1, title: 'Rent 50 chairs' } },
    { tool: 'get_onto_task_details', input: { task_id: '00000000-0000-7000-8000-00000000ffff' } },
  ]);
  const said = operations(frames).map(({ action, entity_type, entity_name, status }) =>
    [action, entity_type, entity_name, status].join(' | '),
  );
  expect(said).toEqual([
    'list | task | Tasks of Operations | start',
    'list | task | Tasks of Operations | success',
    'search | project | chairs for all | start',
    'search | project | chairs for all | success',
    'read | task | Rent chairs | start',
    'read | task | Rent chairs | success',
    'create | goal | Everybody sits | start',
    'create | goal | Everybody sits | success',
    'update | task | Rent chairs | start',
    'update | task | Rent 40 chairs | success',
    'update | task | Rent 40 chairs | start',
    'update | task | Rent 40 chairs | error',
    'read | task | unknown task | start',
    'read | task | unknown task | error',
  ]);
  expect(JSON.stringify(operations(frames).map(({ entity_name }) => entity_name))).not.toMatch(
    /[0-9a-f]{8}-/,
  );
  expect(operations(frames)[7].entity_id).toMatch(/^[0-9a-f-]{36}$/);
  const events = frames.map(({ event }) => event).filter((event) => /^(tool_|operation|entity)/.test(event));
  expect(events.slice(12, 17)).toEqual(['tool_start', 'operation', 'entity_patch', 'operation', 'tool_end']);
  // The seed's own dialect has the same events.
  const answer = await ask('POST', `${world.url}/api/agent/stream`, {
    message: JSON.stringify({
      steps: [{ calls: [{ tool: 'list_onto_goals', input: { project_id: project.id } }] }, { text: 'x' }],
    }),
    scope: 'project',
    project_id: project.id,
  });
  const operation = answer.text.split('\n\n').find((frame) => frame.includes('event: operation'))!;
  expect(JSON.parse(operation.split('data: ')[1]!)).toMatchObject({
    action: 'list',
    entity_type: 'goal',
    entity_name: 'Goals of Operations',
    status: 'start',
  });
});

test('CHAT-4 a patch is the same in the run’s log and in the change feed', async () => {
  const project = await newProject('Patches', { tasks: ['Rent chairs'] });
  const before = (await ask('GET', `${base()}/tasks?project_id=${project.id}`)).body;
  const [task] = before.items;
  const frames = await play(project, [
    { tool: 'update_onto_task', input: { task_id: task.id, expected_version: task.version, state: 'done' } },
    {
      tool: 'create_onto_document',
      input: { project_id: project.id, parent_id: null, title: 'Chairs', content: 'x' },
    },
  ]);
  const inLog = frames
    .filter(({ event }) => event === 'entity_patch')
    .map(({ data: { call: _, ...patch } }) => patch);
  expect(inLog.map(({ entity_type }) => entity_type)).toEqual(['task', 'document', 'doc_structure']);
  const { items } = (await ask('GET', `${base()}/changes?after=${before.as_of}`)).body;
  const inFeed = items
    .filter(({ type }: { type: string }) => type === 'entity_patch')
    .map(({ data: { author: _, ...patch } }: Body) => patch);
  expect(inLog).toEqual(inFeed);
  expect(
    frames.some(
      ({ event, data }) => event === 'file_updated' && data.path === '/projects/patches/docs/Chairs.md',
    ),
  ).toBe(true);
});

test.each(['tool.after_effect.transactional', 'transact.inside', 'transact.after'])(
  'a pod that dies at %s creates an entity once, and its operation starts once',
  async (fault) => {
    const project = await newProject(`Killed at ${fault}`);
    const victim = await startPod({ databaseUrl: world.database.url, fault });
    try {
      const call = { tool: 'create_onto_task', input: { project_id: project.id, title: 'Only one' } };
      const goal = JSON.stringify({ steps: [{ calls: [call] }, { text: 'done' }] });
      const opened = await ask('POST', `${victim.url}/api/v1/workspaces/default/chats`, {
        goal,
        title: 'killed',
        project_id: project.id,
      });
      await victim.exited;
      const frames = await framesOf(world.url, opened.body.run.id);
      expect(operations(frames).map(({ status }) => status)).toEqual(['start', 'success']);
      const { items } = (await ask('GET', `${base()}/tasks?project_id=${project.id}`)).body;
      expect(items.map(({ title }: { title: string }) => title)).toEqual(['Only one']);
    } finally {
      await victim.end();
    }
  },
);

test('the default assistant has the tools of knowledge only in a project', async () => {
  const project = await newProject('Gating');
  const call = { tool: 'list_onto_projects', input: {} };
  const [outside] = ends(await play(null, [call]));
  expect(outside).toMatchObject({ success: false });
  expect(outside.output.error).toContain(
    'there is no tool named list_onto_projects; the tools are: ls, tree, read',
  );
  expect(outside.output.error.split('the tools are:')[1]).not.toContain('_onto_');
  expect(ends(await play(project, [call]))[0]).toMatchObject({ success: true });
  const [researcher] = ends(await play(null, [call], { role: 'researcher' }));
  expect(researcher).toMatchObject({ success: true });
  const creation = { tool: 'create_onto_task', input: { project_id: project.id, title: 'No' } };
  expect(ends(await play(project, [creation], { role: 'researcher' }))[0]).toMatchObject({ success: false });
});

test('a role that is denied a project’s folder can neither see nor change what is in it', async () => {
  await ask('PUT', `${base()}/policy`, { rules: [{ tool: '*', action: 'allow' }] });
  const open = await newProject('Open');
  const secret = await newProject('Secret', { tasks: ['Buy the island'] });
  const half = await newProject('Half');
  const make = (project: Body, title: string, parent_id: string | null = null) =>
    post('documents', {
      project_id: project.id,
      title,
      parent_id,
      content: `classified ${title}`,
      description: 'classified',
    });
  const island = await make(secret, 'Island');
  const hidden = await make(half, 'Hidden');
  const below = await make(half, 'Below', hidden.id);
  const plain = await make(half, 'Hiddenite');
  const [task] = (await ask('GET', `${base()}/tasks?project_id=${secret.id}`)).body.items;
  const own = await post('tasks', { project_id: open.id, title: 'Ours' });
  await post('edges', { from_id: own.id, to_id: task.id, rel: 'depends_on' });
  const role = `---\npermissions:\n  - { tool: "*", path: "/projects/secret/**", action: deny }\n  - { tool: "*", path: "/projects/half/docs/Hidden.md", action: deny }\n  - { tool: "*", path: "/projects/half/docs/Hidden/**", action: deny }\n---\nYou are an outsider.\n`;
  const written = await fetch(`${base()}/files/agents/outsider.md`, {
    method: 'PUT',
    headers: {
      'content-type': 'text/markdown',
      authorization: 'Bearer the-person-of-these-tests-0123456789',
    },
    body: role,
  });
  expect(written.status).toBe(201);
  const as = { role: 'outsider' };
  const attacks: Call[] = [
    { tool: 'list_onto_projects', input: {} },
    { tool: 'search_onto_workspace', input: { query: 'island classified secret Hidden Below' } },
    { tool: 'search_onto_documents', input: { query: 'classified' } },
    { tool: 'search_onto_tasks', input: { query: 'island' } },
    { tool: 'list_onto_documents', input: { project_id: half.id } },
    { tool: 'get_doc_structure', input: { project_id: half.id } },
    { tool: 'get_onto_task_details', input: { task_id: own.id } },
    {
      tool: 'get_document_metadata',
      input: { project_id: half.id, document_ids: [hidden.id, below.id, plain.id] },
    },
    { tool: 'get_onto_document_details', input: { project_id: half.id, path: 'Hiden' } },
  ];
  const seen = ends(await play(open, attacks, as));
  for (const { output } of seen) {
    const shown = JSON.stringify(output).replaceAll('Hiddenite', '');
    expect(shown).not.toMatch(/island|Secret|Hidden|Below/i);
    for (const each of [island, hidden, below, task, secret]) expect(shown).not.toContain(each.id);
  }
  expect(JSON.stringify(seen)).toContain('Hiddenite');
  const refused: Call[] = [
    { tool: 'list_onto_tasks', input: { project_id: secret.id } },
    { tool: 'list_onto_documents', input: { project_id: secret.id } },
    { tool: 'search_onto_project', input: { project_id: secret.id, query: 'island' } },
    { tool: 'get_doc_structure', input: { project_id: secret.id } },
    { tool: 'get_onto_project_details', input: { project_id: secret.id } },
    { tool: 'get_onto_task_details', input: { task_id: task.id } },
    { tool: 'get_onto_document_details', input: { document_id: island.id } },
    { tool: 'get_onto_document_details', input: { document_id: below.id } },
    { tool: 'get_onto_document_details', input: { project_id: half.id, path: 'Hidden/Below' } },
    { tool: 'get_document_path', input: { document_id: below.id } },
    { tool: 'get_document_metadata', input: { project_id: secret.id, document_ids: [island.id] } },
    { tool: 'create_onto_document', input: { project_id: secret.id, parent_id: null, title: 'Mine' } },
    { tool: 'create_onto_document', input: { project_id: half.id, parent_id: hidden.id, title: 'Mine' } },
    { tool: 'create_onto_document', input: { project_id: half.id, parent_id: null, title: 'Hidden' } },
    { tool: 'create_onto_task', input: { project_id: secret.id, title: 'Mine' } },
    { tool: 'create_onto_project', input: { name: 'Secret' } },
    { tool: 'update_onto_task', input: { task_id: task.id, expected_version: task.version, title: 'Mine' } },
    {
      tool: 'update_onto_document',
      input: { document_id: below.id, expected_version: below.version, content: 'Mine' },
    },
    {
      tool: 'update_onto_document',
      input: { document_id: plain.id, expected_version: plain.version, title: 'Hidden' },
    },
    { tool: 'update_onto_project', input: { project_id: secret.id, expected_version: 1, name: 'Mine' } },
    { tool: 'move_onto_document', input: { document_id: below.id, parent_id: null } },
    { tool: 'move_onto_document', input: { document_id: plain.id, parent_id: hidden.id } },
    { tool: 'delete_onto_document', input: { document_id: hidden.id } },
    { tool: 'delete_onto_project', input: { project_id: half.id } },
    { tool: 'delete_onto_project', input: { project_id: secret.id } },
    { tool: 'delete_onto_task', input: { task_id: task.id } },
    { tool: 'link_onto_entities', input: { from_id: own.id, rel: 'references', to_id: island.id } },
    { tool: 'unlink_onto_entities', input: { from_id: own.id, rel: 'depends_on', to_id: task.id } },
  ];
  const made = ends(await play(open, refused, as));
  expect(made.filter(({ success }) => success)).toEqual([]);
  for (const { output } of made) expect(JSON.stringify(output)).not.toMatch(/classified|Island/);
  const after = (await ask('GET', `${base()}/documents/${below.id}`)).body;
  expect(after).toMatchObject({ version: below.version, content: 'classified Below' });
});

test('CHAT-1 a session’s scope is checked, remembered and changed by its messages', async () => {
  const project = await newProject('Scoped', { tasks: ['Rent chairs'] });
  const other = await newProject('Other');
  const [task] = (await ask('GET', `${base()}/tasks?project_id=${project.id}`)).body.items;
  const list = JSON.stringify({
    steps: [{ calls: [{ tool: 'list_onto_projects', input: {} }] }, { text: 'x' }],
  });
  const stream = (body: object) => ask('POST', `${world.url}/api/agent/stream`, { message: list, ...body });
  const unknown = '00000000-0000-7000-8000-00000000ffff';
  for (const [body, status, code] of [
    [{ scope: 'project' }, 400, 'invalid_scope'],
    [{ project_id: project.id }, 400, 'invalid_scope'],
    [{ scope: 'entity', entity: { type: 'task', id: task.id }, project_id: other.id }, 400, 'invalid_scope'],
    [{ scope: 'project', project_id: unknown }, 404, 'project_not_found'],
    [{ scope: 'entity', entity: { type: 'task', id: unknown } }, 404, 'task_not_found'],
    [{ scope: 'entity', entity: { type: 'goal', id: task.id } }, 404, 'goal_not_found'],
    [{ scope: 'project', project_id: task.id }, 404, 'project_not_found'],
  ] as const)
    expect(await stream(body), JSON.stringify(body)).toMatchObject({ status, body: { code } });
  const first = await stream({ scope: 'entity', entity: { type: 'task', id: task.id } });
  expect(first.text).toContain('event: operation');
  const session_id = /"session_id":"([^"]+)"/.exec(first.text)![1]!;
  const scopes = async () =>
    (
      await world.database.pool.query(
        "select data -> 'scope' as scope from events where thread_id = $1 and type = 'message' order by seq",
        [session_id],
      )
    ).rows.map(({ scope }) => scope);
  expect((await stream({ session_id })).text).toContain('event: operation');
  expect((await stream({ session_id, scope: 'global' })).text).not.toContain('event: operation');
  expect((await stream({ session_id })).text).not.toContain('event: operation');
  expect((await stream({ session_id, scope: 'project', project_id: other.id })).text).toContain(
    'event: operation',
  );
  expect(await scopes()).toEqual([
    { project_id: project.id, entity_id: task.id },
    null,
    { project_id: null },
    null,
    { project_id: other.id },
  ]);
});

test('RT-7 the offline model works on a project in plain sentences', async () => {
  await ask('PUT', `${base()}/policy`, { rules: [{ tool: '*', action: 'allow' }] });
  const project = await newProject('Offline');
  const research = await post('documents', { project_id: project.id, title: 'Research' });
  await post('documents', {
    project_id: project.id,
    title: 'Market',
    parent_id: research.id,
    content: 'It grows.',
  });
  const say = async (goal: string) => {
    const { run } = await post('chats', {
      goal,
      title: 'x',
      project_id: project.id,
      model: 'offline/instant',
    });
    return (await framesOf(world.url, run.id)).find(({ event }) => event === 'final')!.data.text as string;
  };
  await say('add a task Rent chairs');
  expect(await say('list the tasks')).toContain('- Rent chairs · todo');
  await say('mark the task Rent chairs as done');
  expect(await say('list the tasks')).toContain('- Rent chairs · done');
  expect(await say('what does the document Research/Market say?')).toContain('It grows.');
  await say('create a project Picnic: 40 people in the park');
  expect(await say('list the projects')).toContain('- Picnic · active · purpose: 40 people in the park');
});
