// Projects, entities, documents and search from a shell.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { usePod } from '@continuo/testkit/fixtures';
import { continuo } from './support.ts';

// Many processes are started, one after the other.
vi.setConfig({ testTimeout: 300_000 });

const world = usePod();
const folder = mkdtempSync(join(tmpdir(), 'continuo-knowledge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[], input = '') =>
  continuo([...args, '--url', world.url], { env: { NO_COLOR: '1' }, input, cwd: folder });
const json = async (args: readonly string[], input = '') => {
  const { code, stdout, stderr } = await run([...args, '--json'], input);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
};

test('ONT-1 a project lives from its creation to its removal and back', async () => {
  expect(await run(['projects', 'list'])).toMatchObject({ code: 0, stdout: '' });
  expect(await run(['entities', 'add', 'task', 'Too early'])).toMatchObject({ code: 2 });
  const made = await run([
    'projects',
    'create',
    'Apollo',
    '--purpose',
    'Land.',
    '--goal',
    'Land',
    '--task',
    'Build',
    'Fly',
  ]);
  expect(made.stdout).toBe('Apollo is created, with goal Land, task Build, task Fly, document Context\n');
  expect((await run(['projects', 'list'])).stdout).toMatch(/active .* Apollo +Land\./);
  expect((await run(['projects', 'show', 'apollo'])).stdout).toBe(
    'Apollo active\nLand.\n\nDocuments     1\nTasks         2 todo\nGoals         1 active\n',
  );
  const { project, entities } = await json(['projects', 'show', 'Apollo']);
  expect(entities.task).toMatchObject({ todo: 2, done: 0 });
  expect(await run(['projects', 'show', 'Apolo'])).toMatchObject({ code: 4 });

  const removed = await run(['projects', 'remove', 'Apollo']);
  expect(removed.stdout).toBe('Apollo is removed, with everything in it.\n');
  expect(removed.stderr).toContain(`projects restore ${project.id}`);
  expect(await run(['projects', 'show', project.id])).toMatchObject({ code: 4 });
  expect((await run(['projects', 'list', '--removed'])).stdout).toContain(project.id);
  expect((await run(['projects', 'restore', project.id])).stdout).toBe(
    'Apollo is restored, with everything that was in it.\n',
  );
});

test('ONT-2 entities are added, changed, linked, removed and restored by their titles', async () => {
  const added = await run(['entities', 'add', 'risk', 'Moon dust', 'likelihood=high', '-p', 'Apollo']);
  expect(added).toMatchObject({ code: 0, stdout: 'Moon dust is added, at version 1\n' });
  expect((await run(['entities', 'set', 'tasks', 'build', 'priority=high', 'due=2026-12-01'])).stdout).toBe(
    'Build is changed, at version 2\n',
  );
  expect((await json(['entities', 'set', 'task', 'Build', 'due='])).due).toBeNull();
  expect((await run(['entities', 'state', 'task', 'Build', 'in_progress', '--base', '3'])).stdout).toBe(
    'Build is in progress, at version 4\n',
  );
  const stale = await run(['entities', 'state', 'task', 'Build', 'done', '--base', '3']);
  expect(stale).toMatchObject({ code: 5, stdout: '' });
  expect(stale.stderr).toContain('--base <its version now>');
  expect(stale.stderr).not.toContain('If-Match');
  expect((await run(['entities', 'link', 'task:Build', 'mitigates', 'risk:moon dust'])).code).toBe(0);
  const ends = ['task:Build', 'mitigates', 'risk:moon dust'];
  expect((await run(['entities', 'unlink', ...ends])).code).toBe(0);
  expect((await run(['entities', 'unlink', ...ends])).stderr).toContain('has no link mitigates');
  expect((await run(['entities', 'link', ...ends])).code).toBe(0);
  const wrong = await run(['entities', 'link', 'risk:Moon dust', 'mitigates', 'task:Build']);
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('Mitigates starts at');
  expect((await run(['entities', 'list', 'task', '--state', 'in_progress'])).stdout).toMatch(
    /in_progress +high .*Build\n$/,
  );
  const history = await run(['entities', 'history', 'task', 'Build']);
  expect(
    history.stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ {2,}/)[2]),
  ).toEqual(['link', 'unlink', 'link', 'update', 'update', 'update', 'create']);
  const gone = await json(['entities', 'remove', 'task', 'Fly']);
  expect(await run(['entities', 'set', 'task', 'Fly', 'priority=low'])).toMatchObject({ code: 4 });
  expect((await json(['entities', 'list', 'task', '--removed'])).items).toMatchObject([{ id: gone.id }]);
  expect((await run(['entities', 'restore', 'task', gone.id])).stdout).toBe('Fly is back, at version 3\n');
  expect((await run(['entities', 'list', 'task', '--removed'])).stderr).toContain('No removed tasks.');

  await run(['entities', 'add', 'task', 'Fly']);
  const twice = await run(['entities', 'remove', 'task', 'fly']);
  expect(twice).toMatchObject({ code: 5 });
  expect(twice.stderr).toContain(gone.id);
  for (const [args, said] of [
    [['list', 'dragon'], 'The kinds are project, document, task'],
    [['add', 'task', 'x', 'color=red'], 'its fields are title, state, description'],
    [['add', 'task', 'x', 'priority'], 'field=value'],
    [['state', 'task', 'Build', 'asleep'], 'its states are todo'],
    [['link', 'Build', 'mitigates', 'task:x'], 'neither an id nor'],
    [['restore', 'task', 'Fly'], 'It must be an id'],
  ] as const) {
    const { code, stderr } = await run(['entities', ...args]);
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(stderr).toContain(said);
  }
});

