// The document structure and the entities stay equal to the files under concurrent changes, and a client that only
// applies patches stays equal to the database.

import { expect, test } from 'vitest';
import { applyEntityPatch, type EntityPatch, type HeldEntity } from '@continuo/protocol';
import { transaction } from '../../src/db/pool.ts';
import { readChanges } from '../../src/files/changes.ts';
import { holdContent } from '../../src/files/content.ts';
import {
  findFile,
  InTheWay,
  listFiles,
  lockFiles,
  moveFile,
  moveFiles,
  removeFile,
  writeFile,
  type Author,
} from '../../src/files/files.ts';
import { parsePath, type FilePath } from '../../src/files/paths.ts';
import { link, unlink } from '../../src/knowledge/edges.ts';
import type { Caller } from '../../src/knowledge/entities.ts';
import { NotFound, Refused, VersionConflict } from '../../src/knowledge/errors.ts';
import type { Entity } from '../../src/knowledge/kind.ts';
import { readStructure, type StructureNode } from '../../src/knowledge/structure.ts';
import { useKnowledge } from './support.ts';

const world = useKnowledge();

function at(path: string): FilePath {
  const parsed = parsePath(path);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.path;
}

/** A small generator with a seed (mulberry32), so that a failure can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const EXPECTED = [NotFound, Refused, VersionConflict, InTheWay];

async function writer(
  caller: Caller,
  projects: readonly Entity[],
  seed: number,
  rounds: number,
): Promise<void> {
  const random = generator(seed);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const { documents } = world.knowledge;
  const { pool } = world;
  const { workspaceId } = caller;
  const name = () => pick(['a', 'b', 'c', 'd', 'e'])!;
  const project = () => pick(projects)!;
  const path = () => {
    const names = Array.from({ length: 1 + Math.floor(random() * 3) }, name);
    return `${String(project().folder)}/docs/${names.join('/')}.md`;
  };
  const folder = () => path().slice(0, -3);
  const author = (): Author => (random() < 0.3 ? { kind: 'disk' } : { kind: 'person' });
  const someDocument = async () => {
    const { rows } = await pool.query<{ id: string; project_id: string }>(
      'select id, project_id from document_places where workspace_id = $1 order by id',
      [workspaceId],
    );
    return pick(rows);
  };
  const removedDocument = async () => {
    const { rows } = await pool.query<{ id: string }>(
      `select id from entities where workspace_id = $1 and kind = 'document' and removed_at is not null order by id`,
      [workspaceId],
    );
    return pick(rows)?.id;
  };

  const steps: (() => Promise<unknown>)[] = [
    async () => {
      const parent = await someDocument();
      const order = random() < 0.5 ? { order: Math.floor(random() * 4) } : {};
      const within = parent && random() < 0.7 ? parent : { id: null, project_id: project().id };
      return documents.create(
        caller,
        { title: name(), content: 'x', parent_id: within.id, ...order },
        within.project_id,
      );
    },
    async () => {
      const [moved, parent] = [await someDocument(), await someDocument()];
      if (!moved) return;
      const parent_id = parent && parent.project_id === moved.project_id && random() < 0.8 ? parent.id : null;
      await documents.move(caller, moved.id, { parent_id, order: Math.floor(random() * 5) }, null);
    },
    async () => {
      const document = await someDocument();
      if (document && random() < 0.5) await documents.delete(caller, document.id, null);
    },
    async () => {
      const id = await removedDocument();
      if (id) await documents.restore(caller, id);
    },
    async () => {
      const document = await someDocument();
      const change = random() < 0.5 ? { title: name() } : { content: `y ${random()}` };
      if (document) await documents.update(caller, document.id, change, null);
    },
    async () => {
      const content = await holdContent(pool, `---\ntitle: ${name()}\n---\n\nz ${random()}\n`);
      await writeFile(pool, {
        workspaceId,
        author: author(),
        base: null,
        path: at(path()),
        content,
        quotaBytes: 2 ** 40,
      });
    },
    () => moveFile(pool, { workspaceId, author: author(), base: null, from: at(path()), to: at(path()) }),
    () => removeFile(pool, { workspaceId, author: author(), base: null, path: at(path()) }),
    () =>
      // A folder is renamed, as `mv` does it on disk.
      transaction(pool, async (client) => {
        const [from, to] = [at(folder()), at(folder())];
        if (`${to.path}/`.startsWith(`${from.path}/`)) return;
        await lockFiles(client, workspaceId, []);
        const files = await listFiles(client, workspaceId, { folder: from });
        const moves = files.map(({ id, path: each }) => ({
          id,
          to: at(to.path + each.slice(from.path.length)),
        }));
        if (moves.length > 0) await moveFiles(client, { workspaceId, author: author(), moves });
      }),
    async () => {
      const [from, to] = [await someDocument(), await someDocument()];
      if (from && to) await link(caller, { from_id: from.id, to_id: to.id, rel: 'references' });
    },
    async () => {
      const { rows } = await pool.query<{ id: string }>('select id from edges where workspace_id = $1', [
        workspaceId,
      ]);
      const edge = pick(rows);
      if (edge) await unlink(caller, edge.id);
    },
    async () => {
      const file = await findFile(pool, workspaceId, at(path()));
      if (file)
        await moveFile(pool, {
          workspaceId,
          author: author(),
          base: null,
          from: file,
          to: at('/elsewhere.md'),
        });
    },
    () =>
      moveFile(pool, {
        workspaceId,
        author: author(),
        base: null,
        from: at('/elsewhere.md'),
        to: at(path()),
      }),
  ];

  for (let round = 0; round < rounds; round += 1) {
    await pick(steps)!().catch((error: unknown) => {
      if (!EXPECTED.some((type) => error instanceof type)) throw error;
    });
  }
}

/** What is wrong with the structure of a project, compared with the files. */
async function structureProblems(workspaceId: string, project: Entity): Promise<string[]> {
  const { rows } = await world.pool.query<{ id: string; folded: string }>(
    `select id, folded from files where workspace_id = $1 and removed_at is null
      and starts_with(folded, $2) and folded like '%.md'`,
    [workspaceId, `${String(project.folder)}/docs/`],
  );
  const pathOf = new Map(rows.map(({ id, folded }) => [id, folded]));
  const byPath = new Map(rows.map(({ id, folded }) => [folded, id]));
  const { structure, documents } = (await readStructure(world.pool, workspaceId, project.id))!;
  const problems: string[] = [];
  const seen = new Set<string>();
  const nearest = (path: string): string | null => {
    const names = path.split('/');
    for (let length = names.length - 1; length >= 5; length -= 1) {
      const id = byPath.get(`${names.slice(0, length).join('/')}.md`);
      if (id) return id;
    }
    return null;
  };
  const walk = (nodes: readonly StructureNode[], parent: string | null): void => {
    for (const [index, { id, order, children }] of nodes.entries()) {
      if (order !== index) problems.push(`${id} has the order ${order} at position ${index}`);
      if (seen.has(id)) problems.push(`${id} is there twice`);
      seen.add(id);
      const path = pathOf.get(id);
      if (path === undefined) problems.push(`${id} is not a file`);
      else if (nearest(path) !== parent) problems.push(`${path} is below ${parent}, not ${nearest(path)}`);
      walk(children, id);
    }
  };
  walk(structure.root, null);
  for (const [id, path] of pathOf) if (!seen.has(id)) problems.push(`${path} is missing`);
  if (documents.length !== seen.size) problems.push('there is metadata of other documents');
  return problems;
}

