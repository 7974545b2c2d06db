// The folder on disk: what is committed comes to it, what people do in it becomes versions.

import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { execFileSync as run } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '@continuo/testkit';
import { lastChange } from '../../../src/files/changes.ts';
import { findFile, moveFile, removeFile } from '../../../src/files/files.ts';
import { PathDebounce } from '../../../src/files/mirror/in/path-debounce.ts';
import { purgeWorkspace } from '../../../src/workspaces/workspaces.ts';
import { useLog } from '../../runs/support.ts';
import { at, openDesk, person, wasSaid, type Desk } from './support.ts';

const world = useLog();

function makePipe(path: string): void {
  const program = 'mkfifo';
  run(program, [path]);
}

function put(desk: Desk, path: string, content: string | Uint8Array): void {
  const place = join(desk.root, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content);
}

/** Same inode, size and time as before. */
function editUnseen(desk: Desk, path: string, content: string): void {
  const place = join(desk.root, path);
  const like = join(desk.home, 'like');
  const [copy, touch] = ['cp', 'touch'];
  run(copy, ['-p', place, like]);
  const before = statSync(place, { bigint: true });
  writeFileSync(place, content);
  run(touch, ['-r', like, place]);
  const { ino, mtimeNs, size } = statSync(place, { bigint: true });
  expect({ ino, mtimeNs, size }).toEqual({ ino: before.ino, mtimeNs: before.mtimeNs, size: before.size });
}

/** People take their time. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function equal(desk: Desk): Promise<void> {
  await desk.mirrors.folder(desk.workspaceId);
  expect(desk.disk()).toEqual(await desk.database());
}

/** An edit has become the head, and the disk is as the head. */
async function settled(desk: Desk, path: string, text: string): Promise<void> {
  await until(`${path} has its text in the database`, async () => (await desk.database())[path] === text);
  await equal(desk);
}

describe('from the database to the disk', () => {
  test('WS-2 a write is on disk when its commit is acknowledged; moves and removals, too', async () => {
    const desk = await openDesk(world);
    await desk.write('notes/a.md', 'one');
    expect(desk.disk()).toEqual({ '/notes/a.md': 'one' });
    await desk.write('notes/a.md', 'two');
    await desk.write('notes/deep/er/b.bin', Buffer.alloc(700_000, 7));
    await desk.write('empty', '');
    await equal(desk);
    const where = { workspaceId: desk.workspaceId, author: person, base: null };
    const moved = await moveFile(world.pool, { ...where, from: at('notes/a.md'), to: at('done/c.md') });
    await desk.workspaces.committed(desk.workspaceId, [moved]);
    await equal(desk);
    const removed = await removeFile(world.pool, { ...where, path: at('notes/deep/er/b.bin') });
    await desk.workspaces.committed(desk.workspaceId, [removed]);
    expect(desk.disk()).toEqual({ '/done/c.md': 'two', '/empty': '' });
    expect(existsSync(join(desk.root, 'notes'))).toBe(false);
    expect(desk.warnings).toEqual([]);
  });

  test('WS-2 a file takes the place of a folder and a folder that of a file', async () => {
    const desk = await openDesk(world);
    await desk.write('a', 'file');
    const where = { workspaceId: desk.workspaceId, author: person, base: null };
    await removeFile(world.pool, { ...where, path: at('a') });
    await desk.write('a/b', 'inside');
    await equal(desk);
    await removeFile(world.pool, { ...where, path: at('a/b') });
    await desk.write('a', 'file again');
    await equal(desk);
  });

  test('WS-2 flushes are not echoed', async () => {
    const desk = await openDesk(world);
    for (let round = 1; round <= 20; round += 1) await desk.write('a.md', `round ${round}`);
    // What is heard after the last flush is heard before this edit.
    put(desk, 'last.md', 'x');
    await settled(desk, '/last.md', 'x');
    expect((await desk.versions('a.md')).map(({ author }) => author.kind)).toEqual(
      Array.from({ length: 20 }, () => 'person'),
    );
    expect(await lastChange(world.pool, desk.workspaceId)).toBe(21);
  });

  test('WS-2 many writers of many files are flushed together', async () => {
    const desk = await openDesk(world);
    await Promise.all(
      Array.from({ length: 400 }, (_, index) => desk.write(`d${index % 7}/f${index % 40}.md`, `${index}`)),
    );
    expect(desk.disk()).toEqual(await desk.database());
  });

  test('a person’s mode of a file stays', async () => {
    const desk = await openDesk(world);
    await desk.write('run.sh', 'one');
    chmodSync(join(desk.root, 'run.sh'), 0o755);
    await desk.write('run.sh', 'two');
    expect(statSync(join(desk.root, 'run.sh')).mode & 0o777).toBe(0o755);
  });
});

