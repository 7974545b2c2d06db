// The folder on disk while the disk refuses: read-only, full, slow.

import { execFileSync as run, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '@continuo/testkit';
import { temporaryFolder } from '@continuo/testkit/fixtures';
import { grepTool } from '../../../src/files/tools/grep.ts';
import type { ToolWorld } from '../../../src/files/tools/shared.ts';
import { useLog } from '../../runs/support.ts';
import { openDesk, type Desk } from './support.ts';

const world = useLog();

const [MOUNT, UNMOUNT, REMOVE, SHELL] = ['mount', 'umount', 'rm', 'sh'];
const canMount = mountsWork();

function mountsWork(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'continuo-mount-'));
  const works = spawnSync(MOUNT, ['--bind', folder, folder]).status === 0;
  if (works) run(UNMOUNT, [folder]);
  rmSync(folder, { recursive: true });
  return works;
}

/** A home whose workspaces folder is a mount of its own. */
function mountedHome(...mount: readonly string[]): { home: string; folders: string } {
  const home = temporaryFolder('mirror');
  const folders = join(home, 'workspaces');
  mkdirSync(folders);
  run(MOUNT, [...mount, folders]);
  onTestFinished(() => void run(UNMOUNT, ['--lazy', folders]));
  return { home, folders };
}

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

async function equal(desk: Desk): Promise<void> {
  await until(
    'the folder is the database',
    async () => JSON.stringify(desk.disk()) === JSON.stringify(await desk.database()),
  );
}

test.skipIf(!canMount)(
  'WS-2 writes to a read-only folder leak no descriptor, and the folder catches up once it is writable',
  async () => {
    const { home, folders } = mountedHome('-t', 'tmpfs', 'tmpfs');
    const desk = await openDesk(world, { home });
    for (let index = 0; index < 10; index += 1) await desk.write(`d/f${index}.md`, 'before');
    const before = openDescriptors();
    run(MOUNT, ['-o', 'remount,ro', folders]);
    for (let index = 0; index < 40; index += 1) await desk.write(`d/f${index % 20}.md`, `while ${index}`);
    expect(openDescriptors()).toBeLessThan(before + 20);
    await expect(desk.mirrors.folder(desk.workspaceId)).rejects.toThrow('EROFS');
    const grep = grepTool({ pool: world.pool, workspaces: desk.workspaces } as ToolWorld);
    const searching = grep.run({ pattern: 'x', path: '/' }, { workspaceId: desk.workspaceId } as never);
    await expect(searching).rejects.toThrow(
      'the workspace’s folder on the server’s disk is out of date and cannot be written',
    );
    run(MOUNT, ['-o', 'remount,rw', folders]);
    await equal(desk);
    await desk.mirrors.folder(desk.workspaceId);
  },
);

test.skipIf(!canMount)(
  'WS-2 a full disk is told once, left alone between tries, and caught up with when there is room',
  async () => {
    const { home, folders } = mountedHome('-t', 'tmpfs', '-o', 'size=256k', 'tmpfs');
    const desk = await openDesk(world, { home });
    await desk.write('a.md', 'before');
    writeFileSync(join(folders, 'ballast'), Buffer.alloc(200_000));
    for (let index = 0; index < 60; index += 1) await desk.write(`d/f${index}.md`, 'x'.repeat(20_000));
    expect(desk.mirrors.problem()).toBe('the disk is full');
    expect(desk.warnings.map(({ reason }) => reason)).toEqual([expect.stringContaining('ENOSPC')]);
    run(MOUNT, ['-o', 'remount,size=64m', folders]);
    await until('the mirror has no problem', () => desk.mirrors.problem() === null);
    await equal(desk);
    expect(desk.warnings).toHaveLength(1);
  },
);

test('WS-2 a link in the place of the folder keeps the mirror behind, is told once, and is over when the folder is back', async () => {
  const desk = await openDesk(world);
  await desk.write('a.md', 'before');
  const elsewhere = `${desk.root}-elsewhere`;
  fs.renameSync(desk.root, elsewhere);
  fs.symlinkSync(elsewhere, desk.root);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(desk.mirrors.folder(desk.workspaceId)).rejects.toThrow('ENOTDIR');
  }
  expect(desk.mirrors.problem()).toBe('some files cannot be written (ENOTDIR)');
  expect(desk.warnings).toHaveLength(1);
  await desk.write('a.md', 'meanwhile');
  expect(fs.readFileSync(join(elsewhere, 'a.md'), 'utf8')).toBe('before');
  fs.unlinkSync(desk.root);
  fs.renameSync(elsewhere, desk.root);
  await until('the mirror has no problem', () => desk.mirrors.problem() === null);
  await equal(desk);
});

test('WS-2 the mirror does no work of the disk on the event loop', async () => {
  const desk = await openDesk(world);
  const calls: string[] = [];
  const watched = Object.keys(fs).filter((name) => name.endsWith('Sync') && name !== 'closeSync');
  const originals = new Map(watched.map((name) => [name, (fs as never)[name]]));
  const real = (fs as unknown as { default: Record<string, unknown> }).default;
  for (const [name, original] of originals) {
    real[name] = (...given: unknown[]) => {
      calls.push(name);
      return (original as (...all: unknown[]) => unknown)(...given);
    };
  }
  syncBuiltinESMExports();
  try {
    const head = await desk.write('a/b.md', 'one');
    await desk.write('a/b.md', 'two');
    await desk.write('c.md', 'c');
    await fs.promises.writeFile(join(desk.root, 'a/b.md'), 'three');
    await fs.promises.rename(join(desk.root, 'c.md'), join(desk.root, 'd.md'));
    await fs.promises.writeFile(join(desk.root, 'a/con'), 'refused');
    await until('both edits are in the database', async () => {
      const said = await desk.database();
      return said['/a/b.md'] === 'three' && '/d.md' in said;
    });
    await fs.promises.rm(join(desk.root, 'd.md'));
    await until('the removal is in the database', async () => !('/d.md' in (await desk.database())));
    await desk.mirrors.folder(desk.workspaceId);
    expect(head.kind).toBe('changed');
    await desk.stop();
  } finally {
    for (const [name, original] of originals) real[name] = original;
    syncBuiltinESMExports();
  }
  expect(calls).toEqual([]);
});

test('WS-2 a folder that is deeper than 64 names is quarantined as one, and the rest is kept', async () => {
  const desk = await openDesk(world);

  onTestFinished(() => void run(REMOVE, ['-rf', desk.home]));
  run(
    SHELL,
    ['-c', 'i=0; while [ $i -lt 300 ]; do mkdir a && cd a || exit 1; i=$((i+1)); done; echo x > deep.md'],
    {
      cwd: desk.root,
    },
  );
  const notice = join(desk.root, 'continuo-quarantine.txt');
  await until(
    'the notice says why',
    () => fs.existsSync(notice) && fs.readFileSync(notice, 'utf8').includes('at most 64 names'),
  );
  expect(fs.existsSync(join(desk.root, 'a/'.repeat(63)))).toBe(true);
  expect(fs.existsSync(join(desk.root, 'a/'.repeat(64)))).toBe(false);
  await desk.write(`${'b/'.repeat(63)}deep.md`, 'as deep as it may be');
  expect(await desk.database()).toEqual({ [`/${'b/'.repeat(63)}deep.md`]: 'as deep as it may be' });
  expect(fs.readFileSync(notice, 'utf8').trim().split('\n')).toHaveLength(1);
});
