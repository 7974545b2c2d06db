// RT-3 on a whole server: what a provider is sent is made of the role's file, as it is when the run calls its model.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, createThread, framesOf, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { FILES_CHANGED } from '../../src/files/topics.ts';
import { storeContent } from '../../src/files/content.ts';
import { writeFile } from '../../src/files/files.ts';
import { parsePath } from '../../src/files/paths.ts';
import { busOn } from '../bus/support.ts';
import { ENV, type ProviderServer, startProvider } from '../models/server.ts';

const WORKSPACE = '00000000-0000-7000-8000-000000000001';
const env: Record<string, string> = { ...ENV };
let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
  Object.assign(env, { ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: `${server.url}/v1` });
});
const world = usePod(env);
afterAll(() => server[Symbol.asyncDispose]());

const roleUrl = (name: string) => `${world.url}/api/v1/workspaces/${WORKSPACE}/roles/${name}`;

/** Writes as another pod would: commits, and announces it. Resolves when this pod has it. */
async function write(path: string, text: string, seen: () => Promise<boolean>): Promise<void> {
  const { pool } = world.database;
  const parsed = parsePath(path);
  if (!parsed.ok) throw new Error(parsed.problem);
  const changed = await writeFile(pool, {
    workspaceId: WORKSPACE,
    path: parsed.path,
    author: { kind: 'person' },
    base: null,
    content: await storeContent(pool, text),
    quotaBytes: 2 ** 40,
  });
  expect(changed.kind).toBe('changed');
  await busOn(pool, { alone: false }).publish(FILES_CHANGED, { workspaceId: WORKSPACE });
  await until('the role on disk is the one in the database', seen);
}

const writeRole = (name: string, text: string, version: number) =>
  write(`agents/${name}.md`, text, async () => {
    const { body } = await ask('GET', roleUrl(name));
    return (body.problem ?? body.source)?.version === version;
  });

async function post(message: Record<string, unknown>) {
  const thread = await createThread(world.url);
  const answer = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content: 'Go.',
    ...message,
  });
  expect(answer).toMatchObject({ status: 202 });
  return answer.body.run;
}

async function sent(message: Record<string, unknown>) {
  const before = server.received.length;
  const run = await post(message);
  await framesOf(world.url, run.id);
  expect(server.received.length).toBe(before + 1);
  const {
    system,
    tools = [],
    model,
  } = server.received[before]!.body as {
    system: { text: string }[];
    tools?: { name: string }[];
    model: string;
  };
  return { run, model, system: system.map(({ text }) => text).join(), tools: tools.map(({ name }) => name) };
}

const poet = (extra: string, body: string) => `---\nmodel: anthropic/claude-sonnet-4-5\n${extra}---\n${body}`;

test('RT-3 a role’s file makes the agent, and an edit of it makes the next run’s', async () => {
  await writeRole('poet', poet('tools: ["pur*"]\nlimits: { steps: 7, cost: 2 }\n', 'You are a poet.'), 1);
  const first = await sent({ role: 'poet' });
  expect(first).toMatchObject({
    model: 'claude-sonnet-4-5',
    system: expect.stringContaining('You are a poet.'),
    tools: ['pure'],
    run: { model: 'anthropic/claude-sonnet-4-5', role: 'poet', limits: { steps: 7, cost: 2 } },
  });
  await writeRole('poet', poet('', 'You are a great poet.'), 2);
  const second = await sent({ role: 'poet', limits: { seconds: 90 } });
  expect(second.system).toContain('You are a great poet.');
  expect(second.tools).toEqual(expect.arrayContaining(['transactional', 'idempotent', 'external', 'pure']));
  expect(second.run.limits).toEqual({ seconds: 90 });
});

test('RT-3 a mistake leaves the last good version in use, where everybody can see why', async () => {
  await writeRole('singer', poet('', 'You sing.'), 1);
  await writeRole('singer', poet('tool: x\n', 'You shout.'), 2);
  expect((await sent({ role: 'singer' })).system).toContain('You sing.');
  expect((await ask('GET', roleUrl('singer'))).body).toMatchObject({
    name: 'singer',
    preamble: 'You sing.',
    source: { kind: 'file', path: '/agents/singer.md', version: 1 },
    problem: {
      path: '/agents/singer.md',
      version: 2,
      line: 3,
      column: 1,
      sentence: expect.stringContaining('tools'),
    },
  });
});

test('RT-3 the API reports an unknown tool as a problem of the role', async () => {
  await writeRole('juggler', poet('tools: [read, nosuchtool]\n', 'You juggle.'), 1);
  expect((await ask('GET', roleUrl('juggler'))).body).toMatchObject({
    preamble: null,
    problem: {
      version: 1,
      sentence: expect.stringMatching(/^tools\[1\]: there is no tool nosuchtool; allowed: ls,/),
    },
  });
  await writeRole('juggler', poet('tools: [read, memory__recall]\n', 'You juggle.'), 2);
  expect((await ask('GET', roleUrl('juggler'))).body).toMatchObject({
    preamble: 'You juggle.',
    problem: null,
  });
});