describe('the workspace itself', () => {
  test('WS-2 its folder follows its name, is out of sight while it is removed, and goes when it is purged', async () => {
    const desk = await openDesk(world);
    const rename = async (name: string) => {
      await world.pool.query('update workspaces set name = $2 where id = $1', [desk.workspaceId, name]);
      await desk.workspaces.moved(desk.workspaceId);
    };
    const remove = async (at: string) => {
      await world.pool.query(`update workspaces set removed_at = ${at} where id = $1`, [desk.workspaceId]);
      await desk.workspaces.moved(desk.workspaceId);
    };
    const name = `renamed-${desk.workspaceId}`;
    const folder = join(desk.home, 'workspaces', name);
    await desk.write('a.md', 'one');
    await rename(name);
    expect(existsSync(desk.root)).toBe(false);
    writeFileSync(join(folder, 'a.md'), 'edited in the new folder');
    await until('the edit is in the database', () =>
      wasSaid(world, desk.workspaceId, 'edited in the new folder'),
    );
    await remove('now()');
    expect(existsSync(folder)).toBe(false);
    await remove('null');
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('edited in the new folder');
    expect(await desk.versions('a.md')).toHaveLength(2);
    await remove('now()');
    const own = join(desk.home, 'mirrors', desk.workspaceId);
    expect(existsSync(own)).toBe(true);
    await world.pool.query("update workspaces set removed_at = now() - interval '30 days' where id = $1", [
      desk.workspaceId,
    ]);
    expect(await purgeWorkspace(world.pool, desk.workspaceId)).toBe(true);
    await desk.workspaces.moved(desk.workspaceId);
    expect(existsSync(own)).toBe(false);
  });
});

