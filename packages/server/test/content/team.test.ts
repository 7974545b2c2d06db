// The content team: the strategist brings the others in, and a topic becomes a plan, drafts and published pages.

import { expect, test } from 'vitest';
import { printPlan, type AgentPlan } from '@continuo/protocol';
import { AS_PERSON, ask, script, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { bytes, newSpace, put, type Space } from '../files/support.ts';

const world = usePod({ CONTINUO_PUBLIC_CONTENT: '*' });

const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const article = '---\ntitle: Tea\n---\n\nWater first.\n';

const campaign: AgentPlan = {
  id: 'tea',
  goal: 'Tea for beginners',
  stages: [
    {
      id: 'research',
      name: 'Research',
      mode: 'parallel',
      steps: [
        {
          id: 'facts',
          title: `Facts ${script({ text: 'Water boils.' })}`,
          intent: 'research',
          executor: 'researcher',
        },
        {
          id: 'questions',
          title: `Questions ${script({ text: 'How hot?' })}`,
          intent: 'research',
          executor: 'seo-specialist',
        },
      ],
    },
    {
      id: 'writing',
      name: 'Writing',
      mode: 'sequence',
      steps: [
        {
          id: 'draft',
          title: `Draft ${script(call('write', { path: '/content/articles/tea.md', content: article }), { text: 'Written.' })}`,
          intent: 'draft',
          executor: 'writer',
          inputs: ['facts', 'questions'],
          outputs: ['/content/articles/tea.md'],
        },
      ],
    },
    {
      id: 'review',
      name: 'Review',
      mode: 'sequence',
      steps: [
        {
          id: 'edit',
          title: `Edit ${script(
            call('read', { path: '/content/articles/tea.md' }),
            call('edit', {
              path: '/content/articles/tea.md',
              edits: [{ old_text: 'Water first.', new_text: 'Fresh water first.' }],
            }),
            { text: 'Edited.' },
          )}`,
          intent: 'update',
          executor: 'editor',
          inputs: ['draft'],
          outputs: ['/content/articles/tea.md'],
        },
        {
          id: 'judge',
          title: `Judge ${script(call('read', { path: '/content/articles/tea.md' }), { text: 'It can be published.' })}`,
          intent: 'review',
          executor: 'reviewer',
          inputs: ['edit'],
        },
      ],
    },
    {
      id: 'publishing',
      name: 'Publishing',
      mode: 'sequence',
      steps: [
        {
          id: 'publish',
          title: `Publish ${script(call('publish_content', { type: 'articles', slug: 'tea', version: 2 }), { text: 'Live.' })}`,
          intent: 'update',
          executor: 'content-strategist',
          inputs: ['judge'],
        },
      ],
    },
  ],
};

async function start(space: Space, goal: string, more: object = {}) {
  const opened = await ask('POST', `${space.url}/chats`, { goal, role: 'content-strategist', ...more });
  expect(opened.status).toBe(201);
  return opened.body as { chat: { id: string; mode: string }; run: { id: string } };
}
const planOf = (space: Space) =>
  until('the campaign has a plan', async () => {
    const { items } = (await ask('GET', `${space.url}/plans`)).body as {
      items: { id: string; path: string; state: string }[];
    };
    return items[0];
  });
const partsOf = async (role: string, space: Space): Promise<readonly { kind: string; text: string }[]> => {
  const opened = await ask('POST', `${space.url}/chats`, {
    goal: JSON.stringify({ steps: [{ text: 'Hi.' }] }),
    role,
    mode: 'chat_mode',
  });
  const run = opened.body.run.id as string;
  return until('the request is recorded', async () => {
    const { status, body } = await ask('GET', `${world.url}/api/runs/${run}/context`);
    return status === 200 && (body.parts as { kind: string; text: string }[]);
  });
};

test('WS-17 choosing the content strategist brings the team in: a topic becomes a plan, a person approves it, and its pages are live', async () => {
  const space = await newSpace(world.url);
  const goal = `Tea for beginners ${script(
    call('write', { path: '/content/campaign-plan.md', content: printPlan(campaign) }),
    { text: 'The plan is ready.' },
  )}`;
  const { chat, run } = await start(space, goal);
  expect(chat.mode).toBe('plan_then_execute');
  const plan = await planOf(space);
  expect(plan.path).toBe('/content/campaign-plan.md');
  const { rows } = await world.database.pool.query<{ role: string; said: string }>(
    `select r.role, m.content ->> 'text' as said from runs r join messages m on m.id = r.message_id where r.parent_run = $1`,
    [run.id],
  );
  expect(rows).toMatchObject([{ role: 'content-strategist' }]);
  for (const name of ['researcher', 'seo-specialist', 'writer', 'editor', 'reviewer'])
    expect(rows[0]!.said).toContain(`- ${name}: `);
  expect(rows[0]!.said).toContain('/content/campaign-plan.md');

  expect((await ask('POST', `${space.url}/plans/${plan.id}/approve`, {})).status).toBe(200);
  const approval = await until('publishing waits for a person', async () => {
    const { items } = (await ask('GET', `${space.url}/approvals`)).body as {
      items: { id: string; tool: string }[];
    };
    return items.find(({ tool }) => tool === 'publish_content');
  });
  const live = () => bytes('GET', `${world.url}/api/v1/content/${space.name}/articles/tea`);
  expect((await live()).status).toBe(404);
  await ask('POST', `${space.url}/approvals/${approval.id}`, { decision: 'approve' });
  await until('the campaign is done', async () => {
    const { body } = await ask('GET', `${space.url}/plans/${plan.id}/progress`);
    return body.state === 'done';
  });
  expect((await live()).body).toMatchObject({ title: 'Tea', html: '<p>Fresh water first.</p>', version: 2 });
  const roles = await world.database.pool.query<{ role: string }>(
    'select distinct role from runs where parent_run = $1 order by role',
    [run.id],
  );
  expect(roles.rows.map(({ role }) => role)).toEqual([
    'content-strategist',
    'editor',
    'researcher',
    'reviewer',
    'seo-specialist',
    'writer',
  ]);
});

test('WS-17 a chat with the strategist alone is asked for by its mode, and a plan of other roles has the planner', async () => {
  const space = await newSpace(world.url);
  const { chat } = await start(space, JSON.stringify({ steps: [{ text: 'Hi.' }] }), { mode: 'chat_mode' });
  expect(chat.mode).toBe('chat_mode');
  const opened = await ask('POST', `${space.url}/chats`, {
    goal: script({ text: 'No plan.' }),
    role: 'writer',
    mode: 'plan_then_execute',
  });
  const planners = await until('the planner was asked', async () => {
    const { rows } = await world.database.pool.query<{ role: string }>(
      'select role from runs where parent_run = $1',
      [opened.body.run.id],
    );
    return rows.length > 0 && rows;
  });
  expect(planners[0]!.role).toBe('planner');
});

test('WS-17 the current /content/STYLE.md is in the prompts of the content team’s roles, and of no other role', async () => {
  const space = await newSpace(world.url);
  const style = async (role: string) =>
    (await partsOf(role, space)).find(({ text }) => text.includes('/content/STYLE.md'))?.text;
  expect(await style('writer')).toBeUndefined();
  await put(space, 'content/STYLE.md', 'Say “tea”, never “infusion”.');
  for (const role of ['content-strategist', 'researcher', 'seo-specialist', 'writer', 'editor', 'reviewer'])
    expect(await style(role)).toContain('never “infusion”');
  expect(await style('coder')).toBeUndefined();
  await put(space, 'content/STYLE.md', 'Short sentences.');
  expect(await style('writer')).toContain('Short sentences.');
});

test('WS-17 a team is a file: it adds one or replaces the built-in one, and a mistake in it is named with its line', async () => {
  const space = await newSpace(world.url);
  const teams = async () => (await ask('GET', `${space.url}/teams`)).body.items as { name: string }[];
  expect(await teams()).toMatchObject([
    {
      name: 'content',
      lead: 'content-strategist',
      members: ['researcher', 'seo-specialist', 'writer', 'editor', 'reviewer'],
      plan: '/content/campaign-plan.md',
      files: ['/content/STYLE.md'],
      source: { kind: 'built-in' },
      problem: null,
    },
  ]);
  const write = (name: string, text: string) => put(space, `agents/teams/${name}.md`, text, AS_PERSON);
  await write('content', '---\nlead: writer\nmembers: [editor]\n---\nBe quick.\n');
  expect(await teams()).toMatchObject([
    { name: 'content', lead: 'writer', plan: '/plans/content.plan', text: 'Be quick.' },
  ]);
  await write('content', '---\nlead: writer\nmembers: [editor]\nplann: /x.md\n---\n');
  expect(await teams()).toMatchObject([
    {
      lead: 'writer',
      source: { version: 1 },
      problem: { line: 4, sentence: expect.stringContaining('plan') },
    },
  ]);
  await write('news', '---\nmembers: []\n---\n');
  expect((await teams())[1]).toMatchObject({
    name: 'news',
    lead: null,
    problem: { line: expect.any(Number) },
  });
  await write('news', '---\nlead: editor\nmembers: [writer, editor]\n---\n');
  expect((await teams())[1]).toMatchObject({
    problem: { line: 3, sentence: expect.stringContaining('editor is already in the team') },
  });
  // Teams are no roles.
  const roles = (await ask('GET', `${space.url}/roles`)).body.items as { name: string }[];
  expect(roles.map(({ name }) => name)).not.toContain('news');
});
