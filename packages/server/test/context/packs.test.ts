// What models are told about the scope of their thread.

import { expect, test } from 'vitest';
import { agentStateOf, NO_MEMORY, type PolicyRule, type ThreadScope } from '@continuo/protocol';
import type { Agent } from '../../src/agents/agent.ts';
import { toolsWithinBudget } from '../../src/context/budgets.ts';
import { loadLayers } from '../../src/context/layers.ts';
import { createPacks } from '../../src/context/packs.ts';
import type { ModeDecision } from '../../src/context/mode.ts';
import type { ContextPart, PackParts } from '../../src/context/request.ts';
import { link } from '../../src/knowledge/edges.ts';
import type { Caller } from '../../src/knowledge/entities.ts';
import { useKnowledge } from '../knowledge/support.ts';

const world = useKnowledge();
const layers = await loadLayers();

/** Packs with an empty cache, unless the test shares them. */
const newPacks = (now = Date.now) => createPacks({ pool: world.pool, layers, bus: null, now });

function agentWith(permissions: readonly PolicyRule[] = []): Agent {
  return {
    role: 'assistant',
    preamble: 'You help.',
    roleFile: null,
    guide: { id: 'g', path: '/AGENTS.md', version: 1, text: 'Be brief.' },
    teamFiles: [],
    permissions,
  } as never;
}

function read(
  caller: Caller,
  scope: ThreadScope,
  {
    packs = newPacks(),
    message = 'Hello.',
    permissions = [] as readonly PolicyRule[],
    mode = undefined as ModeDecision | undefined,
  } = {},
): Promise<PackParts> {
  return packs.read({
    workspaceId: caller.workspaceId,
    scope,
    agent: agentWith(permissions),
    message,
    mode,
    ratio: 1,
  });
}

const kinds = (parts: readonly ContextPart[]) => parts.map(({ kind }) => kind);
const partOf = (pack: PackParts, kind: string) =>
  [...pack.system, ...pack.turn].find((part) => part.kind === kind)?.text ?? '';
const structureOf = (pack: PackParts) =>
  JSON.parse(partOf(pack, 'structure').slice('doc_structure: '.length));

async function newProject(caller: Caller) {
  const { projects, documents } = world.knowledge;
  const { project } = await projects.create(caller, {
    name: 'Moon',
    purpose: 'Land there',
    tasks: [{ title: 'Build the lander' }],
  });
  const add = async (title: string, content: string, more: object = {}) =>
    (await documents.create(caller, { title, content, ...more }, project.id)).entities[0]!;
  const research = await add('Research', 'far away');
  const craters = await add('Craters', 'deep', { description: 'Many', parent_id: research.id });
  return { project, research, craters, add, scope: { project_id: project.id } };
}

test('CTX-1 CTX-2 ONT-6 in a project a model gets the five layers, the map without content, and a summary', async () => {
  const caller = await world.newCaller();
  const { project, research, craters, scope } = await newProject(caller);
  const pack = await read(caller, scope);
  expect(kinds(pack.system)).toEqual('scope documents tools verification structure project'.split(' '));
  expect(partOf(pack, 'scope')).toBe(layers['scope-project']);
  const first = newPacks().instructions(agentWith());
  expect(first.map(({ text }) => text)).toEqual([
    layers.base,
    'You help.',
    '/AGENTS.md, which people edit and you keep to, says:\n\nBe brief.',
  ]);
  expect(structureOf(pack)).toMatchObject({
    version: 3,
    root: [
      { title: 'Context', order: 0, description: 'What Moon is for', children: [] },
      {
        id: research.id,
        order: 1,
        title: 'Research',
        description: null,
        content_length: 8,
        children: [
          {
            id: craters.id,
            order: 0,
            title: 'Craters',
            description: 'Many',
            content_length: 4,
            children: [],
          },
        ],
      },
    ],
  });
  const text = pack.system.map((part) => part.text).join('');
  expect(text).not.toContain('far away');
  expect(partOf(pack, 'project')).toContain(
    `Moon (project_id ${project.id}). It is active.\nPurpose: Land there`,
  );
  expect(partOf(pack, 'project')).toContain('3 documents, 1 task (1 todo)');
  expect(partOf(pack, 'activity')).toContain('document Craters');
});

