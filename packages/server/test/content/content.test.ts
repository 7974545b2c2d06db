// Publishing over HTTP: what is live is a copy of one version, checked and sanitised, and readable by anybody where it is public.

import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { ANONYMOUS, ask, AS_PERSON, follow, isEnd, until } from '@continuo/testkit';
import { startPod, usePod } from '@continuo/testkit/fixtures';
import { startReceiver } from '../automation/receiver.ts';
import { bytes, newSpace, put, type Space } from '../files/support.ts';

const world = usePod({ CONTINUO_PUBLIC_CONTENT: 'open', CONTINUO_OUTGOING_ALLOW: '127.0.0.1' });

const article = (title: string, body: string, more = '') => `---\ntitle: ${title}\n${more}---\n\n${body}\n`;
const live = (space: Space, path: string, headers: Record<string, string> = {}) =>
  bytes('GET', `${world.url}/api/v1/content/${space.name}/${path}`, undefined, headers);
const act = (space: Space, path: string, body?: unknown) => ask('POST', `${space.url}/content/${path}`, body);
const pieces = async (space: Space, type = 'articles') =>
  (await ask('GET', `${space.url}/content/${type}`)).body.items as { slug: string; state: string }[];

test('WS-17 what is published stays as it was while its file is edited, moved and removed, until it is published again', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/hello.md', article('Hello', 'First **words**.', 'tags: [news]\n'));
  expect(await pieces(space)).toMatchObject([{ slug: 'hello', title: 'Hello', state: 'draft', live: null }]);
  expect((await live(space, 'articles/hello')).status).toBe(404);
  expect(await act(space, 'articles/hello/publish')).toMatchObject({
    status: 200,
    body: { slug: 'hello', version: 1, html: '<p>First <strong>words</strong>.</p>' },
  });
  await put(space, 'content/articles/hello.md', article('Hello', 'Second words.'));
  expect(await pieces(space)).toMatchObject([{ slug: 'hello', state: 'changed', live: { version: 1 } }]);
  expect((await live(space, 'articles/hello')).body).toMatchObject({
    html: '<p>First <strong>words</strong>.</p>',
  });
  await bytes('DELETE', `${space.url}/files/content/articles/hello.md`);
  expect(await pieces(space)).toMatchObject([{ slug: 'hello', title: 'Hello', state: 'removed' }]);
  expect((await live(space, 'articles/hello')).body).toMatchObject({
    title: 'Hello',
    fields: { tags: ['news'] },
  });

  await put(space, 'content/articles/hello.md', article('Hello again', 'Third.'));
  // Another file under the same slug: the first one must go first.
  expect(await act(space, 'articles/hello/publish')).toMatchObject({
    status: 409,
    body: { code: 'slug_taken' },
  });
  expect((await act(space, 'articles/hello/unpublish')).status).toBe(204);
  expect((await act(space, 'articles/hello/unpublish')).status).toBe(204);
  expect((await live(space, 'articles/hello')).status).toBe(404);
  expect((await act(space, 'articles/hello/publish')).status).toBe(200);
  expect((await live(space, 'articles/hello')).body).toMatchObject({ title: 'Hello again' });
  const { rows } = await world.database.pool.query(
    "select type, data ->> 'slug' as slug from changes where workspace_id = $1 and type like 'content%' order by seq",
    [space.id],
  );
  expect(rows.map(({ type }: { type: string }) => type)).toEqual([
    'content_published',
    'content_unpublished',
    'content_published',
  ]);
});

