// Untrusted text at a terminal.

import { expect, test } from 'vitest';
import { safe, short, table } from '../src/output.ts';

test('PLUS-5 invisible characters and bidirectional controls are escaped', () => {
  const shown: [string, string][] = [
    ['/notes/\u202Edm.niar', String.raw`/notes/\u202edm.niar`],
    ['\u2066a\u2069\u200E\u200F\u061C', String.raw`\u2066a\u2069\u200e\u200f\u061c`],
    ['a\u200Bb\u2060c\uFEFFd\u00ADe', String.raw`a\u200bb\u2060c\ufeffd\u00ade`],
    ['a\u200Db a\u200Cb a\uFE0Fb', String.raw`a\u200db a\u200cb a\ufe0fb`],
    ['\u3164\u115F\uFFA0\u2800\u034F\u180E', String.raw`\u3164\u115f\uffa0\u2800\u034f\u180e`],
    ['line\u2028paragraph\u2029', String.raw`line\u2028paragraph\u2029`],
    // Tag characters, which only models read.
    ['\u{E0041}\u{E0042}', String.raw`\udb40\udc41\udb40\udc42`],
    ['\u001B[2J\u0007\u007F\u009B31m\0', String.raw`\u001b[2J\u0007\u007f\u009b31m\u0000`],
    ['rm\rls', String.raw`rm\u000dls`],
    ['\uD800', String.raw`\ud800`],
  ];
  for (const [text, seen] of shown) {
    expect(safe(text)).toBe(seen);
    // As JSON, an approval's input stays the same.
    expect(JSON.parse(safe(JSON.stringify({ text })))).toEqual({ text });
  }
  expect(short('a\u2028b\u200Bc')).toBe(String.raw`a\u2028b\u200bc`);
});

test('PLUS-5 ordinary text is printed unchanged', () => {
  for (const text of [
    'two\n\tlines',
    'naïve Ω я 日本語 한국어 עברית العربية',
    '👩‍💻 ❤️ 👍🏽 🏳️‍🌈 1️⃣ 🇩🇪',
    'می‌خواهم',
    'क्‍ष',
  ])
    expect(safe(text)).toBe(text);
  expect(safe('one\r\ntwo\r\n')).toBe('one\ntwo\n');
  // A stream that was cut between two chunks.
  expect(safe('\u200D💻')).toBe('\u200D💻');
});

test('colour codes do not count as width in a table', () => {
  const lines = table(
    ['A', 'B'],
    [
      ['\u001B[31mred\u001B[39m', 'x'],
      ['plain', 'y'],
    ],
  ).split('\n');
  expect(lines.slice(1)).toEqual(['\u001B[31mred\u001B[39m    x', 'plain  y']);
});