test('CTX-1 in an entity’s scope a model gets the whole entity, its path, and what it is linked to', async () => {
  const caller = await world.newCaller();
  const { craters, project, scope } = await newProject(caller);
  const { rows } = await world.pool.query<{ id: string }>(
    "select id from entities where project_id = $1 and kind = 'task'",
    [project.id],
  );
  await link(caller, { from_id: rows[0]!.id, to_id: craters.id, rel: 'references' });
  const pack = await read(caller, { ...scope, entity_id: craters.id });
  expect(partOf(pack, 'scope')).toBe(layers['scope-entity']);
  expect(partOf(pack, 'entity')).toContain('The document in focus: {"id"');
  expect(partOf(pack, 'entity')).toContain('Its path in doc_structure: Research / Craters');
  // The document in focus is loaded with every message.
  expect(partOf(pack, 'document')).toContain('<document>\ndeep\n</document>');
  expect(pack.sources).toEqual([craters.id]);
  const task = await read(caller, { ...scope, entity_id: rows[0]!.id });
  expect(partOf(task, 'entity')).toContain('The task in focus: {"id"');
  expect(partOf(task, 'entity')).toContain(`- it references document Craters (id ${craters.id}, version 2)`);
  expect(task.sources).toEqual([]);
});

test('CTX-1 in the global scope a model gets a line about each project, and nothing if there is none', async () => {
  const caller = await world.newCaller();
  const scope = { project_id: null };
  expect(kinds((await read(caller, scope)).system)).toEqual([]);
  const { project } = await newProject(caller);
  const pack = await read(caller, scope);
  expect(kinds(pack.system)).toEqual(['scope', 'project']);
  expect(partOf(pack, 'project')).toContain(
    `- Moon (project_id ${project.id}): active, 3 documents, Land there`,
  );
  expect(pack.turn).toEqual([]);
});

test('a pack contains nothing that the role may not read', async () => {
  const caller = await world.newCaller();
  const { craters, project, scope } = await newProject(caller);
  const hidden: PolicyRule = { tool: '*', path: '/projects/moon/docs/Research.md', action: 'deny' };
  const some = await read(caller, scope, { permissions: [hidden], message: 'What is in Research?' });
  expect(structureOf(some).root.map(({ title }: { title: string }) => title)).toEqual(['Context', 'Craters']);
  expect(some.sources).toEqual([]);
  const secret: PolicyRule = { tool: 'read', path: '/projects/moon/**', action: 'deny' };
  const about = { ...scope, entity_id: craters.id };
  expect(kinds((await read(caller, about, { permissions: [secret] })).system)).toEqual([]);
  await world.knowledge.projects.delete(caller, project.id, null);
  expect(kinds((await read(caller, scope)).system)).toEqual([]);
});

test('CTX-8 ONT-6 the map of a large project has at most 4,000 tokens: the focus is open, the rest is counted', async () => {
  const caller = await world.newCaller();
  const { add, scope } = await newProject(caller);
  let focus = '';
  for (let part = 0; part < 10; part += 1) {
    const parent = await add(`Part ${part}`, '', { description: 'x'.repeat(200) });
    for (let page = 0; page < 20; page += 1) {
      const { id } = await add(`Page ${page}`, '', { parent_id: parent.id });
      if (part === 7 && page === 3) focus = id;
    }
  }
  const pack = await read(caller, scope);
  expect(partOf(pack, 'structure').length).toBeLessThanOrEqual(4 * 4000);
  const closed = structureOf(pack).root;
  expect(closed[2]).toMatchObject({ title: 'Part 0', children: [], below: 20 });
  expect(closed).toHaveLength(12);
  const focused = structureOf(await read(caller, { ...scope, entity_id: focus })).root;
  expect(focused[9].children).toHaveLength(20);
  expect(focused[2]).toMatchObject({ title: 'Part 0', children: [], below: 20 });
});

test('retrieval loads the documents that the message names by path, title or rare words, and no others', async () => {
  const caller = await world.newCaller();
  const { research, craters, add, scope } = await newProject(caller);
  const fuel = await add('Propellant choice', 'Methane it is.', { description: 'Hydrogen or kerosene' });
  const notes = await add('Notes', 'Research notes.', { parent_id: research.id });
  const other = await add('Notes', 'Fuel notes.', { parent_id: fuel.id });
  const sourcesFor = async (message: string) => (await read(caller, scope, { message })).sources;
  expect(await sourcesFor('How deep are the craters?')).toEqual([craters.id]);
  expect(await sourcesFor('Why kerosene and not hydrogen?')).toEqual([fuel.id]);
  expect(await sourcesFor('What do Research / Notes say?')).toEqual([notes.id, research.id, other.id]);
  expect(await sourcesFor('Hello there, how are you?')).toEqual([]);
  // Words that every text has say nothing.
  const scopeOfWork = await add('Scope of it', 'x', { description: 'What it is, as of now, to us' });
  expect(await sourcesFor('So what is the point of it to us, as it is?')).toEqual([]);
  expect(await sourcesFor('What is in the scope of it?')).toEqual([scopeOfWork.id]);
  const pack = await read(caller, scope, { message: 'Why kerosene and not hydrogen?' });
  expect(pack.turn.at(-1)).toMatchObject({
    kind: 'document',
    source: { kind: 'file', id: fuel.id, version: 1 },
  });
  expect(pack.turn.at(-1)!.text).toContain('<document>\nMethane it is.\n</document>');
});

