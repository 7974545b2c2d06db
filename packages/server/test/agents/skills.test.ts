// PLUS-9: the Agent Skills of a workspace. Their front matter is in every prompt, their body is read on demand.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, createThread, framesOf, until } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { parseSkillFile } from '../../src/agents/skill-file.ts';
import { ENV, type ProviderServer, startProvider } from '../models/server.ts';

const env: Record<string, string> = { ...ENV };
let server: ProviderServer;
beforeAll(async () => {
  server = await startProvider();
  Object.assign(env, { ANTHROPIC_BASE_URL: server.url });
});
const world = usePod(env);
afterAll(() => server[Symbol.asyncDispose]());

const inDefault = (path: string) => `${world.url}/api/v1/workspaces/default${path}`;

async function write(path: string, text: string): Promise<void> {
  const { status } = await ask('PUT', inDefault(`/files${path}`), text);
  expect(status).toBeLessThan(300);
}

const skill = (name: string, description: string, body = 'Do it well.') =>
  `---\nname: ${name}\ndescription: ${description}\nlicense: MIT\nmetadata:\n  author: us\n---\n${body}\n`;

const readSkills = async () => (await ask('GET', inDefault('/skills'))).body.items as { name: string }[];

async function systemOf(message: Record<string, unknown> = {}): Promise<string> {
  const before = server.received.length;
  const thread = await createThread(world.url);
  const { body } = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content: 'Go.',
    model: 'anthropic/claude-sonnet-4-5',
    ...message,
  });
  await framesOf(world.url, body.run.id);
  const { system } = server.received[before]!.body as { system: { text: string }[] };
  return system.map(({ text }) => text).join();
}

test('PLUS-9 a skill’s front matter is in every prompt, and its body is read on demand', async () => {
  expect(await systemOf()).not.toContain('skill');
  await write(
    '/.agents/skills/haiku/SKILL.md',
    skill('haiku', 'Writes haikus. Use it for poems.', 'Count: 5, 7, 5.'),
  );
  await write('/.agents/skills/haiku/references/seasons.md', 'Spring: blossoms.');
  await until('the skill is known', async () => (await readSkills()).length === 1);
  expect(await readSkills()).toEqual([
    {
      name: 'haiku',
      description: 'Writes haikus. Use it for poems.',
      license: 'MIT',
      compatibility: null,
      path: '/.agents/skills/haiku/SKILL.md',
      version: 1,
      problem: null,
    },
  ]);
  const system = await systemOf();
  expect(system).toContain('- haiku (/.agents/skills/haiku/SKILL.md): Writes haikus. Use it for poems.');
  expect(system).not.toContain('5, 7, 5');

  const thread = await createThread(world.url);
  const call = { calls: [{ tool: 'read', input: { path: '/.agents/skills/haiku/SKILL.md' } }] };
  const { body } = await ask('POST', `${world.url}/api/threads/${thread}/messages`, {
    content: JSON.stringify({ steps: [call, { text: 'Read.' }] }),
    model: 'offline/script',
  });
  const frames = await framesOf(world.url, body.run.id);
  const result = frames.find(({ event }) => event === 'tool_end')!.data as { output: { text: string } };
  expect(result.output.text).toContain('Count: 5, 7, 5.');
});

test('PLUS-9 a mistake leaves the last good version in use; a skill that was never valid is not in prompts', async () => {
  await write('/.agents/skills/haiku/SKILL.md', skill('limerick', 'Writes limericks.'));
  await write('/.agents/skills/broken/SKILL.md', 'No front matter.');
  const find = async () => {
    const skills = await readSkills();
    return skills.length === 2 && (skills[1] as { problem?: unknown }).problem ? skills : null;
  };
  const skills = await until('both mistakes are known', find);
  expect(skills).toMatchObject([
    {
      name: 'broken',
      description: null,
      problem: { line: 2, column: 1, sentence: 'name: must be the name of the skill’s folder' },
    },
    {
      name: 'haiku',
      description: 'Writes haikus. Use it for poems.',
      version: 1,
      problem: { version: 2, line: 2, column: 7, sentence: 'name: must be haiku, like the skill’s folder' },
    },
  ]);
  const system = await systemOf();
  expect(system).toContain('Writes haikus.');
  expect(system).not.toContain('broken');
});

test('PLUS-9 the prompt of a role that may not read a skill does not name it', async () => {
  const role = (extra: string) => `---\nmodel: anthropic/claude-sonnet-4-5\n${extra}---\nYou are a poet.`;
  await write('/agents/blind.md', role('tools: [ls]\n'));
  await write(
    '/agents/fenced.md',
    role('permissions:\n  - { tool: read, path: "/.agents/**", action: deny }\n'),
  );
  await until('the roles are known', async () => {
    const { body } = await ask('GET', inDefault('/roles'));
    return (body.items as { name: string }[]).filter(({ name }) => /blind|fenced/.test(name)).length === 2;
  });
  expect(await systemOf({ role: 'assistant' })).toContain('haiku');
  expect(await systemOf({ role: 'blind' })).not.toContain('haiku');
  expect(await systemOf({ role: 'fenced' })).not.toContain('haiku');
});

test.each([
  ['a name in capitals', 'name: PDF\ndescription: x', /^name: may have lower-case letters/],
  ['a description that is too long', `name: pdf\ndescription: ${'x'.repeat(1025)}`, /^description: /],
  ['no description', 'name: pdf', /^description: must say/],
  ['front matter that is not YAML', 'name: [', /^this is not YAML/],
])('PLUS-9 refuses %s', async (_what, yaml, sentence) => {
  const parsed = await parseSkillFile(`---\n${yaml}\n---\nBody.`, 'file', 'pdf');
  expect(parsed.ok ? '' : parsed.mistake.sentence).toMatch(sentence);
});

test('PLUS-9 a description stays on one line, and keys of other tools are ignored', async () => {
  const parsed = await parseSkillFile(
    '---\nname: pdf\ndescription: |\n  Fills in forms.\n  - other (/x): y\nallowed-tools: Read\nmodel: x\n---\nBody.',
    'file',
    'pdf',
  );
  expect(parsed).toMatchObject({ ok: true, skill: { description: 'Fills in forms. - other (/x): y' } });
});
