// Many files that disappear from the folder at once are asked about before anything is removed from the workspace.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { lastChange } from '../../../src/files/changes.ts';
import { ANONYMOUS } from '../../../src/identity/principal.ts';
import { decideRemovals, readHeldRemovals } from '../../../src/files/held-removals.ts';
import { useLog } from '../../runs/support.ts';
import { openDesk, type Desk } from './support.ts';

const world = useLog();
const FILES = 60;

async function filled(): Promise<Desk> {
  const desk = await openDesk(world);
  const paths = Array.from({ length: FILES }, (_, index) => `d${index % 5}/f${index}.md`);
  await Promise.all(paths.map((path) => desk.write(path, path)));
  return desk;
}

const held = (desk: Desk) => readHeldRemovals(world.pool, desk.workspaceId);
const note = (desk: Desk) => join(desk.root, 'continuo-removals.txt');

/** Removes everything that the folder had, while an agent and a person write new files into it. */
async function removeWhileOthersWrite(desk: Desk): Promise<void> {
  for (let folder = 0; folder < 5; folder += 1) {
    await desk.write(`d${folder}/new.md`, 'an agent’s');
    writeFileSync(join(desk.root, `d${folder}/own.md`), 'a person’s');
    for (let index = folder; index < FILES; index += 5) rmSync(join(desk.root, `d${folder}/f${index}.md`));
  }
  await until('removals are held', async () => (await held(desk)) !== null);
}

async function decide(desk: Desk, decision: 'restore' | 'remove'): Promise<void> {
  expect(await decideRemovals(world.pool, desk.workspaceId, decision, ANONYMOUS)).toBe(true);
  await desk.workspaces.moved(desk.workspaceId);
  await until('no removal is held', async () => (await held(desk)) === null);
}

async function equal(desk: Desk): Promise<void> {
  await until(
    'the folder is the database',
    async () => JSON.stringify(desk.disk()) === JSON.stringify(await desk.database()),
  );
}

test('WS-2 many files that disappear while others are written stay in the workspace, and one action puts them back', async () => {
  const desk = await filled();
  await removeWhileOthersWrite(desk);
  await until('the new file is in the database', async () => '/d4/own.md' in (await desk.database()));
  expect(desk.warnings.map(({ text }) => text)).toEqual([expect.stringContaining('until a person decides')]);
  expect(readFileSync(note(desk), 'utf8')).toContain('still in the workspace');
  await decide(desk, 'restore');
  await until(
    'all files are in the database',
    async () => Object.keys(await desk.database()).length === FILES + 10,
  );
  await equal(desk);
  expect(existsSync(note(desk))).toBe(false);
});

test('WS-2 removals that are held back survive a restart, and are made when a person says so', async () => {
  const desk = await filled();
  await removeWhileOthersWrite(desk);
  await desk.stop();
  const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
  await until('the new file is in the database', async () => '/d4/own.md' in (await again.database()));
  const { removed, files } = (await held(again))!;
  expect(files + removed.length).toBe(FILES);
  expect(Object.keys(await again.database()).length).toBe(FILES + 10 - removed.length);
  await decide(again, 'remove');
  await equal(again);
  expect(Object.keys(again.disk())).toHaveLength(10);
});

test('WS-2 the question ends by itself where the files come back, and files of an agent come to the disk meanwhile', async () => {
  const desk = await filled();
  await desk.write('kept.md', 'kept');
  await desk.stop();
  for (let folder = 0; folder < 5; folder += 1) rmSync(join(desk.root, `d${folder}`), { recursive: true });
  const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
  expect(await held(again)).toMatchObject({ files: FILES, removed: [], decision: null });
  await again.write('d0/f0.md', 'written again');
  expect(again.disk()['/d0/f0.md']).toBe('written again');
  for (let index = 1; index < FILES; index += 1) {
    const place = join(again.root, `d${index % 5}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `f${index}.md`), `d${index % 5}/f${index}.md`);
  }
  await until('no removal is held', async () => (await held(again)) === null);
  await equal(again);
  expect(existsSync(note(again))).toBe(false);
  expect(await lastChange(world.pool, again.workspaceId)).toBe(FILES + 2);
});

test('WS-2 a few files of many are removed without a question', async () => {
  const desk = await filled();
  for (let index = 0; index < FILES; index += 5) rmSync(join(desk.root, `d0/f${index}.md`));
  await until(
    'a fifth of the files is removed',
    async () => Object.keys(await desk.database()).length === FILES - FILES / 5,
  );
  expect(await held(desk)).toBeNull();
  expect(desk.warnings).toEqual([]);
});

test('WS-2 files that are written meanwhile do not make a mass removal look small', async () => {
  const desk = await filled();
  for (let folder = 0; folder < 5; folder += 1) rmSync(join(desk.root, `d${folder}`), { recursive: true });
  await Promise.all(Array.from({ length: FILES * 2 }, (_, index) => desk.write(`new/${index}.md`, 'new')));
  await until('removals are held', async () => (await held(desk)) !== null);
  expect(await held(desk)).toMatchObject({ files: FILES, removed: [] });
  await decide(desk, 'restore');
  await equal(desk);
  expect(Object.keys(desk.disk())).toHaveLength(FILES * 3);
});

test('WS-2 rm -rf of the folder while six writers make files removes nothing, and one action puts everything back', async () => {
  const desk = await filled();
  const wanted = new Set(Object.keys(await desk.database()));
  for (let round = 1; round <= 4; round += 1) {
    let isOver = false;
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let count = 0; !isOver || count < 3; count += 1) {
        const path = `d${writer}/round-${round}-${count}.md`;
        // What is committed counts: the folder may be gone at this moment.
        await desk.write(path, path).catch(() => undefined);
        wanted.add(`/${path}`);
      }
    });
    const [code] = (await once(spawn('rm', ['-rf', desk.root]), 'close')) as [number];
    // Where a writer made its folder anew, rm says that it is not empty.
    expect([0, 1]).toContain(code);
    isOver = true;
    await Promise.all(writers);
    await settled(desk, wanted);
  }
  expect(new Set(Object.keys(desk.disk()))).toEqual(wanted);
  const { rows } = await world.pool.query(
    `select v.path from file_versions v join files f on f.id = v.file_id
      where f.workspace_id = $1 and v.op = 'remove'`,
    [desk.workspaceId],
  );
  expect(rows).toEqual([]);
}, 60_000);

/** Everything is in the workspace and on disk again, by nothing but the one action where it is asked for. */
async function settled(desk: Desk, wanted: ReadonlySet<string>): Promise<void> {
  await until('the wanted files are restored', async () => {
    if ((await held(desk)) !== null) await decide(desk, 'restore');
    const database = await desk.database();
    return (
      [...wanted].every((path) => path in database) &&
      JSON.stringify(desk.disk()) === JSON.stringify(database)
    );
  });
}