describe('from the disk to the database', () => {
  test('WS-2 what an editor saves becomes a version by "disk" within a second', async () => {
    const desk = await openDesk(world);
    await desk.write('a.md', 'one');
    const began = performance.now();
    writeFileSync(join(desk.root, 'a.md'), 'in place');
    await settled(desk, '/a.md', 'in place');
    writeFileSync(join(desk.root, '.a.md.tmp~'), 'by rename');
    renameSync(join(desk.root, '.a.md.tmp~'), join(desk.root, 'a.md'));
    await settled(desk, '/a.md', 'by rename');
    appendFileSync(join(desk.root, 'a.md'), ', appended');
    await settled(desk, '/a.md', 'by rename, appended');
    put(desk, 'new/folder/b.md', 'new');
    await settled(desk, '/new/folder/b.md', 'new');
    console.log(`four edits became versions in ${Math.round(performance.now() - began)} ms`);
    expect((await desk.versions('a.md')).map(({ author }) => author.kind)).toEqual([
      'disk',
      'disk',
      'disk',
      'person',
    ]);
  });

  test('WS-2 a file that is moved on disk keeps its id, one that is deleted is removed', async () => {
    const desk = await openDesk(world);
    await desk.write('notes/a.md', 'one');
    await desk.write('b.md', 'two');
    const before = await findFile(world.pool, desk.workspaceId, at('notes/a.md'));
    renameSync(join(desk.root, 'notes'), join(desk.root, 'old'));
    await settled(desk, '/old/a.md', 'one');
    expect((await findFile(world.pool, desk.workspaceId, at('old/a.md')))!.id).toBe(before!.id);
    renameSync(join(desk.root, 'old/a.md'), join(desk.root, 'c.md'));
    appendFileSync(join(desk.root, 'c.md'), ' more');
    await settled(desk, '/c.md', 'one more');
    expect((await findFile(world.pool, desk.workspaceId, at('c.md')))!.id).toBe(before!.id);
    rmSync(join(desk.root, 'b.md'));
    await until(
      'b.md is removed',
      async () => (await findFile(world.pool, desk.workspaceId, at('b.md'))) === null,
    );
    await equal(desk);
  });

  test('WS-2 an edit in place that sets the time back is seen, running or stopped', async () => {
    const desk = await openDesk(world);
    await desk.write('a.md', 'one');
    editUnseen(desk, 'a.md', 'ONE');
    await settled(desk, '/a.md', 'ONE');
    editUnseen(desk, 'a.md', 'two');
    await desk.write('a.md', 'agent');
    await until('the edit is in the database', () => wasSaid(world, desk.workspaceId, 'two'));
    await equal(desk);
    await desk.write('b.md', 'one');
    await desk.stop();
    editUnseen(desk, 'b.md', 'ONE');
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await settled(again, '/b.md', 'ONE');
  });

  test('WS-2 a change of a file’s mode alone is no version', async () => {
    const desk = await openDesk(world);
    await desk.write('a.md', 'one');
    chmodSync(join(desk.root, 'a.md'), 0o700);
    put(desk, 'heard.md', 'later');
    await settled(desk, '/heard.md', 'later');
    chmodSync(join(desk.root, 'a.md'), 0o755);
    await desk.write('a.md', 'two');
    await desk.stop();
    chmodSync(join(desk.root, 'a.md'), 0o700);
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await equal(again);
    expect((await again.versions('a.md')).map(({ author }) => author.kind)).toEqual(['person', 'person']);
    editUnseen(again, 'a.md', 'TWO');
    await settled(again, '/a.md', 'TWO');
  });

  test('WS-2 an edit that was made while Continuo was stopped becomes a version, merged with what came meanwhile', async () => {
    const desk = await openDesk(world);
    await desk.write('a.md', '1\n2\n3\n4\n');
    await desk.write('b.md', '1\n2\n3\n4\n');
    await desk.write('gone.md', 'x');
    await desk.write('gone-but-newer.md', 'x');
    await desk.write('stays.md', 'x');
    await desk.stop();
    writeFileSync(join(desk.root, 'a.md'), '1\n2\n3\nfour\n');
    writeFileSync(join(desk.root, 'b.md'), '1\n2\n3\nfour\n');
    rmSync(join(desk.root, 'gone.md'));
    rmSync(join(desk.root, 'gone-but-newer.md'));
    put(desk, 'new.md', 'new');
    const other = await openDesk(world, { workspaceId: desk.workspaceId });
    await other.write('a.md', 'one\n2\n3\n4\n');
    await other.write('b.md', '1\n2\n3\nFOUR\n');
    await other.write('gone-but-newer.md', 'newer');
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await equal(again);
    const disk = again.disk();
    expect(disk['/a.md']).toBe('one\n2\n3\nfour\n');
    expect(disk['/b.md']).toBe('1\n2\n3\nFOUR\n');
    const [beside] = Object.keys(disk).filter((path) => /^\/b\.conflict-[\dTZ-]+\.md$/.test(path));
    expect(disk[beside!]).toBe('1\n2\n3\nfour\n');
    expect(disk['/new.md']).toBe('new');
    expect(disk['/gone-but-newer.md']).toBe('newer');
    expect(Object.keys(disk)).toHaveLength(6);
  });

  test('WS-2 a person’s folder takes the place of a file and his file that of a folder, running or stopped', async () => {
    const desk = await openDesk(world);
    const swap = (n: number) => {
      rmSync(join(desk.root, `file${n}`));
      put(desk, `file${n}/in.txt`, 'in');
      rmSync(join(desk.root, `folder${n}`), { recursive: true });
      put(desk, `folder${n}`, 'x');
      renameSync(join(desk.root, `aside${n}`), join(desk.root, `z${n}`));
      put(desk, `aside${n}/in.txt`, 'in its place');
    };
    const ids: (string | undefined)[] = [];
    for (const n of [1, 2]) {
      await desk.write(`file${n}`, 'file');
      await desk.write(`folder${n}/a/b.md`, 'below');
      await desk.write(`aside${n}`, 'moved aside');
      ids.push((await findFile(world.pool, desk.workspaceId, at(`aside${n}`)))?.id);
    }
    const wanted = (n: number) => ({
      [`/aside${n}/in.txt`]: 'in its place',
      [`/file${n}/in.txt`]: 'in',
      [`/folder${n}`]: 'x',
      [`/z${n}`]: 'moved aside',
    });
    swap(1);
    await until(
      'all seven files are in the database',
      async () => Object.keys(await desk.database()).length === 4 + 3,
    );
    await desk.stop();
    swap(2);
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await equal(again);
    expect(again.disk()).toEqual({ ...wanted(1), ...wanted(2) });
    expect([...desk.warnings, ...again.warnings]).toEqual([]);
    for (const n of [1, 2])
      expect((await findFile(world.pool, desk.workspaceId, at(`z${n}`)))?.id).toBe(ids[n - 1]);
  });

  test('WS-2 a file that is moved while the mirror looks at it keeps its id, also where a folder takes its place', async () => {
    const desk = await openDesk(world);
    const NAMES = Array.from({ length: 8 }, (_, index) => `f${index}`);
    for (let round = 0; round < 6; round += 1) {
      const idOf = async (path: string) =>
        (await findFile(world.pool, desk.workspaceId, at(`${round}-${path}`)))?.id;
      await Promise.all(NAMES.map((name) => desk.write(`${round}-${name}`, name)));
      const ids = await Promise.all(NAMES.map(idOf));
      // About when the mirror looks at what it wrote itself.
      await new Promise((resolve) => setTimeout(resolve, 125 + 5 * round));
      for (const name of NAMES) {
        renameSync(join(desk.root, `${round}-${name}`), join(desk.root, `${round}-z-${name}`));
        put(desk, `${round}-${name}/in.txt`, 'in its place');
      }
      await until(
        'the folder is the database',
        async () => JSON.stringify(desk.disk()) === JSON.stringify(await desk.database()),
      );
      expect(await Promise.all(NAMES.map((name) => idOf(`z-${name}`)))).toEqual(ids);
    }
  });

  test('WS-2 an edit of a file that was removed or moved meanwhile is not lost', async () => {
    const desk = await openDesk(world);
    for (const name of ['removed.md', 'moved.md', 'replaced.md']) await desk.write(name, 'one\ntwo\n');
    const ids = await findFile(world.pool, desk.workspaceId, at('removed.md'));
    await desk.stop();
    for (const name of ['removed.md', 'moved.md', 'replaced.md'])
      writeFileSync(join(desk.root, name), 'one\nTWO\n');
    const where = { workspaceId: desk.workspaceId, author: person, base: null };
    await removeFile(world.pool, { ...where, path: at('removed.md') });
    await removeFile(world.pool, { ...where, path: at('replaced.md') });
    await moveFile(world.pool, { ...where, from: at('moved.md'), to: at('there/moved.md') });
    const other = await openDesk(world, { workspaceId: desk.workspaceId });
    await other.write('replaced.md', 'another file');
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await equal(again);
    const disk = again.disk();
    expect(disk['/removed.md']).toBe('one\nTWO\n');
    expect((await findFile(world.pool, desk.workspaceId, at('removed.md')))!.id).toBe(ids!.id);
    expect(disk['/there/moved.md']).toBe('one\nTWO\n');
    expect(disk['/replaced.md']).toBe('another file');
    expect(Object.keys(disk)).toHaveLength(4);
  });

  test('WS-2 a folder that is gone or empty is rebuilt from the database, not taken as a removal of everything', async () => {
    const desk = await openDesk(world);
    for (let index = 0; index < 12; index += 1) await desk.write(`d/f${index}.md`, `${index}`);
    rmSync(desk.root, { recursive: true });
    await until('the last file is on disk', () => existsSync(join(desk.root, 'd/f11.md')));
    await equal(desk);
    await desk.write('after.md', 'x');
    put(desk, 'd/f1.md', 'edited');
    await settled(desk, '/d/f1.md', 'edited');
    await desk.stop();
    for (const name of readdirSync(desk.root)) rmSync(join(desk.root, name), { recursive: true });
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    expect(Object.keys(again.disk())).toHaveLength(13);
    await equal(again);
    expect(again.warnings.map(({ text }) => text)).toEqual([
      expect.stringContaining('rebuilt from the database'),
    ]);
  });

  test('WS-2 empty sub-folders do not hide that every file is gone', async () => {
    const desk = await openDesk(world);
    for (let index = 0; index < 13; index += 1) await desk.write(`d${index}/e/f.md`, `${index}`);
    const empty = () => {
      for (let index = 0; index < 13; index += 1) rmSync(join(desk.root, `d${index}/e/f.md`));
    };
    empty();
    await until('13 files are on disk', () => Object.keys(desk.disk()).length === 13);
    await equal(desk);
    expect(desk.warnings.map(({ text }) => text)).toEqual([
      expect.stringContaining('rebuilt from the database'),
    ]);
    await desk.stop();
    empty();
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await equal(again);
    expect(Object.keys(again.disk())).toHaveLength(13);
    expect(await lastChange(world.pool, desk.workspaceId)).toBe(13);
  });

  test('WS-2 a folder that is emptied file by file is one that was emptied', async () => {
    let desk: Awaited<ReturnType<typeof openDesk>>;
    do {
      desk = await openDesk(world);
      // With longer pauses, as a busy machine makes them, it would be somebody who tidies up.
    } while ((await longestPause(desk)) > 100);
    await until('the mirror warns that the folder was gone', () =>
      desk.warnings.some(({ text }) => text.startsWith('the folder was missing or empty')),
    );
    await equal(desk);
    expect(Object.keys(await desk.database())).toHaveLength(100);

    /** Of those between the removals of 100 files, one after the other, with time for the watcher to tell of each. */
    async function longestPause(on: typeof desk): Promise<number> {
      const paths = Array.from({ length: 100 }, (_, index) => `f${index % 7}/${index}.md`);
      await Promise.all(paths.map((path) => on.write(path, path)));
      let longest = 0;
      for (const path of paths) {
        const before = performance.now();
        rmSync(join(on.root, path));
        await new Promise((resolve) => setImmediate(resolve));
        longest = Math.max(longest, performance.now() - before);
      }
      return longest;
    }
  });

  test('WS-2 a file that was deleted is removed although others keep changing', async () => {
    const desk = await openDesk(world);
    const paths = Array.from({ length: 5 }, (_, index) => `gone/${index}.md`);
    for (const path of [...paths, 'kept.md']) await desk.write(path, path);
    let over = false;
    const busy = (async () => {
      for (let round = 0; !over; round += 1) {
        put(desk, `busy/${round % 40}.md`, `round ${round}`);
        if (round % 8 === 0 && round < 40) rmSync(join(desk.root, paths[round / 8]!));
        await pause(60);
      }
    })();
    await until(
      'the removed folder has no files in the database',
      async () => !Object.keys(await desk.database()).some((path) => path.startsWith('/gone/')),
    );
    over = true;
    await busy;
  }, 15_000);

  test('WS-2 what somebody writes to a file after it was replaced is kept', async () => {
    const desk = await openDesk(world);
    await desk.write('a.md', '1\n2\n3\n');
    const editor = openSync(join(desk.root, 'a.md'), 'r+');
    await desk.write('a.md', 'one\n2\n3\n');
    writeSync(editor, '1\n2\nthree\n', 0);
    closeSync(editor);
    await settled(desk, '/a.md', 'one\n2\nthree\n');
  });

  test('WS-2 a ledger of another database, or of a later time, is not believed', async () => {
    const desk = await openDesk(world);
    await desk.write('a.md', 'one');
    await desk.stop();
    const ledger = join(desk.home, 'mirrors', desk.workspaceId, 'ledger');
    writeFileSync(ledger, readFileSync(ledger, 'utf8').replace('"n":1}', '"n":1000}'));
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await again.write('b.md', 'two');
    await equal(again);
    expect(await again.versions('a.md')).toHaveLength(1);
  });
});