test('WS-17 an older version can be published again, and one that does not exist cannot', async () => {
  const space = await newSpace(world.url);
  for (const words of ['One', 'Two']) await put(space, 'content/pages/about.md', article('About', words));
  expect((await act(space, 'pages/about/publish')).body).toMatchObject({ version: 2 });
  expect((await act(space, 'pages/about/publish', { version: 1 })).body).toMatchObject({
    version: 1,
    html: '<p>One</p>',
  });
  expect(await act(space, 'pages/about/publish', { version: 9 })).toMatchObject({
    status: 404,
    body: { code: 'content_not_found' },
  });
  expect((await live(space, 'pages/about')).body).toMatchObject({ html: '<p>One</p>' });

  // What was live before is a request away, and so is what it was before that.
  const history = async () =>
    (await ask('GET', `${space.url}/content/pages/about/publications`)).body.items as {
      version: number;
      until: string | null;
      by: unknown;
    }[];
  expect(await history()).toMatchObject([
    { version: 1, until: null, by: { kind: 'local' } },
    { version: 2, until: expect.any(String) },
  ]);
  expect((await act(space, 'pages/about/restore')).body).toMatchObject({ version: 2, html: '<p>Two</p>' });
  expect((await act(space, 'pages/about/restore', { version: 1 })).body).toMatchObject({ version: 1 });
  await act(space, 'pages/about/unpublish');
  expect((await history()).every(({ until }) => until !== null)).toBe(true);
  expect((await act(space, 'pages/about/restore')).body).toMatchObject({ version: 1 });
  await put(space, 'content/pages/about.md', article('About', 'Three'));
  expect(await act(space, 'pages/about/restore', { version: 3 })).toMatchObject({
    status: 404,
    body: { code: 'publication_not_found', detail: expect.stringContaining('never live') as string },
  });
  expect((await history()).map(({ version }) => version)).toEqual([1, 1, 2, 1, 2]);
  const before = await ask('GET', `${world.url}/api/v1/workspaces/${space.id}`);
  await act(space, 'pages/about/restore', { version: 2 });
  await act(space, 'pages/about/restore', { version: 1 });
  // What is live is counted once, however often it was published.
  expect((await ask('GET', `${world.url}/api/v1/workspaces/${space.id}`)).body.bytes).toBe(before.body.bytes);
});

test('WS-17 images and files of a draft are shown by its preview alone, also those that its front matter names', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/cup.png', Uint8Array.from([137, 80, 78, 71, 0, 7]));
  await put(space, 'content/articles/kettles.md', article('Kettles', 'A pot.'));
  await put(
    space,
    'content/articles/tea.md',
    article('Tea', '![cup](../cup.png) [kettles](kettles.md#gas)', 'image: ../cup.png\n'),
  );
  const checked = (await ask('GET', `${space.url}/content/articles/tea/check`)).body as {
    html: string;
    fields: { image: string };
    warnings: { sentence: string }[];
    files: unknown[];
    preview: string;
  };
  expect(checked.files).toMatchObject([{ path: '/content/cup.png', version: 1 }]);
  expect(checked.html).toContain('href="/articles/kettles#gas"');
  expect(checked.warnings).toEqual([
    {
      line: null,
      sentence: 'the link kettles.md#gas leads to articles/kettles, which is not published yet',
    },
  ]);
  const address = /src="([^"]+)"/.exec(checked.html)![1]!.replace('&#x26;', '&');
  const get = (path: string) => bytes('GET', `${world.url}${path}`, undefined, ANONYMOUS);
  for (const each of [address, checked.fields.image]) expect((await get(each)).bytes.at(-1)).toBe(7);
  expect((await get(address.replace(/&preview.*/, ''))).status).toBe(404);
  await put(space, 'content/cup.png', Uint8Array.from([137, 80, 78, 71, 0, 8]));
  expect((await get(address.replace('v=1', 'v=2'))).body).toMatchObject({ code: 'preview_invalid' });
  expect((await get(address)).bytes.at(-1)).toBe(7);

  const { fields } = (await act(space, 'articles/tea/publish')).body as { fields: { image: string } };
  expect(fields.image).toMatch(/^\/api\/v1\/content\/.*\/assets\/.*\?v=2$/);
  expect((await get(fields.image)).bytes.at(-1)).toBe(8);
  await put(space, 'content/articles/tea.md', article('Tea', 'x', 'image: javascript:alert(1)\n'));
  expect((await act(space, 'articles/tea/publish')).body.detail).toMatch(/image: must be the path of a file/);
  await put(space, 'content/articles/tea.md', article('Tea', 'x', 'canonical: javascript:alert(1)\n'));
  expect((await act(space, 'articles/tea/publish')).body.detail).toMatch(/canonical: must be an address/);
  await put(space, 'content/articles/old/tea.md', article('Tea', 'y'));
  await put(space, 'content/articles/tea.md', article('Tea', 'x'));
  expect((await act(space, 'articles/tea/publish')).body.detail).toContain('has the same slug');
});

