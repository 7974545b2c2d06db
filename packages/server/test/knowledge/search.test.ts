// Search over everything that has words: what is found, in which order, and what never is.

import { expect, test } from 'vitest';
import { storeContent } from '../../src/files/content.ts';
import { removeFile, writeFile } from '../../src/files/files.ts';
import type { Caller } from '../../src/knowledge/entities.ts';
import { readQuestion, searchKnowledge, snippetOf, type SearchQuery } from '../../src/knowledge/search.ts';
import { at } from '../files/mirror/support.ts';
import { useKnowledge } from './support.ts';

const world = useKnowledge();

async function createWork() {
  const caller = await world.newCaller();
  const { workspaceId } = caller;
  const search = (query: string, more: Partial<SearchQuery> = {}) =>
    searchKnowledge(world.pool, workspaceId, { query, limit: 20, ...more });
  return {
    caller,
    workspaceId,
    search,
    titles: async (query: string, more: Partial<SearchQuery> = {}) =>
      (await search(query, more)).map(({ title }) => title),
    project: async (name: string) => (await world.knowledge.projects.create(caller, { name })).project.id,
    document: (project: string, title: string, content: string) =>
      world.knowledge.documents.create(caller, { title, content }, project),
    task: async (project: string, title: string, description?: string) =>
      (await world.knowledge.entities('task').create(caller, { title, description }, project)).entities[0]!
        .id,
    file: (path: string, text: string) => write(caller, path, text),
  };
}

async function write({ workspaceId, author, quotaBytes }: Caller, path: string, text: string) {
  const content = await storeContent(world.pool, text);
  return writeFile(world.pool, { workspaceId, author, quotaBytes, path: at(path), content, base: null });
}

test('ONT-3 a search finds documents, entities of other kinds and plain files alike', async () => {
  const work = await createWork();
  const project = await work.project('Heron Bay');
  await work.document(project, 'Tides', 'The heron waits for low water.');
  const task = await work.task(project, 'Count birds', 'Count every heron on the mud.');
  await work.file('/notes/list.txt', 'heron, gull, tern');
  const items = await work.search('heron');
  expect(items.map(({ entity_type, title }) => `${entity_type} ${title}`).toSorted()).toEqual([
    'document Context',
    'document Tides',
    'file list',
    'project Heron Bay',
    'task Count birds',
  ]);
  expect(items.find(({ entity_id }) => entity_id === task)).toMatchObject({
    project_id: project,
    path: null,
    snippet: 'Count every heron on the mud.',
  });
  expect(items.find(({ title }) => title === 'Tides')).toMatchObject({
    path: '/projects/heron-bay/docs/Tides.md',
    snippet: 'The heron waits for low water.',
  });
});

test('ONT-3 a search is limited to a project, with the files in its folder, and to kinds', async () => {
  const work = await createWork();
  const [north, south] = [await work.project('North'), await work.project('South')];
  await work.document(north, 'Harbour', 'The crane is broken.');
  await work.document(south, 'Quay', 'The crane is new.');
  await work.task(north, 'Repair the crane');
  await work.file('/projects/north/crane.csv', 'crane,1');
  await work.file('/crane.csv', 'crane,2');
  expect((await work.titles('crane', { projectId: north })).toSorted()).toEqual([
    'Harbour',
    'Repair the crane',
    'crane',
  ]);
  expect(await work.titles('crane', { projectId: south })).toEqual(['Quay']);
  expect(await work.titles('crane', { kinds: ['task'] })).toEqual(['Repair the crane']);
  expect(await work.titles('crane', { kinds: ['file'] })).toEqual(['crane', 'crane']);
  expect(await work.titles('crane', { kinds: [] })).toEqual([]);
  expect(await work.titles('crane', { kinds: ['task', 'document'], projectId: south })).toEqual(['Quay']);
});

test('ONT-3 texts with more and rarer words of the question come first; common words alone come last', async () => {
  const work = await createWork();
  for (let n = 0; n < 20; n += 1) await work.file(`/other/${n}.md`, `the weather of the day, number ${n}`);
  await work.file('/a.md', 'the anchor is kept in the shed');
  await work.file('/b.md', 'the anchor and the rusty chain are kept in the shed');
  await work.file('/c.md', 'what the weather does to a chain');
  const items = await work.search('where is the rusty anchor chain', { limit: 4 });
  expect(items.map(({ path }) => path).slice(0, 3)).toEqual(['/b.md', '/a.md', '/c.md']);
  expect(items[0]!.score).toBeGreaterThan(items[1]!.score);
});

