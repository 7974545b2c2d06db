// Text typed while a merge is being saved stays, and so does the text of others.

import { expect, test } from 'vitest';
import { rebase } from '../src/files/rebase.ts';

test('typed text is rebased onto the text of others, character by character', () => {
  expect(rebase('one\ntwo\n', 'One\ntwo\n', 'one\ntwo\nthree\n')).toBe('One\ntwo\nthree\n');
  expect(rebase('one\ntwo\n', 'one\n', 'zero\none\ntwo\n')).toBe('zero\none\n');
  expect(rebase('a\r\nb\r\n', 'a\r\nx b\r\n', 'A\r\nb\r\n')).toBe('A\r\nx b\r\n');
});

test('if both changed the same place, both changes stay', () => {
  const both = rebase('one\n', 'one mine\n', 'one theirs\n');
  expect(both).toContain('mine');
  expect(both).toContain('theirs');
  expect(rebase('', 'mine', 'theirs')).toMatch(/^(minetheirs|theirsmine)$/);
});
