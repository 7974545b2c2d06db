import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonTooDeep, jsonExcess } from '../src/index.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('a text is too deep exactly if its value is', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 8, noUnicodeString: false }),
      fc.nat(8),
      fc.boolean(),
      (value, depth, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : 0);
        expect(isJsonTooDeep(text, depth)).toBe(depthOf(value) > depth);
      },
    ),
    { numRuns: 2000 },
  );
});

test('the content of strings does not count as nesting', () => {
  const brackets = '['.repeat(100);
  for (const text of [brackets, `\\${brackets}`, `"${brackets}`, `\\"${brackets}"`, `${brackets}\\`])
    expect(isJsonTooDeep(JSON.stringify([text, { [text]: text }]))).toBe(false);
  expect(isJsonTooDeep(`["\\\\",${brackets}`)).toBe(true);
});

test('objects, arrays and fields are counted together, and the fields of the outermost object alone', () => {
  // Two objects, an array and three fields; what is in strings does not count.
  const text = JSON.stringify({ 'a:{': [{ b: ':[{' }], c: 1 });
  expect(jsonExcess(text, { depth: 3, parts: 6, fields: 2 })).toBeNull();
  expect(jsonExcess(text, { depth: 3, parts: 5, fields: 2 })).toBe('parts');
  expect(jsonExcess(text, { depth: 3, parts: 6, fields: 1 })).toBe('fields');
  expect(jsonExcess(text, { depth: 2, parts: 6, fields: 2 })).toBe('depth');
});
