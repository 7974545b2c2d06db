// Folders as zips, and large files, over HTTP.

import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { ANONYMOUS, ask, until } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';

import { bytes, get, newSpace, put, unread, type Space } from './support.ts';
import { forged, unzip, zipOf, type Made } from './zips.ts';

const world = usePod({ CONTINUO_MAX_FILE_BYTES: String(32 * 1024 * 1024) });

const upload = (space: Space, zip: Buffer, path = '/', method = 'PUT') =>
  bytes(method, `${space.url}/archive?path=${encodeURIComponent(path)}`, zip);

test('a folder goes up as a zip and comes down the same', async () => {
  const space = await newSpace(world.url);
  const files: Record<string, string> = {
    'a.md': 'hello',
    'b/c.bin': '\u0000\u00ff',
    'b/grüße ☃.txt': 'x',
    empty: '',
    'big.bin': 'y\u0000'.repeat(400_000),
  };
  const zip = await zipOf(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'latin1')])),
  );
  const up = await upload(space, zip, '/in/here');
  expect(up).toMatchObject({
    status: 200,
    body: { written: 5, unchanged: 0, refused: [], refused_count: 0 },
  });
  expect((await get(space, 'in/here/b/gr%C3%BC%C3%9Fe%20%E2%98%83.txt')).bytes.toString()).toBe('x');
  const down = await bytes('GET', `${space.url}/archive?path=/in/here`);
  expect(down.headers.get('content-disposition')).toBe('attachment; filename=here.zip');
  expect(down.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
  expect(await unzip(down.bytes)).toEqual(files);
  expect(await unzip((await bytes('GET', `${space.url}/archive`)).bytes)).toHaveProperty(
    ['in/here/a.md'],
    'hello',
  );
  expect((await upload(space, zip, '/in/here', 'POST')).body).toMatchObject({ written: 0, unchanged: 5 });
  expect((await bytes('GET', `${space.url}/archive?path=/nothing`)).body.code).toBe('folder_not_found');
  expect((await bytes('HEAD', `${space.url}/archive`)).headers.get('content-type')).toBe('application/zip');
  expect(await unzip((await bytes('GET', `${(await newSpace(world.url)).url}/archive`)).bytes)).toEqual({});
});

test('what a zip may not hold is refused by name, and the rest is written', async () => {
  const space = await newSpace(world.url);
  const data = Buffer.from('evil');
  const link = (0o120777 << 16) >>> 0;
  const bad: [string, Partial<Made>][] = [
    ['../escape', {}],
    ['a/../../escape', {}],
    ['/etc/passwd', {}],
    ['C:\\x', {}],
    ['a\\..\\b', {}],
    ['./x', {}],
    ['a//b', {}],
    ['con', {}],
    ['.git/hooks/pre-commit', {}],
    ['nul\u0000l', {}],
    ['chats/x.chat', {}],
    ['link', { attributes: link }],
    ['device', { attributes: (0o020666 << 16) >>> 0 }],
    ['secret', { flags: 0x801, method: 8 }],
    ['odd', { method: 99 }],
    ['wrong sum', { sum: 1 }],
    ['huge', { size: 33 * 1024 * 1024, method: 8 }],
    ['grows', { method: 8, data: deflateRawSync(Buffer.alloc(100_000)), size: 10, sum: 1 }],
    ['not deflate', { method: 8, size: 10, data: Buffer.from([7, 7, 7, 7]) }],
    ['Good.md', {}],
  ];
  const zip = forged([
    { name: 'good.md', data: Buffer.from('good') },
    { name: 'folder/', data: Buffer.alloc(0) },
    ...bad.map(([name, made]) => ({ name, data, ...made })),
    { name: 'last.md', data: Buffer.from('last') },
  ]);
  const answer = await upload(space, zip);
  expect(answer.body.detail).toBeUndefined();
  expect(answer.body.refused.map(({ name }: { name: string }) => name).toSorted()).toEqual(
    bad.map(([name]) => name).toSorted(),
  );
  expect(answer.body).toMatchObject({ written: 2, refused_count: bad.length });
  const { body } = await ask('GET', `${space.url}/tree?depth=64`);
  expect(body.items.map(({ path }: { path: string }) => path)).toEqual(['/good.md', '/last.md']);
  expect((await upload(space, zip, '/chats')).body.code).toBe('read_only');
  expect((await upload(space, zip, '/../x')).body.code).toBe('invalid_path');
});

