// Scheduled publishing: a version goes live at its time, once, whichever pod does it and whichever pod is killed.

import { expect, test } from 'vitest';
import { ANONYMOUS, ask, call, until } from '@continuo/testkit';
import { brokenInvariants, count, freshDatabase, startPod, usePod } from '@continuo/testkit/fixtures';
import { bytes, newSpace, put, type Space } from '../files/support.ts';

const world = usePod();

const article = (title: string, body = 'Words.') => `---\ntitle: ${title}\n---\n\n${body}\n`;
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const TOMORROW = 86_400_000;
const act = (space: Space, path: string, body?: unknown) => ask('POST', `${space.url}/content/${path}`, body);
const piece = async (space: Space, slug: string) =>
  (
    (await ask('GET', `${space.url}/content/articles`)).body.items as {
      slug: string;
      state: string;
      live: { version: number } | null;
      scheduled: { version: number; at: string; title: string; problem: string | null } | null;
    }[]
  ).find((each) => each.slug === slug)!;
const isLive = (space: Space, slug: string) =>
  until(`${slug} is live`, async () => (await piece(space, slug)).live);
/** As if the time of a publication had come; another one's change wakes the pods. */
const comesDue = async (space: Space, slug: string) => {
  const { rowCount } = await world.database.pool.query(
    'update scheduled_publications set at = clock_timestamp() where workspace_id = $1 and slug = $2',
    [space.id, slug],
  );
  expect(rowCount).toBe(1);
  await put(space, 'content/articles/other.md', article('Other'));
  await act(space, 'articles/other/schedule', { at: soon(TOMORROW) });
  await ask('DELETE', `${space.url}/content/articles/other/schedule`);
};
const publications = (space: Space) =>
  count(world.database, "changes where workspace_id = $1 and type = 'content_published'", [space.id]);

test('WS-17 a piece goes live at its time, in the version that was scheduled, and its time is gone', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/tea.md', article('Tea', 'First.'));
  const at = soon(400);
  expect(await act(space, 'articles/tea/schedule', { at })).toMatchObject({
    status: 200,
    body: { version: 1, title: 'Tea', at, problem: null },
  });
  await put(space, 'content/articles/tea.md', article('Tea', 'Second.'));
  await isLive(space, 'tea');
  expect(await piece(space, 'tea')).toMatchObject({
    state: 'changed',
    live: { version: 1 },
    scheduled: null,
  });
  expect((await bytes('GET', `${world.url}/api/v1/content/${space.name}/articles/tea`)).body).toMatchObject({
    html: '<p>First.</p>',
  });
  const { rows } = await world.database.pool.query(
    'select published_by, published_at >= $2 as in_time from published where workspace_id = $1',
    [space.id, at],
  );
  expect(rows).toEqual([{ in_time: true, published_by: { kind: 'local' } }]);
});

test('WS-17 a scheduled piece is moved to another time, and canceled; what is live stays', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/tea.md', article('Tea'));
  await act(space, 'articles/tea/publish');
  await put(space, 'content/articles/tea.md', article('More tea'));
  await act(space, 'articles/tea/schedule', { at: soon(TOMORROW), version: 1 });
  const later = soon(2 * TOMORROW);
  await act(space, 'articles/tea/schedule', { at: later });
  expect((await piece(space, 'tea')).scheduled).toEqual({
    version: 2,
    title: 'More tea',
    at: later,
    problem: null,
  });
  for (const _ of [1, 2])
    expect((await ask('DELETE', `${space.url}/content/articles/tea/schedule`)).status).toBe(204);
  expect(await piece(space, 'tea')).toMatchObject({ live: { version: 1 }, scheduled: null });
});

test.each(['publish', 'unpublish'])('WS-17 %s by hand cancels the time of the piece', async (action) => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/tea.md', article('Tea'));
  await act(space, 'articles/tea/schedule', { at: soon(TOMORROW) });
  expect((await act(space, `articles/tea/${action}`)).status).toBeLessThan(300);
  expect((await piece(space, 'tea')).scheduled).toBeNull();
});

test('WS-17 a piece that cannot be published at its time says why, and keeps no other piece from its time', async () => {
  const space = await newSpace(world.url);
  for (const slug of ['gone', 'linked', 'fine', 'target'])
    await put(
      space,
      `content/articles/${slug}.md`,
      article(slug, slug === 'linked' ? '[x](target.md)' : 'x'),
    );
  for (const slug of ['gone', 'linked', 'fine'])
    await act(space, `articles/${slug}/schedule`, { at: soon(TOMORROW) });
  for (const slug of ['gone', 'target'])
    await bytes('DELETE', `${space.url}/files/content/articles/${slug}.md`);
  for (const slug of ['gone', 'linked', 'fine']) await comesDue(space, slug);
  await isLive(space, 'fine');
  const problem = (slug: string) =>
    until(`${slug} has a problem`, async () => (await piece(space, slug)).scheduled?.problem);
  expect(await problem('gone')).toMatch(/There is no file \/content\/articles\/gone\.md/);
  expect(await problem('linked')).toMatch(/target\.md, and there is no such file/);
  expect(await piece(space, 'gone')).toMatchObject({ state: 'removed', live: null });
  // Mended and scheduled again, it goes live.
  await put(space, 'content/articles/target.md', article('Target'));
  expect((await act(space, 'articles/linked/schedule', { at: soon(TOMORROW) })).body.problem).toBeNull();
  await comesDue(space, 'linked');
  await isLive(space, 'linked');
});