test('ONT-6 a title counts more than the text below it, and a file is found by its name', async () => {
  const work = await createWork();
  const project = await work.project('P');
  await work.document(project, 'Suppliers', 'A list of companies.');
  await work.document(
    project,
    'Minutes',
    'We spoke about suppliers of rope, and about the weather and the boats.',
  );
  expect(await work.titles('suppliers')).toEqual(['Suppliers', 'Minutes']);
  await work.file('/projects/p/docs/Wind_turbines.md', 'Nothing about them yet.');
  expect(await work.titles('turbines')).toEqual(['Wind_turbines']);
});

test('ONT-3 a phrase is found word for word, a prefix by the beginning of a word, and -not excludes', async () => {
  const work = await createWork();
  await work.file('/a.md', 'the silent pond');
  await work.file('/b.md', 'a pond, silent and ponderous');
  const find = async (query: string) => (await work.search(query)).map(({ path }) => String(path)).toSorted();
  expect(await find('"silent pond"')).toEqual(['/a.md']);
  expect(await find('"pond silent"')).toEqual(['/b.md']);
  expect(await find('"no such phrase"')).toEqual([]);
  expect(await find('"silent pond" ponderous')).toEqual(['/a.md']);
  expect(await find('ponder*')).toEqual(['/b.md']);
  expect(await find('pon*')).toEqual(['/a.md', '/b.md']);
  expect(await find('pond -ponderous')).toEqual(['/a.md']);
  expect(await find('pond -"silent pond"')).toEqual(['/b.md']);
  expect(await find('-pond')).toEqual([]);
});

test('ONT-3 inflections of a word are found, and near misses of a word that no text has', async () => {
  const work = await createWork();
  await work.file('/a.md', 'The engineers are deploying the service to two regions.');
  await work.file('/b.md', 'Nothing of that kind.');
  const find = async (query: string) => (await work.search(query)).map(({ path }) => path);
  expect(await find('deployed')).toEqual(['/a.md']);
  expect(await find('region')).toEqual(['/a.md']);
  expect(await find('enginneers')).toEqual(['/a.md']);
  expect(await find('servcie')).toEqual(['/a.md']);
  expect(await find('xylophone')).toEqual([]);
});

test('ONT-3 another workspace finds nothing, whatever it asks for', async () => {
  const [own, foreign] = [await createWork(), await createWork()];
  const project = await own.project('Secret');
  await own.document(project, 'Plan', 'The treasure is under the oak.');
  await own.task(project, 'Dig for the treasure');
  await own.file('/treasure.md', 'treasure');
  expect(await own.titles('treasure')).toHaveLength(3);
  for (const query of [
    'treasure',
    'treas*',
    '"the treasure"',
    'treasre',
    `workspace ${own.workspaceId}`,
    'work*',
  ])
    expect(await foreign.titles(query)).toEqual([]);
  expect(await foreign.titles('treasure', { projectId: project })).toEqual([]);
  await foreign.file('/a.md', 'a word');
  expect(await foreign.titles('treasure or word', { projectId: project })).toEqual([]);
});

test('ONT-3 what was removed is not found, nor what is in a removed project, until it is restored', async () => {
  const work = await createWork();
  const { knowledge } = world;
  const project = await work.project('Kites');
  const { entities } = await work.document(project, 'Strings', 'Braided kevlar.');
  const task = await work.task(project, 'Buy kevlar');
  await work.file('/kevlar.md', 'kevlar');
  expect((await work.titles('kevlar')).toSorted()).toEqual(['Buy kevlar', 'Strings', 'kevlar']);
  await knowledge.entities('task').delete(work.caller, task, null);
  await knowledge.documents.delete(work.caller, entities[0]!.id, null);
  const { workspaceId, author } = work.caller;
  await removeFile(world.pool, { workspaceId, author, path: at('/kevlar.md'), base: null });
  expect(await work.titles('kevlar')).toEqual([]);
  await knowledge.entities('task').restore(work.caller, task);
  await knowledge.documents.restore(work.caller, entities[0]!.id);
  expect((await work.titles('kevlar')).toSorted()).toEqual(['Buy kevlar', 'Strings']);
  await knowledge.projects.delete(work.caller, project, null);
  expect(await work.titles('kevlar')).toEqual([]);
  expect(await work.titles('kevlar', { projectId: project })).toEqual([]);
  await knowledge.projects.restore(work.caller, project);
  expect((await work.titles('kevlar')).toSorted()).toEqual(['Buy kevlar', 'Strings']);
});

