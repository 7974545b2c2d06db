// The roles of a workspace: built-in ones, overlaid by its files, on a real store.

import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createAgents } from '../../src/agents/agent.ts';
import { createRoles, subscribeRoles } from '../../src/agents/roles.ts';
import { createPool } from '../../src/db/pool.ts';
import { createModels } from '../../src/models/catalog.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';
import { storeContent } from '../../src/files/content.ts';
import { moveFile, removeFile, writeFile, type Changed } from '../../src/files/files.ts';
import { parsePath } from '../../src/files/paths.ts';
import { Workspaces } from '../../src/files/workspace-files.ts';
import { busOn } from '../bus/support.ts';
import { useLog } from '../runs/support.ts';

const world = useLog();
const at = (given: string) => {
  const parsed = parsePath(given);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.path;
};

/** A workspace of its own, with roles that hear of its changes. */
async function open() {
  const id = uuidv7();
  await world.pool.query('insert into workspaces (id, name) values ($1, $2)', [id, id]);
  const roles = await createRoles(world.pool);
  const bus = busOn(world.pool, { alone: true });
  const workspaces = new Workspaces({
    bus,
    maxFileBytes: 2 ** 25,
    quotaBytes: 2 ** 40,
  });
  // What roles are read from is the database; nothing here looks at a disk.
  workspaces.attach({
    stage: () => null,
    flush: () => Promise.resolve(),
    folder: () => Promise.reject(new Error('there is no mirror here')),
    problem: () => null,
  });
  subscribeRoles(bus, roles);
  const where = { workspaceId: id, author: { kind: 'person' as const }, base: null };
  const committed = async (changed: Changed) => {
    expect(changed.kind).toBe('changed');
    await workspaces.committed(id, [changed]);
  };
  return {
    id,
    roles,
    write: async (path: string, text: string | Uint8Array) =>
      committed(
        await writeFile(world.pool, {
          ...where,
          path: at(path),
          content: await storeContent(world.pool, text),
          quotaBytes: 2 ** 40,
        }),
      ),
    remove: async (path: string) => committed(await removeFile(world.pool, { ...where, path: at(path) })),
    move: async (from: string, to: string) =>
      committed(await moveFile(world.pool, { ...where, from: at(from), to: at(to) })),
    role: async (name: string) => (await roles.of(id)).roles.get(name),
    agents: createAgents({
      models: createModels({ now: Date.now, sleep: () => Promise.resolve() }),
      roles,
      tools: createToolRegistry([]),
    }),
  };
}

test('without files there are the built-in roles', async () => {
  const { roles, id } = await open();
  const { roles: known, guide } = await roles.of(id);
  expect([...known.keys()]).toEqual([
    'assistant',
    'coder',
    'content-strategist',
    'editor',
    'judge',
    'planner',
    'researcher',
    'reviewer',
    'seo-specialist',
    'tooling',
    'writer',
  ]);
  expect(
    [...known.values()].every(({ source, problem }) => source.kind === 'built-in' && problem === null),
  ).toBe(true);
  expect(guide).toBe(null);
});

test('a file adds a role or overlays a built-in one, and its removal gives that back', async () => {
  const { write, remove, role } = await open();
  await write('agents/poet.md', '---\ndescription: Writes poems\n---\nYou are a poet.');
  await write('agents/coder.md', 'You are our coder.');
  await write('agents/deep/x.md', 'Not a role.');
  await write('agents/notes.txt', 'Not a role.');
  expect(await role('poet')).toMatchObject({
    description: 'Writes poems',
    preamble: 'You are a poet.',
    source: { kind: 'file', path: '/agents/poet.md', version: 1 },
    problem: null,
  });
  expect(await role('coder')).toMatchObject({ preamble: 'You are our coder.', tools: null });
  expect(await role('x')).toBeUndefined();
  expect(await role('notes')).toBeUndefined();
  await remove('agents/coder.md');
  await remove('agents/poet.md');
  expect(await role('coder')).toMatchObject({ source: { kind: 'built-in' }, problem: null });
  expect(await role('poet')).toBeUndefined();
});

test('while a file has a mistake, its last good version stays in use, and the mistake is reported', async () => {
  const { write, role } = await open();
  await write('agents/poet.md', 'One.');
  await write('agents/poet.md', 'Two.');
  await write('agents/poet.md', '---\ntool: [read]\n---\nThree.');
  await write('agents/poet.md', '---\ntools: read\n---\nFour.');
  expect(await role('poet')).toMatchObject({
    preamble: 'Two.',
    source: { kind: 'file', path: '/agents/poet.md', version: 2 },
    problem: {
      path: '/agents/poet.md',
      version: 4,
      line: 2,
      column: 8,
      sentence: expect.stringContaining('tools'),
    },
  });
  await write('agents/poet.md', 'Five.');
  expect(await role('poet')).toMatchObject({ preamble: 'Five.', source: { version: 5 }, problem: null });
});

