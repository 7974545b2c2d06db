// A project as one archive, over HTTP.

import { deflateRawSync, crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';
import { bytes, newSpace, put, type Space } from '../files/support.ts';
import { forged, unzip, zipOf, type Made } from '../files/zips.ts';

const world = usePod();

interface Created {
  readonly id: string;
  readonly version: number;
}

async function create(space: Space, kind: string, body: object): Promise<Created> {
  const made = await ask('POST', `${space.url}/${kind}`, body);
  expect(made).toMatchObject({ status: 201 });
  return made.body as Created;
}

const down = (space: Space, project: string) => bytes('GET', `${space.url}/projects/${project}/archive`);
const up = (space: Space, zip: Buffer) =>
  bytes('POST', `${space.url}/projects/import`, zip, { 'content-type': 'application/zip' });

/** A project with something of everything. */
async function apollo(space: Space): Promise<string> {
  const made = await ask('POST', `${space.url}/projects`, {
    name: 'Apollo: to the moon',
    purpose: 'Land, and come back.',
    goals: ['Land'],
    tasks: [{ title: 'Build the lander', goal: 0, priority: 'high', state: 'in_progress' }],
  });
  const project = made.body.project.id as string;
  const risk = await create(space, 'risks', { project_id: project, title: 'Dust', likelihood: 'high' });
  const research = await create(space, 'documents', { project_id: project, title: 'Research', order: 0 });
  const parent_id = research.id;
  await create(space, 'documents', {
    project_id: project,
    parent_id,
    title: 'Zeta',
    content: 'Last letter.',
  });
  const first = await create(space, 'documents', {
    project_id: project,
    parent_id,
    title: 'Alpha/Beta?',
    order: 0,
  });
  await create(space, 'edges', { from_id: first.id, rel: 'mitigates', to_id: risk.id });
  await put(space, 'projects/apollo-to-the-moon/data/rocks.bin', Uint8Array.from([0, 255, 1]));
  await put(space, 'projects/apollo-to-the-moon/project.json', '{"mine": true}');
  await put(space, 'projects/apollo-to-the-moon/docs/picture.png', 'not markdown');
  await ask(
    'DELETE',
    `${space.url}/tasks/${(await create(space, 'tasks', { project_id: project, title: 'Gone' })).id}`,
  );
  return project;
}

/** An archive without ids, times and history: ids by their order of appearance. */
async function comparable(zip: Buffer): Promise<unknown> {
  const { 'project.json': text, ...files } = await unzip(zip);
  const { versions, ...manifest } = JSON.parse(text!);
  expect(versions.length).toBeGreaterThan(0);
  const names = new Map<string, number>();
  const named = JSON.stringify(manifest, (key, value: unknown) => {
    if (['version', 'created_at', 'updated_at'].includes(key)) return undefined;
    if (!/(^|_)id$/.test(key)) return value;
    if (!names.has(value as string)) names.set(value as string, names.size);
    return names.get(value as string);
  });
  const { edges, ...rest } = JSON.parse(named);
  const ends = edges.map(({ from_id, rel, to_id }: Record<string, string>) => `${from_id} ${rel} ${to_id}`);
  return { rest, edges: ends.toSorted(), files };
}

test('a project is exported and imported as one archive: what is exported again is the same, but for ids, times and history', async () => {
  const space = await newSpace(world.url);
  const project = await apollo(space);
  const archive = await down(space, project);
  expect(archive.headers.get('content-disposition')).toContain('Apollo');
  const members = await unzip(archive.bytes);
  expect(Object.keys(members).toSorted()).toEqual([
    'docs/Context.md',
    'docs/Research.md',
    'docs/Research/Alpha-Beta.md',
    'docs/Research/Zeta.md',
    'docs/picture.png',
    'files/data/rocks.bin',
    'files/project.json',
    'project.json',
  ]);
  expect(members['docs/Research/Zeta.md']).toBe('---\ntitle: Zeta\n---\n\nLast letter.');
  const imported = await up(space, archive.bytes);
  expect(imported).toMatchObject({
    status: 201,
    body: { project: { name: 'Apollo: to the moon', version: 1 } },
  });
  const { project: copy, entitiesCreated, edgesCreated } = imported.body;
  expect(copy.id).not.toBe(project);
  expect(copy.folder).toBe('/projects/apollo-to-the-moon-2');
  expect(entitiesCreated).toHaveLength(8);
  expect(edgesCreated).toHaveLength(3);
  const again = await down(space, copy.id);
  expect(await comparable(again.bytes)).toEqual(await comparable(archive.bytes));
  const structure = await ask('GET', `${space.url}/projects/${copy.id}/doc-structure?include=metadata`);
  const titles = new Map(
    structure.body.documents.map(({ id, title }: { id: string; title: string }) => [id, title]),
  );
  expect(structure.body.root.map(({ id }: { id: string }) => titles.get(id))).toEqual([
    'Research',
    'Context',
  ]);
  const task = entitiesCreated.find(({ kind }: { kind: string }) => kind === 'task');
  expect(task).toMatchObject({
    state: 'in_progress',
    priority: 'high',
    version: 1,
    edges: [{ rel: 'supports' }],
  });
  expect((await ask('GET', `${space.url}/tasks/${task.id}/versions`)).body.items).toHaveLength(1);
});

test('an archive keeps its ids where they are free', async () => {
  const space = await newSpace(world.url);
  const project = crypto.randomUUID();
  const [task, document, edge] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const zip = await zipOf({
    'project.json': JSON.stringify({
      ...EMPTY,
      project: { id: project, kind: 'project', name: 'By hand' },
      entities: [{ id: task, kind: 'task', title: 'Write it', state: 'done' }],
      documents: [{ id: document, path: 'docs/Here.md' }],
      edges: [{ id: edge, from_id: task, rel: 'produces', to_id: document }],
    }),
    'docs/Here.md': 'Just text',
    'docs/Deep/Er/Still.md': 'below two folders without a document',
  });
  expect(await up(space, zip)).toMatchObject({
    status: 201,
    body: { project: { id: project }, edgesCreated: [{ id: edge }] },
  });
  const read = await ask('GET', `${space.url}/documents/${document}`);
  expect(read.body).toMatchObject({
    title: 'Here',
    content: 'Just text',
    version: 1,
    edges: [{ id: edge, from_id: task }],
  });
  const structure = await ask('GET', `${space.url}/projects/${project}/document-by-path?path=Deep/Er/Still`);
  expect(structure.status).toBe(200);
  // Now they are taken.
  const second = await up(space, zip);
  expect(second.status).toBe(201);
  expect(second.body.project.id).not.toBe(project);
  // And they are another workspace's.
  const elsewhere = await up(await newSpace(world.url), zip);
  expect(elsewhere.status).toBe(201);
  expect(elsewhere.body.project.id).not.toBe(project);
  const feed = await ask('GET', `${space.url}/changes?limit=1000`);
  expect(
    feed.body.items.filter(({ data }: { data: { entity_id: string } }) => data.entity_id === task),
  ).toMatchObject([
    {
      type: 'entity_patch',
      data: { version: 1, patch: [{ op: 'add', path: '', value: { edges: [{ id: edge }] } }] },
    },
  ]);
});

const ID = '01a1e264-eff2-7144-8d90-9c91a4b3dc89';
const OTHER = '01a1e264-eff2-7144-8d90-9c91a4b3dc90';
const THIRD = '01a1e264-eff2-7144-8d90-9c91a4b3dc91';
const EMPTY = {
  format: 'continuo-project',
  format_version: 1,
  project: { id: ID, kind: 'project', name: 'Hostile' },
  entities: [] as object[],
  documents: [] as object[],
  edges: [] as object[],
};
const task = (id: string, more: object = {}) => ({ id, kind: 'task', title: 'A task', ...more });
const edge = (from_id: string, to_id: string, rel = 'depends_on') => ({
  id: crypto.randomUUID(),
  from_id,
  rel,
  to_id,
});

/** Manifests that are refused, and what the refusal says. */
const MANIFESTS: readonly (readonly [string, unknown, string])[] = [
  ['text', 'not JSON', 'is not JSON'],
  ['a list', [], 'project.json'],
  ['another format', { ...EMPTY, format: 'zip' }, 'format'],
  ['a newer format', { ...EMPTY, format_version: 2 }, 'format_version'],
  ['an unknown member', { ...EMPTY, more: 1 }, 'more'],
  ['deep nesting', `{"project":${'['.repeat(1000)}${']'.repeat(1000)}}`, 'nested too deep'],
  ['a project without a name', { ...EMPTY, project: { id: ID, kind: 'project' } }, 'project.name'],
  ['a task as the project', { ...EMPTY, project: task(ID) }, 'not a kind that can stand there'],
  ['a second project', { ...EMPTY, entities: [{ ...EMPTY.project, id: OTHER }] }, 'entities[0]'],
  [
    'a document without its file',
    { ...EMPTY, documents: [{ id: OTHER, path: 'docs/a.md' }] },
    'has no file docs/a.md',
  ],
  ['a document outside docs', { ...EMPTY, documents: [{ id: OTHER, path: 'files/a.md' }] }, 'documents[0]'],
  ['a path that climbs', { ...EMPTY, documents: [{ id: OTHER, path: 'docs/../../a.md' }] }, 'documents[0]'],
  ['an unknown kind', { ...EMPTY, entities: [{ ...task(OTHER), kind: 'dragon' }] }, '"dragon" is not a kind'],
  [
    'a kind from the prototype',
    { ...EMPTY, entities: [{ ...task(OTHER), kind: '__proto__' }] },
    'is not a kind',
  ],
  ['an unknown state', { ...EMPTY, entities: [task(OTHER, { state: 'asleep' })] }, 'entities[0].state'],
  ['an unknown field', { ...EMPTY, entities: [task(OTHER, { color: 'red' })] }, 'color'],
  ['a NUL', { ...EMPTY, entities: [task(OTHER, { description: 'a\u0000b' })] }, 'entities[0].description'],
  ['an id that is none', { ...EMPTY, entities: [task('1')] }, 'entities[0].id'],
  ['an id twice', { ...EMPTY, entities: [task(OTHER), task(OTHER.toUpperCase())] }, 'twice'],
  ['the project’s id again', { ...EMPTY, entities: [task(ID)] }, 'twice'],
  ['too many entities', { ...EMPTY, entities: Array.from({ length: 20_001 }, () => ({})) }, 'entities'],
  [
    'an edge to nowhere',
    { ...EMPTY, entities: [task(OTHER)], edges: [edge(OTHER, THIRD)] },
    'there is no entity',
  ],
  ['an edge to itself', { ...EMPTY, entities: [task(OTHER)], edges: [edge(OTHER, OTHER)] }, 'to itself'],
  [
    'an unknown relation',
    { ...EMPTY, entities: [task(OTHER), task(THIRD)], edges: [edge(OTHER, THIRD, 'loves')] },
    'no relation loves',
  ],
  [
    'impossible ends',
    { ...EMPTY, entities: [task(OTHER), task(THIRD)], edges: [edge(OTHER, THIRD, 'mitigates')] },
    'mitigates ends at a risk',
  ],
  [
    'a circle',
    { ...EMPTY, entities: [task(OTHER), task(THIRD)], edges: [edge(OTHER, THIRD), edge(THIRD, OTHER)] },
    'go in a circle',
  ],
  [
    'an edge twice',
    { ...EMPTY, entities: [task(OTHER), task(THIRD)], edges: [edge(OTHER, THIRD), edge(OTHER, THIRD)] },
    'linked by depends_on already',
  ],
];

const file = (name: string, more: Partial<Made> = {}): Made => ({ name, data: Buffer.from('x'), ...more });
const manifest = file('project.json', { data: Buffer.from(JSON.stringify(EMPTY)) });
const zeros = Buffer.alloc(30 * 1024 * 1024);
const dense = { data: deflateRawSync(zeros), size: zeros.length, sum: crc32(zeros), method: 8 };

/** Zips that are refused, and what the refusal says. */
const ZIPS: readonly (readonly [string, Buffer, string])[] = [
  ['bytes that are no zip', Buffer.from('not a zip'), 'not a zip'],
  ['nothing', Buffer.alloc(0), 'not a zip'],
  ['a zip without a manifest', forged([file('docs/a.md')]), 'has no project.json'],
  ['a path that climbs', forged([manifest, file('docs/../../a.md')]), 'docs/../../a.md'],
  ['an absolute path', forged([manifest, file('/etc/passwd')]), '/etc/passwd'],
  ['a backslash', forged([manifest, file('docs\\a.md')]), 'docs'],
  ['a link', forged([manifest, file('files/link', { attributes: (0o120777 << 16) >>> 0 })]), 'it is a link'],
  ['a file twice', forged([manifest, file('docs/a.md'), file('docs/A.md')]), 'occurs twice'],
  ['two manifests', forged([manifest, manifest]), 'occurs twice'],
  ['a file elsewhere', forged([manifest, file('agents/evil.md')]), 'and nothing else'],
  ['a wrong checksum', forged([manifest, file('docs/a.md', { sum: 1 })]), 'damaged'],
  ['a file where a folder is', forged([manifest, file('files/a'), file('files/a/b')]), '/a is a f'],
  ['a bomb', forged([manifest, file('files/a', dense)]), 'zip bomb'],
  ['a manifest that is a bomb', forged([file('project.json', dense)]), 'zip bomb'],
  [
    'a count that is too large',
    forged(Array.from({ length: 10_001 }, (_, n) => file(`files/${n}`))),
    '10001',
  ],
];

test('a hostile archive is refused with a sentence, and nothing of it is left', async () => {
  const space = await newSpace(world.url);
  const rows = async () => {
    const tables = [
      'entities',
      'entity_versions',
      'edges',
      'projects',
      'files',
      'document_places',
      'changes',
    ];
    return Promise.all(tables.map((table) => count(world.database, table)));
  };
  const before = await rows();
  const archives = [
    ...(await Promise.all(
      MANIFESTS.map(async ([what, value, said]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return [what, await zipOf({ 'project.json': text, 'files/a.txt': 'a' }), said] as const;
      }),
    )),
    ...ZIPS,
  ];
  for (const [what, zip, said] of archives) {
    const { status, body } = await up(space, zip);
    expect({ what, status: status === 413 ? 422 : status, detail: body.detail }).toEqual({
      what,
      status: 422,
      detail: expect.stringContaining(said),
    });
    expect(body.detail).toMatch(/^[A-Z][^]*\.$/);
  }
  expect(await rows()).toEqual(before);
});

test('an archive of a project that is not there is not found', async () => {
  const space = await newSpace(world.url);
  const project = await apollo(space);
  const other = await newSpace(world.url);
  expect(await down(other, project)).toMatchObject({ status: 404, body: { code: 'project_not_found' } });
  await ask('DELETE', `${space.url}/projects/${project}`);
  expect((await down(space, project)).status).toBe(404);
});
