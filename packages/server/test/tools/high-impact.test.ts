// Calls with a high impact: removals, publications, many entities at once, external effects. They are validated before a person
// is asked, and an approval holds for what was validated.

import { expect, test } from 'vitest';
import { AS_PERSON, ask, framesOf, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { bytes, get, newSpace, put, type Space } from '../files/support.ts';

const world = usePod();

const article = (title: string, more = '') => `---\ntitle: ${title}\n---\n\nWords.${more}\n`;
/** A chat whose model makes these calls, a message each. */
const open = async (space: Space, calls: readonly object[], more: object = {}) => {
  const steps = [...calls.map((each) => ({ calls: [each].flat() })), { text: 'Done.' }];
  const { status, body } = await ask('POST', `${space.url}/chats`, {
    goal: JSON.stringify({ steps }),
    ...more,
  });
  expect(status).toBe(201);
  return body.run.id as string;
};
const waiting = (space: Space, run: string) =>
  until('the run asks a person', async () => {
    const { items } = (await ask('GET', `${space.url}/approvals`)).body;
    return items.find((each: { run_id: string }) => each.run_id === run) as
      | { id: string; tool: string; reason: string }
      | undefined;
  });
const decide = (space: Space, { id }: { id: string }, body: object = { decision: 'approve' }) =>
  ask('POST', `${space.url}/approvals/${id}`, body);
const ends = async (run: string) =>
  (await framesOf(world.url, run))
    .filter(({ event }) => event === 'tool_end')
    .map(({ data }) => data as { tool: string; success: boolean; output: { error?: string; text?: string } });
const asked = async (run: string) =>
  (await framesOf(world.url, run)).filter(({ event }) => event === 'approval').length;
const publisher = (space: Space) =>
  put(
    space,
    'agents/publisher.md',
    '---\ntools: [read, write, publish_content, unpublish_content]\n---\nYou publish.\n',
    AS_PERSON,
  );

test.each<[what: string, call: object, why: RegExp]>([
  [
    'a removal of nothing',
    { tool: 'remove', input: { path: '/notes/none.md' } },
    /no file or folder at \/notes\/none\.md/,
  ],
  [
    'a removal of a folder that is not said to be one',
    { tool: 'remove', input: { path: '/notes' } },
    /folder with 2 files; set recursive/,
  ],
  [
    'a change of agents that does not apply',
    { tool: 'edit', input: { path: '/AGENTS.md', edits: [{ old_text: 'absent', new_text: 'x' }] } },
    /old_text is not in the file/,
  ],
  [
    'an external call without what its schema requires',
    { tool: 'external', input: { path: 7 } },
    /does not match the tool’s schema|does not match the tool's schema/,
  ],
])('PLAN-5 %s is a result that the model can act on, and nobody is asked', async (_, call, why) => {
  const space = await newSpace(world.url);
  for (const path of ['notes/a.md', 'notes/b.md', 'AGENTS.md']) await put(space, path, 'words', AS_PERSON);
  const run = await open(space, [call]);
  const [end] = await ends(run);
  expect(end).toMatchObject({ success: false, output: { error: expect.stringMatching(why) } });
  expect(await asked(run)).toBe(0);
});

test('PLAN-5 a piece that cannot be published is refused before a person is asked, with each problem', async () => {
  const space = await newSpace(world.url);
  await put(space, 'content/articles/bad.md', article('Bad', ' See [this](/content/articles/none.md).'));
  await publisher(space);
  const call = { tool: 'publish_content', input: { type: 'articles', slug: 'bad', version: 1 } };
  const run = await open(space, [call], { role: 'publisher' });
  const [end] = await ends(run);
  expect(end).toMatchObject({ success: false, output: { error: expect.stringContaining('none.md') } });
  expect(end!.output.error).toContain('nobody was asked');
  expect(await asked(run)).toBe(0);
});

test('PLAN-5 a person is told how much a call changes, and what was validated leaves nothing before the approval', async () => {
  const space = await newSpace(world.url);
  for (let n = 0; n < 25; n += 1) await put(space, `notes/${n}.md`, `note ${n}`);
  const before = await world.database.pool.query('select count(*) from changes where workspace_id = $1', [
    space.id,
  ]);
  const run = await open(space, [{ tool: 'remove', input: { path: '/notes', recursive: true } }]);
  const approval = await waiting(space, run);
  expect(approval.reason).toMatch(/says ask for remove on \/notes.*It changes 25 files and entities/);
  const after = await world.database.pool.query('select count(*) from changes where workspace_id = $1', [
    space.id,
  ]);
  expect(after.rows).toEqual(before.rows);
  expect((await get(space, 'notes/3.md')).status).toBe(200);
  await decide(space, approval);
  expect(await ends(run)).toMatchObject([{ success: true }]);
  expect((await get(space, 'notes/3.md')).status).toBe(404);
});

test('PLAN-5 an approval holds for the files as they were validated: a removal does not take what was added or changed since', async () => {
  const space = await newSpace(world.url);
  for (const change of ['notes/new.md', 'notes/a.md']) {
    await put(space, 'notes/a.md', `as it was before ${change}`);
    const run = await open(space, [{ tool: 'remove', input: { path: '/notes', recursive: true } }]);
    const approval = await waiting(space, run);
    await put(space, change, 'nobody has approved this');
    await decide(space, approval);
    expect(await ends(run)).toMatchObject([
      { success: false, output: { error: expect.stringContaining('no longer do what was approved') } },
    ]);
    expect((await get(space, change)).status).toBe(200);
  }
});

test('PLAN-5 a person approves one version of a piece, and no other one is published', async () => {
  const space = await newSpace(world.url);
  await publisher(space);
  await put(space, 'content/articles/news.md', article('Harmless'));
  const call = { tool: 'publish_content', input: { type: 'articles', slug: 'news', version: 1 } };
  const run = await open(space, [call], { role: 'publisher' });
  const approval = await waiting(space, run);
  await put(space, 'content/articles/news.md', article('Not what was approved'));
  await decide(space, approval);
  expect(await ends(run)).toMatchObject([{ success: true }]);
  expect((await bytes('GET', `${space.url}/content/articles`)).body.items).toMatchObject([
    { live: { version: 1, title: 'Harmless' } },
  ]);
});

test('PLAN-5 a call that an earlier call of the same message may make possible is asked about', async () => {
  const space = await newSpace(world.url);
  const run = await open(space, [
    [
      { tool: 'write', input: { path: '/new.md', content: 'x' } },
      { tool: 'remove', input: { path: '/new.md' } },
    ],
  ]);
  await decide(space, await waiting(space, run));
  expect((await ends(run)).map(({ success }) => success)).toEqual([true, true]);
});

test('PLAN-5 validation tells a model nothing about files that it may not read', async () => {
  const space = await newSpace(world.url);
  await put(space, 'secret/plan.md', 'The code is 4711.');
  await ask('PUT', `${space.url}/policy`, {
    rules: [
      { tool: '*', action: 'allow' },
      { tool: 'edit', action: 'ask' },
      { tool: 'read', path: '/secret/**', action: 'deny' },
    ],
  });
  const guess = (code: string) => ({
    tool: 'edit',
    input: { path: '/secret/plan.md', edits: [{ old_text: `The code is ${code}.`, new_text: 'x' }] },
  });
  for (const code of ['4711', '4712']) {
    const run = await open(space, [guess(code)]);
    expect((await waiting(space, run)).tool).toBe('edit');
    await ask('POST', `${world.url}/api/runs/${run}/cancel`);
  }
});

test('PLAN-5 more than 20 entities at once are made all or none, and the result names what is wrong', async () => {
  const space = await newSpace(world.url);
  const tasks = Array.from({ length: 25 }, (_, n) => ({ title: `Task ${n}`, goal: n === 24 ? 7 : 0 }));
  const create = { tool: 'create_onto_project', input: { name: 'Many', goals: ['Goal'], tasks } };
  await put(space, 'agents/maker.md', '---\ntools: ["*_onto_*", patch]\n---\nYou make.\n', AS_PERSON);
  for (let n = 0; n < 25; n += 1) await put(space, `f/${n}.txt`, 'one\n');
  const patch = Array.from(
    { length: 25 },
    (_, n) => `--- a/f/${n}.txt\n+++ b/f/${n}.txt\n@@ -1 +1 @@\n-${n === 24 ? 'other' : 'one'}\n+two\n`,
  ).join('');
  const run = await open(space, [create, { tool: 'patch', input: { patch } }], { role: 'maker' });
  const [made, patched] = await ends(run);
  expect(made).toMatchObject({ success: false, output: { error: expect.stringMatching(/goal|7/) } });
  expect((await ask('GET', `${space.url}/projects`)).body.items).toEqual([]);
  expect(patched).toMatchObject({ success: false, output: { error: expect.stringContaining('/f/24.txt') } });
  expect((await get(space, 'f/0.txt')).bytes.toString()).toBe('one\n');
});
