import { expect, test } from 'vitest';
import { readStructure } from '../../src/knowledge/structure.ts';
import { useKnowledge } from './support.ts';

const world = useKnowledge();

test('ONT-8 a new project has a context document in the words that it was created with', async () => {
  const caller = await world.newCaller();
  const created = await world.knowledge.projects.create(caller, {
    name: 'Garden party',
    purpose: 'We want 40 people in the garden, and no rain plan.',
    goals: [{ title: 'Everybody has a chair' }],
    tasks: [{ title: 'Rent 40 chairs', goal: 0 }],
  });
  expect(created.entitiesCreated.map(({ kind }) => kind).toSorted()).toEqual([
    'document',
    'goal',
    'project',
    'task',
  ]);
  expect(created.edgesCreated.map(({ rel }) => rel).toSorted()).toEqual(['references', 'supports']);
  const structure = await readStructure(world.pool, caller.workspaceId, created.project.id);
  expect(structure!.documents).toMatchObject([{ title: 'Context' }]);
  const context = await world.knowledge.documents.read(caller, structure!.documents[0]!.id);
  expect(context!.content).toContain('We want 40 people in the garden, and no rain plan.');
  expect(context!.path).toBe('/projects/garden-party/docs/Context.md');
});

test('ONT-5 documents move with their children, and siblings keep their order', async () => {
  const caller = await world.newCaller();
  const { documents, projects } = world.knowledge;
  const { project } = await projects.create(caller, { name: 'Map' });
  const make = async (title: string, parent_id: string | null = null) =>
    (await documents.create(caller, { title, content: `About ${title}`, parent_id }, project.id))
      .entities[0]!;
  const research = await make('Research');
  const market = await make('Market', research.id);
  const competitors = await make('Competitors', market.id);
  const second = await make('Market', research.id);
  expect(second.path).toBe('/projects/map/docs/Research/Market-2.md');
  await documents.move(caller, market.id, { parent_id: null, order: 0 }, null);
  const read = async () => (await readStructure(world.pool, caller.workspaceId, project.id))!;
  const context = (await read()).structure.root[1]!.id;
  expect((await read()).structure).toEqual({
    version: expect.any(Number),
    root: [
      { id: market.id, order: 0, children: [{ id: competitors.id, order: 0, children: [] }] },
      { id: context, order: 1, children: [] },
      { id: research.id, order: 2, children: [{ id: second.id, order: 0, children: [] }] },
    ],
  });
  expect((await documents.read(caller, competitors.id))!.path).toBe(
    '/projects/map/docs/Market/Competitors.md',
  );
  await documents.update(caller, market.id, { title: 'Markets', description: 'All: of them' }, null);
  expect(await documents.read(caller, competitors.id)).toMatchObject({
    path: '/projects/map/docs/Markets/Competitors.md',
  });
  expect(await documents.read(caller, market.id)).toMatchObject({
    title: 'Markets',
    description: 'All: of them',
    content: 'About Market',
  });
  await documents.delete(caller, market.id, null);
  expect((await read()).documents.map(({ title }) => title).toSorted()).toEqual([
    'Context',
    'Market',
    'Research',
  ]);
  await documents.restore(caller, market.id);
  expect((await read()).structure.root.at(-1)).toEqual({
    id: market.id,
    order: 2,
    children: [{ id: competitors.id, order: 0, children: [] }],
  });
  await projects.delete(caller, project.id, null);
  expect(await documents.read(caller, market.id)).toBeNull();
  await projects.restore(caller, project.id);
  expect(await documents.read(caller, competitors.id)).toMatchObject({
    title: 'Competitors',
    content: 'About Competitors',
  });
});
