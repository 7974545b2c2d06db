// Differences, merges and patches of texts: right for any texts, and fast for those that were made to be slow.

import { applyPatch, parsePatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { difference } from '../../src/compute/difference.ts';
import { changedLines, linesOf } from '../../src/compute/lines.ts';
import { merge } from '../../src/compute/merge.ts';
import { patch } from '../../src/compute/patch.ts';
import { replace } from '../../src/compute/replace.ts';

/** Texts of few different lines, so that the same ones are in many places. */
const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', ' d', ''), { maxLength: 14 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));
const compared = (from: string, to: string) =>
  difference({ from: { name: 'a', text: from }, to: { name: 'b', text: to } });
const patched = (base: string, diff: string) =>
  patch({ text: base, hunks: parsePatch(diff)[0]?.hunks ?? [] });

test('a difference has the fewest lines, and makes the new text of the old one', () => {
  fc.assert(
    fc.property(text, text, (from, to) => {
      const { diff, added, removed } = compared(from, to);
      expect(added + removed).toBe(fewestEdits(linesOf(from), linesOf(to)));
      expect(diff === '').toBe(from === to);
      expect(applyPatch(from, diff)).toBe(to);
      expect(patched(from, diff)).toEqual({ ok: true, text: to });
    }),
    { numRuns: 300 },
  );
});

test('a difference says where lines are, and which text has no end of its last line', () => {
  expect(compared('', 'a\n').diff).toBe('--- a\n+++ b\n@@ -0,0 +1,1 @@\n+a\n');
  expect(compared('a\nb', 'a\nc\n').diff).toBe(
    '--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n',
  );
  const long = (mark: string) =>
    Array.from({ length: 30 }, (_, at) => (at % 15 === 5 ? mark : `${at}`)).join('\n');
  expect(compared(long('x'), long('y')).diff.match(/^@@.*$/gm)).toEqual([
    '@@ -2,9 +2,9 @@',
    '@@ -17,9 +17,9 @@',
  ]);
});

test('texts without a common order of lines can be compared', () => {
  const lines = Array.from({ length: 5000 }, (_, at) => `${at}\n`);
  const [from, to] = [lines.join(''), lines.toReversed().join('')];
  const { diff, added, removed } = compared(from, to);
  expect(added).toBe(removed);
  expect(patched(from, diff)).toEqual({ ok: true, text: to });
  expect(changedLines(lines, lines)).toEqual([]);
});

test('a merge keeps both sides’ changes, and refuses changes that touch', () => {
  const base = 'a\nb\nc\nd\ne\n';
  const merged = (mine: string, theirs: string) => merge({ base, mine, theirs });
  expect(merged('A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE')).toBe('A\nb\nc\nd\nE');
  expect(merged('a\nB\nc\nd\ne\n', 'a\nb\nC\nd\ne\n')).toBe(null);
  expect(merged('a\nB\nc\nd\ne\n', 'a\nB\nc\nd\nE\n')).toBe('a\nB\nc\nd\nE\n');
});

test('a hunk fits where its lines are, and one line of context may differ, be missing, or be new', () => {
  const hunk = (body: string, at = 2) => `--- a\n+++ b\n@@ -${at},4 +${at},4 @@\n${body}\n`;
  const diff = hunk(' b\n c\n-d\n+D\n e');
  const of = (base: string) => patched(base, diff);
  expect(of('a\nb\nc\nd\ne\nf\n')).toEqual({ ok: true, text: 'a\nb\nc\nD\ne\nf\n' });
  expect(of('0\n1\n2\na\nb\nc\nd\ne\nf\n')).toEqual({ ok: true, text: '0\n1\n2\na\nb\nc\nD\ne\nf\n' });
  expect(of('a\nB\nc\nd\ne\nf\n')).toEqual({ ok: true, text: 'a\nB\nc\nD\ne\nf\n' });
  expect(of('a\nc\nd\ne\nf\n')).toEqual({ ok: true, text: 'a\nc\nD\ne\nf\n' });
  expect(of('a\nb\nnew\nc\nd\ne\nf\n')).toEqual({ ok: true, text: 'a\nb\nnew\nc\nD\ne\nf\n' });
  // What is removed must be there, and so must the context beside what is added.
  expect(of('a\nb\nc\nX\ne\nf\n')).toMatchObject({ ok: false, hunk: 0, lost: 'd' });
  expect(of('a\nb\nX\nd\ne\nf\n').ok).toBe(false);
  expect(of('a\r\nb\r\nc\r\nd\r\ne\r\n')).toEqual({ ok: true, text: 'a\r\nb\r\nc\r\nD\r\ne\r\n' });
});

test('a hunk of 1,999 lines of context that fits nowhere in 98,999 lines is refused without trying each place', () => {
  const body = `${' same\n'.repeat(1999)}-samX\n+x`;
  const diff = `--- a\n+++ b\n@@ -1,2000 +1,2000 @@\n${body}\n`;
  expect(patched('same\n'.repeat(98_999), diff)).toMatchObject({ ok: false, hunk: 0, lost: 'samX' });
  // The same lines with what is removed at their end: it fits there, and only there.
  const fits = patched(`${'same\n'.repeat(98_999)}samX\n`, diff);
  expect(fits).toEqual({ ok: true, text: `${'same\n'.repeat(98_999)}x\n` });
});

test('a text that is not found is looked for among the lines by its beginning only', () => {
  const words = Array.from({ length: 100_000 }, (_, at) => `word${at}`).join(' ');
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at}`).join('\n');
  const done = replace({ text: `${lines}\nword0 word1`, edits: [{ old_text: words, new_text: '' }] });
  expect(done).toMatchObject({
    ok: false,
    problem: expect.stringContaining('old_text is not in the file') as string,
  });
});

test('a long text is found in one that is made of its parts, in one go', () => {
  const half = 'a'.repeat(50_000);
  const old_text = `${half}b${half}`;
  const text = 'a'.repeat(2 * 1024 * 1024);
  expect(replace({ text, edits: [{ old_text, new_text: '' }] }).ok).toBe(false);
  expect(replace({ text: `x${text}b${half}y`, edits: [{ old_text, new_text: '-' }] })).toEqual({
    ok: true,
    text: `x${text.slice(50_000)}-y`,
    replaced: 1,
  });
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 300 }), (tail) => {
      const long = 'ab'.repeat(40);
      const made = replace({
        text: `${long}${tail}${long}`,
        edits: [{ old_text: long, new_text: '-', replace_all: true }],
      });
      expect(made).toMatchObject({ text: `${long}${tail}${long}`.split(long).join('-') });
    }),
    { numRuns: 50 },
  );
});

function fewestEdits(from: readonly string[], to: readonly string[]): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [x, line] of from.entries()) {
    const next = [x + 1];
    for (const [y, other] of to.entries())
      next.push(line === other ? row[y]! : 1 + Math.min(next[y]!, row[y + 1]!));
    row = next;
  }
  return row.at(-1)!;
}