test('WS-17 a piece that takes too long or too much memory to render is told so', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/lists.md', article('Lists', '1. '.repeat(20_000)));
  expect(await act(space, 'articles/lists/publish')).toMatchObject({
    status: 422,
    body: {
      code: 'content_invalid',
      detail: expect.stringMatching(
        /rendering the text (took longer|used more) than .* less nesting/,
      ) as string,
    },
  });
}, 60_000);

test('WS-17 front matter is checked by its type, links and references must lead somewhere, and each problem is named', async () => {
  const space = await newSpace(world.url);
  await put(
    space,
    'content/types/recipes.yaml',
    'title: Recipes\nfields:\n  minutes: { kind: number, required: true }\n  like: { kind: reference, to: recipes }\n',
  );
  const publish = async (text: string) => {
    await put(space, 'content/recipes/soup.md', text);
    return act(space, 'recipes/soup/publish');
  };
  const refused = (detail: RegExp) => ({
    status: 422,
    body: { code: 'content_invalid', detail: expect.stringMatching(detail) as string },
  });
  expect(await publish(article('Soup', 'x'))).toMatchObject(refused(/minutes/));
  expect(await publish(article('Soup', 'x', 'minutes: ten\n'))).toMatchObject(
    refused(/line 3: minutes: must be a number/),
  );
  expect(await publish(article('Soup', 'x', 'minuets: 10\n'))).toMatchObject(
    refused(/minuets is not a known key.*minutes|minutes/),
  );
  expect(await publish(article('Soup', 'x', 'minutes: 10\nslug: other\n'))).toMatchObject(
    refused(/the slug is the name of the file/),
  );
  expect(await publish(article('Soup', 'x', 'minutes: 10\ndate: 2026-02-31\n'))).toMatchObject(
    refused(/date/),
  );
  expect(
    await publish(article('Soup', '[bread](bread.md) ![pot](../pot.png)', 'minutes: 10\nlike: stew\n')),
  ).toMatchObject(
    refused(
      /like: there is no \/content\/recipes\/stew\.md; the link bread\.md leads to \/content\/recipes\/bread\.md.*pot\.png/,
    ),
  );
  await put(space, 'content/recipes/bread.md', article('Bread', 'y', 'minutes: 90\n'));
  await put(space, 'content/recipes/stew.md', article('Stew', 'z', 'minutes: 60\n'));
  await put(space, 'content/pot.png', Uint8Array.from([137, 80, 78, 71, 0, 1]));
  const done = await publish(
    article('Soup', '[bread](bread.md) ![pot](../pot.png)', 'minutes: 10\nlike: stew\n'),
  );
  expect(done.status).toBe(200);
  expect(done.body.html).toContain('href="/recipes/bread"');
  const image = /src="([^"]+)"/.exec(done.body.html as string)![1]!;
  expect(await bytes('GET', `${world.url}${image}`)).toMatchObject({
    status: 200,
    bytes: Buffer.from([137, 80, 78, 71, 0, 1]),
  });
  // Readers keep the image that was published, whatever becomes of its file, until the piece is published again.
  await put(space, 'content/pot.png', Uint8Array.from([137, 80, 78, 71, 0, 2]));
  const stable = image.replace(/\?.*$/, '');
  for (const address of [image, stable])
    expect((await bytes('GET', `${world.url}${address}`)).bytes.at(-1)).toBe(1);
  expect((await bytes('GET', `${world.url}${image}`)).headers.get('cache-control')).toContain('immutable');
  expect((await bytes('GET', `${world.url}${image}`, undefined, { range: 'bytes=1-2' })).status).toBe(206);
  expect((await bytes('GET', `${world.url}${stable}?v=2`)).bytes.at(-1)).toBe(1);
  await bytes('DELETE', `${space.url}/files/content/pot.png`);
  expect((await bytes('GET', `${world.url}${image}`)).status).toBe(200);
  const secret = await put(space, 'secret.txt', 'not published');
  const address = `${world.url}/api/v1/content/${space.id}/assets/${secret.body.id as string}`;
  expect((await bytes('GET', address)).status).toBe(404);
  expect(await act(space, 'novels/soup/publish')).toMatchObject({
    status: 404,
    body: { code: 'content_type_not_found' },
  });

  await put(space, 'content/types/recipes.yaml', 'fields:\n  minutes: { kind: numbr }\n');
  const broken = (await ask('GET', `${space.url}/content`)).body.items.find(
    (type: { name: string }) => type.name === 'recipes',
  );
  expect(broken.problem).toMatchObject({ path: '/content/types/recipes.yaml', line: 2 });
});

