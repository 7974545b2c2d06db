// A search finds everything that was committed before it began, whichever pod indexed it.

import { expect, test } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { until } from '@continuo/testkit';
import { doChores } from '../../src/upkeep/chores.ts';
import { storeContent } from '../../src/files/content.ts';
import { removeFile, writeFile } from '../../src/files/files.ts';
import { searchKnowledge } from '../../src/knowledge/search.ts';
import { startIndexer } from '../../src/files/words.ts';
import { useLog } from '../runs/support.ts';
import { at, person } from './mirror/support.ts';

const world = useLog();

async function createWorkspace() {
  const workspaceId = uuidv7();
  const where = { workspaceId, author: person, base: null };
  await world.pool.query('insert into workspaces (id, name) values ($1, $2)', [
    workspaceId,
    `w-${workspaceId}`,
  ]);
  const unindexed = async () => {
    const { rows } = await world.pool.query('select from unindexed where workspace_id = $1', [workspaceId]);
    return rows.length;
  };
  return {
    workspaceId,
    unindexed,
    write: async (path: string, text: string | Buffer) => {
      const content = await storeContent(world.pool, text);
      return writeFile(world.pool, { ...where, path: at(path), content, quotaBytes: 2 ** 40 });
    },
    remove: (path: string) => removeFile(world.pool, { ...where, path: at(path) }),
    find: async (words: string) =>
      (await searchKnowledge(world.pool, workspaceId, { query: words, limit: 100 })).map(({ path }) => path),
  };
}

test('a search finds what was written a moment before, in its newest version', async () => {
  const work = await createWorkspace();
  await work.write('/a.md', 'the otter sleeps');
  expect(await work.find('otter')).toEqual(['/a.md']);
  await work.write('/a.md', 'the heron stands');
  expect(await work.find('otter')).toEqual([]);
  expect(await work.find('heron')).toEqual(['/a.md']);
  await work.write('/a.md', Buffer.from([0, 1, 2]));
  expect(await work.find('heron')).toEqual([]);
  await work.write('/a.md', 'a heron again');
  await work.remove('/a.md');
  expect(await work.find('heron')).toEqual([]);
  expect(await work.unindexed()).toBe(0);
});

test('many searches at once all find what none of them indexed yet', async () => {
  const work = await createWorkspace();
  for (let file = 0; file < 100; file += 1) await work.write(`/${file}.md`, `a badger, number ${file}`);
  expect(await work.unindexed()).toBe(100);
  const found = await Promise.all(Array.from({ length: 8 }, () => work.find('badger')));
  for (const paths of found) expect(paths).toHaveLength(100);
});

test('a writer does not wait for an indexer', async () => {
  const work = await createWorkspace();
  await work.write('/a.md', 'one');
  const client = await world.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from unindexed for update');
    const saved = await work.write('/a.md', 'two');
    expect(saved.kind).toBe('changed');
    await client.query('rollback');
  } finally {
    client.release();
  }
  expect(await work.find('two')).toEqual(['/a.md']);
});

test('a long text is found by its beginning, whatever bytes its characters have', async () => {
  const work = await createWorkspace();
  await work.write('/long.md', `${'€ '.repeat(65_000)} weasel ${'🦦'.repeat(200_000)} stoat`);
  expect(await work.find('weasel')).toEqual(['/long.md']);
  expect(await work.find('stoat')).toEqual([]);
});

test('a pod indexes what changed by itself, and a chore what a dead one left', async () => {
  const work = await createWorkspace();
  const indexer = startIndexer(world.pool, (error) => {
    throw error;
  });
  await work.write('/a.md', 'one');
  indexer.soon(work.workspaceId);
  await until('every file is indexed', async () => (await work.unindexed()) === 0);
  await indexer.stop();
  await work.write('/b.md', 'two');
  indexer.soon(work.workspaceId);
  expect(await work.unindexed()).toBe(1);
  await doChores(world.pool);
  expect(await work.unindexed()).toBe(0);
});
