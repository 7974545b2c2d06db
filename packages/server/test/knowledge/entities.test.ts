// Entities and edges on a real database: versions, states, conflicts and races.

import { expect, test } from 'vitest';
import { link, unlink } from '../../src/knowledge/edges.ts';
import { listEntityVersions, listEntities, type Caller } from '../../src/knowledge/entities.ts';
import { NotFound, Refused, VersionConflict } from '../../src/knowledge/errors.ts';
import type { Entity } from '../../src/knowledge/kind.ts';
import { KINDS } from '../../src/knowledge/kinds/index.ts';
import { useKnowledge } from './support.ts';

const world = useKnowledge();

async function open(name = 'Work') {
  const caller = await world.newCaller();
  const { project } = await world.knowledge.projects.create(caller, { name });
  const create = async (kind: string, title: string): Promise<Entity> =>
    (await world.knowledge.entities(kind).create(caller, { title }, project.id)).entities[0]!;
  return { caller, project, create };
}

const settled = async (work: readonly Promise<unknown>[]) => {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes)
    if (
      outcome.status === 'rejected' &&
      ![Refused, NotFound, VersionConflict].some((type) => outcome.reason instanceof type)
    )
      throw outcome.reason;
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
};

test('ONT-1 16 writers of one task lose nothing: every change is a version, without a gap', async () => {
  const { caller, create } = await open();
  const { id } = await create('task', 'Shared');
  const tasks = world.knowledge.entities('task');
  const write = async (writer: number) => {
    for (let round = 0; round < 10; round += 1)
      await tasks.update(caller, id, { description: `${writer}.${round}` }, null);
  };
  await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
  const versions = await listEntityVersions(caller, id, { before: null, limit: 1000 });
  expect(versions.map(({ version }) => version)).toEqual(
    Array.from({ length: 161 }, (_, index) => 161 - index),
  );
  expect(new Set(versions.slice(0, 160).map(({ entity }) => entity.description)).size).toBe(160);
});

test('ONT-1 of writers that name the version they started from, one wins, and the others get the newer state', async () => {
  const { caller, create } = await open();
  const { id } = await create('task', 'Contended');
  const tasks = world.knowledge.entities('task');
  const conflicts: VersionConflict[] = [];
  const wins = await Promise.all(
    Array.from({ length: 8 }, (_, writer) =>
      tasks.update(caller, id, { description: `by ${writer}` }, 1).then(
        () => 1,
        (error: unknown) => {
          if (!(error instanceof VersionConflict)) throw error;
          conflicts.push(error);
          return 0;
        },
      ),
    ),
  );
  expect(wins.filter(Boolean)).toHaveLength(1);
  for (const { entity } of conflicts)
    expect(entity).toMatchObject({ version: 2, description: expect.stringMatching(/^by /) });
});

test('ONT-2 edges that would go in a circle are refused, also when both come at once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { caller, create } = await open();
    const [a, b, c] = await Promise.all(['A', 'B', 'C'].map((title) => create('task', title)));
    const edges = [
      { from_id: a!.id, to_id: b!.id, rel: 'depends_on' },
      { from_id: b!.id, to_id: c!.id, rel: 'depends_on' },
      { from_id: c!.id, to_id: a!.id, rel: 'depends_on' },
    ];
    expect(await settled(edges.map((edge) => link(caller, edge)))).toBe(2);
  }
});

test('ONT-2 an edge has possible ends, is made once, and its removal is a version of both ends', async () => {
  const { caller, create, project } = await open();
  const [task, risk] = [await create('task', 'Tent'), await create('risk', 'Rain')];
  const mitigates = { from_id: task.id, to_id: risk.id, rel: 'mitigates' };
  await expect(link(caller, { ...mitigates, from_id: risk.id, to_id: task.id })).rejects.toThrow(
    'mitigates starts at a task, plan, document or requirement, not at a risk',
  );
  await expect(link(caller, { ...mitigates, rel: 'likes' })).rejects.toThrow('there is no relation likes');
  await expect(link(caller, { ...mitigates, to_id: project.id })).rejects.toThrow('ends at a risk');
  const { edge } = await link(caller, mitigates);
  await expect(link(caller, mitigates)).rejects.toThrow('linked by mitigates already');
  const ops = async (id: string) =>
    (await listEntityVersions(caller, id, { before: null, limit: 10 })).map(({ op }) => op);
  expect(await ops(task.id)).toEqual(['link', 'create']);
  await unlink(caller, edge.id);
  await expect(unlink(caller, edge.id)).rejects.toThrow(NotFound);
  expect(await ops(risk.id)).toEqual(['unlink', 'link', 'create']);
  const other = await world.newCaller();
  await expect(link(other, mitigates)).rejects.toThrow(NotFound);
});

