// A workspace's policy over HTTP.

import { expect, test } from 'vitest';
import { ask } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';

const world = usePod();
const WORKSPACE = '00000000-0000-7000-8000-000000000001';
const url = (id = WORKSPACE) => `${world.url}/api/v1/workspaces/${id}/policy`;
const put = (rules: unknown) => ask('PUT', url(), { rules });

test('a workspace without a policy of its own has the default', async () => {
  await world.database.pool.query('update workspaces set policy = null');
  const { body } = await ask('GET', url());
  expect(body.rules.slice(0, 3)).toEqual([
    { tool: '*', action: 'allow' },
    { tool: 'remove', action: 'ask' },
    { tool: '*', effect: 'external', action: 'ask' },
  ]);
});

test('a policy is read back as it was written', async () => {
  const rules = [
    { tool: '*', action: 'allow' },
    { tool: 'github__*', effect: 'external', path: '/**/*.md', action: 'deny' },
  ];
  expect(await put(rules)).toMatchObject({ status: 200, body: { rules } });
  const read = await ask('GET', url());
  expect(read.body).toEqual({ rules, network: [], version: expect.stringMatching(/^[0-9a-f]{16}$/) });
  // What was read can be written back.
  expect((await ask('PUT', url(), read.body)).body).toEqual(read.body);
  expect(await put([])).toMatchObject({ status: 200 });
  expect((await ask('GET', url())).body.rules).toEqual([]);
});

test('of several clients that add a rule to the same version one succeeds, and the others get a conflict', async () => {
  await world.database.pool.query('update workspaces set policy = null');
  const { rules, version } = (await ask('GET', url())).body;
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, number) =>
      ask('PUT', url(), { rules: [...rules, { tool: `tool_${number}`, action: 'allow' }], version }),
    ),
  );
  const [first, ...rest] = answers.toSorted((one, other) => one.status - other.status);
  expect(first).toMatchObject({ status: 200 });
  for (const answer of rest) expect(answer).toMatchObject({ status: 409, body: { code: 'policy_changed' } });
  expect((await ask('GET', url())).body).toEqual(first!.body);
});

test.each<[string, unknown, string, RegExp]>([
  ['an unknown action', [{ tool: '*', action: 'perhaps' }], 'rules[0].action', /allow.*ask.*deny/],
  [
    'a bad glob of paths',
    [
      { tool: '*', action: 'ask' },
      { tool: '*', path: 'x', action: 'ask' },
    ],
    'rules[1].path',
    /begin with a slash/,
  ],
  ['a bad glob of tools', [{ tool: '[a]', action: 'ask' }], 'rules[0].tool', /is not supported/],
  ['an unknown key', [{ tool: '*', action: 'ask', when: 'now' }], 'rules[0].when', /known field/],
  ['a rule without a tool', [{ action: 'ask' }], 'rules[0].tool', /missing/],
  ['201 rules', Array.from({ length: 201 }, () => ({ tool: '*', action: 'ask' })), 'rules', /200/],
  ['no list', { tool: '*' }, 'rules', /array/],
])('%s is refused with its place', async (_, rules, path, message) => {
  const answer = await put(rules);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  expect(answer.body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
});

test('an unknown workspace is 404', async () => {
  const id = '00000000-0000-7000-8000-00000000ffff';
  for (const answer of [await ask('GET', url(id)), await ask('PUT', url(id), { rules: [] })])
    expect(answer).toMatchObject({ status: 404, body: { code: 'workspace_not_found' } });
  expect((await ask('GET', url('x'))).status).toBe(404);
  expect((await ask('GET', url('default'))).status).toBe(200);
});
