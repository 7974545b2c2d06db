// Advice about a piece of content.

import { expect, test } from 'vitest';
import { checksOf } from '../src/content/checks.ts';

const sentence = 'Boil fresh water and wait for a minute. ';
const piece = {
  title: 'Tea',
  fields: { description: 'Which tea to buy first, how hot the water should be, and how long.' },
  markdown: sentence.repeat(50),
  words: 400,
};
const bad = (changes: object) =>
  checksOf({ ...piece, ...changes })
    .filter(({ isGood }) => !isGood)
    .map(({ name, text }) => `${name}: ${text}`);

test('WS-17 a piece of good length, with a description and short sentences, has nothing to improve', () => {
  expect(bad({})).toEqual([]);
});

test('WS-17 what is short, long, missing or hard to read is named with its number', () => {
  expect(bad({ words: 1 })).toEqual([
    'Length: 1 word, about 1 min to read. Search engines prefer 300 words or more.',
  ]);
  expect(bad({ words: 0, markdown: '' })).toEqual(['Length: Nothing is written yet.']);
  expect(bad({ title: 'T'.repeat(61) })[0]).toMatch(/^Title in search results: 61 characters/);
  expect(bad({ title: 'T'.repeat(61), fields: { ...piece.fields, seo_title: 'Tea' } })).toEqual([]);
  expect(bad({ fields: {} })[0]).toMatch(/^Description in search results: Missing/);
  expect(bad({ fields: { description: 'Tea.' } })[0]).toMatch(/Only 4 characters/);
  expect(bad({ fields: { description: 'D'.repeat(161) } })[0]).toMatch(/161 characters/);
  expect(bad({ markdown: `${'word '.repeat(21)}.` })).toEqual([
    'Reading level: Hard: 21 words in a sentence on average. Shorter sentences read more easily.',
  ]);
});

test('WS-17 the reading level leaves out code, headings and tables, and takes each item of a list for itself', () => {
  const long = 'word '.repeat(60);
  expect(bad({ markdown: `# ${long}\n\n\`\`\`\n${long}\n\`\`\`\n\n| ${long} |\n\nShort.` })).toEqual([]);
  expect(bad({ markdown: `- ${'word '.repeat(15)}\n- ${'word '.repeat(15)}` })).toEqual([]);
});
