// Lists answer {items, next}, and next leads on without a gap or a repeat.

import { expect, test } from 'vitest';
import { ask, createThread, framesOf, seen, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();

/** All pages; `between` is called after each. */
async function pages(
  path: string,
  limit: number,
  between?: () => Promise<unknown>,
): Promise<Record<string, unknown>[][]> {
  const found: Record<string, unknown>[][] = [];
  for (let next: string | null = ''; next !== null;) {
    const cursor: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`;
    const { status, body } = await ask('GET', `${world.url}${path}?limit=${limit}${cursor}`);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['items', 'next']);
    found.push(body.items);
    next = body.next;
    await between?.();
  }
  return found;
}

test('threads are listed newest first, in pages of any size, without a gap or a repeat', async () => {
  // At once, so that some share their time of creation.
  const made = await Promise.all(Array.from({ length: 11 }, () => createThread(world.url)));
  await world.database.pool.query('update threads set created_at = date_trunc($1, created_at)', ['second']);
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from threads order by created_at desc, id desc',
  );
  const expected = rows.map((row) => row.id);
  expect(new Set(made.filter((id) => expected.includes(id))).size).toBe(11);
  for (const limit of [1, 3, expected.length, 1000]) {
    const found = await pages('/api/threads', limit);
    expect(found.flat().map(({ id }) => id)).toEqual(expected);
    expect(found.slice(0, -1).every((page) => page.length === limit)).toBe(true);
  }
});

test('threads that are created while a client pages do not shift the pages', async () => {
  await Promise.all(Array.from({ length: 6 }, () => createThread(world.url)));
  const { rows } = await world.database.pool.query<{ id: string }>(
    'select id from threads order by created_at desc, id desc',
  );
  const found = await pages('/api/threads', 2, () => createThread(world.url));
  expect(found.flat().map(({ id }) => id)).toEqual(rows.map((row) => row.id));
});

test('a thread in a list has the same session and active run as when it is read alone', async () => {
  const id = await createThread(world.url);
  const run = await send(world.url, id, { steps: [{ text: 'x', hang: true }] });
  const queued = await send(world.url, id, { steps: [{ text: 'y' }] });
  await seen(world.url, run.id, 'token');
  const read = (await ask('GET', `${world.url}/api/threads/${id}`)).body;
  expect(read).toMatchObject({ active_run: run.id, session: { state: 'running' } });
  const { items } = (await ask('GET', `${world.url}/api/threads`)).body;
  expect(items.find((item: { id: string }) => item.id === id)).toEqual(read);
  await ask('POST', `${world.url}/api/runs/${run.id}/cancel`);
  await framesOf(world.url, queued.id);
  expect((await ask('GET', `${world.url}/api/threads/${id}`)).body).toMatchObject({
    active_run: null,
    session: { state: 'idle' },
  });
});

test('messages are listed in reading order, in pages of any size, without a gap or a repeat', async () => {
  const id = await createThread(world.url);
  const runs = [];
  for (const word of ['one', 'two', 'three']) {
    const script = {
      steps: [
        { text: `${word}, first`, calls: [{ tool: 'pure', input: { note: word } }] },
        { text: `${word}, then` },
      ],
    };
    runs.push(await send(world.url, id, script));
  }
  await framesOf(world.url, runs.at(-1)!.id);
  const whole = (await pages(`/api/threads/${id}/messages`, 1000)).flat();
  expect(whole.map(({ role, run_id, ended }) => [role, run_id, ended])).toEqual(
    runs.flatMap((run) => [
      ['user', run.id, undefined],
      ['assistant', run.id, 'complete'],
      ['assistant', run.id, 'complete'],
    ]),
  );
  expect(whole.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual(
    ['one', 'two', 'three'].flatMap((word) => [`${word}, first`, `${word}, then`]),
  );
  for (const limit of [1, 2, 4, 9])
    expect((await pages(`/api/threads/${id}/messages`, limit)).flat()).toEqual(whole);
});

test('a thread without messages has an empty list', async () => {
  expect(
    (await ask('GET', `${world.url}/api/threads/${await createThread(world.url)}/messages`)).body,
  ).toEqual({ items: [], next: null });
});

const SOME = '01890000-0000-7000-8000-000000000000';
test.each([
  'x',
  '1',
  SOME,
  `2024-01-01T00:00:00.000000Z_${SOME}x`,
  `2024-13-01T00:00:00.000000Z_${SOME}`,
  `2024-02-31T00:00:00.000000Z_${SOME}`,
  `2024-01-01T24:30:00.000000Z_${SOME}`,
  `0000-01-01T00:00:00.000000Z_${SOME}`,
  `2024-01-01T00:00:00Z_${SOME}`,
  '2024-01-01T00:00:00.000000Z_00000000-0000-0000-0000-00000000000g',
])('a cursor that no page of threads gave is 400: %s', async (cursor) => {
  expect(await ask('GET', `${world.url}/api/threads?after=${encodeURIComponent(cursor)}`)).toMatchObject({
    status: 400,
    body: { code: 'invalid_cursor' },
  });
});

test.each(['x', '1', '-1.0', '1.', '1.2.3', '9999999999.0', '1.2x'])(
  'a cursor that no page of messages gave is 400: %s',
  async (cursor) => {
    const id = await createThread(world.url);
    expect(
      await ask('GET', `${world.url}/api/threads/${id}/messages?after=${encodeURIComponent(cursor)}`),
    ).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  },
);

test("a workspace's runs are listed newest first, by state and by chat, without a gap or a repeat", async () => {
  const one = await createThread(world.url);
  const other = await createThread(world.url);
  const ended: string[] = [];
  for (const thread of [one, other, one, other, one]) {
    const run = await send(world.url, thread, { steps: [{ text: 'x' }] });
    await framesOf(world.url, run.id);
    ended.unshift(run.id);
  }
  const held = await send(world.url, one, { steps: [{ hang: true }] });
  await seen(world.url, held.id, 'state');
  const waiting = await send(world.url, one, { steps: [{ text: 'x' }] });
  const path = '/api/v1/workspaces/default/runs';
  const ids = async (query: string, limit: number) => {
    const found = await ask('GET', `${world.url}${path}?limit=${limit}&${query}`);
    return found.body.items.map((run: { id: string }) => run.id);
  };
  const all = (await pages(path, 3)).flat().map(({ id }) => id);
  expect(all.slice(0, 7)).toEqual([waiting.id, held.id, ...ended]);
  expect(await ids('status=open', 10)).toEqual([waiting.id, held.id]);
  expect(await ids('status=queued', 10)).toEqual([waiting.id]);
  expect(await ids(`chat=${other}`, 10)).toEqual([ended[1], ended[3]]);
  const { body } = await ask('GET', `${world.url}${path}?status=queued`);
  expect(body.items[0]).toMatchObject({
    thread_id: one,
    blocked_by: held.id,
    title: null,
    said: JSON.stringify({ steps: [{ text: 'x' }] }),
  });
  const long = await send(world.url, other, 'x'.repeat(300));
  const { body: shown } = await ask('GET', `${world.url}/api/runs/${long.id}`);
  expect([shown.said, shown.title]).toEqual(['x'.repeat(300), null]);
  expect((await ask('GET', `${world.url}${path}?chat=${other}&limit=1`)).body.items[0].said).toHaveLength(
    200,
  );
  expect((await ask('GET', `${world.url}${path}?after=x`)).body.code).toBe('invalid_cursor');
  expect((await ask('GET', `${world.url}/api/v1/workspaces/none/runs`)).body.code).toBe(
    'workspace_not_found',
  );
  await ask('POST', `${world.url}/api/runs/${held.id}/cancel`, {});
  await framesOf(world.url, waiting.id);
});

test('a message with what the database cannot hold in a text is listed, as U+FFFD, and everything of it can be read', async () => {
  const workspace = `${world.url}/api/v1/workspaces/default`;
  const opened = await ask('POST', `${workspace}/chats`, { goal: 'a\u0000b \ud800 c' });
  expect(opened.status).toBe(201);
  const { chat, run } = opened.body;
  const said = 'a\ufffdb \ufffd c';
  expect((await ask('GET', `${workspace}/runs?limit=1`)).body.items[0]).toMatchObject({ id: run.id, said });
  expect((await ask('GET', `${world.url}/api/runs/${run.id}`)).body).toMatchObject({ said });
  await framesOf(world.url, run.id);
  const paths = [`/chats`, `/chats/${chat.id}`, `/chats/${chat.id}/messages`];
  for (const path of paths) expect([path, (await ask('GET', workspace + path)).status]).toEqual([path, 200]);
  for (const path of [`/threads/${chat.id}/messages`, `/runs/${run.id}/why`])
    expect([path, (await ask('GET', `${world.url}/api${path}`)).status]).toEqual([path, 200]);
  expect((await ask('POST', `${world.url}/api/runs/${run.id}/cancel`)).status).toBe(409);
});
