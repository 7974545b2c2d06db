// What is made of a server's words: names, schemas and floods, as functions.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGate } from '../../src/mcp/gate.ts';
import { modelToolName } from '../../src/mcp/names.ts';
import { toOutput } from '../../src/mcp/output.ts';
import { readSchema } from '../../src/mcp/schema.ts';
import { withoutSecrets } from '../../src/workspaces/hidden-values.ts';
import { cut } from '../../src/mcp/text.ts';
import { readTools } from '../../src/mcp/tools.ts';

const fits = (schema: unknown, value: unknown) => readSchema(schema).input.safeParse(value).success;

test('every name is one that providers accept, and the same each time', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: 'binary' }), (tool) => {
      const name = modelToolName('a-server-with-a-name-of-32-letter', tool);
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(modelToolName('a-server-with-a-name-of-32-letter', tool)).toBe(name);
    }),
    { numRuns: 500 },
  );
});

test('names that differ only in what is replaced stay apart', () => {
  const names = ['a b', 'a.b', 'a/b', 'a_b', 'a'.repeat(90), 'a'.repeat(91)].map((tool) =>
    modelToolName('s', tool),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names[3]).toBe('s__a_b');
});

test('any tool that a server may list is read or left out', () => {
  const source = { server: 's', trust: true, call: () => Promise.resolve(null) };
  const tool = fc.record(
    {
      name: fc.anything(),
      description: fc.anything(),
      inputSchema: fc.jsonValue(),
      annotations: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(tool, fc.anything()), { maxLength: 5 }), (given) => {
      const { tools, leftOut } = readTools(given, source);
      expect(tools.length + leftOut.length).toBe(given.length);
    }),
    { numRuns: 500 },
  );
});

test('a property may be called what a keyword is called', () => {
  const schema = {
    type: 'object',
    properties: { pattern: { type: 'string' }, items: { type: 'integer' } },
    required: ['pattern'],
    additionalProperties: false,
  };
  expect(fits(schema, { pattern: '*.ts' })).toBe(true);
  expect(fits(schema, { pattern: 3 })).toBe(false);
  expect(fits(schema, { pattern: 'x', more: 1 })).toBe(false);
  expect(readSchema(schema).forModels).toEqual(schema);
});

test('what is missing, unknown or of another type is refused; what lies deeper is for the server', () => {
  const schema = {
    type: 'object',
    properties: {
      count: { type: ['integer', 'null'] },
      colour: { enum: ['red', 1, null] },
      deep: { type: 'object', properties: { a: { type: 'string' } } },
      any: true,
    },
    required: ['count'],
    additionalProperties: false,
  };
  expect(fits(schema, { count: null, colour: 'red', deep: { a: 1 }, any: [] })).toBe(true);
  for (const wrong of [
    {},
    { count: 1.5 },
    { count: 1, colour: 'blue' },
    { count: 1, deep: [] },
    { count: 1, x: 1 },
  ])
    expect(fits(schema, wrong)).toBe(false);
});

test('no schema of 32 KiB takes long: expressions are not run, references not followed, nothing compiled', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => {
      const next = { $ref: `#/$defs/d${(n + 1) % 300}` };
      return [`d${n}`, { allOf: [next, next] }];
    }),
  );
  const schema = {
    type: 'object',
    $defs: doubling,
    properties: {
      a: { type: 'string', pattern: '^(a+)+$' },
      b: { $ref: '#/$defs/d0' },
      c: { oneOf: Array.from({ length: 500 }, () => ({ type: 'string' })) },
    },
  };
  expect(fits(schema, { a: `${'a'.repeat(60)}!`, b: 1, c: 'x' })).toBe(true);
  expect(fits(schema, { a: 3 })).toBe(false);
});

test.each([
  ['a type that is none', { a: { type: 'strin' } }],
  ['properties that are a list', { a: { type: 'object', properties: [] } }],
  ['a bound of an older draft', { a: { type: 'number', minimum: 1, exclusiveMinimum: true } }],
  ['a schema that is a text', { a: 'string' }],
  ['a reference to nothing', { a: { $ref: '#/$defs/none' } }],
  ['a reference to elsewhere', { a: { $ref: 'https://example.org/schema.json' } }],
])('%s is understood to be wrong', (_, properties) => {
  expect(() => readSchema({ type: 'object', properties })).toThrow(/its input schema/);
});

test('what providers refuse at the top of a schema is not shown', () => {
  const { forModels: shown } = readSchema({
    type: 'object',
    anyOf: [{ required: ['a'] }],
    $schema: 'http://json-schema.org/draft-07/schema#',
  });
  expect(shown).toEqual({ type: 'object', properties: {} });
});

test('a schema that is too deep is an error, not a crash', () => {
  const deep = JSON.parse(`${'{"not":'.repeat(4000)}{}${'}'.repeat(4000)}`) as unknown;
  const source = { server: 's', trust: false, call: () => Promise.resolve(null) };
  const given = [
    { name: 'deep', inputSchema: { type: 'object', properties: { a: deep } } },
    { name: 'b', inputSchema: { type: 'object' } },
  ];
  expect(readTools(given, source).tools.map(({ tool }) => tool)).toContain('b');
});

test('texts are cut between characters', () => {
  expect(cut('aé日', 2)).toEqual({ text: 'a', left: 5 });
  expect(cut('aé日', 3)).toEqual({ text: 'aé', left: 3 });
  expect(cut('aé日', 6)).toEqual({ text: 'aé日', left: 0 });
});

test('secrets are hidden, the longest first, and common words are not', () => {
  expect(withoutSecrets('key abcd, abcdef; a', ['abcd', 'abcdef', 'a'])).toBe('key [hidden], [hidden]; a');
});

test('a flood is told once, and only what comes within ten seconds counts', () => {
  let time = 0;
  const floods: string[] = [];
  const gate = createGate(
    () => time,
    (reason) => floods.push(reason),
  );
  for (let round = 0; round < 3; round += 1, time += 10_000)
    for (let count = 0; count < 10_000; count += 1) gate.message();
  expect(floods).toEqual([]);
  for (let count = 0; count < 10_002; count += 1) gate.message();
  expect(floods).toEqual(['it sent more than 10000 messages within 10 s']);
});

test.each([100, 5000, 100_000])('an answer with values %i deep is read without them', (depth) => {
  const text = '['.repeat(depth) + ']'.repeat(depth);
  const deep = JSON.parse(text) as unknown;
  expect(toOutput({ content: [{ type: 'text', text, more: deep }], structuredContent: deep })).toEqual({
    text,
    notes: [expect.stringContaining('64 levels')],
  });
  const { tools, leftOut } = readTools(
    [
      { name: 'deep', inputSchema: { type: 'object', properties: { x: { enum: [deep] } } } },
      { name: 'fine', inputSchema: { type: 'object' } },
    ],
    { server: 's', trust: false, call: () => Promise.resolve({}) },
  );
  expect(tools.map(({ tool }) => tool)).toEqual(['fine']);
  expect(leftOut).toMatchObject([{ tool: 'deep', reason: expect.stringContaining('64 levels') as string }]);
});