test('WS-17 hostile Markdown is harmless where it is read', async () => {
  const space = await newSpace(world.url);
  const hostile = [
    '<script>alert(1)</script> <img src=x onerror=alert(1)>',
    '[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html;base64,PHNjcmlwdD4=) [d](vbscript:x)',
    '<a href="https://ok.example" onclick="alert(1)" style="position:fixed">x</a> <iframe src="//evil.example"></iframe>',
    '![x](javascript:alert(1)) <svg onload=alert(1)> <style>*{display:none}</style> <form action=//evil.example><input name=q></form>',
    '[e]: javascript:alert(1)\n\n[e] <https://fine.example>',
  ].join('\n\n');
  await put(space, 'content/articles/hostile.md', article('Hostile', hostile));
  const { html } = (await act(space, 'articles/hostile/publish')).body as { html: string };
  expect(html).not.toMatch(
    /<script|onerror|onclick|onload|javascript:|vbscript:|data:|<iframe|<style|<svg|<form|style=/i,
  );
  expect(html).toContain('href="https://fine.example"');
});

test('WS-17 footnotes lead to their notes and back', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/notes.md', article('Notes', 'Text[^1].\n\n[^1]: A note.'));
  const { html } = (await act(space, 'articles/notes/publish')).body as { html: string };
  const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets).toHaveLength(2);
  for (const id of targets) expect(html).toContain(` id="${id}"`);
});

