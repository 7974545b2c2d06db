// What is typed while a merge is being saved stays, and so does what others wrote.

import { expect, test } from 'vitest';
import { rebase } from '../src/files/rebase.ts';

test('what was typed goes over what others wrote, character by character', () => {
  expect(rebase('one\ntwo\n', 'One\ntwo\n', 'one\ntwo\nthree\n')).toBe('One\ntwo\nthree\n');
  expect(rebase('one\ntwo\n', 'one\n', 'zero\none\ntwo\n')).toBe('zero\none\n');
  expect(rebase('a\r\nb\r\n', 'a\r\nx b\r\n', 'A\r\nb\r\n')).toBe('A\r\nx b\r\n');
});

test('where both changed the same place, nothing of either is lost', () => {
  const both = rebase('one\n', 'one mine\n', 'one theirs\n');
  expect(both).toContain('mine');
  expect(both).toContain('theirs');
  expect(rebase('', 'mine', 'theirs')).toMatch(/^(minetheirs|theirsmine)$/);
});
