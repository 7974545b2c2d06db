// Live entities and document structures stay equal to the database, whatever happens to their connections.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EntityPatch } from '@continuo/protocol';
import { afterEvents, startProxy, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { ApiError, createClient, type Client, type Kind } from '../src/index.ts';
import { liveEntities, liveStructure } from '../src/react/index.ts';

const world = usePod();
const RUNS = 4;
const SEED = 17;
const KINDS = ['task', 'goal', 'document'] as const;

/** What a writer does next; `which` and `other` choose among the things that are there by then. */
interface Step {
  readonly what: 'create' | 'change' | 'state' | 'remove' | 'restore' | 'link' | 'unlink' | 'move' | 'file';
  readonly kind: (typeof KINDS)[number];
  readonly which: number;
  readonly other: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(
    'create',
    'create',
    'change',
    'state',
    'remove',
    'restore',
    'link',
    'unlink',
    'move',
    'file',
  ),
  kind: fc.constantFrom(...KINDS),
  which: fc.nat(1000),
  other: fc.nat(1000),
});

/** Makes a step. What the server refuses, because another writer was there first, is no failure. */
async function take(
  client: Client,
  project: string,
  ids: Record<Kind, string[]>,
  { what, kind, which, other }: Step,
) {
  const pick = (from: readonly string[], index: number) => from[index % from.length];
  const id = pick(ids[kind], which);
  const entities = client.entities<string>(kind);
  const title = `T${which}`;
  if (what === 'create') {
    const parent_id = kind === 'document' && other % 2 ? (pick(ids.document, other) ?? null) : undefined;
    const made = await entities.create({ project_id: project, title, ...(parent_id && { parent_id }) });
    return void ids[kind].push(made.id);
  }
  if (what === 'file')
    return client.files.write(`/projects/live/docs/F${which % 4}/G${other % 4}.md`, `text ${which} ${other}`);
  if (id === undefined) return;
  if (what === 'change') await entities.change(id, { title, description: `about ${other}` });
  if (what === 'state' && kind !== 'document')
    await entities.change(id, {
      state: kind === 'task' ? ['done', 'in_progress', 'todo'][other % 3] : ['achieved', 'active'][other % 2],
    });
  if (what === 'remove') await entities.remove(id);
  if (what === 'restore') await entities.restore(id);
  if (what === 'link')
    await client.edges.create({ from_id: id, rel: 'references', to_id: pick(ids.task, other) ?? id });
  if (what === 'unlink') {
    const [first] = (await client.edges.list(id)).items;
    if (first) await client.edges.remove(first.id);
  }
  if (what === 'move' && kind === 'document')
    await client.documents.move(id, {
      parent_id: other % 3 ? (pick(ids.document, other) ?? null) : null,
      order: which % 3,
    });
}

async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 400) throw error;
  });
}

/** Follows a run's events, and gives its patches to the replicas as well. */
async function follow(client: Client, run: string, apply: (patch: EntityPatch) => void): Promise<number> {
  let patches = 0;
  for await (const event of client.runs.stream(run)) {
    if (event.type !== 'entity_patch') continue;
    patches += 1;
    apply(event.data);
  }
  return patches;
}

