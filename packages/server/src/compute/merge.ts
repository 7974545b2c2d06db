// Three-way merge of texts, line by line. Succeeds if both writers changed different parts of the base.

import { changedLines, linesOf } from './lines.ts';

interface Edit {
  /** The lines of the base that this edit replaces: from `start` up to, not including, `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

export interface MergeInput {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Null on a conflict: both changed the same lines, or adjacent ones. */
export function merge({ base, mine, theirs }: MergeInput): string | null {
  const lines = linesOf(base);
  const left = editsOf(lines, linesOf(mine));
  const right = editsOf(lines, linesOf(theirs));

  const merged: string[] = [];
  let at = 0;
  let [l, r] = [0, 0];
  const unchanged = (end: number) => {
    for (; at < end; at += 1) merged.push(lines[at]!);
  };
  while (l < left.length || r < right.length) {
    const [a, b] = [left[l], right[r]];
    if (a && b && same(a, b)) r += 1;
    else if (a && b && a.start <= b.end && b.start <= a.end) return null;
    const first = !b || (a && a.start <= b.start) ? a! : b;
    if (first === a) l += 1;
    else r += 1;
    unchanged(first.start);
    for (const line of first.lines) merged.push(line);
    at = first.end;
  }
  unchanged(lines.length);
  return merged.join('');
}

function editsOf(base: readonly string[], changed: readonly string[]): readonly Edit[] {
  return changedLines(base, changed).map(({ fromStart, fromEnd, toStart, toEnd }) => ({
    start: fromStart,
    end: fromEnd,
    lines: changed.slice(toStart, toEnd),
  }));
}

function same(a: Edit, b: Edit): boolean {
  return (
    a.start === b.start &&
    a.end === b.end &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, index) => line === b.lines[index])
  );
}
