// Files and their versions, on a real database.

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { lastChange, readChanges } from '../../src/files/changes.ts';
import { readWhole, storeContent, sweepChunks } from '../../src/files/content.ts';
import {
  findFile,
  findRemoved,
  listFiles,
  moveFile,
  removeFile,
  writeFile,
  type Author,
  type Changed,
  type FileHead,
} from '../../src/files/files.ts';
import { listVersions, readVersion } from '../../src/files/versions.ts';
import { parseFolder, parsePath, type FilePath } from '../../src/files/paths.ts';
import { readHead, saveFile } from '../../src/files/save.ts';
import { useLog } from '../runs/support.ts';

const world = useLog();
const person: Author = { kind: 'person' };

async function workspace(): Promise<string> {
  const id = uuidv7();
  await world.pool.query('insert into workspaces (id, name) values ($1, $2)', [id, id]);
  return id;
}

function at(given: string): FilePath {
  const parsed = parsePath(given);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.path;
}

async function write(
  workspaceId: string,
  path: string,
  text: string | Uint8Array,
  base: number | null = null,
): Promise<Changed> {
  const content = await storeContent(world.pool, text);
  const where = { workspaceId, path: at(path), author: person, base, quotaBytes: 2 ** 40 };
  return writeFile(world.pool, { ...where, content });
}

function file(changed: Changed): FileHead {
  if (changed.kind !== 'changed') throw new Error(`expected a change, got ${changed.kind}`);
  return changed.file;
}

async function textOf(workspaceId: string, path: string): Promise<string> {
  return (await readHead(world.pool, (await findFile(world.pool, workspaceId, at(path)))!)).toString();
}

