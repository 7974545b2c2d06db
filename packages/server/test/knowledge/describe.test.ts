// What models are told about the project of their thread.

import { expect, test } from 'vitest';
import type { PolicyRule } from '@continuo/protocol';
import { describeScope } from '../../src/knowledge/tools/describe.ts';
import { useKnowledge } from './support.ts';

const world = useKnowledge();

function toolWorld(role: readonly PolicyRule[] = []) {
  const workspace: PolicyRule[] = [{ tool: '*', action: 'allow' }];
  return {
    pool: world.pool,
    knowledge: world.knowledge,
    workspaces: null as never,
    rules: async () => ({ workspace, role }),
  };
}

const treeIn = (text: string | null) => JSON.parse(text!.slice(text!.indexOf('doc_structure: ') + 15));

test('ONT-6 a model is told the project’s name and id, and its map with titles and lengths, but no content', async () => {
  const caller = await world.newCaller();
  const { projects, documents } = world.knowledge;
  const { project } = await projects.create(caller, { name: 'Moon', tasks: [{ title: 'Build the lander' }] });
  const research = (await documents.create(caller, { title: 'Research', content: 'far away' }, project.id))
    .entities[0]!;
  const below = { title: 'Craters', description: 'Many', content: 'deep', parent_id: research.id };
  const craters = (await documents.create(caller, below, project.id)).entities[0]!;
  const scope = { project_id: project.id };
  const text = await describeScope(toolWorld(), caller.workspaceId, scope);
  expect(text).toContain(`the project Moon (project_id ${project.id})`);
  expect(text).not.toContain('far away');
  expect(treeIn(text)).toMatchObject({
    version: 3,
    root: [
      { title: 'Context', order: 0, children: [] },
      {
        id: research.id,
        order: 1,
        title: 'Research',
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
  const entity = await describeScope(toolWorld(), caller.workspaceId, { ...scope, entity_id: craters.id });
  expect(entity).toContain('about the document Craters · description: Many (id ');

  const hidden: PolicyRule = { tool: '*', path: '/projects/moon/docs/Research.md', action: 'deny' };
  const some = await describeScope(toolWorld([hidden]), caller.workspaceId, scope);
  expect(treeIn(some).root.map(({ title }: { title: string }) => title)).toEqual(['Context', 'Craters']);
  const secret: PolicyRule = { tool: 'read', path: '/projects/moon/**', action: 'deny' };
  expect(await describeScope(toolWorld([secret]), caller.workspaceId, scope)).toBeNull();
  await projects.delete(caller, project.id, null);
  expect(await describeScope(toolWorld(), caller.workspaceId, scope)).toBeNull();
});

test('ONT-6 the map of a large project has at most 4,000 tokens, and says how much it leaves out', async () => {
  const caller = await world.newCaller();
  const { projects, documents } = world.knowledge;
  const { project } = await projects.create(caller, { name: 'Large' });
  for (let part = 0; part < 10; part += 1) {
    const title = `Part ${part}`;
    const parent = (await documents.create(caller, { title, description: 'x'.repeat(200) }, project.id))
      .entities[0]!;
    for (let page = 0; page < 20; page += 1)
      await documents.create(caller, { title: `Page ${page}`, parent_id: parent.id }, project.id);
  }
  const text = (await describeScope(toolWorld(), caller.workspaceId, { project_id: project.id }))!;
  expect(text.length).toBeLessThanOrEqual(4 * 4200);
  expect(treeIn(text).root[1]).toMatchObject({ title: 'Part 0', children: [], below: 20 });
});
