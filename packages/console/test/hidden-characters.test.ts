// Hidden characters are shown.

import { expect, test } from 'vitest';
import { piecesOf, escapeHidden } from '../src/ui/hidden-characters.ts';

const shown = (text: string) =>
  piecesOf(text)
    .map((piece) => (piece.hidden ? `<${piece.text}>` : piece.text))
    .join('');

test('invisible characters and bidirectional controls are shown by name', () => {
  expect(shown('/notes/\u202Edm.niar')).toBe('/notes/<U+202E>dm.niar');
  expect(shown('a\u200Bb\u2066c\u2069\uFEFF')).toBe('a<U+200B>b<U+2066>c<U+2069><U+FEFF>');
  expect(shown('x\u{E0041}y\u3164z\u00AD\u2028\u0007')).toBe('x<U+E0041>y<U+3164>z<U+00AD><U+2028><U+0007>');
  expect(shown('a\u034Fb\uFE01c\uFE0Fd')).toBe('a<U+034F>b<U+FE01>c<U+FE0F>d');
  expect(shown('a\u00A0b\u2003c\u3000d\u2800e f')).toBe('a<U+00A0>b<U+2003>c<U+3000>d<U+2800>e f');
});

test('visible text stays as it is: lines, tabs, other scripts, emoji of several code points', () => {
  for (const text of ['a\tb\nc', 'Grüße, שלום, 日本語', '👩‍💻 and 👁️‍🗨️', '👩🏽‍💻❤️1️⃣🏴󠁧󠁢󠁷󠁬󠁳󠁿 12', '\\u202E'])
    expect(shown(text)).toBe(text);
  expect(shown('a\u200Db')).toBe('a<U+200D>b');
});

test('JSON with escaped hidden characters means the same', () => {
  const value = { path: '/notes/\u202Edm.niar\u{E0041}\u00A0👩‍💻', text: 'a\n\t"b"\u0007' };
  const json = escapeHidden(JSON.stringify(value, null, 2));
  expect(piecesOf(json).some(({ hidden }) => hidden)).toBe(false);
  expect(JSON.parse(json)).toEqual(value);
});