describe('files', () => {
  test('WS-1 a file keeps its id through writes, moves, removal and restoration, each a version', async () => {
    const id = await workspace();
    const first = file(await write(id, 'notes/a.md', 'one'));
    expect(first).toMatchObject({ path: '/notes/a.md', version: 1, isText: true, kind: 'file' });
    file(await write(id, '/notes/a.md', 'two', 1));
    const where = { workspaceId: id, author: person, base: null };
    file(await moveFile(world.pool, { ...where, from: at('notes/a.md'), to: at('done/b.md') }));
    file(await removeFile(world.pool, { ...where, path: at('done/b.md') }));
    expect(await findFile(world.pool, id, at('done/b.md'))).toBeNull();
    const removed = await findRemoved(world.pool, id, at('done/b.md'));
    expect(removed?.id).toBe(first.id);

    const old = (await readVersion(world.pool, first.id, 1))!;
    const content = { hash: old.hash, size: old.size, chunks: old.chunks, isText: true };
    const restored = file(
      await writeFile(world.pool, {
        ...where,
        path: at('notes/a.md'),
        content,
        quotaBytes: 2 ** 40,
        restore: { removedFile: first.id },
      }),
    );
    expect(restored).toMatchObject({ id: first.id, version: 5, path: '/notes/a.md' });
    expect(await textOf(id, 'notes/a.md')).toBe('one');
    const versions = await listVersions(world.pool, first.id);
    expect(versions.map(({ version, op, path }) => [version, op, path])).toEqual([
      [5, 'restore', '/notes/a.md'],
      [4, 'remove', '/done/b.md'],
      [3, 'move', '/done/b.md'],
      [2, 'write', '/notes/a.md'],
      [1, 'write', '/notes/a.md'],
    ]);
    const changes = await readChanges(world.pool, id, { after: 0, limit: 10 });
    expect(changes.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'file_updated'],
      [2, 'file_updated'],
      [3, 'file_moved'],
      [4, 'file_removed'],
      [5, 'file_updated'],
    ]);
    expect(changes[2]!.data).toMatchObject({ from: '/notes/a.md', path: '/done/b.md', v: 3, author: person });
    expect(await lastChange(world.pool, id)).toBe(5);
  });

  test('WS-1 versions and changes cannot be changed', async () => {
    await write(await workspace(), 'x.md', 'one');
    for (const table of ['file_versions', 'changes']) {
      await expect(world.pool.query(`delete from ${table}`)).rejects.toThrow('append-only');
      await expect(world.pool.query(`truncate ${table}`)).rejects.toThrow('append-only');
    }
    await expect(world.pool.query(`update file_versions set size = 0`)).rejects.toThrow('append-only');
  });

  test('content is stored once, in chunks, text or not', async () => {
    const id = await workspace();
    const bytes = Buffer.alloc(700_000, 7);
    bytes[0] = 0;
    const a = file(await write(id, 'a.bin', bytes));
    const b = file(await write(id, 'b.bin', bytes));
    expect(a.isText).toBe(false);
    const [va, vb] = [await readVersion(world.pool, a.id, 1), await readVersion(world.pool, b.id, 1)];
    expect(va!.chunks).toHaveLength(3);
    expect(vb!.chunks).toEqual(va!.chunks);
    expect(await readWhole(world.pool, va!.chunks)).toEqual(bytes);
    const empty = file(await write(id, 'empty', ''));
    expect(empty).toMatchObject({ size: 0, isText: true });
    expect(await readHead(world.pool, empty)).toHaveLength(0);
  });

  test('the same content again makes no version', async () => {
    const id = await workspace();
    await write(id, 'a.md', 'one');
    expect(await write(id, 'a.md', 'one')).toMatchObject({ kind: 'unchanged', file: { version: 1 } });
    expect(await lastChange(world.pool, id)).toBe(1);
  });

  test('a write from a stale version, or onto a file that should not be there, is a conflict', async () => {
    const id = await workspace();
    await write(id, 'a.md', 'one', 0);
    await write(id, 'a.md', 'two', 1);
    expect(await write(id, 'a.md', 'three', 1)).toMatchObject({ kind: 'conflict', file: { version: 2 } });
    expect(await write(id, 'a.md', 'three', 0)).toMatchObject({ kind: 'conflict', file: { version: 2 } });
    expect(await write(id, 'new.md', 'x', 4)).toEqual({ kind: 'conflict', file: null });
    expect(await textOf(id, 'a.md')).toBe('two');
  });

  test('a file and a folder do not share a name, and spellings do not clash', async () => {
    const id = await workspace();
    await write(id, 'Notes/Haiku.md', 'x');
    const refused = async (path: string) => {
      const outcome = await write(id, path, 'y');
      return outcome.kind === 'in_the_way' ? outcome.problem : outcome.kind;
    };
    expect(await refused('Notes')).toBe('/Notes is a folder');
    expect(await refused('Notes/Haiku.md/deep')).toBe('/Notes/Haiku.md is a file');
    expect(await refused('notes/other.md')).toContain('/Notes already exists');
    expect(await refused('Notes/haiku.MD')).toContain('/Notes/Haiku.md already exists');
    const moved = await moveFile(world.pool, {
      workspaceId: id,
      author: person,
      base: null,
      from: at('Notes/Haiku.md'),
      to: at('notes/haiku.md'),
    });
    expect(file(moved).path).toBe('/notes/haiku.md');
  });

  test('a workspace has a quota, and what is over it leaves nothing behind', async () => {
    const id = await workspace();
    const content = await storeContent(world.pool, 'x'.repeat(100));
    const where = { workspaceId: id, author: person, base: null, content };
    file(await writeFile(world.pool, { ...where, path: at('a'), quotaBytes: 150 }));
    await expect(writeFile(world.pool, { ...where, path: at('b'), quotaBytes: 150 })).rejects.toMatchObject({
      code: 'CN413',
    });
    expect(await listFiles(world.pool, id, { folder: rootFolder() })).toHaveLength(1);
  });

  test('listing a folder finds what is in it and below, and nothing beside it', async () => {
    const id = await workspace();
    for (const path of ['a.md', 'b/c.md', 'b/d/e.md', 'b0.md', 'b-x/f.md']) await write(id, path, path);
    const folder = parseFolder('b/');
    const found = await listFiles(world.pool, id, { folder: folder.ok ? folder.path : rootFolder() });
    expect(found.map(({ path }) => path)).toEqual(['/b/c.md', '/b/d/e.md']);
    expect(await listFiles(world.pool, id, { folder: rootFolder() })).toHaveLength(5);
  });

  test('chunks that no version kept are swept after an hour, others stay', async () => {
    const id = await workspace();
    const kept = await storeContent(world.pool, 'kept');
    await write(id, 'a', 'kept');
    const loose = await storeContent(world.pool, 'loose');
    const fresh = await storeContent(world.pool, 'fresh');
    await world.pool.query(
      "update chunks set touched_at = now() - interval '2 hours' where hash = any ($1)",
      [[kept.hash, loose.hash]],
    );
    expect(await sweepChunks(world.pool)).toBe(1);
    await expect(
      writeFile(world.pool, {
        workspaceId: id,
        author: person,
        base: null,
        path: at('b'),
        content: loose,
        quotaBytes: 2 ** 40,
      }),
    ).rejects.toMatchObject({ code: 'CN003' });
    expect(await readWhole(world.pool, fresh.chunks)).toEqual(Buffer.from('fresh'));
    expect(await textOf(id, 'a')).toBe('kept');
  });
});

