// Role files: what is read of them, and that every mistake is told with its place and with what is allowed.

import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRoleFile, ROLE_FILE_BYTES } from '../../src/agents/role-file.ts';

const parse = (text: string, known?: readonly string[]) => parseRoleFile(text, 'file', known);

test('a role file is its front matter and its preamble', async () => {
  const text = `---
# What people see.
description: Reviews texts
model: anthropic/claude-x
tools: [read, "mcp__*"]
permissions:
  - tool: "*"
    effect: transactional
    action: deny
  - { tool: write, path: "/notes/**", action: ask }
limits:
  steps: 20
  cost: 0.5
---

You review.

---
Well.
`;
  expect(await parse(text)).toEqual({
    ok: true,
    role: {
      description: 'Reviews texts',
      model: 'anthropic/claude-x',
      tools: ['read', 'mcp__*'],
      permissions: [
        { tool: '*', effect: 'transactional', action: 'deny' },
        { tool: 'write', path: '/notes/**', action: 'ask' },
      ],
      limits: { steps: 20, cost: 0.5 },
      preamble: 'You review.\n\n---\nWell.',
    },
  });
});

test('a file without front matter, with an empty one, or from another system is a role, too', async () => {
  const plain = { description: null, model: null, tools: null, permissions: [], limits: {}, preamble: 'Hi.' };
  for (const text of ['Hi.', '---\n---\nHi.', '\uFEFF---\r\n# nothing\r\n---\r\nHi.\r\n'])
    expect(await parse(text)).toEqual({ ok: true, role: plain });
});

test('an unknown tool is reported, unless an MCP server may have it', async () => {
  const known = ['read', 'write'];
  const withTools = (list: string) => parse(`---\ntools: [${list}]\n---\nYou.`, known);
  for (const list of ['read', '"*"', 'read, "wr*"', 'memory__recall', '"files__*"'])
    expect((await withTools(list)).ok).toBe(true);
  expect(await withTools('read, nosuchtool')).toEqual({
    ok: false,
    mistake: { line: 2, column: 15, sentence: 'tools[1]: there is no tool nosuchtool; allowed: read, write' },
  });
  expect(await withTools('raed')).toMatchObject({
    mistake: { sentence: 'tools[0]: there is no tool raed; did you mean read?' },
  });
  // Of many tools the first are named.
  const many = Array.from({ length: 30 }, (_, index) => `tool${index}`);
  expect(await parse('---\ntools: [nosuchname]\n---\nYou.', many)).toMatchObject({
    mistake: { sentence: expect.stringMatching(/; allowed: tool0, .*, tool23, and 6 others$/) },
  });
});

test.each<[string, string, number, number, RegExp]>([
  ['an unknown key', 'description: x\nmodle: a/b', 3, 1, /^modle is not a known key; did you mean model\?$/],
  ['a key far from any', 'wizardry: 1', 2, 1, /allowed: description, model, tools, permissions, limits$/],
  ['a wrong type', 'description:\n  - a', 3, 3, /^description: .*expected string, received array/],
  ['a list that is a word', 'tools: read', 2, 8, /^tools: .*expected array/],
  ['a tool that is a number', 'tools:\n  - read\n  - 7', 4, 5, /^tools\[1\]: .*expected string/],
  ['a bad glob of tools', 'tools: ["{a,b}"]', 2, 9, /^tools\[0\]: "\{" is not supported.*\*, \*\* and \?/],
  ['a star without quotes', 'permissions:\n  - tool: *\n    action: deny', 3, 11, /quotes, as in "\*"/],
  [
    'a bad glob of paths',
    'permissions:\n  - { tool: x, path: notes, action: ask }',
    3,
    22,
    /^permissions\[0\]\.path: .*slash: write "\/notes\/\*\*"/,
  ],
  [
    'an unknown action',
    'permissions:\n  - tool: x\n    action: perhaps',
    4,
    13,
    /^permissions\[0\]\.action: .*"allow"\|"ask"\|"deny"/,
  ],
  ['a rule without an action', 'permissions:\n  - tool: x', 3, 5, /^permissions\[0\]\.action: /],
  [
    'an unknown key in a rule',
    'permissions:\n  - tool: x\n    action: deny\n    paths: /x',
    5,
    5,
    /did you mean path\?/,
  ],
  ['a limit out of range', 'limits:\n  steps: 0', 3, 10, /^limits\.steps: .*>=1/],
  [
    'an unknown limit',
    'limits: { token: 5 }',
    2,
    11,
    /^limits\.token is not a known key; did you mean tokens\?/,
  ],
  ['a model with a space', 'model: a b', 2, 8, /^model: must be provider\/model/],
  ['a description of 501 characters', `description: ${'x'.repeat(501)}`, 2, 14, /^description: .*500/],
  ['a key twice', 'model: a/b\nmodel: c/d', 3, 1, /not YAML: Map keys must be unique/],
  ['an open quote', 'description: "x', 2, 16, /not YAML/],
  ['no keys', '- a\n- b', 2, 1, /keys with values/],
  ['an unknown alias', 'description: *x', 2, 14, /quotes/],
])('%s is told with line, column and what is allowed', async (_, yaml, line, column, sentence) => {
  const parsed = await parse(`---\n${yaml}\n---\nYou.`);
  expect(parsed).toEqual({ ok: false, mistake: { line, column, sentence: expect.stringMatching(sentence) } });
});

