import { expect, test } from 'vitest';
import { transaction, type Queryable } from '../../src/db/pool.ts';
import { holdContent } from '../../src/files/content.ts';
import { listFiles, lockFiles, moveFiles, removeFile, writeFile } from '../../src/files/files.ts';
import { parsePath } from '../../src/files/paths.ts';
import { changeEntities } from '../../src/knowledge/entities.ts';
import { readStructure, type StructureNode } from '../../src/knowledge/structure.ts';
import { useKnowledge } from './support.ts';

const CHILDREN = 500;
const world = useKnowledge();

function at(path: string) {
  const parsed = parsePath(path);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.path;
}

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

test('ONT-1 in a project that was removed, no document is created, and no file stays', async () => {
  const caller = await world.newCaller();
  const { documents, projects } = world.knowledge;
  const { project } = await projects.create(caller, { name: 'Gone' });
  await documents.create(caller, { title: 'Before' }, project.id);
  await projects.delete(caller, project.id, null);
  await expect(documents.create(caller, { title: 'After' }, project.id)).rejects.toMatchObject({
    code: 'not_found',
  });
  const folder = at('/projects/gone');
  expect(await listFiles(world.pool, caller.workspaceId, { folder, limit: 100 })).toEqual([]);

  await projects.restore(caller, project.id);
  const { entities } = await documents.create(caller, { title: 'After' }, project.id);
  expect(entities[0]).toMatchObject({ title: 'After', path: '/projects/gone/docs/After.md' });
});

test('ONT-5 500 documents move, and are removed and restored, with the one above them and without it', async () => {
  const caller = await world.newCaller();
  const { documents, projects } = world.knowledge;
  const { project } = await projects.create(caller, { name: 'Large' });
  const make = async (title: string) => (await documents.create(caller, { title }, project.id)).entities[0]!;
  const [parent, target] = [await make('Parent'), await make('Target')];
  // As an upload would have written them, in one transaction.
  await world.pool.query(
    `with f as (
      insert into files (id, workspace_id, path, folded, kind, version, hash, size, is_text)
        select gen_random_uuid(), $1, '/projects/large/docs/Parent/Page ' || n || '.md', '/projects/large/docs/parent/page ' || n || '.md',
          'file', 1, hash, 0, true
        from generate_series(1, $3) n, (select hash from file_versions where file_id = $2 limit 1) h returning *),
    v as (
      insert into file_versions (workspace_id, file_id, version, op, path, hash, size, chunks, is_text, author)
        select workspace_id, id, 1, 'write', path, hash, 0, '{}', true, '{"kind":"person"}' from f)
    select 1 from f limit 1`,
    [caller.workspaceId, parent.id, CHILDREN],
  );
  await world.pool.query(
    `select documents_changed($1, array(select id from files where workspace_id = $1 and path like '%/Page %'), '{"kind":"person"}')`,
    [caller.workspaceId],
  );
  const childrenOf = async (id: string) => {
    const read = await readStructure(world.pool, caller.workspaceId, project.id);
    const find = (nodes: readonly StructureNode[]): StructureNode | undefined =>
      nodes.find((node) => node.id === id) ?? nodes.map((node) => find(node.children)).find(Boolean);
    return find(read!.structure.root)?.children.length;
  };
  expect(await childrenOf(parent.id)).toBe(CHILDREN);
  await documents.move(caller, parent.id, { parent_id: target.id }, null);
  expect(await childrenOf(target.id)).toBe(1);
  expect(await childrenOf(parent.id)).toBe(CHILDREN);
  await documents.delete(caller, parent.id, null);
  expect(await childrenOf(target.id)).toBe(0);
  await documents.restore(caller, parent.id);
  expect(await childrenOf(parent.id)).toBe(CHILDREN);

  // All of them go to another parent, and their new parent's file goes away: each time, one by one would be 125,000 operations.
  const lastOperations = async () => {
    const { rows } = await world.pool.query<{ count: number }>(
      `select json_array_length(data -> 'patch') as count from changes
        where workspace_id = $1 and data ->> 'entity_type' = 'doc_structure' order by seq desc limit 1`,
      [caller.workspaceId],
    );
    return rows[0]!.count;
  };
  const inFolder = async (folder: string) =>
    listFiles(world.pool, caller.workspaceId, { folder: at(folder) });
  const base = '/projects/large/docs/Target';
  await transaction(world.pool, async (client) => {
    await lockFiles(client, caller.workspaceId, []);
    const moves = (await inFolder(`${base}/Parent`)).map(({ id, path }) => ({
      id,
      to: at(path.replace('/Parent/', '/Other/')),
    }));
    await moveFiles(client, { ...caller, moves });
  });
  expect(await childrenOf(parent.id)).toBe(0);
  const other = (await inFolder(base)).find(({ path }) => path === `${base}/Other.md`)!;
  expect(await childrenOf(other.id)).toBe(CHILDREN);
  expect(await lastOperations()).toBeLessThan(CHILDREN);
  await removeFile(world.pool, { ...caller, base: null, path: other });
  expect(await childrenOf(target.id)).toBe(CHILDREN + 1);
  expect(await lastOperations()).toBeLessThan(2 * CHILDREN);
});

test('ONT-10 a write of one file reads the entities that it concerns, however many there are', async () => {
  const caller = await world.newCaller();
  const { workspaceId, author, quotaBytes } = caller;
  const { project } = await world.knowledge.projects.create(caller, { name: 'Crowded' });
  const tasks = Array.from({ length: 2000 }, (_, n) =>
    world.knowledge.entities('task').creation({ title: `Task ${n}` }, project.id),
  );
  await changeEntities(caller, tasks);
  await world.knowledge.projects.create(caller, { name: 'Later' });
  await world.pool.query('analyze entities, files, projects, document_places');
  for (const path of [
    '/notes/plain.md',
    '/projects/later/docs/Above/New.md',
    '/projects/later/plans/new.plan',
  ])
    for (const text of ['First', 'Second']) {
      const content = await holdContent(world.pool, text);
      const read = await transaction(world.pool, async (client) => {
        const before = await entitiesRead(client);
        await writeFile(client, { workspaceId, author, quotaBytes, path: at(path), content, base: null });
        return (await entitiesRead(client)) - before;
      });
      expect(read, `${path}, ${text}`).toBeLessThan(100);
    }
});

/** How many rows of entities the connection has read, from the table and its indexes. */
async function entitiesRead(client: Queryable): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `select pg_stat_get_xact_tuples_returned('entities'::regclass) + sum(pg_stat_get_xact_tuples_returned(indexrelid)) as count
    from pg_index where indrelid = 'entities'::regclass`,
  );
  return Number(rows[0]!.count);
}