test('ONT-3 a changed entity is found by its new words only', async () => {
  const work = await createWork();
  const project = await work.project('P');
  const task = await work.task(project, 'Paint the fence', 'green');
  expect(await work.titles('green')).toEqual(['Paint the fence']);
  await world.knowledge.entities('task').update(work.caller, task, { description: 'purple' }, null);
  expect(await work.titles('green')).toEqual([]);
  expect(await work.titles('purple')).toEqual(['Paint the fence']);
});

const HOSTILE: readonly string[] = [
  "'",
  '"',
  '""',
  '"unclosed phrase',
  "foo' | bar",
  '& | ! ( ) <-> :* :A',
  'a & !b',
  '!!!',
  '\\',
  "\\' or 1=1 --",
  '*',
  '-',
  '--',
  '-*',
  'a*b*',
  '\0',
  'a\0b',
  '\ud800',
  '🦦🦦 🦦',
  '日本語 の テキスト',
  'İstanbul ẞ',
  '%_%',
  'workspace 00000000',
  'or OR or',
  'x'.repeat(10_000),
  'word '.repeat(10_000),
  Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(' '),
  '"'.repeat(999),
  '-x '.repeat(500),
];

test('ONT-3 no text is a question that fails', async () => {
  const work = await createWork();
  await work.file(
    '/a.md',
    "a word, it's \\ a 🦦 word: w17 C:\\dir http://example.org/a?b=c&d foo_bar x@y.zz",
  );
  for (const query of HOSTILE) await expect(work.search(query), query.slice(0, 40)).resolves.toBeDefined();
  expect(await work.titles('word '.repeat(10_000))).toEqual(['a']);
  expect(await work.titles("it's")).toEqual(['a']);
});

test('ONT-3 a question is read as words, phrases, prefixes and exclusions', () => {
  expect(readQuestion('Where "Is It" pon* -not -"not this" OR *')).toEqual({
    words: ['where'],
    phrases: ['is it'],
    prefixes: ['pon'],
    excluded: ['not', 'not this'],
  });
});

test('ONT-3 a snippet is the part of a text with the most words of the question', () => {
  const text = `the fox ${'and so on '.repeat(40)}a quick brown fox jumps ${'and so on '.repeat(40)}quick`;
  const snippet = snippetOf(text, new Set(['quick', 'fox', 'jumps']))!;
  expect(snippet).toMatch(/^….*a quick brown fox jumps.*…$/);
  expect(snippet.length).toBeLessThan(200);
  expect(snippetOf(text, new Set(['absent']))).toBeNull();
  expect(snippetOf('z'.repeat(1000), new Set(['z'.repeat(1000)]))).toBe('z'.repeat(1000));
  expect(snippetOf('', new Set(['a']))).toBeNull();
});

test('ONT-3 searches while others write find what was committed before them, and the counts of words stay true', async () => {
  const work = await createWork();
  const project = await work.project('P');
  const tasks = await Promise.all(Array.from({ length: 8 }, (_, n) => work.task(project, `otter ${n}`)));
  await Promise.all([
    ...tasks.map(async (id, n) => {
      for (let turn = 0; turn < 5; turn += 1) {
        const description = `turn${turn} of${n}`;
        await world.knowledge.entities('task').update(work.caller, id, { description }, null);
        expect(await work.titles(`"turn${turn} of${n}"`)).toEqual([`otter ${n}`]);
      }
    }),
    ...Array.from({ length: 20 }, async (_, n) => {
      await work.file(`/${n % 5}.md`, `badger ${n} `.repeat(20));
      expect(await work.titles('badger')).not.toEqual([]);
    }),
  ]);
  await world.knowledge.entities('task').delete(work.caller, tasks[0]!, null);
  expect(await work.titles('otter')).toHaveLength(7);
  const { rows } = await world.pool.query(
    `select v.word, v.texts, t.texts as counted from vocabulary v
      full join (select word, count(*)::integer as texts from indexed_texts t, unnest(tsvector_to_array(t.words)) word
        where t.workspace_id = $1 and not starts_with(word, 'title ') group by word) t on t.word = v.word
      where (v.workspace_id = $1 or v.workspace_id is null) and v.texts is distinct from t.texts`,
    [work.workspaceId],
  );
  expect(rows).toEqual([]);
});

// The last test: the others need the extension.
test('ONT-3 without pg_trgm a search finds everything but near misses', async () => {
  const work = await createWork();
  await work.file('/a.md', 'The engineers are deploying.');
  await world.pool.query('drop extension pg_trgm cascade');
  expect(await work.titles('engineers')).toEqual(['a']);
  expect(await work.titles('deploiyng')).toEqual([]);
});