test('RT-3 a message’s limits come before its role’s, and a request’s model before the role’s', async () => {
  await writeRole('clerk', '---\nmodel: offline/demo\nlimits: { steps: 3, tokens: 500 }\n---\nYou count.', 1);
  const { run, model } = await sent({ role: 'clerk', model: 'anthropic/claude-x', limits: { steps: 9 } });
  expect([model, run.limits]).toEqual(['claude-x', { steps: 9, tokens: 500 }]);
});

test('RT-3 a role’s limits hold for its runs', async () => {
  await writeRole('brief', '---\nmodel: offline/script\nlimits: { steps: 1 }\n---\nYou are brief.', 1);
  const call = { calls: [{ tool: 'pure', input: { note: 'x' } }] };
  const run = await post({ role: 'brief', content: JSON.stringify({ steps: [call, call] }) });
  const frames = await framesOf(world.url, run.id);
  expect(frames.find(({ event }) => event === 'error')!.data).toMatchObject({ code: 'step_limit' });
});

test('RT-3 a tool that the role does not list is not offered; one that its permissions deny is refused', async () => {
  const text =
    '---\nmodel: offline/script\ntools: [pure, idempotent]\npermissions:\n  - { tool: idempotent, action: deny }\n---\nHi.';
  await writeRole('narrow', text, 1);
  const calls = ['pure', 'idempotent', 'external'].map((tool) => ({ tool, input: { note: 'x' } }));
  const run = await post({ role: 'narrow', content: JSON.stringify({ steps: [{ calls }, { text: 'ok' }] }) });
  const frames = await framesOf(world.url, run.id);
  const ends = frames.filter(({ event }) => event === 'tool_end').map(({ data }) => data);
  expect(
    Object.fromEntries(ends.map(({ tool, success, output }) => [tool, [success, JSON.stringify(output)]])),
  ).toEqual({
    pure: [true, expect.any(String)],
    idempotent: [false, expect.stringContaining('the role’s permissions, rule 1')],
    external: [
      false,
      expect.stringContaining('there is no tool named external; the tools are: idempotent, pure'),
    ],
  });
});

test('RT-3 AGENTS.md is in the prompt of every role of the workspace', async () => {
  const guided = async () => {
    const { system } = await sent({ model: 'anthropic/claude-x' });
    return system.includes('We write in Latin.');
  };
  await write('AGENTS.md', 'We write in Latin.', guided);
});

test('an unknown role, and one whose file never was good, are refused at once', async () => {
  const thread = await createThread(world.url);
  await writeRole('lost', '---\nmodel\n---\nHi.', 1);
  for (const [role, detail] of [
    ['nobody', /^role: there is no role "nobody"; the roles are: assistant, coder, /],
    ['lost', /^role: role "lost" cannot be used: \/agents\/lost\.md, line 2, column 1: /],
  ] as const)
    expect(
      await ask('POST', `${world.url}/api/threads/${thread}/messages`, { content: 'x', role }),
    ).toMatchObject({
      status: 400,
      body: { code: 'unknown_role', detail: expect.stringMatching(detail) },
    });
});

test('repeating a request under its key returns the same run, even after its role changed or was removed', async () => {
  await writeRole('steady', '---\nmodel: offline/script\n---\nOne.', 1);
  const thread = await createThread(world.url);
  const again = () =>
    ask(
      'POST',
      `${world.url}/api/threads/${thread}/messages`,
      { content: '{"steps":[{"text":"x"}]}', role: 'steady' },
      { 'idempotency-key': 'k1' },
    );
  const first = await again();
  await writeRole('steady', '---\nmodel: offline/instant\nlimits: { steps: 2 }\n---\nTwo.', 2);
  expect(await again()).toMatchObject({ status: 202, body: { run: { id: first.body.run.id } } });
  await writeRole('steady', '---\nmodel: nobody/none\n---\nThree.', 3);
  expect(await again()).toMatchObject({ status: 202, body: { run: { id: first.body.run.id } } });
});

test('the list of roles says where each comes from', async () => {
  const { body } = await ask('GET', `${world.url}/api/v1/workspaces/${WORKSPACE}/roles`);
  const names = body.items.map((role: { name: string }) => role.name);
  expect(names).toEqual(
    expect.arrayContaining(['assistant', 'coder', 'editor', 'planner', 'researcher', 'reviewer', 'writer']),
  );
  expect(body.items.find((role: { name: string }) => role.name === 'reviewer')).toMatchObject({
    source: { kind: 'built-in' },
    model: null,
    tools: expect.not.arrayContaining(['write', 'edit', 'patch', 'move', 'remove']),
  });
  expect(await ask('GET', roleUrl('nobody'))).toMatchObject({
    status: 404,
    body: { code: 'role_not_found' },
  });
  const other = '00000000-0000-7000-8000-00000000ffff';
  expect(await ask('GET', `${world.url}/api/v1/workspaces/${other}/roles`)).toMatchObject({ status: 404 });
});