test('CTX-8 a warm cache gives the same parts as a cold one, after every kind of change', async () => {
  const caller = await world.newCaller();
  const { craters, research, add, scope } = await newProject(caller);
  const packs = newPacks();
  const about = { ...scope, entity_id: craters.id };
  const permissions: PolicyRule[] = [{ tool: '*', path: '/projects/moon/docs/Secret.md', action: 'deny' }];
  const changes: (() => Promise<unknown>)[] = [
    async () => undefined,
    () => add('Orbits', 'round'),
    () => add('Secret', 'hush'),
    () => world.knowledge.documents.update(caller, research.id, { content: 'Nearer.' }, null),
    () => world.knowledge.documents.update(caller, craters.id, { title: 'Holes' }, null),
    () => world.knowledge.entities('task').create(caller, { title: 'Measure' }, scope.project_id),
    () =>
      world.pool.query('update workspaces set policy = $2 where id = $1', [
        caller.workspaceId,
        JSON.stringify({ rules: [{ tool: '*', action: 'allow' }, ...permissions] }),
      ]),
    // Nobody announces that a policy was changed.
    () =>
      world.pool.query('update workspaces set policy = $2 where id = $1', [
        caller.workspaceId,
        JSON.stringify({ rules: [{ tool: '*', path: '/projects/**', action: 'deny' }] }),
      ]),
  ];
  for (const change of changes) {
    await change();
    for (const asked of [scope, about, { project_id: null }])
      for (const allowed of [[], permissions]) {
        const message = 'What do Research and Secret say?';
        const how = { message, permissions: allowed };
        const cold = await read(caller, asked, how);
        expect(await read(caller, asked, { ...how, packs })).toEqual(cold);
        expect(await read(caller, asked, { ...how, packs })).toEqual(cold);
      }
  }
});

test('CTX-8 a cached pack asks the database for one row, and is read again after its time', async () => {
  const caller = await world.newCaller();
  const { scope } = await newProject(caller);
  const asked: string[] = [];
  const pool = {
    query: (statement: { name: string }) => {
      asked.push(statement.name);
      return world.pool.query(statement as never);
    },
  } as never;
  let now = 0;
  const packs = createPacks({ pool, layers, bus: null, now: () => now });
  const about = { workspaceId: caller.workspaceId, scope, permissions: [], message: '', maxTokens: 1 };
  await packs.prewarm({ ...about, agentState: agentStateOf(NO_MEMORY, 't') });
  expect(asked).toEqual(['context_bundle']);
  await read(caller, scope, { packs });
  expect(asked).toEqual(['context_bundle', 'context_stamp']);
  now += 60_000;
  await read(caller, scope, { packs });
  expect(asked).toEqual(['context_bundle', 'context_stamp', 'context_bundle']);
});

test('CTX-8 a workspace without projects asks the database for nothing until the bus announces a change', async () => {
  const caller = await world.newCaller();
  const asked: string[] = [];
  const pool = {
    query: (statement: { name: string }) => {
      asked.push(statement.name);
      return world.pool.query(statement as never);
    },
  } as never;
  let announce = (): void => undefined;
  const bus = {
    subscribe: (_: unknown, { message }: { message: (change: object) => void }) => {
      announce = () => message({ workspaceId: caller.workspaceId });
    },
  } as never;
  const packs = createPacks({ pool, layers, bus, now: () => 0 });
  const everywhere = { project_id: null };
  await read(caller, everywhere, { packs });
  await read(caller, everywhere, { packs });
  expect(asked).toEqual(['context_bundle']);
  await newProject(caller);
  announce();
  expect(kinds((await read(caller, everywhere, { packs })).system)).toEqual(['scope', 'project']);
  // With projects, a row tells whether what is cached is current.
  await read(caller, everywhere, { packs });
  expect(asked).toEqual(['context_bundle', 'context_bundle', 'context_stamp']);
});

test('the schemas of the server’s own tools have at most 6,000 tokens; what is left out is said', () => {
  const schema = (name: string, size: number) => ({ name, description: 'x'.repeat(size), input: {} });
  const small = [schema('read', 100), schema('a__b', 100_000)];
  expect(toolsWithinBudget(small)).toEqual({ tools: small, leftOut: [] });
  const tools = [
    schema('read', 12_000),
    schema('search_onto_project', 4000),
    schema('search_onto_tasks', 4000),
    schema('search_onto_goals', 4000),
    schema('github__search', 4000),
    schema('list_onto_goals', 4000),
  ];
  const { tools: offered, leftOut } = toolsWithinBudget(tools);
  expect(offered.map(({ name }) => name)).toEqual(
    'read search_onto_project github__search list_onto_goals'.split(' '),
  );
  expect(leftOut.map(({ what }) => what)).toEqual([
    'the tool search_onto_goals',
    'the tool search_onto_tasks',
  ]);
});