test(`CHAT-4 a client that only applies patches ends equal to the database, through cuts and resumes, with a patch met in a run's pipe and in the feed (seed ${SEED})`, async () => {
  const direct = createClient({ baseUrl: world.url });
  const property = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 8, maxLength: 14 }), { minLength: 3, maxLength: 3 }),
    fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 4, maxLength: 4 }),
    fc.boolean(),
    async (writers, cuts, isPiped) => {
      const { id: workspace } = await direct.workspaces.create({ name: `w-${crypto.randomUUID()}` });
      const writing = createClient({ baseUrl: world.url, workspace });
      const proxy = await startProxy(world.url);
      let lists = 0;
      let structures = 0;
      const counting: typeof fetch = (input, init) => {
        const url = input as string;
        if (/\/(tasks|goals|documents)\?/.test(url)) lists += 1;
        if (url.includes('doc-structure')) structures += 1;
        return fetch(url, init);
      };
      const client = createClient({ baseUrl: proxy.url, workspace, fetch: counting });
      const created = await writing.projects.create({ name: 'Live', goals: ['G'], tasks: ['A', 'B'] });
      const project = created.project.id;
      const ids = Object.groupBy(created.entitiesCreated, ({ kind }) => kind);
      const known = Object.fromEntries(KINDS.map((kind) => [kind, ids[kind]!.map(({ id }) => id)])) as Record<
        Kind,
        string[]
      >;
      const lives = KINDS.map((kind) => [kind, liveEntities(client, kind, { project_id: project })] as const);
      const done = liveEntities(client, 'task', { state: 'done' });
      const structure = liveStructure(client, project);
      const all = [...lives.map(([, live]) => live), done, structure];
      const leave = all.map((live) => live.subscribe(() => undefined));
      await until('everything is loaded', () => all.every((live) => !live.get().loading));
      const { run } = await writing.chats.open({
        goal: JSON.stringify({
          steps: [0, 1, 2].map((n) => ({
            calls: [
              {
                tool: 'write',
                input: { path: `/projects/live/docs/F${n}/G1.md`, content: `by the agent ${n}` },
              },
            ],
          })),
        }),
      });
      const piped = follow(client, run.id, (patch) => isPiped && all.forEach((live) => live.apply(patch)));
      const cutting = (async () => {
        for (const cut of cuts) {
          const before = proxy.connections;
          proxy.set({ cut: afterEvents(cut) });
          await until('the streams are open again', () => proxy.connections > before);
        }
      })();
      await Promise.all(
        writers.map(async (steps) => {
          for (const each of steps) await unlessRefused(take(writing, project, known, each));
        }),
      );
      await cutting;
      expect(await piped).toBeGreaterThan(0);
      proxy.set({ cut: null });
      for (const [kind, live] of lives) {
        const { items } = await writing.entities<string>(kind).list({ project_id: project, limit: 1000 });
        await until(`the ${kind}s are equal`, () => same(live.get().items, items)).catch(() => undefined);
        expect({ kind, items: live.get().items }).toEqual({ kind, items });
      }
      const { items } = await writing.entities('task').list({ state: 'done', limit: 1000 });
      await until('the done tasks are equal', () => same(done.get().items, items));
      const { version, root, documents } = await writing.documents.structure(project, {
        include: 'metadata',
      });
      await until('the structure is equal', () => same(structure.get().structure, { version, root }));
      const titles = (
        from: Iterable<{ id: string; title: string; content_length: number; version: number }>,
      ) =>
        new Map(
          [...from].map(({ id, title, content_length, version: at }) => [id, [title, content_length, at]]),
        );
      expect(titles(structure.get().documents.values())).toEqual(titles(documents!));
      // One request each: everything else came as patches. A run's pipe may be ahead of the feed, and then the structure is read.
      expect(lists).toBe(all.length - 1);
      if (!isPiped) expect(structures).toBe(1);
      leave.forEach((each) => each());
      await proxy.close();
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
});

function same(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b);
}

/** JSON with the members of objects in order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

test('ONT-2 what is in a project goes with it, and comes back with it, on live lists too', async () => {
  const client = createClient({ baseUrl: world.url });
  const { project } = await client.projects.create({ name: 'Comes and goes', tasks: ['Stay'] });
  const tasks = liveEntities(client, 'task', { project_id: project.id });
  const structure = liveStructure(client, project.id);
  const projects = liveEntities(client, 'project');
  const leave = [tasks, structure, projects].map((live) => live.subscribe(() => undefined));
  await until(
    'the lists are loaded',
    () => tasks.get().items.length === 1 && structure.get().documents.size === 1,
  );
  await client.projects.remove(project.id);
  await until('the task is gone', () => tasks.get().items.length === 0 && structure.get().error !== null);
  expect(projects.get().items.some(({ id }) => id === project.id)).toBe(false);
  await client.projects.restore(project.id);
  await until('all is back', () => tasks.get().items.length === 1 && structure.get().error === null);
  await until('the project is back', () => projects.get().items.some(({ id }) => id === project.id));
  expect(structure.get().structure!.root).toHaveLength(1);
  leave.forEach((each) => each());
});

test('CHAT-4 a plan whose file moves to another project, and becomes a document, follows on the live lists', async () => {
  const client = createClient({ baseUrl: world.url });
  const [from, to] = await Promise.all(['Leaves', 'Comes'].map((name) => client.projects.create({ name })));
  const lists = [from!, to!].map(({ project }) => liveEntities(client, 'plan', { project_id: project.id }));
  const leave = lists.map((live) => live.subscribe(() => undefined));
  const shown = () =>
    lists.map((live) =>
      live
        .get()
        .items.map(({ path }) => path)
        .join(),
    );
  await until('the lists are loaded', () => lists.every((live) => !live.get().loading));
  await client.files.write('/projects/leaves/plans/trip.md', '---\nplan: trip\n---\n\n# Travel\n');
  await until('the plan is in the first', () => shown().join('|') === '/projects/leaves/plans/trip.md|');
  await client.files.move({ from: '/projects/leaves/plans/trip.md', to: '/projects/comes/plans/trip.md' });
  await until('the plan is in the second', () => shown().join('|') === '|/projects/comes/plans/trip.md');
  await client.files.move({ from: '/projects/comes/plans/trip.md', to: '/projects/comes/docs/trip.md' });
  await until('the plan is a document', () => shown().join('|') === '|');
  leave.forEach((each) => each());
});

test('a replica that is left and joined again reads what it missed', async () => {
  const client = createClient({ baseUrl: world.url });
  const { project } = await client.projects.create({ name: 'Left and joined' });
  const tasks = liveEntities(client, 'task', { project_id: project.id });
  const leave = tasks.subscribe(() => undefined);
  await until('the list is loaded', () => !tasks.get().loading);
  leave();
  await client.entities('task').create({ project_id: project.id, title: 'Meanwhile' });
  const again = tasks.subscribe(() => undefined);
  await until('the task is there', () => tasks.get().items.length === 1);
  again();
});
