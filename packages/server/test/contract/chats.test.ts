// Chats over HTTP: opened with a goal, continued, listed, renamed, archived, removed and restored.

import { describe, expect, test } from 'vitest';
import { ask, framesOf, seen, until } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';
import { createPool } from '../../src/db/pool.ts';
import { doChores } from '../../src/upkeep/chores.ts';
import { newSpace, put, type Space } from '../files/support.ts';

const world = usePod();
const TWO = [
  { role: 'writer', brief: 'one' },
  { role: 'writer', brief: 'two' },
];
const NOBODY = '01890000-0000-7000-8000-000000000000';
const say = (...steps: unknown[]) => JSON.stringify({ steps });
const OK = say({ text: 'ok' });
const HANG = say({ text: 'x', hang: true });

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');

const chats = (space: Space) => `${space.url}/chats`;
const open = (space: Space, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  ask('POST', chats(space), { goal: OK, ...body }, headers);
const at = (space: Space, chat: { id: string }, rest = '') => `${chats(space)}/${chat.id}${rest}`;
const read = async (space: Space, chat: { id: string }) => (await ask('GET', at(space, chat))).body;
const done = async (run: { id: string }) => (await framesOf(world.url, run.id)).at(-1)!.data;

describe('opening', () => {
  test('WS-3 a goal opens a chat, and its first run begins', async () => {
    const space = await newSpace(world.url);
    const made = await open(space, { title: 'Tea', role: 'assistant', model: 'offline/script' });
    expect(made.status).toBe(201);
    const { chat, run } = made.body;
    expect(chat).toMatchObject({
      workspace_id: space.id,
      title: 'Tea',
      path: `/chats/tea-${chat.id.slice(-12)}.chat`,
      role: 'assistant',
      model: 'offline/script',
      mode: 'chat_mode',
      archived_at: null,
      removed_at: null,
    });
    expect(run).toMatchObject({ thread_id: chat.id, role: 'assistant', model: 'offline/script' });
    expect(made.headers.get('location')).toBe(`/api/v1/workspaces/${space.id}/chats/${chat.id}`);
    expect(await done(run)).toEqual({ status: 'done' });
    const later = await until('the chat is idle', async () => {
      const now = await read(space, chat);
      return now.state === 'idle' && now.active_run === null && now;
    });
    expect(later).toMatchObject({
      reason: null,
      session: { state: 'idle' },
      queued_runs: 0,
      waiting_approvals: 0,
      usage: { runs: 1, cost: 0 },
    });
    expect(later.usage.output).toBeGreaterThan(0);
    expect(Date.parse(later.updated_at)).toBeGreaterThanOrEqual(Date.parse(later.created_at));
    // One id: the chat is its thread, and is shown as a file.
    expect((await ask('GET', `${world.url}/api/threads/${chat.id}`)).body).toMatchObject({ title: 'Tea' });
    expect((await ask('GET', `${space.url}/files${chat.path}`)).text).toContain('ok');
  });

  test('WS-3 a chat without a title gets one from its goal, whatever the goal contains', async () => {
    const space = await newSpace(world.url);
    for (const [goal, title] of [
      ['Water the plants', 'Water the plants'],
      ['a\u0000b \ud800 c', expect.stringMatching(/^a.*b/)],
    ]) {
      const { chat, run } = (await open(space, { goal, model: 'offline/instant' })).body;
      await done(run);
      const titled = await until('the chat has a title', async () => {
        const now = await read(space, chat);
        return now.title !== null && now;
      });
      expect(titled).toMatchObject({ title, state: 'idle' });
      // The response that opened the chat may be late enough to have it.
      expect([null, titled.title]).toContain(chat.title);
      const renamed = await ask('PATCH', at(space, chat), { title: 'mine' });
      expect(renamed.body.title).toBe('mine');
      await done((await ask('POST', at(space, chat), { content: 'more' })).body.run);
      expect((await read(space, chat)).title).toBe('mine');
    }
  });

  test.each([
    [{ goal: '' }, 400, 'invalid_body', 'goal'],
    [{ goal: undefined }, 400, 'invalid_body', 'goal'],
    [{ title: '' }, 400, 'invalid_body', 'title'],
    [{ title: 'x'.repeat(201) }, 400, 'invalid_body', 'title'],
    [{ title: 'a\u0000' }, 400, 'invalid_body', 'NUL'],
    [{ role: 'a\u0000' }, 400, 'invalid_body', 'NUL'],
    [{ role: 'nobody' }, 400, 'unknown_role', 'there is no role "nobody"'],
    [{ model: 'no/model' }, 400, 'unknown_model', 'model'],
    [{ mode: 'party' }, 400, 'invalid_body', 'mode'],
    [{ limits: { steps: 0 } }, 400, 'invalid_body', 'limits.steps'],
    [{ surprise: 1 }, 400, 'invalid_body', 'surprise: is not a known field'],
    [{ files: ['/none.md'] }, 404, 'file_not_found', 'files[0]: there is no file /none.md'],
    [{ files: ['/a/../b'] }, 400, 'invalid_path', 'files[0]: the path is not valid'],
    [{ files: [NOBODY] }, 404, 'file_not_found', `files[0]: there is no file with the id ${NOBODY}`],
    [{ files: Array(21).fill('/a') }, 400, 'invalid_body', 'files'],
    [{ mode: 'plan_then_execute', plan_id: NOBODY }, 404, 'plan_not_found', 'There is no plan'],
    [
      { plan_id: NOBODY },
      400,
      'invalid_body',
      'a plan is run in the modes plan_then_execute and parallel_agents',
    ],
    [{ agents: TWO }, 400, 'invalid_body', 'only the mode parallel_agents takes them'],
    [{ mode: 'parallel_agents', agents: TWO.slice(1) }, 400, 'invalid_body', 'agents'],
    [
      { mode: 'parallel_agents', agents: TWO, plan_id: NOBODY },
      400,
      'invalid_body',
      'omit agents or plan_id',
    ],
    [
      { mode: 'parallel_agents', agents: [...TWO, { role: 'nobody', brief: 'x' }] },
      400,
      'unknown_role',
      'agents[2].role: there is no role "nobody"',
    ],
    [{ done_when: { criteria: ['x'] } }, 400, 'invalid_body', 'only the mode autonomous takes it'],
    [{ mode: 'autonomous', done_when: { criteria: [] } }, 400, 'invalid_body', 'done_when.criteria'],
  ])('WS-3 %j is refused, and nothing is left of it', async (given, status, code, detail) => {
    const space = await newSpace(world.url);
    const refused = await open(space, given);
    expect(refused).toMatchObject({ status, body: { code, detail: expect.stringContaining(detail) } });
    expect(await count(world.database, 'threads where workspace_id = $1', [space.id])).toBe(0);
  });

  test('WS-3 no chat is opened in an unknown or removed workspace', async () => {
    const space = await newSpace(world.url);
    expect((await ask('POST', `${world.url}/api/v1/workspaces/nobody/chats`, { goal: OK })).status).toBe(404);
    await ask('DELETE', space.url);
    expect(await open(space)).toMatchObject({ status: 410, body: { code: 'workspace_removed' } });
  });

  test('WS-3 the same Idempotency-Key opens one chat, also at once; another goal under it is refused', async () => {
    const space = await newSpace(world.url);
    const key = { 'idempotency-key': 'open-1' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => open(space, { title: 'a' }, key)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(({ body }) => body.chat.id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.run.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(4);
    for (const other of [{ title: 'b' }, { goal: say({ text: 'else' }), title: 'a' }]) {
      const refused = await open(space, other, key);
      expect(refused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    }
    expect(await count(world.database, 'threads where workspace_id = $1', [space.id])).toBe(1);
  });
});

describe('messages', () => {
  test('WS-5 the next message is answered by the chat’s role and model unless it names others', async () => {
    const space = await newSpace(world.url);
    await put(space, 'agents/poet.md', 'You are a poet.');
    const { chat, run } = (await open(space, { role: 'poet', model: 'offline/script' })).body;
    const url = at(space, chat);
    const next = await ask('POST', url, { content: OK });
    expect(next).toMatchObject({ status: 202, body: { run: { role: 'poet', model: 'offline/script' } } });
    expect(next.headers.get('location')).toBe(`/api/runs/${next.body.run.id}`);
    const other = await ask('POST', url, { content: 'hello', role: 'assistant', model: 'offline/instant' });
    expect(other.body.run).toMatchObject({ role: 'assistant', model: 'offline/instant' });
    const third = await ask('POST', `${world.url}/api/threads/${chat.id}/messages`, { content: OK });
    expect(third.body.run).toMatchObject({ role: 'poet', model: 'offline/script' });
    for (const each of [run, next.body.run, other.body.run, third.body.run])
      expect(await done(each)).toEqual({ status: 'done' });
    expect(await read(space, chat)).toMatchObject({ role: 'poet', usage: { runs: 4 } });
  });

  test('WS-5 a message with an Idempotency-Key is accepted once', async () => {
    const space = await newSpace(world.url);
    const { chat } = (await open(space)).body;
    const key = { 'idempotency-key': 'm-1' };
    const [one, two] = [
      await ask('POST', at(space, chat), { content: OK }, key),
      await ask('POST', at(space, chat), { content: OK }, key),
    ];
    expect(two.body.run.id).toBe(one.body.run.id);
    expect(two.headers.get('idempotency-replayed')).toBe('true');
    expect((await ask('POST', at(space, chat), { content: 'else' }, key)).status).toBe(422);
    await done(one.body.run);
  });

  test.each([
    [{ content: '' }, 400, 'invalid_body', 'content'],
    [{ content: 'x', policy: 'perhaps' }, 400, 'invalid_body', 'policy'],
    [{ content: 'x', model: 'offline/a\u0000' }, 400, 'invalid_body', 'model: must not contain NUL'],
    [{ content: 'x', replaces: 'm1' }, 400, 'invalid_body', 'replaces'],
    [
      { content: 'x', replaces: NOBODY },
      422,
      'unknown_message',
      'replaces: this is not the message of a person',
    ],
    [{ content: 'x', files: ['/none'] }, 404, 'file_not_found', 'files[0]: there is no file /none'],
    [{ content: 'x', role: 'nobody' }, 400, 'unknown_role', 'role: there is no role'],
  ])('WS-5 %j is refused, by the chat and by its thread', async (given, status, code, detail) => {
    const space = await newSpace(world.url);
    const { chat } = (await open(space)).body;
    for (const url of [at(space, chat), `${world.url}/api/threads/${chat.id}/messages`]) {
      const refused = await ask('POST', url, given);
      expect(refused).toMatchObject({ status, body: { code, detail: expect.stringContaining(detail) } });
    }
    expect(await count(world.database, 'runs where thread_id = $1', [chat.id])).toBe(1);
  });

  test('WS-5 a busy chat rejects a message with the policy reject, and names the open run', async () => {
    const space = await newSpace(world.url);
    const { chat, run } = (await open(space, { goal: HANG })).body;
    await seen(world.url, run.id, 'token');
    const refused = await ask('POST', at(space, chat), { content: OK, policy: 'reject' });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'thread_busy', run_id: run.id, detail: expect.stringContaining(run.id) },
    });
    await ask('POST', `${world.url}/api/runs/${run.id}/cancel`);
    await done(run);
    const taken = await until('the message is accepted', async () => {
      const answer = await ask('POST', at(space, chat), { content: OK, policy: 'reject' });
      return answer.status === 202 && answer;
    });
    expect(await done(taken.body.run)).toEqual({ status: 'done' });
  });
});

test('WS-5 repeating a message or a goal under its Idempotency-Key returns the first answer, even after its file was removed', async () => {
  const space = await newSpace(world.url);
  await put(space, 'a.md', 'one');
  const goal = (again = {}) =>
    ask('POST', `${space.url}/chats`, { goal: OK, files: ['/a.md'], ...again }, { 'idempotency-key': 'g' });
  const { body: opened } = await goal();
  const url = at(space, opened.chat);
  const message = (again = {}) =>
    ask('POST', url, { content: OK, files: ['/a.md'], ...again }, { 'idempotency-key': 'm' });
  const { body: sent } = await message();
  for (const { id } of [opened.run, sent.run]) await framesOf(world.url, id);
  await ask('DELETE', `${space.url}/files/a.md`);

  const openedAgain = await goal();
  expect([openedAgain.status, openedAgain.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect(openedAgain.body).toMatchObject({ chat: { id: opened.chat.id }, run: { id: opened.run.id } });
  const sentAgain = await message();
  expect([sentAgain.status, sentAgain.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
  expect(sentAgain.body.run.id).toBe(sent.run.id);

  for (const refused of [await message({ content: 'Else.' }), await goal({ title: 'Else' })])
    expect([refused.status, refused.body.code]).toEqual([422, 'idempotency_key_reused']);
  // Under another key it is a new message, and its file is not there.
  const other = await ask('POST', url, { content: OK, files: ['/a.md'] }, { 'idempotency-key': 'n' });
  expect([other.status, other.body.code]).toEqual([404, 'file_not_found']);
});

test('RUN-15 attached files that the model was shown are sources, in every dialect', async () => {
  const space = await newSpace(world.url);
  const note = (await put(space, 'a.md', 'one')).body;
  const picture = (await put(space, 'pic.png', PNG)).body;
  await put(space, 'long.md', 'x'.repeat(16 * 1024 + 1));
  const other = (await put(space, 'b.md', 'two')).body;
  const read = say({ calls: [{ tool: 'read', input: { path: '/b.md' } }] }, { text: 'ok' });
  const { chat, run } = (await open(space, { goal: read, files: ['/pic.png', '/long.md', '/a.md'] })).body;
  const sources = [picture.id, note.id, other.id];
  const frames = await framesOf(world.url, run.id);
  expect(frames.find(({ event }) => event === 'final')!.data.sources).toEqual(sources);
  const pipe = (await ask('GET', at(space, chat, '/events?format=json'))).body.items;
  expect(pipe.find(({ type }: { type: string }) => type === 'done').data.metadata.sources).toEqual(sources);
  // Only the files of this message count: the note is not shown again.
  const later = (await ask('POST', at(space, chat), { content: OK, files: ['/b.md'] })).body.run;
  const final = (await framesOf(world.url, later.id)).find(({ event }) => event === 'final')!;
  expect(final.data.sources).toEqual([other.id]);
});

test('WS-10 a result has a text and its value; versions and stops have their payloads', async () => {
  const space = await newSpace(world.url);
  const write = { tool: 'write', input: { path: '/src/auth.md', content: 'one' } };
  const goal = say({ calls: [write] }, { deltas: ['half an answer'], hang: true });
  const { chat, run } = (await open(space, { goal })).body;
  await seen(world.url, run.id, 'token');
  await ask('POST', at(space, chat, '/stop'));
  await done(run);
  const { items } = (await ask('GET', at(space, chat, '/events?format=json'))).body;
  const data = (type: string) =>
    items.filter((each: { type: string }) => each.type === type).map((each: { data: unknown }) => each.data);
  const text = '/src/auth.md created: version 1, 3 B';
  expect(data('observation')).toMatchObject([{ output: text, data: { text }, success: true }]);
  expect(data('file_updated')).toMatchObject([{ path: '/src/auth.md', v: 1 }]);
  expect(data('stopped')).toEqual([
    { reason: 'user_cancelled', partial_response: 'half an answer', run: run.id },
  ]);
});

test('WS-3 files are attached by id or path, in their current version, and clients and the model see them', async () => {
  const space = await newSpace(world.url);
  const note = (await put(space, 'notes/a.md', 'one')).body;
  await put(space, 'pic.md', PNG);
  const files = [
    { file: note.id, path: '/notes/a.md', v: 1, media_type: 'text/markdown', size: 3 },
    { path: '/pic.md', v: 1, media_type: 'image/png', size: PNG.length },
  ];
  const { chat, run } = (await open(space, { files: [note.id, 'pic.md'] })).body;
  const frames = await framesOf(world.url, run.id);
  expect(frames.at(-1)!.data).toEqual({ status: 'done' });
  expect(frames.find(({ event }) => event === 'message')!.data.files).toMatchObject(files);
  await put(space, 'notes/a.md', 'two');
  const second = await ask('POST', at(space, chat), { content: OK, files: ['/notes/a.md'] });
  await done(second.body.run);
  const said = (await ask('GET', `${world.url}/api/threads/${chat.id}/messages`)).body.items;
  expect(said.map((message: { files?: unknown }) => message.files)).toMatchObject([
    files,
    undefined,
    [{ path: '/notes/a.md', v: 2 }],
    undefined,
  ]);
  const audit = (await ask('GET', at(space, chat, '/messages'))).body.items;
  expect(audit[0]).toMatchObject({ role: 'user', content: OK, files });
  expect((await ask('GET', `${space.url}/files${chat.path}`)).text).toContain(
    '- attached **/notes/a.md**, version 2',
  );
  await ask('DELETE', `${space.url}/files/notes/a.md`);
  const gone = await ask('POST', at(space, chat), { content: OK, files: ['/pic.md', note.id] });
  expect(gone).toMatchObject({
    status: 404,
    body: {
      code: 'file_not_found',
      detail: 'files[1]: /notes/a.md was removed; POST …/restore restores it',
      errors: [{ path: 'files[1]' }],
    },
  });
  const other = await newSpace(world.url);
  expect((await open(other, { files: [note.id] })).status).toBe(404);
  expect((await open(space, { files: ['/pik.md'] })).body.detail).toBe(
    'files[0]: there is no file /pik.md; did you mean /pic.md?',
  );
});

describe('a list', () => {
  test('chats are listed by their latest activity, in pages, by state, and without archived ones', async () => {
    const space = await newSpace(world.url);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { chat, run } = (await open(space, { title: `chat ${n}` })).body;
      await done(run);
      ids.unshift(chat.id as string);
    }
    const busy = (await open(space, { goal: HANG })).body;
    await seen(world.url, busy.run.id, 'token');
    const list = async (query = '') => {
      const found: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const { body } = await ask('GET', `${chats(space)}?limit=2${query}${after && `&after=${after}`}`);
        found.push(...body.items.map(({ id }: { id: string }) => id));
        after = body.next as string | null;
      }
      return found;
    };
    expect(await list()).toEqual([busy.chat.id, ...ids]);
    expect(await list('&state=running')).toEqual([busy.chat.id]);
    await until('all five chats are idle', async () => (await list('&state=idle')).length === 5);
    expect(await list('&state=idle')).toEqual(ids);
    const oldest = ids.pop()!;
    await done((await ask('POST', at(space, { id: oldest }), { content: OK })).body.run);
    ids.unshift(oldest);
    await until('all five chats are idle', async () => (await list('&state=idle')).length === 5);
    expect(await list('&state=idle')).toEqual(ids);
    await ask('PATCH', at(space, { id: ids[1]! }), { archived: true });
    expect(await list('&state=idle')).toEqual(ids.filter((_, index) => index !== 1));
    expect(await list('&archived=true')).toEqual([ids[1]]);
    expect(await list('&removed=true')).toEqual([]);
    for (const query of ['state=busy', 'archived=yes', 'limit=0', 'after=x'])
      expect((await ask('GET', `${chats(space)}?${query}`)).status).toBe(400);
    expect((await ask('GET', `${world.url}/api/v1/workspaces/nobody/chats`)).status).toBe(404);
    await ask('POST', `${world.url}/api/runs/${busy.run.id}/cancel`);
    await done(busy.run);
  });

  test('a chat of another workspace is 404', async () => {
    const [space, other] = [await newSpace(world.url), await newSpace(world.url)];
    const { chat } = (await open(space)).body;
    for (const id of [chat.id, NOBODY])
      for (const [method, rest, body] of [
        ['GET', ''],
        ['POST', '', { content: OK }],
        ['PATCH', '', { title: 'x' }],
        ['DELETE', ''],
        ['POST', '/restore'],
        ['POST', '/stop'],
        ['POST', '/pause'],
        ['POST', '/resume'],
        ['POST', '/ping'],
        ['GET', '/messages'],
        ['GET', '/sessions'],
      ] as const) {
        const answer = await ask(method, at(other, { id }, rest), body);
        expect([method, rest, answer.status, answer.body.code]).toEqual([
          method,
          rest,
          404,
          'chat_not_found',
        ]);
      }
    expect((await ask('GET', at(space, { id: 'x' }))).body.code).toBe('invalid_params');
  });
});

test('PLUS-5 a chat is pinned and unpinned; pinned chats can be listed alone, and others without them', async () => {
  const space = await newSpace(world.url);
  const { chat } = (await open(space, { title: 'Pinned' })).body;
  const { chat: other } = (await open(space, { title: 'Other' })).body;
  const list = async (query: string) =>
    ((await ask('GET', `${chats(space)}?${query}`)).body.items as { id: string }[]).map(({ id }) => id);
  expect(chat.pinned_at).toBeNull();
  const pinned = (await ask('PATCH', at(space, chat), { pinned: true })).body;
  expect(pinned).toMatchObject({ title: 'Pinned', pinned_at: expect.any(String), archived_at: null });
  expect((await ask('PATCH', at(space, chat), { pinned: true })).body.pinned_at).toBe(pinned.pinned_at);
  expect((await ask('PATCH', at(space, chat), { title: 'Kept' })).body.pinned_at).toBe(pinned.pinned_at);
  expect(await list('pinned=true')).toEqual([chat.id]);
  expect(await list('pinned=false')).toEqual([other.id]);
  expect(await list('limit=5')).toEqual([other.id, chat.id]);
  expect((await ask('GET', `${chats(space)}?pinned=yes`)).status).toBe(400);
  expect((await ask('PATCH', at(space, chat), { pinned: 1 })).body.code).toBe('invalid_body');
  expect((await ask('PATCH', at(space, chat), { pinned: false })).body.pinned_at).toBeNull();
  expect(await list('pinned=true')).toEqual([]);
});

test('PLUS-5 a chat, or one run of it, is exported as Markdown and as JSON with every event', async () => {
  const space = await newSpace(world.url);
  const { chat, run } = (await open(space, { title: 'To share' })).body;
  await done(run);
  const { run: second } = (await ask('POST', at(space, chat), { content: OK })).body;
  await done(second);
  type Exported = { events: { seq: number }[]; as_of: number; run?: object };
  const get = (query: string) => fetch(`${at(space, chat)}/export?${query}`);
  const markdown = await get('');
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(markdown.headers.get('content-disposition')).toBe(
    `attachment; filename=to-share-${chat.id.slice(-12)}.md`,
  );
  const text = await markdown.text();
  expect(text).toMatch(/^# To share\n\n## Person · /);
  expect(text.match(/^## Person/gm)).toHaveLength(2);
  const { items } = (await ask('GET', `${world.url}/api/threads/${chat.id}/events?format=json&limit=1000`))
    .body;
  const whole = (await (await get('format=json')).json()) as Exported;
  expect(whole).toMatchObject({
    format: 'continuo-chat',
    version: 1,
    as_of: items.at(-1).seq,
    chat: { id: chat.id },
  });
  expect(whole.events).toEqual(items);
  const one = (await (await get(`format=json&run=${second.id}`)).json()) as Exported;
  expect(one.run).toMatchObject({ id: second.id, status: 'done' });
  expect(one.events).toEqual(items.filter((event: { run_id: string }) => event.run_id === second.id));
  expect((await (await get(`run=${second.id}`)).text()).match(/^## Person/gm)).toHaveLength(1);
  const other = (await open(space, { title: 'Other' })).body;
  for (const [query, status, code] of [
    [`run=${other.run.id}`, 404, 'run_not_found'],
    [`run=${NOBODY}`, 404, 'run_not_found'],
    ['format=pdf', 400, 'invalid_query'],
  ] as const)
    expect(await ask('GET', `${at(space, chat)}/export?${query}`)).toMatchObject({ status, body: { code } });
  const long = (await open(space, { title: 'Long' })).body;
  await done(long.run);
  const { run: tokens } = (
    await ask('POST', at(space, long.chat), { content: JSON.stringify({ steps: [{ tokens: 700 }] }) })
  ).body;
  await done(tokens);
  const exported = await fetch(`${at(space, long.chat)}/export?format=json`);
  const { events, as_of } = (await exported.json()) as Exported;
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(
    Array.from({ length: as_of }, (_, index) => index + 1),
  );
});

test('a chat is renamed and archived; its file follows its title', async () => {
  const space = await newSpace(world.url);
  const { chat } = (await open(space, { title: 'One' })).body;
  const renamed = await ask('PATCH', at(space, chat), { title: '  Zwei Äpfel ' });
  expect(renamed).toMatchObject({
    status: 200,
    body: { title: 'Zwei Äpfel', path: `/chats/zwei-äpfel-${chat.id.slice(-12)}.chat`, archived_at: null },
  });
  const away = (await ask('PATCH', at(space, chat), { archived: true })).body;
  expect(away).toMatchObject({ title: 'Zwei Äpfel', archived_at: expect.any(String) });
  expect((await ask('PATCH', at(space, chat), { archived: true })).body.archived_at).toBe(away.archived_at);
  expect((await ask('PATCH', at(space, chat), {})).body.archived_at).toBe(away.archived_at);
  expect((await ask('PATCH', at(space, chat), { archived: false })).body.archived_at).toBeNull();
  for (const body of [{ title: '' }, { title: 'a\u0000' }, { archived: 'yes' }, { role: 'poet' }])
    expect(await ask('PATCH', at(space, chat), body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body' },
    });
});

describe('removal', () => {
  test('a removed chat is stopped and 404, and can be restored', async () => {
    const space = await newSpace(world.url);
    const { chat, run } = (await open(space, { goal: HANG, title: 'gone' })).body;
    const queued = (await ask('POST', at(space, chat), { content: OK })).body.run;
    await seen(world.url, run.id, 'token');
    expect(await ask('DELETE', at(space, chat))).toMatchObject({ status: 204, text: '' });
    const canceled = "runs where thread_id = $1 and status = 'canceled'";
    await until(
      'both runs are canceled',
      async () => (await count(world.database, canceled, [chat.id])) === 2,
    );
    for (const { id } of [run, queued])
      for (const what of ['', '/events', '/why'])
        expect((await ask('GET', `${world.url}/api/runs/${id}${what}`)).status).toBe(404);

    for (const [method, rest, body] of [
      ['GET', ''],
      ['POST', '', { content: OK }],
      ['PATCH', '', { title: 'x' }],
      ['DELETE', ''],
      ['POST', '/stop'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/ping'],
      ['GET', '/messages'],
      ['GET', '/sessions'],
    ] as const) {
      const answer = await ask(method, at(space, chat, rest), body);
      expect([method, rest, answer.status, answer.body.code]).toEqual([method, rest, 410, 'chat_removed']);
    }
    const thread = `${world.url}/api/threads/${chat.id}`;
    expect((await ask('GET', thread)).status).toBe(404);
    expect((await ask('GET', `${thread}/messages`)).status).toBe(404);
    expect((await ask('POST', `${thread}/messages`, { content: OK })).status).toBe(404);
    expect((await ask('POST', `${world.url}/api/runs/${run.id}/retry`)).status).toBe(404);
    expect((await ask('GET', chats(space))).body.items).toEqual([]);
    expect((await ask('GET', `${world.url}/api/threads?workspace=${space.name}`)).body.items).toEqual([]);
    expect((await ask('GET', `${space.url}/files${chat.path}`)).status).toBe(404);
    expect((await ask('GET', `${space.url}/tree?path=/chats`)).body.items ?? []).toEqual([]);
    expect((await ask('GET', `${chats(space)}?removed=true`)).body.items).toMatchObject([
      { id: chat.id, removed_at: expect.any(String) },
    ]);

    const back = await ask('POST', at(space, chat, '/restore'));
    expect(back).toMatchObject({ status: 200, body: { id: chat.id, removed_at: null, title: 'gone' } });
    expect((await ask('POST', at(space, chat, '/restore'))).status).toBe(200);
    expect((await ask('GET', `${space.url}/files${chat.path}`)).status).toBe(200);
    const next = await ask('POST', at(space, chat), { content: OK });
    expect(await done(next.body.run)).toEqual({ status: 'done' });
  });

  test('agents do not see a removed chat', async () => {
    const space = await newSpace(world.url);
    const gone = (await open(space, { title: 'secret plan' })).body;
    await done(gone.run);
    await ask('DELETE', at(space, gone.chat));
    const { run } = (
      await open(space, {
        title: 'looking',
        goal: say(
          {
            calls: [
              { tool: 'ls', input: { path: '/chats' } },
              { tool: 'read', input: { path: gone.chat.path } },
            ],
          },
          { text: 'nothing' },
        ),
      })
    ).body;
    // Both are made at once, and end in any order.
    const ends = (await framesOf(world.url, run.id)).filter(({ event }) => event === 'tool_end');
    const [listed, read] = ['ls', 'read'].map((tool) => ends.find(({ data }) => data.tool === tool)!.data);
    expect([listed!.success, read!.success]).toEqual([true, false]);
    expect(JSON.stringify(listed)).not.toContain('secret');
    expect(JSON.stringify(listed)).toContain('looking');
  });

  test('after the grace period a removed chat is purged, and nothing else is', async () => {
    const space = await newSpace(world.url);
    const [old, young, live] = [
      (await open(space)).body,
      (await open(space)).body,
      (await open(space)).body,
    ] as const;
    for (const { run } of [old, young, live]) await done(run);
    for (const { chat } of [old, young]) await ask('DELETE', at(space, chat));
    const ago = "clock_timestamp() - interval '7 days 1 minute'";
    await world.database.pool.query(`update threads set removed_at = ${ago} where id = $1`, [old.chat.id]);
    const pool = createPool(
      { connection: world.database.url, applicationName: 'chores', leaseSeconds: 30 },
      () => undefined,
    );
    try {
      await until(
        'the chat is purged',
        async () =>
          (await count(world.database, 'threads where id = $1', [old.chat.id])) === 0 ||
          doChores(pool).then(() => false),
      );
    } finally {
      await pool.end();
    }
    for (const table of ['events', 'messages', 'runs', 'sessions'])
      expect(await count(world.database, `${table} where thread_id = $1`, [old.chat.id])).toBe(0);
    expect((await ask('POST', at(space, old.chat, '/restore'))).status).toBe(404);
    expect((await ask('POST', at(space, young.chat, '/restore'))).status).toBe(200);
    expect((await ask('GET', at(space, live.chat))).status).toBe(200);
  });

  test('runs that are still open in a chat that is due for its purge are stopped first', async () => {
    const space = await newSpace(world.url);
    const { chat, run } = (await open(space, { goal: HANG })).body;
    await seen(world.url, run.id, 'token');
    const ago = "clock_timestamp() - interval '8 days'";
    await world.database.pool.query(`update threads set removed_at = ${ago} where id = $1`, [chat.id]);
    const pool = createPool(
      { connection: world.database.url, applicationName: 'chores', leaseSeconds: 30 },
      () => undefined,
    );
    try {
      await doChores(pool);
      expect(await count(world.database, 'runs where id = $1', [run.id])).toBe(1);
      await until(
        'the chat is purged',
        async () =>
          (await count(world.database, 'threads where id = $1', [chat.id])) === 0 ||
          doChores(pool).then(() => false),
      );
    } finally {
      await pool.end();
    }
  });
});