describe('concurrent edits', () => {
  test('a stale text is merged where others changed another place, and a conflict shows both otherwise', async () => {
    const id = await workspace();
    await write(id, 'a.md', 'one\ntwo\nthree\nfour\n');
    await write(id, 'a.md', 'ONE\ntwo\nthree\nfour\n', 1);
    const save = (text: string) =>
      saveFile(world.pool, world.pool, {
        workspaceId: id,
        author: person,
        base: 1,
        path: at('a.md'),
        quotaBytes: 2 ** 40,
        bytes: Buffer.from(text),
        merge: true,
      });
    expect(await save('one\ntwo\nthree\nFOUR\n')).toMatchObject({ kind: 'merged', file: { version: 3 } });
    expect(await textOf(id, 'a.md')).toBe('ONE\ntwo\nthree\nFOUR\n');
    expect(await save('uno\ntwo\nthree\nfour\n')).toMatchObject({
      kind: 'conflict',
      file: { version: 3 },
      theirs: Buffer.from('ONE\ntwo\nthree\nFOUR\n'),
    });
  });

  test('16 writers and 500 edits of one file lose nothing', async () => {
    const id = await workspace();
    const writers = 16;
    const total = 500;
    await write(
      id,
      'count.txt',
      Array.from({ length: writers }, (_, writer) => `0\n-- ${writer} --\n`).join(''),
    );
    let left = total;
    const counts = Array.from({ length: writers }, () => 0);
    await Promise.all(
      counts.map(async (_, writer) => {
        while (left > 0) {
          left -= 1;
          const head = (await findFile(world.pool, id, at('count.txt')))!;
          const version = (await readVersion(world.pool, head.id, head.version))!;
          const lines = (await readWhole(world.pool, version.chunks)).toString().split('\n');
          counts[writer]! += 1;
          lines[writer * 2] = String(counts[writer]);
          const saved = await transaction(world.pool, (sql) =>
            saveFile(world.pool, sql, {
              workspaceId: id,
              author: person,
              base: head.version,
              path: at('count.txt'),
              quotaBytes: 2 ** 40,
              bytes: Buffer.from(lines.join('\n')),
              merge: true,
            }),
          );
          expect(['changed', 'merged']).toContain(saved.kind);
        }
      }),
    );
    const lines = (await textOf(id, 'count.txt')).split('\n');
    expect(counts.map((_, writer) => Number(lines[writer * 2]))).toEqual(counts);
    expect(counts.reduce((sum, count) => sum + count)).toBe(total);
    expect((await findFile(world.pool, id, at('count.txt')))!.version).toBe(total + 1);
  }, 300_000);
});

function rootFolder(): FilePath {
  return { path: '/', folded: '/' };
}
