import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonTooDeep } from '../src/index.ts';

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

test('strings are no nesting, whatever is in them', () => {
  const brackets = '['.repeat(100);
  for (const text of [brackets, `\\${brackets}`, `"${brackets}`, `\\"${brackets}"`, `${brackets}\\`])
    expect(isJsonTooDeep(JSON.stringify([text, { [text]: text }]))).toBe(false);
  expect(isJsonTooDeep(`["\\\\",${brackets}`)).toBe(true);
});
