// The offline model with any tool and any words: generated.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { user, talk } from './support.ts';

describe('for any tool and any words', () => {
  const scalar = fc.oneof(
    fc.record({ type: fc.constant('string') }),
    fc.record({
      type: fc.constant('string'),
      minLength: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.integer({ min: 3, max: 9 }),
    }),
    fc.record({ type: fc.constantFrom('number', 'integer'), minimum: fc.integer({ min: -5, max: 5 }) }),
    fc.record({ type: fc.constant('boolean') }),
    fc.record({
      type: fc.constant('string'),
      enum: fc.uniqueArray(fc.constantFrom('red', 'big', 'in_order', 'x'), { minLength: 1 }),
    }),
    fc.record({ const: fc.constantFrom(1, 'one', true) }),
    fc.record({ type: fc.constant('integer'), default: fc.integer() }),
    fc.record({ anyOf: fc.constant([{ type: 'string' }, { type: 'null' }]) }),
  );
  const names = fc.constantFrom(
    'path',
    'file_name',
    'query',
    'content',
    'a',
    'to',
    'limit',
    'seconds',
    'unit',
    'isDeep',
    'name',
  );
  const objectOf = (inner: fc.Arbitrary<unknown>) =>
    fc.array(fc.tuple(names, inner, fc.boolean()), { maxLength: 4 }).map((entries) => ({
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema])),
      required: [...new Set(entries.filter(([, , required]) => required).map(([name]) => name))],
      additionalProperties: false,
    }));
  const listOf = (inner: fc.Arbitrary<unknown>) =>
    fc.record({ type: fc.constant('array'), items: inner, minItems: fc.integer({ min: 0, max: 2 }) });
  const schemas = objectOf(fc.oneof(scalar, listOf(scalar), objectOf(fc.oneof(scalar, listOf(scalar)))));
  const toolNames = fc.constantFrom(
    'read_file',
    'writeNote',
    'search',
    'list-things',
    'run',
    'get_x',
    '_',
    'add',
  );
  const tools = fc.uniqueArray(
    fc.record({
      name: toolNames,
      description: fc.oneof(fc.constantFrom('Read a file.', 'Run it', ''), fc.string()),
      input: schemas,
    }),
    { minLength: 1, maxLength: 4, selector: (one) => one.name },
  );
  const words =
    'read write search run list add get file note things a.txt src/b.md `code` "q" 5 -2.5 path=c.txt content: limit red in_order true and then , . ? it to in with not isDeep read_file writeNote list-things get_x {"path":"x","a":1} [1,2] { 30 seconds é 😀 __proto__=1';
  const word = fc.constantFrom(...words.split(' '), '"two words"', '\n');
  const asked = fc
    .tuple(toolNames, fc.array(word, { maxLength: 14 }))
    .map(([name, words]) => ['call', name, ...words].join(' '));
  const texts = fc.oneof(
    asked,
    fc.array(word, { maxLength: 14 }).map((words) => words.join(' ')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );

  test('RT-7 nothing throws, every input fits the schema, and every run ends', async () => {
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(tools, texts, fc.boolean(), async (given, text, failed) => {
        const { steps } = await talk([user(text)], given, () => ({ output: null, failed }));
        for (const [name, input] of steps.flat()) {
          const schema = given.find((one) => one.name === name)?.input;
          const checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(input);
          if (!checked.success)
            throw new Error(
              `${JSON.stringify(input)} does not fit ${JSON.stringify(schema)}: ${checked.error.message}`,
            );
          calls += 1;
        }
      }),
      { numRuns: 3000 },
    );
    expect(calls).toBeGreaterThan(200);
  }, 60_000);

  test('RT-7 properties may have the names of what every object has', async () => {
    const input = JSON.parse(
      '{"type":"object","required":["__proto__","constructor"],"properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"}}}',
    );
    const { steps } = await talk(
      [user('read_file __proto__=1 constructor="x"')],
      [{ name: 'read_file', description: '', input }],
    );
    expect(JSON.stringify(steps)).toBe('[[["read_file",{"__proto__":1,"constructor":"x"}]]]');
  });

  test('RT-7 schemas that refer to themselves, or make no sense, end in a question or a call', async () => {
    const odd: Record<string, unknown>[] = [
      {},
      { $ref: '#' },
      { type: 'object', required: ['self'], properties: { self: { $ref: '#' } } },
      { type: 'object', required: 'path', properties: [] },
      { type: 'object', required: ['x'], properties: { x: false } },
      {
        allOf: [
          { type: 'object', required: ['path'], properties: { path: { type: 'string', pattern: '(' } } },
        ],
      },
      {
        type: 'object',
        required: ['x'],
        properties: { x: { anyOf: [{ $ref: '#/nowhere' }, { type: 'string' }] } },
      },
    ];
    for (const input of odd)
      await talk(
        [user('read_file with path=a.txt, x="y" and self={"self":1}')],
        [{ name: 'read_file', description: 'Read a file', input }],
      );
  });
});

test('RT-7 a text of the stock that the schema has no room for is not put there', async () => {
  const content = { type: 'string', minLength: 0, maxLength: 4 };
  const input = { type: 'object', properties: { content }, required: [], additionalProperties: false };
  const tool = { name: 'read_file', description: 'Read a file.', input };
  const { steps } = await talk([user('call read_file list')], [tool], () => ({
    output: null,
    failed: false,
  }));
  expect(steps.flat()).toEqual([['read_file', { content: 'list' }]]);
});
