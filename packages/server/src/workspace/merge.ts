// Three-way merge of texts, line by line: what two writers made of the same base, if they changed different places.

import { diffArrays, type ChangeObject } from 'diff';
import { ITEMS_PER_TURN } from '../yielding.ts';

/** Changed lines at most on either side: the cost of a difference grows with their square. */
const CHANGED_LINES = 4000;

interface Edit {
  /** Lines of the base that are replaced: from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Null if both changed the same place, or places that touch. With many changes, others have their turn meanwhile. */
export async function mergeTexts(base: string, mine: string, theirs: string): Promise<string | null> {
  const lines = linesOf(base);
  const left = await editsOf(lines, linesOf(mine));
  const right = await editsOf(lines, linesOf(theirs));
  if (!left || !right) return null;

  const merged: string[] = [];
  let at = 0;
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const [a, b] = [left[l], right[r]];
    if (a && b && same(a, b)) r += 1;
    else if (a && b && a.start <= b.end && b.start <= a.end) return null;
    const first = !b || (a && a.start <= b.start) ? a! : b;
    if (first === a) l += 1;
    else r += 1;
    for (const line of lines.slice(at, first.start)) merged.push(line);
    for (const line of first.lines) merged.push(line);
    at = first.end;
  }
  for (const line of lines.slice(at)) merged.push(line);
  return merged.join('');
}

/** Each line with its end, so that a file without one at its last line stays as it is. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

async function editsOf(base: string[], changed: string[]): Promise<readonly Edit[] | null> {
  const parts =
    diffArrays(base, changed, { maxEditLength: ITEMS_PER_TURN }) ??
    (await new Promise<ChangeObject<string[]>[] | undefined>((callback) =>
      diffArrays(base, changed, { maxEditLength: CHANGED_LINES, callback }),
    ));
  if (!parts) return null;
  const edits: Edit[] = [];
  let at = 0;
  for (const { added, removed, value } of parts) {
    const last = edits.at(-1);
    const end = removed ? at + value.length : at;
    if (!added && !removed) at += value.length;
    else if (last && last.end === at) {
      edits[edits.length - 1] = {
        start: last.start,
        end,
        lines: added ? [...last.lines, ...value] : last.lines,
      };
    } else edits.push({ start: at, end, lines: added ? value : [] });
    if (removed) at = end;
  }
  return edits;
}

function same(a: Edit, b: Edit): boolean {
  return (
    a.start === b.start &&
    a.end === b.end &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, index) => line === b.lines[index])
  );
}
