// Files over HTTP: their bytes, versions, conditions, ranges and paths.

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';
import { bytes, get, newSpace, put, raw } from './support.ts';

const world = usePod({ CONTINUO_MAX_FILE_BYTES: String(4 * 1024 * 1024) });
const CHUNK = 256 * 1024;

test('WS-1 the default workspace is there, by its name, and a file is written, read, moved, removed and restored', async () => {
  const files = `${world.url}/api/v1/workspaces/default/files`;
  const made = await bytes('PUT', `${files}/notes/haiku.md`, 'an old silent pond\n');
  expect(made).toMatchObject({
    status: 201,
    body: { path: '/notes/haiku.md', version: 1, kind: 'file', size: 19, text: true, removed_at: null },
  });
  expect(made.headers.get('etag')).toBe('"1"');
  expect(made.headers.get('location')).toMatch(/\/files\/notes\/haiku\.md$/);
  const { id } = made.body;

  const read = await bytes('GET', `${files}/notes/haiku.md`);
  expect(read.bytes.toString()).toBe('an old silent pond\n');
  expect(read.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(read.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
  expect(read.headers.get('x-content-type-options')).toBe('nosniff');

  const second = await bytes('PUT', `${files}/notes/haiku.md`, 'a frog jumps\n', { 'if-match': '"1"' });
  expect(second).toMatchObject({ status: 200, body: { id, version: 2 } });
  const space = `${world.url}/api/v1/workspaces/default`;
  const moved = await ask('POST', `${space}/moves`, { from: '/notes/haiku.md', to: 'poems/frog.md' });
  expect(moved).toMatchObject({
    status: 200,
    body: { count: 1, files: [{ id, version: 3, path: '/poems/frog.md' }] },
  });
  const removed = await bytes('DELETE', `${files}/poems/frog.md`, undefined, { 'if-match': '"3"' });
  expect(removed).toMatchObject({ status: 200, body: { id, version: 4, removed_at: expect.any(String) } });
  expect((await bytes('GET', `${files}/poems/frog.md`)).status).toBe(404);
  const old = await bytes('GET', `${files}/poems/frog.md?version=1`);
  expect(old.bytes.toString()).toBe('an old silent pond\n');

  const restored = await ask('POST', `${space}/restore`, { path: '/poems/frog.md', version: 1 });
  expect(restored).toMatchObject({
    status: 200,
    body: { id, version: 5, path: '/poems/frog.md', removed_at: null },
  });
  expect((await bytes('GET', `${files}/poems/frog.md`)).bytes.toString()).toBe('an old silent pond\n');
  const versions = await ask('GET', `${space}/versions?file=${id}`);
  expect(
    versions.body.items.map(({ version, op, path }: Record<string, unknown>) => [version, op, path]),
  ).toEqual([
    [5, 'restore', '/poems/frog.md'],
    [4, 'remove', '/poems/frog.md'],
    [3, 'move', '/poems/frog.md'],
    [2, 'write', '/notes/haiku.md'],
    [1, 'write', '/notes/haiku.md'],
  ]);
  expect(versions.body.items[0].author).toEqual({ kind: 'person' });
  const pages = await ask('GET', `${space}/versions?path=poems/frog.md&limit=2&after=4`);
  expect(pages.body.items.map(({ version }: { version: number }) => version)).toEqual([3, 2]);
  expect(pages.body.next).toBe('2');

  const diff = await ask('GET', `${space}/diff?path=/poems/frog.md&from=1&to=2`);
  expect(diff.body).toEqual({
    path: '/poems/frog.md',
    from: 1,
    to: 2,
    binary: false,
    added: 1,
    removed: 1,
    diff: '--- /notes/haiku.md\n+++ /notes/haiku.md\n@@ -1,1 +1,1 @@\n-an old silent pond\n+a frog jumps\n',
  });
  const changes = await ask('GET', `${space}/changes`);
  expect(changes.body.items.map(({ seq, type }: Record<string, unknown>) => [seq, type])).toEqual([
    [1, 'file_updated'],
    [2, 'file_updated'],
    [3, 'file_moved'],
    [4, 'file_removed'],
    [5, 'file_updated'],
  ]);
  expect(changes.body.items[2].data).toMatchObject({ from: '/notes/haiku.md', path: '/poems/frog.md', v: 3 });
  expect((await ask('GET', `${space}/changes?after=5`)).body).toEqual({ items: [], next: null });
});

test('a write meets its conditions or changes nothing, and a refusal shows what is there', async () => {
  const space = await newSpace(world.url);
  const head = async () => (await get(space, 'a.txt')).bytes.toString();
  // [what was sent, condition, status]
  expect((await put(space, 'a.txt', 'x', { 'if-match': '"1"' })).body).toMatchObject({
    status: 412,
    code: 'version_conflict',
    current: null,
  });
  expect((await put(space, 'a.txt', 'x', { 'if-match': '*' })).status).toBe(412);
  expect((await put(space, 'a.txt', 'one', { 'if-none-match': '*' })).status).toBe(201);
  const taken = await put(space, 'a.txt', 'two', { 'if-none-match': '*' });
  expect(taken).toMatchObject({
    status: 412,
    body: { code: 'version_conflict', current: { version: 1, path: '/a.txt', size: 3, content: 'one' } },
  });
  expect(taken.headers.get('etag')).toBe('"1"');
  expect((await put(space, 'a.txt', 'two', { 'if-match': '"1"' })).body.version).toBe(2);
  expect((await put(space, 'a.txt', 'three', { 'if-match': '"1"' })).status).toBe(412);
  expect((await put(space, 'a.txt', 'three', { 'if-match': 'W/"2"' })).status).toBe(412);
  expect((await put(space, 'a.txt', 'three', { 'if-match': '"x"' })).status).toBe(412);
  expect((await put(space, 'a.txt', 'three', { 'if-none-match': '"2"' })).status).toBe(400);
  expect(await head()).toBe('two');
  expect((await put(space, 'a.txt', 'three', { 'if-match': '"7", "2"' })).body.version).toBe(3);
  expect((await put(space, 'a.txt', 'four', { 'if-match': '*' })).body.version).toBe(4);
  expect((await put(space, 'a.txt', 'five')).body.version).toBe(5);
  expect((await put(space, 'a.txt', 'five', { 'if-match': '"5"' })).body).toMatchObject({
    version: 5,
    unchanged: true,
  });
  expect((await bytes('DELETE', `${space.url}/files/a.txt`, undefined, { 'if-match': '"4"' })).status).toBe(
    412,
  );
  expect(await head()).toBe('five');
  expect(await count(world.database, 'changes where workspace_id = $1', [space.id])).toBe(5);
});

test('a stale text is merged where it may be, and a conflict is told where it cannot', async () => {
  const space = await newSpace(world.url);
  await put(space, 'a.md', 'one\ntwo\nthree\nfour\n');
  await put(space, 'a.md', 'ONE\ntwo\nthree\nfour\n', { 'if-match': '"1"' });
  const stale = { 'if-match': '"1"' };
  expect((await put(space, 'a.md?on_conflict=merge', 'one\ntwo\nthree\nFOUR\n', stale)).body).toMatchObject({
    version: 3,
    merged: true,
  });
  expect((await get(space, 'a.md')).bytes.toString()).toBe('ONE\ntwo\nthree\nFOUR\n');
  expect((await put(space, 'a.md?on_conflict=merge', 'uno\ntwo\nthree\nfour\n', stale)).body).toMatchObject({
    code: 'version_conflict',
    current: { version: 3, content: 'ONE\ntwo\nthree\nFOUR\n' },
  });
  expect((await put(space, 'a.md?on_conflict=perhaps', 'x', stale)).body.code).toBe('invalid_query');
});

test('conditional reads and ranges', async () => {
  const space = await newSpace(world.url);
  const content = Buffer.from(Array.from({ length: CHUNK * 2 + 100 }, (_, index) => index % 251));
  await put(space, 'b.bin', content);
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const answer = await bytes(method, `${space.url}/files/b.bin`, undefined, headers);
    expect(answer.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    return answer;
  };
  const whole = await ask({});
  expect(whole.headers.get('content-type')).toBe('application/octet-stream');
  expect(whole.bytes.equals(content)).toBe(true);
  const size = content.length;
  const ranges: [string, number, number][] = [
    ['bytes=0-0', 0, 1],
    ['bytes=0-', 0, size],
    ['bytes=-1', size - 1, size],
    [`bytes=-${size + 5}`, 0, size],
    [`bytes=${CHUNK - 1}-${CHUNK}`, CHUNK - 1, CHUNK + 1],
    [`bytes=${CHUNK}-${2 * CHUNK - 1}`, CHUNK, 2 * CHUNK],
    [`bytes=${2 * CHUNK}-99999999`, 2 * CHUNK, size],
    [`bytes=10-${size + 10}`, 10, size],
    ['bytes=0-99999999999999999999999', 0, size],
    ['bytes=-99999999999999999999999', 0, size],
  ];
  for (const [range, start, end] of ranges) {
    for (const headers of [{ range }, { range, 'if-range': '"1"' }]) {
      const part = await ask(headers);
      expect(part.status).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`);
      expect(part.bytes.equals(content.subarray(start, end))).toBe(true);
      const head = await ask(headers, 'HEAD');
      expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
        206,
        String(end - start),
        0,
      ]);
    }
    expect((await ask({ range, 'if-range': '"2"' })).status).toBe(200);
    expect((await ask({ range, 'if-range': 'Tue, 01 Jan 2030 00:00:00 GMT' })).status).toBe(200);
  }
  for (const range of [
    `bytes=${size}-`,
    `bytes=${size + 7}-${size + 9}`,
    `bytes=${'9'.repeat(30)}-`,
    'bytes=-0',
  ]) {
    const answer = await ask({ range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
  }
  for (const range of ['bytes=5-2', 'bytes=a-b', 'lines=1-2', 'bytes', 'bytes=0-1,5-6', '']) {
    expect((await ask({ range })).bytes.length).toBe(size);
  }
  const none: [string, number][] = [
    ['"1"', 304],
    ['W/"1"', 304],
    ['"0", "1"', 304],
    ['*', 304],
    ['"2"', 200],
    ['1', 200],
    ['', 200],
  ];
  for (const [etag, status] of none) expect((await ask({ 'if-none-match': etag })).status).toBe(status);
  for (const [etag, status] of [
    ['"1"', 200],
    ['*', 200],
    ['"2"', 412],
    ['W/"1"', 412],
  ] as const) {
    expect((await ask({ 'if-match': etag })).status).toBe(status);
  }
  expect((await ask({ 'if-none-match': '"1"', range: 'bytes=0-0' })).status).toBe(304);
  expect((await put(space, 'empty', '')).body).toMatchObject({ size: 0, text: true });
  expect((await get(space, 'empty')).headers.get('content-length')).toBe('0');
  expect((await get(space, 'empty', { range: 'bytes=0-0' })).status).toBe(416);
});

test.each([
  ['page.html', '<script>1</script>', 'text/html; charset=utf-8'],
  ['a.svg', '<svg/>', 'image/svg+xml; charset=utf-8'],
  ['a.js', 'x', 'text/javascript; charset=utf-8'],
  ['a.ts', 'x', 'text/plain; charset=utf-8'],
  ['a.json', '{}', 'application/json; charset=utf-8'],
  ['README', 'x', 'text/plain; charset=utf-8'],
  ['a.txt', Buffer.from([0xff, 0xfe, 0]), 'text/plain'],
  ['a.png', Buffer.from([0x89, 0x50, 0]), 'image/png'],
  ['weird.☃', Buffer.from([0, 1]), 'application/octet-stream'],
])('%s is served as what it is, and never lets a script run', async (name, content, type) => {
  const space = await newSpace(world.url);
  await put(space, encodeURIComponent(name), content, { 'content-type': 'text/html' });
  const answer = await get(space, `${encodeURIComponent(name)}?download=1`);
  expect(answer.headers.get('content-type')).toBe(type);
  expect(answer.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename/);
});

test('a name in a download is encoded', async () => {
  const space = await newSpace(world.url);
  const name = "Grüße (1)'☃;.md";
  await put(space, encodeURIComponent(name), 'x');
  const answer = await get(space, `${encodeURIComponent(name)}?download=1`);
  const header = answer.headers.get('content-disposition')!;
  expect(header).toContain("filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29%27%E2%98%83%3B.md");
  expect((await get(space, encodeURIComponent(name))).headers.get('content-disposition')).toBeNull();
});

test('a file that is not there is 404 with a suggestion, a folder points at the tree, and other spellings are not it', async () => {
  const space = await newSpace(world.url);
  await put(space, 'notes/haiku.md', 'x');
  expect((await get(space, 'notes/haiko.md')).body).toMatchObject({
    code: 'file_not_found',
    suggestions: ['/notes/haiku.md'],
    detail: expect.stringContaining('Did you mean /notes/haiku.md?'),
  });
  expect((await get(space, 'haiku.md')).body.suggestions).toEqual(['/notes/haiku.md']);
  expect((await get(space, 'Notes/Haiku.md')).body.suggestions).toEqual(['/notes/haiku.md']);
  expect((await get(space, 'nothing/like/that')).body.suggestions).toEqual([]);
  const folder = await get(space, 'notes');
  expect(folder.body).toMatchObject({ status: 404, code: 'is_a_folder' });
  expect((await ask('GET', world.url + folder.body.tree)).body.items).toHaveLength(1);
  expect((await bytes('DELETE', `${space.url}/files/Notes/Haiku.md`)).status).toBe(404);
  expect((await put(space, 'notes', 'x')).body).toMatchObject({ status: 409, code: 'path_taken' });
  expect((await put(space, 'NOTES/b', 'x')).body).toMatchObject({ status: 409, code: 'path_taken' });
  expect((await get(space, 'notes/haiku.md?version=2')).body).toMatchObject({
    status: 404,
    code: 'version_not_found',
  });
});

test('a file of the limit is taken, one byte more is 413 with the number, declared or not', async () => {
  const space = await newSpace(world.url);
  const limit = 4 * 1024 * 1024;
  const content = Buffer.alloc(limit, 'x');
  expect(await put(space, 'big', content)).toMatchObject({ status: 201, body: { size: limit } });
  const over = Buffer.alloc(limit + 1, 'x');
  expect((await put(space, 'big2', over)).body).toMatchObject({ status: 413, code: 'file_too_large', limit });
  const chunked = await fetch(`${space.url}/files/big3`, {
    method: 'PUT',
    body: new Blob([over]).stream(),
    duplex: 'half',
  });
  expect([chunked.status, await chunked.json()]).toMatchObject([413, { limit }]);
  expect((await put(space, 'gz', 'x', { 'content-encoding': 'gzip' })).body.code).toBe(
    'unsupported_media_type',
  );
  expect((await ask('GET', `${space.url}/tree`)).body.items).toHaveLength(1);
});

test('an upload that breaks off writes nothing', async () => {
  const space = await newSpace(world.url);
  await put(space, 'a', 'whole');
  const { hostname, port } = new URL(world.url);
  for (const framing of ['content-length: 100', 'transfer-encoding: chunked']) {
    const socket = connect(Number(port), hostname);
    const target = new URL(`${space.url}/files/a`).pathname;
    socket.write(`PUT ${target} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${framing}\r\n\r\n`);
    socket.write(framing.startsWith('t') ? '5\r\nhello\r\n' : 'hello');
    socket.end();
    await new Promise((resolve) => socket.on('close', resolve).resume());
  }
  expect((await get(space, 'a')).bytes.toString()).toBe('whole');
  expect((await ask('GET', `${space.url}/versions?path=/a`)).body.items).toHaveLength(1);
  const never = await ask('GET', `${space.url}/versions?path=/zzzzzzzzzzzz`);
  expect([never.status, never.body.code]).toEqual([404, 'file_not_found']);
  expect(never.body.detail).toContain('No file was removed from there either. GET …/tree');
  expect(never.body.detail).not.toContain('/versions');
  for (const version of ['abc', '0', '1.5', '2147483648'])
    expect((await ask('GET', `${space.url}/files/a?version=${version}`)).body).toMatchObject({
      code: 'invalid_query',
      detail: 'version: must be a whole number from 1 to 2147483647',
    });
});

test('hostile paths are refused as they are written, whatever a URL would make of them', async () => {
  const space = await newSpace(world.url);
  await put(space, 'secret.md', 'kept');
  const root = `/api/v1/workspaces/${space.name}/files`;
  const refused = [
    '/../secret.md',
    '/a/../secret.md',
    '/a/%2e%2e/secret.md',
    '/a/%2E%2e/secret.md',
    '/a/.%2e/secret.md',
    '/./secret.md',
    '/%2e/secret.md',
    '/..%2fsecret.md',
    '/a%2Fsecret.md',
    '/%2Fsecret.md',
    '//secret.md',
    '/a//secret.md',
    '/secret.md/',
    '/a%5Cb',
    '/a%00b',
    '/a%0Ab',
    '/a%0D%0Ax-injected:1',
    '/%e2%80%ae.md',
    '/%ff%fe',
    '/%zz',
    '/%',
    '/a#b',
    '/CON',
    '/aux.txt',
    '/.git/hooks/x',
    '/.continuo/x',
    '/a./b',
    '/a%20',
    '/a:b',
    '/a%3Fb',
    '/a*b',
    '/',
    '',
    `/${'x'.repeat(256)}`,
    `/${'a/'.repeat(65)}x`,
    `/${'y'.repeat(5000)}`,
  ];
  for (const path of refused) {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const answer = await raw(world.url, method, root + path, method === 'PUT' ? 'x' : '');
      expect([path, method, answer.status]).toEqual([path, method, 400]);
      expect(answer.headers).toContain('content-security-policy: sandbox');
      expect(answer.headers).toContain('x-content-type-options: nosniff');
      expect(answer.headers).not.toContain('x-injected');
      if (method !== 'HEAD') expect(JSON.parse(answer.body)).toMatchObject({ code: 'invalid_path' });
    }
  }
  for (const path of ['/../tree', '/%2e%2e/%2e%2e/default', '/a/../../../../threads']) {
    expect((await raw(world.url, 'GET', root + path)).status).toBe(400);
  }
  // Node itself, or the adapter before routing, ends these.
  for (const path of ['/a\\b', '/a b', '/\u00e9']) {
    expect((await raw(world.url, 'PUT', root + path, 'x')).status).toBeGreaterThanOrEqual(400);
  }
  expect((await ask('GET', `${space.url}/tree?depth=9`)).body.items).toHaveLength(1);
  expect(await raw(world.url, 'GET', `${world.url}${root}/secret.md`)).toMatchObject({
    status: 200,
    body: 'kept',
  });
  expect((await raw(world.url, 'GET', `${root}/s%65cret.md`)).body).toBe('kept');
  for (const given of ['../x', '/a/../b', 'CON', 'a\u0000b', '']) {
    const q = encodeURIComponent(given);
    expect((await ask('GET', `${space.url}/versions?path=${q}`)).status).toBe(400);
    expect((await ask('POST', `${space.url}/moves`, { from: 'secret.md', to: given })).status).toBe(400);
  }
});

test('nothing is reached by a detour, however it is encoded', async () => {
  const [space, victim] = [await newSpace(world.url), await newSpace(world.url)];
  await put(victim, 'kept.md', 'kept');
  const root = `/api/v1/workspaces/${space.name}`;
  for (const up of ['..', '%2e%2e', '%2E.', '.%2e', '..%2f..', '%2e%2e%2f%2e%2e', '..%5c..', '%2e%2e%5C..']) {
    const targets = [
      ['DELETE', `${root}/files/${up}/${up}/${victim.name}`],
      ['PUT', `${root}/files/${up}/policy`],
      ['GET', `${root}/files/${up}/policy`],
      ['GET', `${root}/files/a/${up}/${up}/${up}/${victim.name}/files/kept.md`],
      ['DELETE', `/api/v1/workspaces/${up}/workspaces/${victim.name}`],
      ['DELETE', `/api/runs/${up}/v1/workspaces/${victim.name}`],
      ['GET', `/api/runs/${up}/threads`],
      ['GET', `/api/threads/x/${up}/${up}/models`],
      ['GET', `/docs/${up}/api/threads`],
    ] as const;
    for (const [method, path] of targets) {
      const { status, body } = await raw(world.url, method, path, method === 'PUT' ? '{"rules":[]}' : '');
      expect([path, status >= 400 && status < 500, JSON.parse(body).code]).toEqual([
        path,
        true,
        expect.stringMatching(/^(invalid_path|not_found|workspace_not_found|invalid_params)$/),
      ]);
    }
  }
  expect((await get(victim, 'kept.md')).bytes.toString()).toBe('kept');
});

test('one of many that make the same file at once makes it, and the others hear of it', async () => {
  const space = await newSpace(world.url);
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, index) => put(space, 'one.md', `by ${index}`, { 'if-none-match': '*' })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array(23).fill(412),
  ]);
  const winner = answers.findIndex(({ status }) => status === 201);
  expect((await get(space, 'one.md')).bytes.toString()).toBe(`by ${winner}`);
  expect(await count(world.database, 'changes where workspace_id = $1', [space.id])).toBe(1);
});

test('16 that read, change and write with If-Match lose nothing', async () => {
  const space = await newSpace(world.url);
  await put(space, 'count', '0');
  const each = 4;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let done = 0; done < each;) {
        const now = await get(space, 'count');
        const next = String(Number(now.bytes.toString()) + 1);
        const answer = await put(space, 'count', next, { 'if-match': now.headers.get('etag')! });
        expect([200, 412]).toContain(answer.status);
        if (answer.status === 200) done += 1;
      }
    }),
  );
  const end = await get(space, 'count');
  expect([end.bytes.toString(), end.headers.get('etag')]).toEqual([String(16 * each), `"${16 * each + 1}"`]);
});
