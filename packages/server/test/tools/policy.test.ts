// Rules: what matches, who wins, and that no way of writing a path goes around one.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PolicyRule } from '@continuo/protocol';
import { globProblem, parseGlob, pathGlobProblem } from '../../src/compute/glob.ts';
import { judge, policyRule, type JudgedCall } from '../../src/tools/policy.ts';
import { DEFAULT_POLICY } from '../../src/workspaces/policies.ts';

const ALL: PolicyRule = { tool: '*', action: 'allow' };
const call = (tool: string, paths: string[] = [], effect: JudgedCall['effect'] = 'transactional') => ({
  tool,
  effect,
  paths,
});
const verdict = (given: JudgedCall, workspace: readonly PolicyRule[], role: readonly PolicyRule[] = []) =>
  judge(given, { workspace, role }).action;

test.each<[string, string, boolean]>([
  ['/notes/*', '/notes/x.md', true],
  ['/notes/*', '/notes/a/x.md', false],
  ['/notes/**', '/notes/a/b/x.md', true],
  ['/notes/**', '/notes', true],
  ['/notes/**', '/notesx', false],
  ['/**/*.md', '/x.md', true],
  ['/**/*.md', '/a/b/x.md', true],
  ['/**/*.md', '/a/b/x.txt', false],
  ['/a/**/z', '/a/z', true],
  ['/a/**/z', '/a/b/z/c/z', true],
  ['/?.md', '/ä.md', true],
  ['/?.md', '/💡.md', true],
  ['/?.md', '/ab.md', false],
  ['/.*', '/.env', true],
  ['/*', '/.env', true],
  ['/AGENTS.md', '/agents.MD', true],
  ['/caf\u00e9/**', '/cafe\u0301/x', true],
  ['mcp__*', 'mcp__read', true],
  ['mcp__*', 'xmcp__read', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['*a*b*', 'xxbxxaxx', false],
  ['/a.c', '/abc', false],
  ['/(x)+', '/(x)+', true],
])('glob %s, path %s: %s', (glob, path, matches) => {
  expect(parseGlob(glob).matches(path)).toBe(matches);
});

test('a glob matches what its translation to a regular expression matches', () => {
  const letters = fc.constantFrom('a', 'b', '*', '?', 'A');
  const name = fc.oneof(
    fc.array(letters, { minLength: 1, maxLength: 4 }).map((each) => each.join('').replaceAll(/\*+/g, '*')),
    fc.constant('**'),
  );
  const path = fc.array(fc.stringMatching(/^[ab]{1,4}$/), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), path, (names, folders) => {
      const parts = names.map((each) =>
        each === '**' ? '(?:/[^/]+)*' : `/${each.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}`,
      );
      const expression = new RegExp(`^${parts.join('')}$`, 'i');
      const text = `/${folders.join('/')}`;
      const glob = parseGlob(`/${names.join('/')}`);
      expect(glob.matches(text)).toBe(expression.test(text));
      if (expression.test(text))
        for (let depth = 1; depth <= folders.length; depth += 1)
          expect(glob.reaches(`/${folders.slice(0, depth).join('/')}`)).toBe(true);
      if (glob.covers(text)) expect(expression.test(`${text}/b/ab`) && expression.test(text)).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

test('the longest glob against the longest path does not hold the server up', () => {
  const hard = `/**/${'*a'.repeat(200)}b/**/${'*a'.repeat(40)}/x`;
  expect(globProblem(hard)).toBe(null);
  // As a regular expression this would not end.
  for (const path of [`/${'a'.repeat(4095)}`, '/a'.repeat(2000)])
    expect(parseGlob(hard).matches(path)).toBe(false);
});

test.each<[string, RegExp]>([
  ['notes/**', /must begin with a slash/],
  ['/notes/', /ends with a slash/],
  ['/a//b', /two slashes/],
  ['/a/../b', /"\.\.", which no path contains/],
  ['/a**', /must stand alone/],
  ['/{a,b}', /is not supported/],
  ['/[ab]', /is not supported/],
  [`/${'a'.repeat(500)}`, /longer than 500/],
])('%s is no glob of paths', (glob, problem) => {
  expect(pathGlobProblem(glob)).toMatch(problem);
  expect(policyRule.safeParse({ tool: '*', path: glob, action: 'deny' }).success).toBe(false);
});

test('the last rule that matches decides, and what none matches is asked for', () => {
  const rules: PolicyRule[] = [
    ALL,
    { tool: 'write', path: '/notes/**', action: 'deny' },
    { tool: 'write', path: '/notes/open/**', action: 'allow' },
  ];
  expect(verdict(call('write', ['notes/x']), rules)).toBe('deny');
  expect(verdict(call('write', ['notes/open/x']), rules)).toBe('allow');
  expect(verdict(call('read', ['notes/x']), rules)).toBe('allow');
  expect(verdict(call('write', ['notes/x']), [])).toBe('ask');
  expect(verdict(call('write'), rules)).toBe('allow');
});

test('the default lets an agent write, and asks before it removes, goes outside, or changes agents', () => {
  for (const [given, action] of [
    [call('write', ['notes/x.md']), 'allow'],
    [call('remember'), 'allow'],
    [call('read', ['agents/coder.md'], 'pure'), 'allow'],
    [call('remove', ['notes/x.md']), 'ask'],
    [call('github__create_issue', [], 'external'), 'ask'],
    [call('github__get_issue', [], 'pure'), 'allow'],
    [call('write', ['agents/coder.md']), 'ask'],
    [call('write', ['/Agents/coder.md']), 'ask'],
    [call('write', ['AGENTS.md']), 'ask'],
    [call('move', ['notes/x.md', 'agents/x.md']), 'ask'],
    [call('move', ['agents/', 'notes/']), 'ask'],
    [call('restore', ['/']), 'ask'],
    [call('store__put', ['agents/x.md'], 'idempotent'), 'ask'],
  ] as const)
    expect([given, verdict(given, DEFAULT_POLICY)]).toEqual([given, action]);
});

test.each([
  './agents/x.md',
  '//agents//x.md',
  'notes/../agents/x.md',
  '/notes/./../agents/x.md',
  '../../agents/x.md',
  'AGENTS/X.MD',
  'agents/a/../x.md',
])('no spelling goes around a rule: %s', (path) => {
  expect(verdict(call('write', [path]), [ALL, { tool: '*', path: '/agents/*.md', action: 'deny' }])).toBe(
    'deny',
  );
});

test('a rule about a file tool holds for the tools that are like it', () => {
  const update = { ...call('update_onto_document', ['/projects/x/docs/A.md']), like: 'write' };
  const rules: PolicyRule[] = [ALL, { tool: 'write', path: '/projects/x/**', action: 'deny' }];
  expect(verdict(update, rules)).toBe('deny');
  expect(verdict({ ...update, like: 'read' }, rules)).toBe('allow');
  expect(verdict(update, [...rules, { tool: 'update_onto_*', action: 'allow' }])).toBe('allow');
  expect(verdict({ ...call('delete_onto_task', ['/projects/x']), like: 'remove' }, DEFAULT_POLICY)).toBe(
    'ask',
  );
});

test('a call is judged for each path that it touches, and the strictest verdict counts', () => {
  const rules: PolicyRule[] = [
    ALL,
    { tool: '*', path: '/secret/**', action: 'deny' },
    { tool: '*', path: '/public/**', action: 'allow' },
  ];
  expect(verdict(call('move', ['/secret/x', '/public/x']), rules)).toBe('deny');
  expect(verdict(call('move', ['/public/x', '/secret/x']), rules)).toBe('deny');
  expect(verdict(call('move', ['/public/x', '/public/y']), rules)).toBe('allow');
});

test('what takes a folder whole is judged for all that may be in it', () => {
  const rules: PolicyRule[] = [ALL, { tool: '*', path: '/office/secret/**', action: 'deny' }];
  expect(verdict(call('remove', ['/office/']), rules)).toBe('deny');
  expect(verdict(call('remove', ['/']), rules)).toBe('deny');
  expect(verdict(call('remove', ['/office/secret/deep/']), rules)).toBe('deny');
  expect(verdict(call('remove', ['/office/open/']), rules)).toBe('allow');
  expect(verdict(call('read', ['/office']), rules)).toBe('allow');
  // A part that is allowed says nothing about the rest.
  expect(
    verdict(call('remove', ['/office/']), [{ tool: '*', path: '/office/open/**', action: 'allow' }]),
  ).toBe('ask');
  expect(
    verdict(call('remove', ['/office/']), [...rules, { tool: '*', path: '/office/**', action: 'allow' }]),
  ).toBe('allow');
});

test('a role can narrow what the workspace allows, and never widen it', () => {
  const action = fc.constantFrom('allow', 'ask', 'deny');
  const rule = fc.record(
    {
      tool: fc.constantFrom('*', 'write', 'w*', 'remove'),
      path: fc.constantFrom('/**', '/notes/**', '/notes/x', '/agents/*'),
      effect: fc.constantFrom('transactional', 'external'),
      action,
    },
    { requiredKeys: ['tool', 'action'] },
  ) as fc.Arbitrary<PolicyRule>;
  const rules = fc.array(rule, { maxLength: 6 });
  const given = fc.record({
    tool: fc.constantFrom('write', 'remove', 'other'),
    effect: fc.constantFrom('transactional', 'external'),
    paths: fc.array(fc.constantFrom('/notes/x', 'notes/', '/agents/a', '/z'), { maxLength: 2 }),
  }) as fc.Arbitrary<JudgedCall>;
  const strictness = { allow: 0, ask: 1, deny: 2 };
  fc.assert(
    fc.property(given, rules, rules, (each, workspace, role) => {
      const alone = verdict(each, workspace);
      const both = verdict(each, workspace, role);
      expect(strictness[both]).toBeGreaterThanOrEqual(strictness[alone]);
      expect(strictness[both]).toBe(Math.max(strictness[alone], strictness[verdict(each, [ALL], role)]));
    }),
    { numRuns: 3000 },
  );
});

test('a verdict says whose rule it was, and which', () => {
  const { reason } = judge(call('write', ['./x.md']), {
    workspace: [ALL],
    role: [{ tool: 'write', path: '/*.md', action: 'deny' }],
  });
  expect(reason).toBe(
    'the role’s permissions, rule 1 (tool write, path /*.md), says deny for write on /x.md',
  );
  expect(judge(call('x'), { workspace: [], role: [] }).reason).toBe(
    'the workspace’s policy has no rule for x',
  );
});
