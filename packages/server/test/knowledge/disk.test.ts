// Documents and the folder on disk: moving a node moves files, and what people do to files moves the nodes.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ask, until } from '@continuo/testkit';
import { freshDatabase, startPod, temporaryFolder } from '@continuo/testkit/fixtures';

interface Node {
  readonly id: string;
  readonly children: readonly Node[];
}

async function open() {
  const database = await freshDatabase();
  const home = temporaryFolder('documents');
  const pod = await startPod({ databaseUrl: database.url, env: { CONTINUO_HOME: home } });
  onTestFinished(async () => {
    await pod.end();
    await database.drop();
  });
  const base = `${pod.url}/api/v1/workspaces/default`;
  const { body } = await ask('POST', `${base}/projects`, { name: 'Moon' });
  const project: string = body.project.id;
  const docs = join(home, 'workspaces/default/projects/moon/docs');
  const create = async (title: string, parent_id: string | null = null): Promise<string> =>
    (await ask('POST', `${base}/documents`, { project_id: project, title, parent_id })).body.id;
  /** The structure as lines of titles, indented. */
  const outline = async (): Promise<string[]> => {
    const { body: read } = await ask('GET', `${base}/projects/${project}/doc-structure?include=metadata`);
    const documents = read.documents as readonly { id: string; title: string }[];
    const titles = new Map(documents.map(({ id, title }) => [id, title]));
    const lines = (nodes: readonly Node[], indent: string): string[] =>
      nodes.flatMap(({ id, children }) => [`${indent}${titles.get(id)}`, ...lines(children, `${indent}  `)]);
    return lines(read.root, '');
  };
  const becomes = (wanted: readonly string[]) =>
    until(`the structure is ${JSON.stringify(wanted)}`, async () =>
      JSON.stringify(await outline()) === JSON.stringify(wanted) ? true : null,
    );
  return { base, docs, create, outline, becomes };
}

test('ONT-10 a moved node is moved on disk, with its children and its history', async () => {
  const { base, docs, create, becomes } = await open();
  const market = await create('Market');
  const competitors = await create('Competitors', market);
  const research = await create('Research');
  expect(readFileSync(join(docs, 'Market/Competitors.md'), 'utf8')).toContain('title: Competitors');
  const moved = await ask('POST', `${base}/documents/${market}/move`, { parent_id: research });
  expect(moved.body.path).toBe('/projects/moon/docs/Research/Market.md');
  await becomes(['Context', 'Research', '  Market', '    Competitors']);
  expect(existsSync(join(docs, 'Research/Market/Competitors.md'))).toBe(true);
  expect(existsSync(join(docs, 'Market.md'))).toBe(false);
  const versions = await ask('GET', `${base}/documents/${competitors}/versions`);
  expect(versions.body.items.map(({ op }: { op: string }) => op)).toEqual(['move', 'write']);
});

test('ONT-5 ONT-10 a person’s moves on disk move the nodes, and a folder without a document gets an empty one', async () => {
  const { base, docs, create, becomes } = await open();
  const market = await create('Market');
  const competitors = await create('Competitors', market);
  // The folder first, then its document: in between, the folder has none.
  renameSync(join(docs, 'Market'), join(docs, 'Markets'));
  renameSync(join(docs, 'Market.md'), join(docs, 'Markets.md'));
  await becomes(['Context', 'Market', '  Competitors']);
  await until('both documents have kept their ids', async () => {
    const [one, other] = await Promise.all(
      [market, competitors].map((id) => ask('GET', `${base}/documents/${id}`)),
    );
    return one!.body.path?.endsWith('/Markets.md') && other!.body.path?.endsWith('/Markets/Competitors.md');
  });
  mkdirSync(join(docs, 'Risks/Weather'), { recursive: true });
  writeFileSync(
    join(docs, 'Risks/Weather/Rain.md'),
    '---\ntitle: "Rain: a plan"\ndescription: |\n  When it\n  rains\n---\nBring tents.\n',
  );
  await becomes(['Context', 'Market', '  Competitors', 'Risks', '  Weather', '    Rain: a plan']);
  await until('the empty document is on disk', () => existsSync(join(docs, 'Risks/Weather.md')));
  expect(readFileSync(join(docs, 'Risks/Weather.md'), 'utf8')).toBe('');
  const { body } = await ask('GET', `${base}/documents?limit=10`);
  const rain = body.items.find(({ title }: { title: string }) => title === 'Rain: a plan');
  expect(rain).toMatchObject({ description: 'When it rains', content_length: 'Bring tents.\n'.length });
});
