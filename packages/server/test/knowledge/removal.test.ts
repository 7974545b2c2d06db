import { expect, test } from 'vitest';
import { holdContent } from '../../src/files/content.ts';
import { writeFile } from '../../src/files/files.ts';
import { link } from '../../src/knowledge/edges.ts';
import { readStructure } from '../../src/knowledge/structure.ts';
import { purgeEntities } from '../../src/knowledge/upkeep.ts';
import { NotFound } from '../../src/knowledge/errors.ts';
import { useKnowledge } from './support.ts';

const world = useKnowledge();

test('ONT-1 a removed entity can be restored with its edges for 30 days, and is then deleted', async () => {
  const caller = await world.newCaller();
  const { project } = await world.knowledge.projects.create(caller, { name: 'Short' });
  const tasks = world.knowledge.entities('task');
  const [a, b] = await Promise.all(
    ['A', 'B'].map(async (title) => (await tasks.create(caller, { title }, project.id)).entities[0]!),
  );
  await link(caller, { from_id: a!.id, to_id: b!.id, rel: 'depends_on' });
  await tasks.delete(caller, a!.id, null);
  expect(await tasks.read(caller, a!.id)).toBeNull();
  await tasks.restore(caller, a!.id);
  expect(await tasks.read(caller, a!.id)).toMatchObject({ title: 'A', edges: [{ rel: 'depends_on' }] });
  await tasks.delete(caller, a!.id, null);
  await purgeEntities(world.pool, caller.workspaceId);
  expect((await tasks.restore(caller, a!.id)).entities).toHaveLength(1);
  await tasks.delete(caller, a!.id, null);
  await world.pool.query(`update entities set removed_at = removed_at - interval '31 days' where id = $1`, [
    a!.id,
  ]);
  const before = (await tasks.read(caller, b!.id))!;
  await purgeEntities(world.pool, caller.workspaceId);
  await expect(tasks.restore(caller, a!.id)).rejects.toThrow(NotFound);
  expect(await tasks.read(caller, b!.id)).toMatchObject({ edges: [], version: before.version + 1 });
});

test('ONT-1 a removed project is purged with all that is in it', async () => {
  const caller = await world.newCaller();
  const { project } = await world.knowledge.projects.create(caller, {
    name: 'Gone',
    goals: [{ title: 'A goal' }],
    tasks: [{ title: 'A task', goal: 0 }],
  });
  await world.knowledge.projects.delete(caller, project.id, null);
  await world.pool.query(`update entities set removed_at = removed_at - interval '31 days' where id = $1`, [
    project.id,
  ]);
  await purgeEntities(world.pool, caller.workspaceId);
  const { rows } = await world.pool.query(
    `select (select count(*) from entities where workspace_id = $1) + (select count(*) from edges where workspace_id = $1)
      + (select count(*) from entity_versions where workspace_id = $1)
      + (select count(*) from document_places where workspace_id = $1) as left_over`,
    [caller.workspaceId],
  );
  expect(Number(rows[0].left_over)).toBe(0);
});

test('ONT-5 a document of a removed project is restored with the project only, and the project with what its files are by then', async () => {
  const caller = await world.newCaller();
  const { documents, projects } = world.knowledge;
  const { project } = await projects.create(caller, { name: 'Late' });
  const { id } = (await documents.create(caller, { title: 'A' }, project.id)).entities[0]!;
  await documents.delete(caller, id, null);
  await projects.delete(caller, project.id, null);
  await expect(documents.restore(caller, id)).rejects.toThrow('restore the project first');
  const content = await holdContent(world.pool, 'came meanwhile');
  const path = { path: '/projects/late/docs/New.md', folded: '/projects/late/docs/new.md' };
  await writeFile(world.pool, { ...caller, base: null, path, content });
  await projects.restore(caller, project.id);
  const titles = async () =>
    (await readStructure(world.pool, caller.workspaceId, project.id))!.documents
      .map(({ title }) => title)
      .toSorted();
  expect(await titles()).toEqual(['Context', 'New']);
  await documents.restore(caller, id);
  expect(await titles()).toEqual(['A', 'Context', 'New']);
});

test('ONT-5 a restored child has an empty parent until its own one is restored in its place', async () => {
  const caller = await world.newCaller();
  const { documents, projects } = world.knowledge;
  const { project } = await projects.create(caller, { name: 'Order' });
  const parent = (await documents.create(caller, { title: 'A', content: 'x' }, project.id)).entities[0]!;
  const child = (await documents.create(caller, { title: 'B', parent_id: parent.id }, project.id))
    .entities[0]!;
  await documents.delete(caller, child.id, null);
  await documents.delete(caller, parent.id, null);
  await documents.restore(caller, child.id);
  await documents.restore(caller, parent.id);
  const { structure } = (await readStructure(world.pool, caller.workspaceId, project.id))!;
  expect(structure.root[1]).toEqual({
    id: parent.id,
    order: 1,
    children: [{ id: child.id, order: 0, children: [] }],
  });
});
