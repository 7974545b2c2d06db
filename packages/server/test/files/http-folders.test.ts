// What is in a workspace over HTTP: its tree, search, moves, and chats as files.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { bytes, get, newSpace, put, type Space } from './support.ts';

const world = usePod();

async function tree(space: Space, query = ''): Promise<string[]> {
  const answer = await ask('GET', `${space.url}/tree${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.items.map(
    ({ type, path }: Record<string, string>) => `${type === 'folder' ? 'd' : 'f'} ${path}`,
  );
}

/** All pages of a tree. */
async function pages(space: Space, query: string, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let after: string | null = null; ;) {
    const cursor: string = after === null ? '' : `&after=${encodeURIComponent(after)}`;
    const { body } = await ask('GET', `${space.url}/tree?${query}&limit=${limit}${cursor}`);
    for (const { type, path } of body.items) seen.push(`${type === 'folder' ? 'd' : 'f'} ${path}`);
    if (body.next === null) return seen;
    after = body.next as string;
  }
}

test('a tree shows folders and files, as deep as it is asked, page by page the same', async () => {
  const space = await newSpace(world.url);
  expect(await tree(space)).toEqual([]);
  for (const path of ['z.md', 'a/b/c/d.md', 'a/b/e.md', 'a/f.md', 'a-b.md', 'a0.md', 'B/x.md', 'b2/y/z.md'])
    await put(space, path, path);
  expect(await tree(space)).toEqual(['f /a-b.md', 'd /a', 'f /a0.md', 'd /B', 'd /b2', 'f /z.md']);
  expect(await tree(space, '?path=/a')).toEqual(['d /a/b', 'f /a/f.md']);
  expect(await tree(space, '?path=a/b/&depth=1')).toEqual(['d /a/b/c', 'f /a/b/e.md']);
  const deep = await tree(space, '?depth=64');
  expect(deep).toEqual([
    'f /a-b.md',
    'd /a',
    'd /a/b',
    'd /a/b/c',
    'f /a/b/c/d.md',
    'f /a/b/e.md',
    'f /a/f.md',
    'f /a0.md',
    'd /B',
    'f /B/x.md',
    'd /b2',
    'd /b2/y',
    'f /b2/y/z.md',
    'f /z.md',
  ]);
  for (const depth of [1, 2, 3, 64]) {
    const whole = await tree(space, `?depth=${depth}`);
    for (const limit of [1, 2, 3, 5]) expect(await pages(space, `depth=${depth}`, limit)).toEqual(whole);
  }
  const { body } = await ask('GET', `${space.url}/tree?path=/a`);
  expect(body.items[1]).toEqual({
    type: 'file',
    name: 'f.md',
    path: '/a/f.md',
    id: expect.any(String),
    kind: 'file',
    size: 6,
    version: 1,
    changed_at: expect.any(String),
    author: 'person',
  });
  expect((await ask('GET', `${space.url}/tree?path=/nothing`)).body.code).toBe('folder_not_found');
  expect((await ask('GET', `${space.url}/tree?path=/z.md`)).body.code).toBe('is_a_file');
  expect((await ask('GET', `${space.url}/tree?path=/../x`)).body.code).toBe('invalid_path');
  for (const query of ['depth=0', 'depth=65', 'limit=0', 'after=%00', 'after=%25'])
    expect((await ask('GET', `${space.url}/tree?${query}`)).status).toBe(400);
});

test('a folder moves as a whole or not at all', async () => {
  const space = await newSpace(world.url);
  for (const path of ['old/a.md', 'old/b/c.md', 'old/b/d.md', 'other/x.md', 'taken/b/c.md'])
    await put(space, path, path);
  const moves = (body: unknown) => ask('POST', `${space.url}/moves`, body);
  const before = await tree(space, '?depth=9');
  expect((await moves({ from: '/old', to: '/taken' })).body).toMatchObject({
    status: 409,
    code: 'path_taken',
  });
  expect((await moves({ from: '/old', to: '/other/x.md' })).body).toMatchObject({
    status: 409,
    code: 'path_taken',
  });
  expect((await moves({ from: '/old', to: '/old/b/deeper' })).body).toMatchObject({
    status: 409,
    code: 'path_taken',
  });
  expect((await moves({ from: '/old', to: `/${'x/'.repeat(62)}y` })).body).toMatchObject({
    code: 'invalid_path',
  });
  expect((await moves({ from: '/nothing', to: '/new' })).body).toMatchObject({ code: 'file_not_found' });
  expect((await moves({ from: '/old', to: '/new', if_match: 1 })).body.status).toBe(404);
  expect((await moves({ from: '/other/x.md', to: '/y.md', if_match: 2 })).body.status).toBe(412);
  expect((await moves({ from: '/OLD', to: '/new' })).body.status).toBe(404);
  expect(await tree(space, '?depth=9')).toEqual(before);

  const moved = await moves({ from: '/old', to: 'new/place' });
  expect(moved.body).toMatchObject({ count: 3, files: [{ version: 2 }, { version: 2 }, { version: 2 }] });
  expect((await get(space, 'new/place/b/d.md')).bytes.toString()).toBe('old/b/d.md');
  expect((await moves({ from: '/new/place', to: '/New/Place' })).body).toMatchObject({ count: 3 });
  expect(await tree(space, '?path=/New&depth=9')).toContain('f /New/Place/b/c.md');
  const { body } = await ask('GET', `${space.url}/changes?after=5`);
  expect(body.items).toHaveLength(6);
  expect(body.items[0]).toMatchObject({
    type: 'file_moved',
    data: { from: '/old/a.md', path: '/new/place/a.md' },
  });
});

test('folders that are moved at once through each other lose no file', async () => {
  const space = await newSpace(world.url);
  for (let index = 0; index < 20; index += 1) await put(space, `f0/${index}.md`, String(index));
  await Promise.all([
    ...Array.from({ length: 12 }, (_, turn) =>
      ask('POST', `${space.url}/moves`, { from: `/f${turn % 3}`, to: `/f${(turn + 1) % 3}` }),
    ),
    ...Array.from({ length: 20 }, (_, index) => put(space, `f0/${index}.md`, `again ${index}`)),
  ]).then((answers) => {
    for (const { status } of answers) expect([200, 201, 404, 409]).toContain(status);
  });
  const files = (await tree(space, '?depth=9')).filter((entry) => entry.startsWith('f'));
  const names = new Set(files.map((entry) => entry.slice(entry.lastIndexOf('/') + 1)));
  expect(names.size).toBe(20);
});

test('search finds parts of names and words of texts, and says where', async () => {
  const space = await newSpace(world.url);
  await put(space, 'notes/Frog.md', `${'intro '.repeat(60)}an old silent pond, a frog jumps in\n`);
  await put(space, 'pond.md', 'water');
  await put(space, 'bin/pond.bin', Buffer.from([0, 1]));
  await put(space, 'gone.md', 'a frog that left');
  await bytes('DELETE', `${space.url}/files/gone.md`);
  const search = async (query: string) =>
    (await ask('GET', `${space.url}/search?${query}`)).body.items.map(
      ({ path, found_in }: Record<string, string>) => `${found_in} ${path}`,
    );
  expect(await search('q=pond')).toEqual(['name /pond.md', 'name /bin/pond.bin', 'text /notes/Frog.md']);
  expect(await search('q=FROG&in=names')).toEqual(['name /notes/Frog.md']);
  expect(await search('q=frog&in=text')).toEqual(['text /notes/Frog.md']);
  expect(await search('q=%22silent+pond%22&in=text')).toEqual(['text /notes/Frog.md']);
  expect(await search('q=%22pond+silent%22&in=text')).toEqual([]);
  expect(await search('q=pond+-frog&in=text')).toEqual(['name /pond.md']);
  expect(await search('q=frog+-silent&in=text')).toEqual([]);
  expect(await search('q=%25&in=names')).toEqual([]);
  expect(await search('q=notes/f')).toEqual(['name /notes/Frog.md']);
  const { body } = await ask('GET', `${space.url}/search?q=jumps&in=text`);
  expect(body.items[0].snippet).toMatch(/^….*a frog jumps in$/);
  for (const query of ['', 'q=', 'q=%00', `q=${'x'.repeat(1001)}`, 'q=x&in=where', 'q=x&limit=101'])
    expect((await ask('GET', `${space.url}/search?${query}`)).body).toMatchObject({
      status: 400,
      code: 'invalid_query',
    });
  const limited = await ask('GET', `${space.url}/search?q=x&limit=many`);
  expect(limited.body.detail).toBe('limit: must be a whole number from 1 to 100');
  for (const odd of ["'", '"', '&|!', '<->', '\\', ':*']) {
    expect((await ask('GET', `${space.url}/search?q=${encodeURIComponent(odd)}`)).status).toBe(200);
  }
});

test('the path that a file was moved from says where it went', async () => {
  const space = await newSpace(world.url);
  const { id } = (await put(space, 'old.md', 'x')).body;
  for (const [from, to] of [
    ['old.md', 'b.md'],
    ['b.md', 'c.md'],
  ])
    await ask('POST', `${space.url}/moves`, { from, to });
  const moved = { status: 404, code: 'file_not_found', moved_to: { file: id, path: '/c.md' } };
  for (const path of ['old.md', 'b.md']) {
    const gone = (await ask('GET', `${space.url}/versions?path=/${path}`)).body;
    expect(gone).toMatchObject({ ...moved, suggestions: ['/c.md'] });
    expect(gone.detail).toBe(`/${path} was moved to /c.md, with its history.`);
    expect((await get(space, path)).body).toMatchObject(moved);
  }
  await put(space, 'old.md', 'another');
  expect((await ask('GET', `${space.url}/versions?path=/old.md`)).body.items).toHaveLength(1);
});

test('differences are bounded, and what is not text says so', async () => {
  const space = await newSpace(world.url);
  await put(space, 'b', Buffer.from([0]));
  await put(space, 'b', Buffer.from([0, 1]));
  const diff = async (query: string) => (await ask('GET', `${space.url}/diff?${query}`)).body;
  expect(await diff('path=b')).toMatchObject({ from: 1, to: 2, binary: true, diff: '' });
  await put(space, 'a', 'one\n');
  expect(await diff('path=a')).toMatchObject({ from: 0, to: 1, added: 1, removed: 0 });
  expect(await diff('path=a&from=1&to=1')).toMatchObject({ diff: '', added: 0, removed: 0 });
  expect(await diff('path=a&from=3')).toMatchObject({ code: 'version_not_found' });
  await put(space, 'a', Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join(''));
  expect(await diff('path=a')).toMatchObject({ added: 20_000, removed: 1 });
  await put(space, 'a', 'x'.repeat(1024 * 1024 + 1));
  expect(await diff('path=a&from=1')).toMatchObject({ status: 422, code: 'diff_too_large' });
});

test('a version comes back under another path, and not over another file', async () => {
  const space = await newSpace(world.url);
  const { id } = (await put(space, 'a.md', 'one')).body;
  await put(space, 'a.md', 'two');
  const restore = (body: unknown) => ask('POST', `${space.url}/restore`, body);
  expect((await restore({ path: 'a.md', version: 1, if_match: 1 })).body.code).toBe('version_conflict');
  expect((await restore({ path: 'a.md', version: 1, if_match: 2 })).body).toMatchObject({ id, version: 3 });
  expect((await restore({ path: 'a.md', version: 2, to: 'copy.md' })).body).toMatchObject({
    version: 1,
    path: '/copy.md',
  });
  expect((await get(space, 'copy.md')).bytes.toString()).toBe('two');
  expect((await restore({ path: 'a.md', version: 9 })).body.code).toBe('version_not_found');
  expect((await restore({ path: 'a.md' })).body.code).toBe('invalid_request');
  await bytes('DELETE', `${space.url}/files/a.md`);
  await put(space, 'a.md', 'another file');
  expect((await restore({ file: id, version: 1 })).body).toMatchObject({ status: 409, code: 'path_taken' });
  expect((await restore({ file: id, version: 1, to: 'back.md' })).body).toMatchObject({
    id,
    path: '/back.md',
  });
  expect((await get(space, 'a.md')).bytes.toString()).toBe('another file');
});

test('WS-19 a chat is a file: its log is readable at its path, whatever its name says now, and nobody writes it', async () => {
  const space = await newSpace(world.url);
  const title = 'Über Frösche & Teiche!';
  const thread = (await ask('POST', `${world.url}/api/threads`, { workspace: space.id, title })).body
    .id as string;
  const script = {
    steps: [
      { text: 'Let me look.', calls: [{ tool: 'pure', input: { note: 'into the pond' } }] },
      { text: 'A frog.' },
    ],
  };
  const run = await send(world.url, thread, script);
  await framesOf(world.url, run.id);
  const short = thread.slice(-12);
  expect(await tree(space)).toEqual(['d /chats']);
  await put(space, 'a.md', 'x');
  await put(space, 'd.md', 'x');
  expect(await tree(space)).toEqual(['f /a.md', 'd /chats', 'f /d.md']);
  expect(await pages(space, 'path=/', 1)).toEqual(['f /a.md', 'd /chats', 'f /d.md']);
  const name = `/chats/über-frösche-teiche-${short}.chat`;
  expect(await tree(space, '?path=/chats')).toEqual([`f ${name}`]);
  const found = await ask('GET', `${space.url}/search?q=${encodeURIComponent('FRÖSCHE')}`);
  expect(found.body.items).toMatchObject([{ path: name, kind: 'chat', found_in: 'name' }]);

  const read = await get(space, encodeURI(name.slice(1)));
  expect(read.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(read.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
  const text = read.bytes.toString();
  for (const part of [
    '## Person · ',
    'Let me look.',
    'called **pure**',
    'into the pond',
    '**pure** ended: ok',
    'A frog.',
    `Run ${run.id} · done`,
  ])
    expect(text).toContain(part);
  const { rows } = await world.database.pool.query<{ seq: number }>(
    'select max(seq) as seq from events where thread_id = $1',
    [thread],
  );
  expect(read.headers.get('etag')).toBe(`"${rows[0]!.seq}"`);
  expect((await get(space, `chats/other-${short}.chat`)).bytes.toString()).toBe(text);
  expect((await get(space, `chats/${short}.chat`, { range: 'bytes=0-8' })).bytes.toString()).toBe(
    text.slice(0, 9),
  );
  expect((await get(space, `chats/${short}.chat`, { 'if-none-match': `"${rows[0]!.seq}"` })).status).toBe(
    304,
  );
  const head = await bytes('HEAD', `${space.url}/files/chats/${short}.chat`);
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(read.bytes.length)]);

  for (const path of ['chats', 'chats/x.chat', `chats/${short}.chat`, 'Chats/new.md', 'chats/deep/er.md']) {
    expect((await put(space, path, 'x')).body).toMatchObject({ status: 403, code: 'read_only' });
    expect((await bytes('DELETE', `${space.url}/files/${path}`)).body).toMatchObject({
      status: 403,
      code: 'read_only',
    });
    for (const move of [
      { from: path, to: 'x' },
      { from: 'a.md', to: path },
    ])
      expect((await ask('POST', `${space.url}/moves`, move)).body).toMatchObject({
        status: 403,
        code: 'read_only',
      });
    expect(
      (await ask('POST', `${space.url}/restore`, { path: 'a.md', version: 1, to: path })).body.code,
    ).toBe('read_only');
  }
  expect((await get(space, 'chats')).body.code).toBe('is_a_folder');
  expect((await get(space, 'chats/x-000000000000.chat')).body.code).toBe('file_not_found');
  const elsewhere = await newSpace(world.url);
  expect((await get(elsewhere, `chats/${short}.chat`)).status).toBe(404);
});

test('WS-19 a chat without a title is named by its first message, or is just a chat', async () => {
  const space = await newSpace(world.url);
  const thread = async (content?: string) => {
    const { id } = (await ask('POST', `${world.url}/api/threads`, { workspace: space.id })).body;
    if (content !== undefined) {
      const sent = await ask('POST', `${world.url}/api/threads/${id}/messages`, {
        content,
        model: 'offline/instant',
      });
      await framesOf(world.url, sent.body.run.id);
    }
    return (id as string).slice(-12);
  };
  const said: [string | undefined, string][] = [
    [undefined, 'chat'],
    ['...', 'chat'],
    ['Say "hello"\nto \\ me', 'say-hello-to-me'],
    [`\u{1F600}${'wide \u{1D400}'.repeat(200)}`, `wide-\u{1D400}`.repeat(6)],
    ['a\u0000b \ud83d', 'a-b'],
  ];
  const names: string[] = [];
  for (const [content, slug] of said) names.unshift(`${slug.slice(0, 60)}`, await thread(content));
  const shown = (await tree(space, '?path=/chats')).map((entry) => entry.slice('f /chats/'.length));
  expect(shown).toHaveLength(said.length);
  shown.forEach((name, index) => {
    const short = names[index * 2 + 1]!;
    expect(name.endsWith(`-${short}.chat`)).toBe(true);
    const slug = names[index * 2]!;
    if (!slug.startsWith('wide')) expect(name).toBe(`${slug}-${short}.chat`);
    else expect(name).toMatch(/^wide-\u{1D400}wide-/u);
  });
  const first = await ask('GET', `${space.url}/tree?path=/chats&limit=2`);
  const rest = await ask('GET', `${space.url}/tree?path=/chats&after=${first.body.next}`);
  expect([...first.body.items, ...rest.body.items].map(({ name }: { name: string }) => name)).toEqual(shown);
  for (const name of shown) expect((await get(space, `chats/${encodeURIComponent(name)}`)).status).toBe(200);
  expect((await createThread(world.url)).length).toBe(36);
});