/** Follows the whole feed as a client does. */
async function replay(workspaceId: string): Promise<ReadonlyMap<string, HeldEntity>> {
  const held = new Map<string, HeldEntity>();
  const changes = await readChanges(world.pool, workspaceId, { after: 0, limit: 1_000_000 });
  expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, index) => index + 1));
  for (const { type, data } of changes) {
    if (type !== 'entity_patch') continue;
    const patch = data as unknown as EntityPatch;
    const key = `${patch.entity_type} ${patch.entity_id}`;
    const isNew = !held.has(key) && patch.entity_type === 'doc_structure';
    const before = isNew ? { version: 0, root: [] } : held.get(key);
    if (before) expect(patch.version, key).toBe(before.version + 1);
    held.set(key, applyEntityPatch(before, patch));
  }
  return held;
}

async function equalsDatabase(workspaceId: string, projects: readonly Entity[]): Promise<void> {
  const held = await replay(workspaceId);
  const { rows } = await world.pool.query<{ key: string; entity: HeldEntity }>(
    `select e.kind || ' ' || e.id as key, entity_state(e) as entity from entities e where workspace_id = $1`,
    [workspaceId],
  );
  for (const { key, entity } of rows) expect(held.get(key), key).toEqual(entity);
  for (const project of projects) {
    const { structure } = (await readStructure(world.pool, workspaceId, project.id))!;
    expect(held.get(`doc_structure ${project.id}`)).toEqual(structure);
  }
}

test.each([1, 2])(
  'ONT-5 CHAT-4 16 writers leave every document exactly once, in dense order, below the right parent, and patches tell it all (seed %i)',
  async (seed) => {
    const caller = await world.newCaller();
    const made = await Promise.all(
      ['One', 'Two'].map((name) => world.knowledge.projects.create(caller, { name })),
    );
    const projects = made.map(({ project }) => project);
    await Promise.all(
      Array.from({ length: 16 }, (_, index) => writer(caller, projects, seed * 1000 + index, 25)),
    );
    const problems = await Promise.all(
      projects.map((project) => structureProblems(caller.workspaceId, project)),
    );
    expect(problems.flat()).toEqual([]);
    await equalsDatabase(caller.workspaceId, projects);
  },
);

test('ONT-5 one writer at a time: after every single change the structure is right, and a version of its own', async () => {
  const caller = await world.newCaller();
  const { project } = await world.knowledge.projects.create(caller, { name: 'Steps' });
  for (let round = 0; round < 150; round += 1) {
    await writer(caller, [project], 7_000 + round, 1);
    expect(await structureProblems(caller.workspaceId, project), `round ${round}`).toEqual([]);
  }
  await equalsDatabase(caller.workspaceId, [project]);
});