describe('strangers', () => {
  test('WS-2 what cannot be kept is quarantined with a message, and nothing else is touched', async () => {
    const desk = await openDesk(world, { maxFileBytes: 1000 });
    await desk.write('a.md', 'one');
    put(desk, 'large.bin', Buffer.alloc(2000));
    put(desk, 'what?.md', 'a refused name');
    put(desk, 'A.MD', 'differs only in spelling');
    mkdirSync(join(desk.root, '.git'));
    put(desk, '.git/config', 'x');
    put(desk, '.a.md.swp', 'x');
    symlinkSync('/etc/passwd', join(desk.root, 'link'));
    makePipe(join(desk.root, 'pipe'));
    const into = join(desk.home, 'mirrors', desk.workspaceId, 'quarantine');
    const notice = () => readFileSync(join(desk.root, 'continuo-quarantine.txt'), 'utf8').split('\n');
    await until(
      'four files are in quarantine and the notice names three',
      () => existsSync(into) && readdirSync(into).length === 4 && notice().length === 3,
    );
    expect(
      readdirSync(into)
        .map((name) => name.replace(/^[\dTZ-]+-/, ''))
        .toSorted(),
    ).toEqual(['large.bin', 'large.bin.txt', 'what?.md', 'what?.md.txt']);
    const [message] = readdirSync(into).filter((name) => name.endsWith('large.bin.txt'));
    expect(readFileSync(join(into, message!), 'utf8')).toContain('larger than 1000 bytes');
    await until('A.MD is off the disk', () => !existsSync(join(desk.root, 'A.MD')));
    await desk.mirrors.folder(desk.workspaceId);
    expect(Object.values(await desk.database())).toEqual(['differs only in spelling', 'one']);
    expect(Object.keys(desk.disk())).toEqual([
      '/.a.md.swp',
      '/.git/config',
      expect.stringMatching(/^\/A\.conflict-/),
      '/a.md',
      '/link',
      '/pipe',
    ]);
  });

  test('WS-2 what is in the way of a file goes; nothing is written through a link', async () => {
    const desk = await openDesk(world);
    const outside = join(desk.home, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(desk.root, 'folder'));
    symlinkSync(join(outside, 'x'), join(desk.root, 'file'));
    makePipe(join(desk.root, 'pipe'));
    put(desk, 'dir.md/kept.md', 'kept');
    for (const path of ['dir.md', 'folder/x', 'file', 'pipe']) await desk.write(path, path);
    expect(readdirSync(outside)).toEqual([]);
    await until('the edit is in the database', async () =>
      Object.values(await desk.database()).includes('kept'),
    );
    await equal(desk);
    for (const path of ['folder/x', 'file', 'pipe', 'dir.md']) expect(desk.disk()[`/${path}`]).toBe(path);
  });

  test('WS-2 a refused name with a line break has one line in the notice', async () => {
    const desk = await openDesk(world);
    put(desk, 'a\nforged: b', 'x');
    const notice = join(desk.root, 'continuo-quarantine.txt');
    await until(
      'the notice is whole',
      () => existsSync(notice) && readFileSync(notice, 'utf8').endsWith('\n'),
    );
    const lines = readFileSync(notice, 'utf8').split('\n');
    expect(lines).toEqual([expect.stringContaining('"/a\\nforged: b"'), '']);
    const into = join(desk.home, 'mirrors', desk.workspaceId, 'quarantine');
    const [message] = readdirSync(into).filter((name) => name.endsWith('.txt'));
    expect(readFileSync(join(into, message!), 'utf8')).toMatch(/^"\/a\\nforged: b" was in /);
  });

  test('WS-2 an editor’s name that is a file of the workspace is one on disk, too', async () => {
    const desk = await openDesk(world);
    for (const path of ['4913', 'foo~', 'old~/.DS_Store']) await desk.write(path, 'one');
    put(desk, 'bar~', 'left alone');
    put(desk, 'other~/x', 'left alone');
    for (const path of ['4913', 'foo~', 'old~/.DS_Store']) {
      put(desk, path, 'edited');
      await until(
        'the edit is in the database',
        async () => (await desk.database())[`/${path}`] === 'edited',
      );
    }
    await desk.stop();
    put(desk, 'old~/.DS_Store', 'edited again');
    rmSync(join(desk.root, '4913'));
    const again = await openDesk(world, { workspaceId: desk.workspaceId, home: desk.home });
    await again.mirrors.folder(again.workspaceId);
    const kept = { '/foo~': 'edited', '/old~/.DS_Store': 'edited again' };
    expect(await again.database()).toEqual(kept);
    expect(again.disk()).toEqual({ ...kept, '/bar~': 'left alone', '/other~/x': 'left alone' });
  });

  test('a name in another Unicode form is corrected', async () => {
    const desk = await openDesk(world);
    put(desk, 'e\u0301te\u0301/cafe\u0301.md', 'x');
    await settled(desk, '/été/café.md', 'x');
  });

  test('a hard link elsewhere is never written to', async () => {
    const desk = await openDesk(world);
    const outside = join(desk.home, 'outside.md');
    writeFileSync(outside, 'outside');
    linkSync(outside, join(desk.root, 'a.md'));
    await settled(desk, '/a.md', 'outside');
    await desk.write('a.md', 'inside');
    expect(readFileSync(outside, 'utf8')).toBe('outside');
    await equal(desk);
  });
});