test('a file that was never valid leaves the built-in role in use; without a built-in one, the role is unusable and says why', async () => {
  const { write, role, agents, id } = await open();
  await write('agents/coder.md', '---\nmodell: x/y\n---\nHi.');
  expect(await role('coder')).toMatchObject({
    source: { kind: 'built-in' },
    problem: { line: 2, column: 1, sentence: expect.stringContaining('did you mean model?') },
  });
  expect((await agents.make({ workspaceId: id, role: 'coder' })).ok).toBe(true);
  await write('agents/poet.md', '---\nmodell: x/y\n---\nHi.');
  expect(await role('poet')).toMatchObject({
    preamble: null,
    problem: { path: '/agents/poet.md', version: 1 },
  });
  expect(await agents.make({ workspaceId: id, role: 'poet' })).toEqual({
    ok: false,
    code: 'unknown_role',
    problem: expect.stringMatching(
      /"poet" cannot be used: \/agents\/poet\.md, line 2, column 1: modell is not a known key/,
    ),
  });
  expect(await agents.make({ workspaceId: id, role: 'nobody' })).toMatchObject({
    code: 'unknown_role',
    problem: expect.stringMatching(/no role "nobody"; the roles are: assistant, .*poet/),
  });
});

test('a file with a mistake does not fall back to a version from before it became a role file', async () => {
  const { write, move, role } = await open();
  await write('drafts/poet.md', 'A draft that was good.');
  await write('drafts/poet.md', '---\nmodell: x/y\n---\nHi.');
  await move('drafts/poet.md', 'agents/poet.md');
  expect(await role('poet')).toMatchObject({ preamble: null });
});

test('a file that is not text or is too long is a mistake', async () => {
  const { write, role } = await open();
  await write('agents/a.md', new Uint8Array([0xff, 0xfe, 0]));
  await write('agents/b.md', 'x'.repeat(65_537));
  expect((await role('a'))!.problem!.sentence).toContain('UTF-8');
  expect((await role('b'))!.problem!.sentence).toContain('65537 bytes; a role file may have at most 65536');
});

test('every role gets AGENTS.md, cut at 32 KiB, and says so', async () => {
  const { write, agents, id } = await open();
  const guideOf = async (role: string) => {
    const made = await agents.make({ workspaceId: id, role });
    return made.ok ? (made.agent.guide?.text ?? null) : made.problem;
  };
  await write('agents/poet.md', 'You are a poet.');
  await write('AGENTS.md', 'Write in Latin.\n');
  expect(await guideOf('poet')).toBe('Write in Latin.');
  expect(await guideOf('coder')).toBe('Write in Latin.');
  await write('AGENTS.md', `x${'é'.repeat(20_000)}`);
  const cut = (await guideOf('poet'))!;
  expect(cut).toMatch(/é\n\n\[AGENTS\.md has 40001 bytes; only the first 32768 are shown here\.\]$/);
  expect(cut.match(/é/g)).toHaveLength(16_383);
  expect(cut).not.toContain('\ufffd');
});

test('roles are read again only when their files changed', async () => {
  const { write, roles, id } = await open();
  await write('agents/poet.md', 'One.');
  const first = await roles.of(id);
  await write('notes/x.md', 'Something else.');
  expect(await roles.of(id)).toBe(first);
  await write('agents/poet.md', 'Two.');
  const second = await roles.of(id);
  expect(second).not.toBe(first);
  await write('AGENTS.md', 'All.');
  expect(await roles.of(id)).not.toBe(second);
});

test('a change that comes while roles are being read is not missed', async () => {
  const { write, roles, id, role } = await open();
  await write('agents/poet.md', 'One.');
  const reading = roles.of(id);
  await write('agents/poet.md', 'Two.');
  await reading;
  expect(await role('poet')).toMatchObject({ preamble: 'Two.' });
});

test('roles that could not be read are asked for again', async () => {
  const { id } = await open();
  const broken = createPool(
    { ...world.settings, connection: 'postgres://nobody@127.0.0.1:1/none' },
    () => undefined,
  );
  const pools = [broken, world.pool];
  const turning = {
    query: (...args: unknown[]) => (pools[0]!.query as (...all: unknown[]) => unknown)(...args),
  };
  const roles = await createRoles(turning as typeof world.pool);
  await expect(roles.of(id)).rejects.toThrow();
  pools.shift();
  expect((await roles.of(id)).roles.size).toBe(11);
  await broken.end();
});

test('the model is the request’s, else the role’s, else the server’s', async () => {
  const { write, agents, id } = await open();
  await write('agents/poet.md', '---\nmodel: offline/instant\n---\nHi.');
  await write('agents/lost.md', '---\nmodel: nowhere/x\n---\nHi.');
  const model = async (role: string, wanted?: string) => {
    const made = await agents.make({ workspaceId: id, role, model: wanted });
    return made.ok ? made.agent.model.id : made.problem;
  };
  expect(await model('poet', 'offline/script')).toBe('offline/script');
  expect(await model('poet')).toBe('offline/instant');
  expect(await model('coder')).toBe('offline/demo');
  expect(await model('lost')).toMatch(/^role "lost": provider "nowhere" is not known/);
  expect(await model('coder', 'nowhere/x')).toMatch(/^provider "nowhere" is not known/);
});