test('front matter without an end, a file without a text, and one that is too long are refused', async () => {
  expect(await parse('---\nmodel: a/b\n')).toMatchObject({
    mistake: { line: 1, sentence: expect.stringMatching(/not closed.*---/) },
  });
  expect(await parse('---\nmodel: a/b\n---\n \n')).toMatchObject({
    mistake: { line: 5, sentence: expect.stringMatching(/no text/) },
  });
  expect(await parse('')).toMatchObject({ mistake: { line: 1, column: 1 } });
  expect((await parse('x'.repeat(ROLE_FILE_BYTES))).ok).toBe(true);
  expect(await parse('é'.repeat(ROLE_FILE_BYTES / 2 + 1))).toMatchObject({
    mistake: { sentence: expect.stringMatching(/65538 bytes.*65536/) },
  });
});

test('a file that grows without bound by aliases is refused', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < 9; n += 1)
    lines.push(`a${n}: &a${n} [${Array.from({ length: 10 }, () => `*a${n - 1}`).join(', ')}]`);
  expect((await parse(`---\n${lines.join('\n')}\n---\nx`)).ok).toBe(false);
});

test('any text is a role or a mistake inside the file, and never an exception', async () => {
  const word = fc.constantFrom(
    '---',
    '\n',
    'tools',
    ': ',
    '- ',
    '[',
    '"',
    '&a',
    '*a',
    '{',
    ' ',
    'x',
    '!!set',
    '? ',
    '|',
    '\r\n',
    '%YAML 9',
    '\t',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 30 }).map((words) => `---\n${words.join('')}\n---\nx`),
  );
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const parsed = await parse(given);
      if (parsed.ok) return;
      const { line, column } = parsed.mistake;
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(given.split('\n').length);
      expect(column).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: 3000 },
  );
});

test('the built-in roles are good role files with a description each', async () => {
  const folder = new URL('../../src/agents/built-in/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name !== 'teams');
  expect(names.toSorted()).toEqual(
    [
      'assistant',
      'coder',
      'content-strategist',
      'editor',
      'judge',
      'planner',
      'researcher',
      'reviewer',
      'seo-specialist',
      'tooling',
      'writer',
    ].map((name) => `${name}.md`),
  );
  for (const name of names)
    expect(await parse(await readFile(new URL(name, folder), 'utf8'))).toMatchObject({
      ok: true,
      role: { description: expect.any(String) },
    });
});

test.each([
  ['brackets', '['.repeat(30_000)],
  ['closed brackets', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['braces', `${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['dashes', `${'- '.repeat(30_000)}1`],
])(
  'front matter that is nested tens of thousands of levels deep, in %s, is a mistake with a place',
  async (_how, deep) => {
    expect(await parse(`---\nlimits: ${deep}\n---\nYou review.`)).toMatchObject({
      ok: false,
      mistake: { line: expect.any(Number) as number },
    });
    expect(await parse(`---\nlimits:\n  ${deep}\n---\nYou review.`)).toMatchObject({ ok: false });
  },
);