test('WS-17 a new file in the place of the one that was scheduled is not published', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/tea.md', article('Tea'));
  await act(space, 'articles/tea/schedule', { at: soon(TOMORROW) });
  await bytes('DELETE', `${space.url}/files/content/articles/tea.md`);
  await put(space, 'content/articles/tea.md', article('Coffee'));
  await comesDue(space, 'tea');
  await until('it says why', async () =>
    /is another file now/.test((await piece(space, 'tea')).scheduled?.problem ?? ''),
  );
  expect((await piece(space, 'tea')).live).toBeNull();
});

test.each<[string, object, number, string, RegExp]>([
  ['no time', {}, 400, 'invalid_body', /at/],
  [
    'a time that has passed',
    { at: '2020-01-01T00:00:00Z' },
    400,
    'invalid_body',
    /at: must be a time in the future/,
  ],
  ['a time too far away', { at: '2099-01-01T00:00:00Z' }, 400, 'invalid_body', /within the next five years/],
  ['no such version', { at: soon(TOMORROW), version: 9 }, 404, 'content_not_found', /no version 9/],
  ['a broken link', { at: soon(TOMORROW) }, 422, 'content_invalid', /no such file/],
])('a schedule with %s is refused', async (_, body, status, code, detail) => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/tea.md', article('Tea', '[x](nowhere.md)'));
  expect(await act(space, 'articles/tea/schedule', body)).toMatchObject({
    status,
    body: { code, detail: expect.stringMatching(detail) },
  });
});

test('WS-17 only a person schedules and cancels, and what waits goes with its workspace', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/tea.md', article('Tea'));
  const url = `${space.url}/content/articles/tea/schedule`;
  for (const method of ['POST', 'DELETE'])
    expect((await ask(method, url, { at: soon(TOMORROW) }, ANONYMOUS)).body.code).toBe('person_required');
  await act(space, 'articles/tea/schedule', { at: soon(TOMORROW) });
  await call('DELETE', space.url);
  await world.database.pool.query('select purge_workspace($1, clock_timestamp())', [space.id]);
  expect(await count(world.database, 'scheduled_publications where workspace_id = $1', [space.id])).toBe(0);
});

test('WS-17 a time that passed while no server ran is caught up by the next one', async () => {
  const own = await freshDatabase();
  try {
    const first = await startPod({ databaseUrl: own.url });
    const space = await newSpace(first.url);
    await put(space, 'content/articles/tea.md', article('Tea'));
    await act(space, 'articles/tea/schedule', { at: soon(TOMORROW) });
    first.kill('SIGKILL');
    await first.exited;
    await own.pool.query('update scheduled_publications set at = clock_timestamp()');
    const next = await startPod({ databaseUrl: own.url });
    await until('it is live', async () => (await count(own, 'published')) === 1);
    expect(await count(own, 'scheduled_publications')).toBe(0);
    await next.end();
  } finally {
    await own.drop();
  }
});

test.each(['publication.claimed', 'publication.published', 'publication.committed'])(
  'WS-17 a pod that is killed at %s: another pod publishes the piece, exactly once',
  async (fault) => {
    const own = await freshDatabase();
    const [survivor, victim] = await Promise.all([
      startPod({ databaseUrl: own.url }),
      startPod({ databaseUrl: own.url, fault }),
    ]);
    try {
      const space = await newSpace(survivor.url);
      let [tried, made] = [0, 0];
      // Either pod may claim a due piece first; each further one gives the victim another chance.
      await until('the victim is dead', async () => {
        const slug = `piece-${(tried += 1)}`;
        await put(space, `content/articles/${slug}.md`, article(slug));
        // On a slow machine the time has passed already.
        if ((await act(space, `articles/${slug}/schedule`, { at: soon(50) })).status === 200) made += 1;
        return victim.hits.length > 0;
      });
      await until('nothing waits', async () => (await count(own, 'scheduled_publications')) === 0);
      expect(await count(own, 'published')).toBe(made);
      expect(await count(own, "changes where type = 'content_published'")).toBe(made);
      expect(await brokenInvariants(own.pool)).toEqual([]);
    } finally {
      await Promise.all([survivor.end(), victim.end()]);
      await own.drop();
    }
  },
);

test('WS-17 two pods publish twenty pieces of the same moment once each', async () => {
  const space = await newSpace(world.url);
  const second = await startPod({ databaseUrl: world.database.url });
  try {
    const pieces = Array.from({ length: 20 }, (_, index) => index);
    for (const index of pieces)
      await put(space, `content/articles/piece-${index}.md`, article(`Piece ${index}`));
    const at = soon(4000);
    await Promise.all(
      pieces.map(async (index) => {
        expect((await act(space, `articles/piece-${index}/schedule`, { at })).status).toBe(200);
      }),
    );
    await until(
      'all are live',
      async () => (await count(world.database, 'published where workspace_id = $1', [space.id])) === 20,
    );
    expect(await publications(space)).toBe(20);
  } finally {
    await second.end();
  }
});
