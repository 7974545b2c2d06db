// The folder on disk while the disk refuses: read-only, full, slow.

import { execFileSync as run, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { useLog } from '../unit/support.ts';
import { openDesk, temporaryHome, until, type Desk } from './mirror-support.ts';

const world = useLog();

const [MOUNT, UNMOUNT] = ['mount', 'umount'];
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
  const home = temporaryHome();
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
  await until(async () => JSON.stringify(desk.disk()) === JSON.stringify(await desk.database()));
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
    run(MOUNT, ['-o', 'remount,rw', folders]);
    await equal(desk);
    await desk.mirrors.folder(desk.workspaceId);
  },
);
