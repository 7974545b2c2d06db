// Publishing over HTTP: what is live is a copy of one version, checked and sanitised, and readable by anybody where it is public.

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { ANONYMOUS, ask, AS_PERSON, follow, isEnd } from '@continuo/testkit';
import { startPod, usePod } from '@continuo/testkit/fixtures';
import { bytes, newSpace, put, type Space } from '../files/support.ts';

const world = usePod({ CONTINUO_PUBLIC_CONTENT: 'open' });

const article = (title: string, body: string, more = '') => `---\ntitle: ${title}\n${more}---\n\n${body}\n`;
const live = (space: Space, path: string, headers: Record<string, string> = {}) =>
  bytes('GET', `${world.url}/api/v1/content/${space.name}/${path}`, undefined, headers);
const act = (space: Space, path: string, body?: unknown) => ask('POST', `${space.url}/content/${path}`, body);
const pieces = async (space: Space, type = 'articles') =>
  (await ask('GET', `${space.url}/content/${type}`)).body.items as { slug: string; state: string }[];

test('WS-17 what is published stays as it was while its file is edited, moved and removed, until it is published again', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/hello.md', article('Hello', 'First **words**.', 'tags: [news]\n'));
  expect(await pieces(space)).toMatchObject([{ slug: 'hello', state: 'draft', live: null }]);
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
  expect(await pieces(space)).toMatchObject([{ slug: 'hello', state: 'removed' }]);
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
});

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
  expect(rest.body).toEqual({ items: [{ slug: 'c', html: '<p>c</p>' }], next: null });
  expect((await live(space, 'articles?after=nonsense')).body).toMatchObject({ code: 'invalid_cursor' });
  expect((await live(space, 'articles?fields=password')).status).toBe(400);

  const whole = await live(space, 'articles/a');
  const etag = whole.headers.get('etag')!;
  expect((await live(space, 'articles/a', { 'if-none-match': etag })).status).toBe(304);
  await put(space, 'content/articles/a.md', article('A', 'new'));
  expect((await live(space, 'articles/a', { 'if-none-match': etag })).status).toBe(304);
  await act(space, 'articles/a/publish');
  expect((await live(space, 'articles/a', { 'if-none-match': etag })).status).toBe(200);

  await put(space, 'content/site.yaml', 'title: "Tea & <Toast>"\nurl: https://tea.example/\n');
  const rss = (await live(space, 'rss.xml')).bytes.toString();
  expect(rss).toContain('<title>Tea &amp; &lt;Toast&gt;</title>');
  expect(rss).toContain('<link>https://tea.example/articles/a</link>');
  expect((await live(space, 'sitemap.xml')).bytes.toString().match(/<loc>/g)).toHaveLength(3);
});

test('WS-17 a preview link shows the newest draft to whoever has it, and nothing else', async () => {
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

test('WS-17 an agent that publishes asks a person first, and the piece is live when the call has ended', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/news.md', article('News', 'It works.'));
  await put(
    space,
    'agents/publisher.md',
    '---\ntools: [check_content, publish_content]\n---\nYou publish.\n',
    AS_PERSON,
  );
  const calls = [{ tool: 'publish_content', input: { type: 'articles', slug: 'news' } }];
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