describe('both at once', () => {
  for (const kind of ['in place', 'by rename'] as const) {
    test(`WS-2 every line of a person who saves ${kind} while an agent writes the same file is in some version`, async () => {
      const desk = await openDesk(world);
      const place = join(desk.root, 'a.md');
      await desk.write('a.md', 'agent 0\n-\n-\n-\nperson 0\n');
      const rounds = 60;
      let agent = 0;
      let over = false;
      const writing = (async () => {
        while (!over) {
          agent += 1;
          const head = (await findFile(world.pool, desk.workspaceId, at('a.md')))!;
          const [version] = await desk.versions('a.md');
          const text = (await desk.text(version!)).replace(/^agent .*$/m, `agent ${agent}`);
          await desk.write('a.md', text, head.version);
        }
      })();
      for (let round = 1; round <= rounds; round += 1) {
        await until('the file is on disk', () => existsSync(place));
        let text = '';
        try {
          text = readFileSync(place, 'utf8').replace(/^person .*$/m, `person ${round}`);
        } catch {
          text = `agent ?\n-\n-\n-\nperson ${round}\n`;
        }
        if (kind === 'in place') writeFileSync(place, text);
        else {
          writeFileSync(`${place}~`, text);
          renameSync(`${place}~`, place);
        }
        // The next save comes when this one was seen: a person who overwrites his own save loses it himself.
        await until(`edit ${round} is in the database`, () =>
          wasSaid(world, desk.workspaceId, `person ${round}\n`),
        );
      }
      over = true;
      await writing;
      await desk.mirrors.folder(desk.workspaceId);
      await until(
        'the folder is the database',
        async () => JSON.stringify(desk.disk()) === JSON.stringify(await desk.database()),
      );
      console.log(
        `${kind}: ${agent} writes of the agent, ${Object.keys(desk.disk()).length - 1} kept beside`,
      );
    }, 180_000);
  }
});

test('WS-2 what is heard of a path while it is being looked at is looked at once more', () => {
  const paths = new PathDebounce();
  paths.mark('/a.md', 0);
  paths.mark('/b.md', 0);
  const began = paths.next;
  const due = paths.due(began);
  expect(due).toEqual(['/a.md', '/b.md']);
  paths.mark('/a.md', began + 1);
  paths.drop(due, began);
  expect(paths.all()).toEqual(['/a.md']);
  expect(paths.due(paths.next)).toEqual(['/a.md']);
});