test('a zip that is a bomb, too long, or no zip is refused as a whole', async () => {
  const space = await newSpace(world.url);
  const zeros = Buffer.alloc(20 * 1024 * 1024);
  const [dense, sum] = [deflateRawSync(zeros), crc32(zeros)];
  const bomb = forged([{ name: 'bomb', data: dense, size: zeros.length, sum, method: 8 }]);
  expect((await upload(space, bomb)).body).toMatchObject({ status: 422, code: 'too_dense' });
  const overlapping = forged(
    Array.from({ length: 200 }, (_, index) => ({
      name: `o${index}`,
      data: dense,
      size: zeros.length,
      sum,
      method: 8,
      ...(index > 0 && { offset: 0 }),
    })),
  );
  expect((await upload(space, overlapping)).body).toMatchObject({ status: 413, code: 'archive_too_large' });
  const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `f${index}`, data: Buffer.from('x') }));
  expect((await upload(space, forged(many))).body).toMatchObject({ status: 413, code: 'too_many_files' });
  const whole = forged([{ name: 'a', data: Buffer.from('x') }]);
  for (const broken of [
    Buffer.from(''),
    Buffer.from('hello'),
    whole.subarray(0, -5),
    whole.subarray(10),
    forged([{ name: 'a', data: Buffer.from('x') }], 3),
  ])
    expect((await upload(space, broken)).body).toMatchObject({ status: 422, code: 'not_a_zip' });
  expect((await ask('GET', space.url)).body.files).toBe(0);
});

test('600 files go up and come down, and two that upload the same at once do not stop each other', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`d${index % 100}/f${index}.txt`, `n${index % 500}`]),
  );
  const zip = await zipOf(files);
  const [a, b] = [await newSpace(world.url), await newSpace(world.url)];
  const answers = await Promise.all([upload(a, zip), upload(b, zip), upload(a, zip)]);
  for (const { body } of answers) expect(body.detail).toBeUndefined();
  expect(answers[0].body.written + answers[2].body.written).toBe(600);
  expect(await unzip((await bytes('GET', `${b.url}/archive`)).bytes)).toEqual(files);
  expect(await count(world.database, 'changes where workspace_id = $1', [a.id])).toBe(600);
}, 180_000);

test('slow readers of a large file hold no memory, and one that goes away stops its reading', async () => {
  const space = await newSpace(world.url);
  const size = 32 * 1024 * 1024;
  const content = Buffer.alloc(size);
  for (let index = 0; index < size; index += 4096) content.writeUInt32LE(index, index);
  expect((await put(space, 'big.bin', content)).status).toBe(201);
  const resident = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${world.pod.process.pid}/status`, 'utf8'))![1]) * 1024;
  await get(space, 'big.bin');
  const before = resident();
  const readers = await Promise.all(Array.from({ length: 16 }, () => unread(`${space.url}/files/big.bin`)));
  for (const reader of readers) {
    reader.pause();
    expect(reader.headers['content-length']).toBe(String(size));
  }
  // Others are served meanwhile.
  for (let turn = 0; turn < 20; turn += 1)
    expect((await get(space, 'big.bin', { range: 'bytes=5-5' })).status).toBe(206);
  expect(resident() - before).toBeLessThan(128 * 1024 * 1024);
  const [slow, ...gone] = readers;
  for (const reader of gone) reader.destroy();
  expect((await buffer(slow!)).equals(content)).toBe(true);
  await until(
    'the file is whole',
    async () => (await get(space, 'big.bin', { range: 'bytes=0-0' })).status === 206,
  );
});

test('a zip writes what governs agents for a person alone; the rest is written for everybody', async () => {
  const space = await newSpace(world.url);
  const zip = await zipOf({ 'agents/mine.md': 'x', 'Agents.md': 'x', 'notes/a.md': 'x' });
  const anonymous = await bytes('PUT', `${space.url}/archive`, zip, ANONYMOUS);
  expect(anonymous.body).toMatchObject({ written: 1, refused_count: 2 });
  expect(anonymous.body.refused[0].problem).toContain('only a person may change');
  expect((await bytes('PUT', `${space.url}/archive`, zip)).body).toMatchObject({
    written: 2,
    refused_count: 0,
  });
});
