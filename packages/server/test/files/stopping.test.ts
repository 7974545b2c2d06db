// CHAT-6: long work on files gives others their turn, and ends when nobody wants it any more.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { readTool } from '../../src/files/tools/read.ts';
import { listFiles } from '../../src/files/files.ts';
import { pack } from '../../src/files/pack.ts';
import { searchKnowledge } from '../../src/knowledge/search.ts';
import { unpack, type Unpacked } from '../../src/files/unpack.ts';
import { ITEMS_PER_TURN } from '../../src/limits/yielding.ts';
import { place, useTools } from './tools/support.ts';

const world = useTools();
const root = { path: '/', folded: '/' };
const gone = new Error('the client went away');

test('CHAT-6 a zip that nobody reads any more is not made on', async () => {
  const { workspace, write } = await place(world);
  for (const name of ['a', 'b', 'c']) await write(`${name}.txt`, name.repeat(300_000));
  const files = await listFiles(world.pool, workspace, { folder: root });
  const query = vi.spyOn(world.pool, 'query');
  const zip = pack(world.pool, { files, nameOf: ({ path }) => path.slice(1) });
  await once(zip, 'readable');
  zip.destroy();
  await once(zip, 'close');
  const asked = query.mock.calls.length;
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(query.mock.calls.length).toBeLessThanOrEqual(asked + 1);
  query.mockRestore();
});

test('CHAT-6 files are put into a zip in turns', async () => {
  const { workspace, write } = await place(world);
  await write('a.txt', 'a');
  const [file] = await listFiles(world.pool, workspace, { folder: root });
  const files = Array.from({ length: 4 * ITEMS_PER_TURN }, (_, index) => ({
    ...file!,
    path: `/${index}.txt`,
  }));
  const add = vi.spyOn(ZipFile.prototype, 'addReadStreamLazy');
  const zip = pack(world.pool, { files, nameOf: ({ path }) => path.slice(1) });
  expect(add.mock.calls.length).toBeLessThan(ITEMS_PER_TURN);
  zip.destroy();
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(add.mock.calls.length).toBeLessThan(2 * ITEMS_PER_TURN);
  add.mockRestore();
});

test('CHAT-6 an upload ends after the file it is at when the client goes away', async () => {
  const { workspace } = await place(world);
  const home = await mkdtemp(join(tmpdir(), 'continuo-stopping-'));
  try {
    const zip = new ZipFile();
    for (const name of ['a', 'b', 'c']) zip.addBuffer(Buffer.from(name), `${name}.txt`);
    zip.end();
    const parts: Buffer[] = [];
    for await (const part of zip.outputStream) parts.push(part as Buffer);
    const file = join(home, 'upload.zip');
    await writeFile(file, Buffer.concat(parts));
    const unpacked: Unpacked = { written: 0, unchanged: 0, bytes: 0, refused: [] };
    const unpacking = {
      workspaceId: workspace,
      folder: root,
      author: { kind: 'person' as const },
      governing: true,
      maxFileBytes: 1024,
      quotaBytes: 2 ** 30,
      committed: () => Promise.resolve(),
    };
    const stopped = unpack(world.pool, file, { ...unpacking, signal: AbortSignal.abort(gone) }, unpacked);
    await expect(stopped).rejects.toBe(gone);
    expect(unpacked.written).toBe(0);
    await unpack(world.pool, file, unpacking, unpacked);
    expect(unpacked.written).toBe(3);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test('CHAT-6 a search and a read end when nobody wants them any more', async () => {
  const { workspace, write } = await place(world);
  await write('a.txt', 'a word\n');
  const search = (signal?: AbortSignal) =>
    searchKnowledge(world.pool, workspace, { query: 'word', limit: 10, signal });
  await expect(search(AbortSignal.abort(gone))).rejects.toBe(gone);
  expect(await search()).toHaveLength(1);
  const tool = readTool({ pool: world.pool, workspaces: world.workspaces } as never);
  if (tool.effect === 'transactional') throw new Error('read is pure');
  const context = { workspaceId: workspace, used: () => undefined, learned: () => undefined };
  const read = (signal: AbortSignal) =>
    tool.run({ path: '/a.txt', from_line: 1, max_lines: 10 }, { ...context, signal } as never);
  await expect(read(AbortSignal.abort(gone))).rejects.toBe(gone);
  expect(await read(new AbortController().signal)).toMatchObject({ lines: 1 });
});