test('ONT-1 what a creation returns, its version and the feed are what a read finds, for every kind', async () => {
  const { caller, project } = await open();
  for (const { kind, isFile } of KINDS) {
    if (kind === 'project' || isFile) continue;
    const service = world.knowledge.entities(kind);
    const input = { title: `A ${kind} "ü"`, description: 'It\nhas two lines.' };
    const { entities, changes } = await service.create(caller, input, project.id);
    const read = await service.read(caller, entities[0]!.id);
    expect(entities).toEqual([read]);
    const [version] = await listEntityVersions(caller, entities[0]!.id, { before: null, limit: 1 });
    expect(version!.entity).toEqual(read);
    const { rows } = await world.pool.query<{ type: string; data: string }>(
      'select type, data from changes where object_id = $1',
      [entities[0]!.id],
    );
    expect(rows.map(({ type, data }) => ({ type, data: JSON.parse(data) as unknown }))).toEqual(changes);
    expect(changes[0]!.data).toMatchObject({ patch: [{ op: 'add', path: '', value: read }] });
  }
});

test('ONT-1 nothing is created in a project that is removed at the same time', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { caller, project } = await open(`Race ${round}`);
    const tasks = world.knowledge.entities('task');
    const work = [
      ...Array.from({ length: 8 }, (_, index) => tasks.create(caller, { title: `T${index}` }, project.id)),
      world.knowledge.projects.delete(caller, project.id, null),
      ...Array.from({ length: 4 }, (_, index) =>
        world.knowledge.documents.create(caller, { title: `D${index}` }, project.id),
      ),
    ];
    await settled(work);
    const { items } = await listEntities(world.pool, caller.workspaceId, { kind: 'task', limit: 100 });
    expect(items).toEqual([]);
    const { rows } = await world.pool.query(
      `select path from files where workspace_id = $1 and removed_at is null`,
      [caller.workspaceId],
    );
    // A document that was written after the removal is an ordinary file of a folder without a project.
    expect(rows.filter(({ path }) => path.endsWith('Context.md'))).toEqual([]);
  }
});

test('ONT-1 lists are pages of one moment, by project and state', async () => {
  const { caller, project, create } = await open();
  for (let index = 0; index < 7; index += 1) await create('goal', `Goal ${index}`);
  const read = async (after?: string) =>
    listEntities(world.pool, caller.workspaceId, { kind: 'goal', projectId: project.id, limit: 3, after });
  const pages = [await read()];
  while (pages.at(-1)!.next !== null) pages.push(await read(pages.at(-1)!.next!));
  expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 1]);
  const { rows } = await world.pool.query('select change_seq from workspaces where id = $1', [
    caller.workspaceId,
  ]);
  expect(pages[0]!.as_of).toBe(Number(rows[0].change_seq));
});

test('ONT-1 two projects of one name have folders of their own, also when they come at once', async () => {
  const caller: Caller = await world.newCaller();
  const made = await Promise.all(
    Array.from({ length: 6 }, () => world.knowledge.projects.create(caller, { name: 'Twin: a/b?' })),
  );
  expect(made.map(({ project }) => String(project.folder)).toSorted()).toEqual([
    '/projects/twin-a-b',
    '/projects/twin-a-b-2',
    '/projects/twin-a-b-3',
    '/projects/twin-a-b-4',
    '/projects/twin-a-b-5',
    '/projects/twin-a-b-6',
  ]);
});