test('WS-17 front matter and cursors that the database cannot store are refused, and a missing title is called missing', async () => {
  const space = await newSpace(world.url);
  const publish = async (text: string) => {
    await put(space, 'content/articles/odd.md', text);
    return act(space, 'articles/odd/publish');
  };
  for (const title of [String.raw`"a\0b"`, String.raw`"a\ud800b"`])
    expect(await publish(article(title, 'x'))).toMatchObject({
      status: 422,
      body: { problems: [{ line: 2, sentence: expect.stringContaining('title: must not contain') }] },
    });
  expect(await publish('No front matter.\n')).toMatchObject({
    body: { problems: [{ sentence: 'title: is missing' }] },
  });
  for (const key of ['a\0', 'a\ud800']) {
    const after = Buffer.from(JSON.stringify([key, 'b'])).toString('base64url');
    expect(await live(space, `articles?sort=title&after=${after}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  }
});

test('WS-17 a piece is found and published behind more files than a list shows', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/z/zebra.md', article('Zebra', 'Striped.'));
  await world.database.pool.query(
    `insert into files select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(),
        'path', '/content/articles/a' || n || '.md', 'folded', '/content/articles/a' || n || '.md'))).*
      from files f, generate_series(1, 1001) n where f.workspace_id = $1`,
    [space.id],
  );
  expect(await pieces(space)).toHaveLength(1000);
  expect(await act(space, 'articles/zebra/publish')).toMatchObject({ status: 200 });
});

test('WS-17 lists are filtered, sorted, paged and narrowed to fields; unchanged answers are 304', async () => {
  const space = await newSpace(world.url);
  for (const [slug, tags] of [
    ['b', 'x'],
    ['a', 'x, y'],
    ['c', 'y'],
  ] as const) {
    await put(space, `content/articles/${slug}.md`, article(slug.toUpperCase(), slug, `tags: [${tags}]\n`));
    expect((await act(space, `articles/${slug}/publish`)).status).toBe(200);
  }
  const slugs = async (query: string) =>
    ((await live(space, `articles?${query}`)).body.items as { slug: string }[]).map(({ slug }) => slug);
  expect(await slugs('')).toEqual(['c', 'a', 'b']);
  expect(await slugs('sort=oldest&tag=x')).toEqual(['b', 'a']);
  expect(await slugs('sort=title&tag=y')).toEqual(['a', 'c']);
  const first = await live(space, 'articles?sort=title&limit=2&fields=slug');
  expect(first.body.items).toEqual([{ slug: 'a' }, { slug: 'b' }]);
  const rest = await live(
    space,
    `articles?sort=title&limit=2&fields=slug,html&after=${first.body.next as string}`,
  );
  expect(rest.body).toEqual({ items: [{ slug: 'c', html: '<p>c</p>' }], total: 3, next: null });
  expect((await live(space, 'articles?after=nonsense')).body).toMatchObject({ code: 'invalid_cursor' });
  expect((await live(space, 'articles?fields=password')).status).toBe(400);
  expect((await live(space, 'articles?tags=x')).body).toMatchObject({ code: 'invalid_query' });
  expect((await live(space, 'articles?fields=html&limit=21')).body).toMatchObject({ code: 'invalid_query' });
  expect((await live(space, 'novels')).body).toMatchObject({ code: 'content_type_not_found' });

  const whole = await live(space, 'articles/a');
  const etag = whole.headers.get('etag')!;
  expect((await live(space, 'articles/a', { 'if-none-match': etag })).status).toBe(304);
  await put(space, 'content/articles/a.md', article('A', 'new'));
  expect((await live(space, 'articles/a', { 'if-none-match': etag })).status).toBe(304);
  await act(space, 'articles/a/publish');
  expect((await live(space, 'articles/a', { 'if-none-match': etag })).status).toBe(200);

  await put(space, 'content/site.yaml', 'title: Tea\nurl: tea.example\n');
  expect((await ask('GET', `${space.url}/content/articles/a/check`)).body.warnings).toEqual([
    {
      line: null,
      sentence: expect.stringMatching(
        /^\/content\/site\.yaml has a mistake in line 2: url: .*; RSS and the sitemap ignore it/,
      ) as string,
    },
  ]);
  await put(space, 'content/site.yaml', 'title: "Tea & <Toast>"\nurl: https://tea.example/\n');
  await put(space, 'content/articles/a.md', article('A', '[b](b.md)'));
  await act(space, 'articles/a/publish');
  const rss = (await live(space, 'rss.xml')).bytes.toString();
  expect(rss).toContain('&lt;a href=&quot;https://tea.example/articles/b&quot;&gt;');
  expect(rss).toContain('<title>Tea &amp; &lt;Toast&gt;</title>');
  expect(rss).toContain('<link>https://tea.example/articles/a</link>');
  expect((await live(space, 'sitemap.xml')).bytes.toString().match(/<loc>/g)).toHaveLength(3);
});

test('WS-17 behind a proxy that ends TLS, feeds have the addresses that their readers can reach', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/cup.png', Uint8Array.from([137, 80, 78, 71, 0, 7]));
  await put(space, 'content/articles/tea.md', article('Tea', '![cup](../cup.png)'));
  await act(space, 'articles/tea/publish');
  const origins = async (path: string, headers: Record<string, string> = {}) => {
    const { bytes: xml } = await live(space, path, headers);
    const found = xml.toString().match(/https?:\/\/127\.0\.0\.1:\d+(?=\/api\/v1\/content\/)/g) ?? [];
    return [...new Set(found)];
  };
  for (const path of ['rss.xml', 'sitemap.xml']) {
    // Answers are kept in memory, but not for the clients of the other address.
    expect(await origins(path)).toEqual([world.url]);
    for (const _ of [1, 2])
      expect(await origins(path, { 'x-forwarded-proto': 'https' })).toEqual([
        world.url.replace('http:', 'https:'),
      ]);
    expect(await origins(path)).toEqual([world.url]);
  }
});

test('WS-17 lists are filtered and sorted by the fields of their type, also with values that mean harm', async () => {
  const space = await newSpace(world.url);
  const type = (minutes: string) =>
    put(
      space,
      'content/types/recipes.yaml',
      `fields:\n  minutes: { kind: ${minutes} }\n  vegan: { kind: boolean }\n`,
    );
  await type('number');
  for (const [slug, more] of [
    ['soup', 'minutes: 30\nvegan: true\nauthor: Ann\ntags: [warm]\n'],
    ['stew', 'minutes: 90\nvegan: false\nauthor: Bo\ntags: [warm, slow]\n'],
    ['salad', 'minutes: 9.5\nauthor: ann\n'],
    ['ice', 'minutes: -1\n'],
  ] as const) {
    await put(space, `content/recipes/${slug}.md`, article(slug, slug, more));
    await act(space, `recipes/${slug}/publish`);
  }
  // A draft that matches everything.
  await put(
    space,
    'content/recipes/secret.md',
    article('secret', 'x', 'minutes: 30\nvegan: true\nauthor: Ann\n'),
  );
  const found = async (query: string) => {
    const { status, body } = await live(space, `recipes?fields=slug&${query}`);
    if (status !== 200) return (body as { detail: string }).detail;
    const { items, total } = body as { items: { slug: string }[]; total: number };
    expect(total).toBe(items.length);
    return items.map(({ slug }) => slug).join(' ');
  };
  for (const [query, slugs] of [
    ['sort=minutes', 'ice salad soup stew'],
    ['sort=-minutes', 'stew soup salad ice'],
    ['fields.minutes[gte]=9.5&fields.minutes[lt]=90&sort=title', 'salad soup'],
    ['fields.author=Ann', 'soup'],
    ['fields.author[in]=Ann,Bo&sort=title', 'soup stew'],
    ['fields.author[ne]=Ann&sort=title', 'ice salad stew'],
    ['fields.author[exists]=false', 'ice'],
    ['fields.tags=warm&fields.tags[has]=slow', 'stew'],
    ['fields.vegan=true', 'soup'],
    ['fields.title[gt]=soup', 'stew'],
    [`fields.author=${encodeURIComponent("' or 1=1 --")}`, ''],
    [`fields.tags=${encodeURIComponent('"]\' ? $1')}`, ''],
  ] as const)
    expect([query, await found(query)]).toEqual([query, slugs]);
  for (const [query, detail] of [
    ['fields.minutes=ten', 'fields.minutes: must be a number'],
    ['fields.minuets=1', 'fields.minuets: recipes has no field "minuets"; there are title'],
    ['fields.minutes[like]=1', 'fields.minutes[like]: is not a parameter'],
    ['fields.author[has]=x', 'is for lists, and author is a text'],
    ['sort=body', 'sort: recipes has no field "body"'],
    ['fields.vegan=yes', 'must be true or false'],
    ['password=x', 'password: is not a parameter'],
    [Array.from({ length: 11 }, () => 'fields.author=x').join('&'), 'at most 10 conditions'],
  ] as const)
    expect([query, await found(query)]).toEqual([query, expect.stringContaining(detail)]);
  const one = await live(space, 'recipes?fields=slug,fields.minutes&sort=title&limit=1');
  expect(one.body).toMatchObject({ items: [{ slug: 'ice', fields: { minutes: -1 } }], total: 4 });
  const next = await live(space, `recipes?fields=slug&sort=minutes&limit=3`);
  const rest = await live(
    space,
    `recipes?fields=slug&sort=minutes&limit=3&after=${next.body.next as string}`,
  );
  expect(rest.body.items).toEqual([{ slug: 'stew' }]);
  // What is live is older than the type's file.
  await type('text');
  expect(await found('sort=minutes')).toBe('ice soup salad stew');
  await type('date');
  await type('number');
  expect(await found('fields.minutes[gt]=80')).toBe('stew');
});

test('WS-17 a preview link shows the newest draft to anybody who has the link, and nothing else', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/draft.md', article('Draft', 'Not yet.'));
  const { preview, words, problems } = (await ask('GET', `${space.url}/content/articles/draft/check`))
    .body as { preview: string; words: number; problems: unknown[] };
  expect({ words, problems }).toEqual({ words: 2, problems: [] });
  const shown = await bytes('GET', `${world.url}${preview}`, undefined, ANONYMOUS);
  expect(shown).toMatchObject({ status: 200, body: { title: 'Draft', html: '<p>Not yet.</p>' } });
  const other = preview.replace('/draft?', '/other?');
  expect((await bytes('GET', `${world.url}${other}`)).body).toMatchObject({ code: 'preview_invalid' });
});

test('WS-17 public content needs no key and may be read by any page; everything else keeps its guard', async () => {
  const space = await newSpace(world.url, 'open');
  const hidden = await newSpace(world.url);
  for (const each of [space, hidden]) {
    await put(each, 'content/articles/hello.md', article('Hello', 'Hi.'));
    await act(each, 'articles/hello/publish');
  }
  const env = { CONTINUO_API_KEY: `key-${randomBytes(12).toString('hex')}`, CONTINUO_PUBLIC_CONTENT: 'open' };
  const pod = await startPod({ databaseUrl: world.database.url, leaseSeconds: 5, env });
  onTestFinished(() => pod.end());
  const read = (path: string, headers = {}) => fetch(`${pod.url}${path}`, { headers });
  const page = { origin: 'https://site.example', 'sec-fetch-site': 'cross-site' };
  for (const at of [space.name, space.id]) {
    const answer = await read(`/api/v1/content/${at}/articles/hello`, page);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  }
  // The page may also read what is wrong with its request.
  const refusedTo = async (name: string, path: string) => {
    const { status, headers } = await read(`/api/v1/content/${name}/${path}`, page);
    return [status, headers.get('access-control-allow-origin')];
  };
  for (const [path, status] of [
    ['articles?limit=0', 400],
    ['articles?fields=', 400],
    ['articles?tags=x', 400],
    ['assets/cup.png', 400],
    ['articles/nothing', 404],
    ['novels', 404],
    ['articles/hello?preview=1.x', 403],
  ] as const)
    expect([path, await refusedTo(space.name, path)]).toEqual([path, [status, '*']]);
  expect(await refusedTo(hidden.name, 'articles?limit=0')).toEqual([400, null]);
  for (const path of [
    `/api/v1/content/${hidden.name}/articles/hello`,
    '/api/v1/content/nowhere/articles/hello',
    `/api/v1/workspaces/${space.name}/content/articles`,
  ])
    expect((await read(path)).status).toBe(401);
  const refused = await fetch(`${world.url}/api/v1/content/${hidden.name}/articles/hello`, { headers: page });
  expect(refused.status).toBe(403);
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  expect(
    (await ask('POST', `${space.url}/content/articles/hello/unpublish`, undefined, ANONYMOUS)).body,
  ).toMatchObject({ code: 'person_required' });
});

test('WS-17 a read key opens what its workspace has published, to any page, and nothing else; a removed key opens nothing', async () => {
  const space = await newSpace(world.url);
  const other = await newSpace(world.url);
  for (const each of [space, other]) {
    await put(each, 'content/articles/hello.md', article('Hello', 'Hi.'));
    await put(each, 'content/articles/draft.md', article('Draft', 'Not yet.'));
    await act(each, 'articles/hello/publish');
  }
  const made = await ask('POST', `${space.url}/read-keys`, { name: 'Blog' });
  expect(made).toMatchObject({ status: 201, body: { name: 'Blog', used_at: null } });
  const { id, key } = made.body as { id: string; key: string };
  expect(key).toMatch(/^crk_[\w-]{43}$/);
  expect(JSON.stringify((await ask('GET', `${space.url}/read-keys`)).body)).not.toContain(key);
  const { rows } = await world.database.pool.query('select row_to_json(k)::text as row from read_keys k');
  expect(JSON.stringify(rows)).not.toContain(key.slice(4));
  expect((await ask('POST', `${space.url}/read-keys`, { name: 'Blog' })).body).toMatchObject({
    code: 'read_key_exists',
  });
  expect((await ask('POST', `${space.url}/read-keys`, { name: 'x' }, ANONYMOUS)).body).toMatchObject({
    code: 'person_required',
  });

  const env = { CONTINUO_API_KEY: `key-${randomBytes(12).toString('hex')}` };
  const pod = await startPod({ databaseUrl: world.database.url, leaseSeconds: 5, env });
  onTestFinished(() => pod.end());
  const page = { origin: 'https://site.example', 'sec-fetch-site': 'cross-site' };
  const read = (path: string, secret: string) =>
    fetch(`${pod.url}${path}`, { headers: { ...page, authorization: `Bearer ${secret}` } });
  const preflight = await fetch(`${pod.url}/api/v1/content/${space.name}/articles`, {
    method: 'OPTIONS',
    headers: { ...page, 'access-control-request-headers': 'authorization,if-none-match' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const answer = await read(`/api/v1/content/${space.name}/articles/hello`, key);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect((await read(`/api/v1/content/${space.name}/articles/draft`, key)).status).toBe(404);
  for (const path of [
    `/api/v1/content/${other.name}/articles/hello`,
    '/api/v1/content/nowhere/articles/hello',
    `/api/v1/workspaces/${space.name}/content/articles`,
    `/api/v1/workspaces/${space.name}/files`,
  ])
    expect([path, [401, 403].includes((await read(path, key)).status)]).toEqual([path, true]);
  const wrong = await read(`/api/v1/content/${space.name}/articles/hello`, `crk_${'A'.repeat(43)}`);
  // The page may read what is wrong with its key.
  expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  const unknown = await read('/api/v1/content/nowhere/articles/hello', `crk_${'A'.repeat(43)}`);
  expect([unknown.status, await unknown.json()]).toEqual([401, await wrong.json()]);
  await until('the use is recorded', async () => {
    const { items } = (await ask('GET', `${space.url}/read-keys`)).body as { items: { used_at: unknown }[] };
    return items[0]!.used_at !== null;
  });

  expect((await ask('DELETE', `${space.url}/read-keys/${id}`)).status).toBe(204);
  await until('the other pod knows', async () => {
    const { status } = await read(`/api/v1/content/${space.name}/articles/hello`, key);
    return status === 401;
  });
  // Without an API key, this machine may read everything; a key that was removed is refused all the same.
  const refused = await live(space, 'articles/hello', { authorization: `Bearer ${key}` });
  expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
});

test('WS-17 publishing and unpublishing, now or at a set time, queue webhook messages in the same commit', async () => {
  const space = await newSpace(world.url);
  const receiver = await startReceiver();
  const hook = await ask('POST', `${space.url}/webhooks`, {
    url: receiver.url,
    events: ['content.published', 'content.unpublished'],
  });
  expect(hook.status).toBe(201);
  const told = async (count: number) => {
    const all = await until(
      `${count} messages came`,
      () => receiver.received.length >= count && receiver.received,
    );
    return all.map(({ body, headers }) => {
      new Webhook(hook.body.secret as string).verify(body, headers as Record<string, string>);
      const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> };
      return { event: type, ...data };
    });
  };
  await put(space, 'content/articles/hello.md', article('Hello', 'Hi.'));
  const { body } = await act(space, 'articles/hello/publish');
  expect(await told(1)).toEqual([
    {
      event: 'content.published',
      workspace_id: space.id,
      type: 'articles',
      slug: 'hello',
      title: 'Hello',
      version: 1,
      file_id: expect.any(String),
      first_published_at: expect.stringContaining((body.first_published_at as string).slice(0, 19)),
      published_at: expect.stringContaining((body.published_at as string).slice(0, 19)),
    },
  ]);
  // A file that moves leaves its old address when it is published again.
  await ask('POST', `${space.url}/moves`, {
    from: '/content/articles/hello.md',
    to: '/content/articles/hi.md',
  });
  await act(space, 'articles/hi/publish');
  await told(3);
  await act(space, 'articles/hi/unpublish');
  await told(4);
  await act(space, 'articles/hi/schedule', { at: new Date(Date.now() + 300).toISOString() });
  const all = await told(5);
  expect(
    all.map(({ event, slug }: Record<string, unknown>) => `${String(event)} ${String(slug)}`).toSorted(),
  ).toEqual([
    'content.published hello',
    'content.published hi',
    'content.published hi',
    'content.unpublished hello',
    'content.unpublished hi',
  ]);
});

test('WS-17 an agent that publishes asks a person first, and the piece is live when the call has ended', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/news.md', article('News', 'It works.'));
  await put(
    space,
    'agents/publisher.md',
    '---\ntools: [check_content, publish_content]\n---\nYou publish.\n',
    AS_PERSON,
  );
  const calls = [{ tool: 'publish_content', input: { type: 'articles', slug: 'news', version: 1 } }];
  const goal = JSON.stringify({ steps: [{ calls }, { text: 'Done.' }] });
  const chat = await ask('POST', `${space.url}/chats`, { goal, role: 'publisher' });
  expect(chat.status).toBe(201);
  const run = chat.body.run.id as string;
  let asked = false;
  for await (const frame of follow(world.url, run)) {
    if (frame.event === 'approval') {
      asked = true;
      expect((await live(space, 'articles/news')).status).toBe(404);
      await ask('POST', `${space.url}/approvals/${String(frame.data.approval)}`, { decision: 'approve' });
    }
    if (isEnd(frame)) break;
  }
  expect(asked).toBe(true);
  expect((await live(space, 'articles/news')).body).toMatchObject({ title: 'News' });
});
