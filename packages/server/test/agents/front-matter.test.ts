// Front matter that people and agents write is read with its limits, and not on the event loop.

import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readFrontMatter } from '../../src/agents/front-matter.ts';
import { workers } from '../../src/compute/pool.ts';

afterAll(() => workers.close());

const wanted = { schema: z.looseObject({}), allowedIn: () => [], key: 'workspace' };
const read = (yaml: string) => readFrontMatter(`---\n${yaml}\n---\nText.`, wanted);
const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 1`).join('\n');

test('front matter of more than 65,536 characters is refused before it is read', async () => {
  expect(await read(`k: ${'x'.repeat(65_533)}`)).toMatchObject({ ok: true });
  expect(await read(`k: ${'x'.repeat(65_534)}`)).toEqual({
    ok: false,
    mistake: {
      line: 1,
      column: 1,
      sentence: 'the front matter has 65537 characters; it may have at most 65536',
    },
  });
});

test('long front matter is read on a worker thread, and a repeated key is found among thousands', async () => {
  const { started } = workers.counts;
  expect(await read(keys(7000))).toMatchObject({ ok: true, given: { k0: 1, k6999: 1 }, body: 'Text.' });
  expect(workers.counts.started).toBeGreaterThan(0);
  expect(workers.counts.started - started).toBeLessThanOrEqual(1);
  expect(await read(`${keys(7000)}\nk3: 2`)).toEqual({
    ok: false,
    mistake: { line: 7002, column: 1, sentence: 'this is not YAML: Map keys must be unique' },
  });
});

test.each([65, 1000, 30_000])('values that are nested %i deep are refused', async (depth) => {
  const sentence = expect.stringMatching(/nested too deeply/) as string;
  expect(await read(`k: ${'['.repeat(depth)}${']'.repeat(depth)}`)).toMatchObject({
    ok: false,
    mistake: { sentence },
  });
});

// Each time the compiled parser takes less of the thread's stack, and gets deeper.
test('maps that are nested 5000 deep, read again and again, do not use up the memory of their thread', async () => {
  for (const depth of [5000, 2000, 5000, 3000, 4000, 5000, 2000, 5000]) {
    expect(await read(`k: ${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).toMatchObject({
      ok: false,
      mistake: { sentence: expect.stringMatching(/nested too deeply/) as string },
    });
  }
});

test('values that are nested 64 deep are read, lists in maps too; a key of a map counts as a level', async () => {
  expect(await read(`k: ${'['.repeat(63)}${']'.repeat(63)}`)).toMatchObject({ ok: true });
  expect(await read(`k: ${'[{a: '.repeat(31)}1${'}]'.repeat(31)}`)).toMatchObject({ ok: true });
  expect(await read(`k: ${'{? '.repeat(100)}a${'}'.repeat(100)}`)).toMatchObject({ ok: false });
  expect(await read('k: [{a: 1}, {a: 1, a: 2}]')).toMatchObject({
    mistake: { line: 2, column: 20, sentence: expect.stringMatching(/must be unique/) as string },
  });
  expect(await read('k: [&x 1, *x]')).toMatchObject({
    mistake: { line: 2, column: 11, sentence: expect.stringMatching(/must be in quotes/) as string },
  });
});