test('ONT-5 documents are written, read, moved and found by their paths', async () => {
  expect(
    (await run(['documents', 'write', 'Research', '--description', 'What we know'], 'Of craters.\n')).stdout,
  ).toBe('Research is at version 1, in /projects/apollo/docs/Research.md\n');
  const local = join(folder, 'market.md');
  writeFileSync(local, 'Nobody sells rockets.\n');
  await run(['documents', 'write', 'Research/Market', local]);
  expect((await run(['documents', 'tree'])).stdout).toBe(
    'Context  What Apollo is for\nResearch  What we know\n  Market\n',
  );
  expect((await run(['documents', 'read', 'market'])).stdout).toBe('Nobody sells rockets.\n');
  expect((await json(['documents', 'write', 'research/market'], 'Some do.\n')).content_version).toBe(2);
  expect((await run(['documents', 'move', 'Research/Market', '/', '--order', '0'])).stdout).toBe(
    'Market is in /projects/apollo/docs/Market.md\n',
  );
  expect((await json(['documents', 'tree'])).root).toHaveLength(3);
  const missing = await run(['documents', 'read', 'Markt']);
  expect(missing).toMatchObject({ code: 4 });
  expect(missing.stderr).toContain('Did you mean Market');
  expect(await run(['documents', 'write', 'Nowhere/At/All'], 'x')).toMatchObject({ code: 4 });
  const found = await run(['search', 'craters']);
  expect(found).toMatchObject({ code: 0 });
  expect(found.stdout).toContain('Research');
  expect((await json(['search', 'craters', '-p', 'Apollo', '-k', 'document'])).items).toHaveLength(1);
  const hits = (await json(['search', 'apollo', '-k', 'message'])).items;
  expect(hits.every(({ entity_type }: { entity_type: string }) => entity_type === 'message')).toBe(true);
});

test('a project is exported to one file and imported from it', async () => {
  expect((await run(['projects', 'export', 'Apollo'])).stdout).toBe('Apollo is in apollo.zip\n');
  const again = await run(['projects', 'export', 'Apollo']);
  expect(again).toMatchObject({ code: 5 });
  expect(again.stderr).toContain('--force');
  expect((await run(['projects', 'export', 'Apollo', '--force'])).code).toBe(0);
  expect(readFileSync(join(folder, 'apollo.zip')).subarray(0, 2).toString()).toBe('PK');
  const imported = await run(['projects', 'import', 'apollo.zip']);
  expect(imported.stdout).toBe('Apollo is imported: 8 entities and 2 links.\n');
  const two = await run(['entities', 'list', 'task', '-p', 'Apollo']);
  expect(two).toMatchObject({ code: 5 });
  writeFileSync(join(folder, 'no.zip'), 'not a zip');
  expect(await run(['projects', 'import', 'no.zip'])).toMatchObject({ code: 1 });
  expect(await run(['projects', 'import', 'nothing.zip'])).toMatchObject({ code: 4 });
});
