// A content goes to disk while its version is being committed, and is seen by nobody before that.

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import type { Stage } from '../../../src/files/files.ts';
import { saveFile } from '../../../src/files/save.ts';
import { useLog } from '../../runs/support.ts';
import { at, openDesk, person, type Desk } from './support.ts';

const world = useLog();
const QUOTA_BYTES = 1000;

async function save(desk: Desk, path: string, text: string, stage: Stage, base: number | null = null) {
  const { workspaceId } = desk;
  return saveFile(world.pool, world.pool, {
    workspaceId,
    author: person,
    base,
    path: at(path),
    quotaBytes: QUOTA_BYTES,
    stage,
    bytes: Buffer.from(text),
    merge: false,
  });
}

function temporaries(desk: Desk): readonly string[] {
  return readdirSync(desk.root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.new'),
  );
}

test('WS-2 what is staged has no name of its own before its commit, and gets it by the flush', async () => {
  const desk = await openDesk(world);
  await desk.write('notes/a.md', 'one');
  const saved = await save(desk, 'notes/a.md', 'two', desk.workspaces.stage);
  await until('one temporary file is there', () => temporaries(desk).length === 1);
  expect(desk.disk()['/notes/a.md']).toBe('one');
  await desk.workspaces.committed(desk.workspaceId, [saved as never]);
  expect(desk.disk()).toEqual({ '/notes/a.md': 'two' });
});

test('WS-2 what was staged and not committed is removed', async () => {
  const desk = await openDesk(world);
  await desk.write('notes/a.md', 'one');
  const { stage } = desk.workspaces;
  expect((await save(desk, 'notes/a.md', 'stale', stage, 7)).kind).toBe('conflict');
  expect((await save(desk, 'notes/a.md', 'one', stage)).kind).toBe('unchanged');
  await until('no temporary file is left', () => temporaries(desk).length === 0);
  const tooMuch = save(desk, 'notes/a.md', 'x'.repeat(QUOTA_BYTES), stage);
  await expect(tooMuch).rejects.toThrow('the workspace uses');
  await until('no temporary file is left', () => temporaries(desk).length === 0);
  expect(desk.disk()).toEqual({ '/notes/a.md': 'one' });
});

test('WS-2 a look at the folder leaves alone what is staged there', async () => {
  const desk = await openDesk(world);
  await desk.write('notes/a.md', 'one');
  const staged = desk.workspaces.stage(desk.workspaceId, at('notes/a.md'), Buffer.from('two'));
  mkdirSync(join(desk.root, 'notes/deep'));
  writeFileSync(join(desk.root, 'notes/deep/b.md'), 'a person’s');
  writeFileSync(join(desk.root, 'notes/c.md'), 'a person’s');
  await until('one temporary file is there', () => temporaries(desk).length === 1);
  await until('three files are in the database', async () => Object.keys(await desk.database()).length === 3);
  expect(temporaries(desk)).toHaveLength(1);
  staged!.discard();
  await until('no temporary file is left', () => temporaries(desk).length === 0);
});

test('WS-2 a folder that moves away between staging and flush takes no version with it', async () => {
  const desk = await openDesk(world);
  await desk.write('notes/a.md', 'one');
  const saved = await save(desk, 'notes/new.md', 'two', desk.workspaces.stage);
  await until('one temporary file is there', () => temporaries(desk).length === 1);
  renameSync(join(desk.root, 'notes'), join(desk.root, 'moved'));
  await desk.workspaces.committed(desk.workspaceId, [saved as never]);
  expect(desk.disk()['/notes/new.md']).toBe('two');
  expect(desk.disk()['/moved/new.md']).toBeUndefined();
  await until('the moved file is in the database', async () => '/moved/a.md' in (await desk.database()));
  await desk.mirrors.folder(desk.workspaceId);
  await until('no temporary file is left', () => temporaries(desk).length === 0);
  expect(desk.disk()).toEqual(await desk.database());
});

test('WS-2 of two writers of one file who staged at once, the later version is on disk', async () => {
  const desk = await openDesk(world);
  await desk.write('a.md', 'one');
  const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
  await Promise.all(texts.map((text) => desk.write('a.md', text)));
  const said = (await desk.database())['/a.md'];
  // What was staged and is not needed may still be there, and goes a moment later.
  expect(readFileSync(join(desk.root, 'a.md'), 'utf8')).toBe(said);
  await until('no temporary file is left', () => temporaries(desk).length === 0);
  expect(desk.disk()).toEqual({ '/a.md': said });
});
