// Computes the difference between two texts as a unified diff.

import { changedLines, linesOf, type LineChange } from './lines.ts';

/** Unchanged lines shown before and after each change. */
const CONTEXT = 4;

export interface Difference {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

interface DifferenceSide {
  readonly name: string;
  readonly text: string;
  /** Shown after the name in the diff's header. */
  readonly note?: string;
}

export interface DifferenceInput {
  readonly from: DifferenceSide;
  readonly to: DifferenceSide;
}

export function difference({ from, to }: DifferenceInput): Difference {
  if (from.text === to.text) return { diff: '', added: 0, removed: 0 };
  const [old, fresh] = [linesOf(from.text), linesOf(to.text)];
  const changes = changedLines(old, fresh);
  const out = [`--- ${nameOf(from)}\n`, `+++ ${nameOf(to)}\n`];
  let [added, removed] = [0, 0];
  for (const hunk of hunksOf(changes)) {
    const [first, last] = [hunk[0]!, hunk.at(-1)!];
    const before = Math.min(CONTEXT, first.fromStart);
    const after = Math.min(CONTEXT, old.length - last.fromEnd);
    const [oldStart, oldEnd] = [first.fromStart - before, last.fromEnd + after];
    const [newStart, newEnd] = [first.toStart - before, last.toEnd + after];
    out.push(`@@ -${rangeOf(oldStart, oldEnd)} +${rangeOf(newStart, newEnd)} @@\n`);
    let at = oldStart;
    const same = (end: number) => {
      for (; at < end; at += 1) out.push(written(' ', old[at]!));
    };
    for (const { fromStart, fromEnd, toStart, toEnd } of hunk) {
      same(fromStart);
      for (; at < fromEnd; at += 1) out.push(written('-', old[at]!));
      for (let line = toStart; line < toEnd; line += 1) out.push(written('+', fresh[line]!));
      removed += fromEnd - fromStart;
      added += toEnd - toStart;
    }
    same(oldEnd);
  }
  return { diff: out.join(''), added, removed };
}

/** Groups changes whose context lines touch or overlap into one hunk. */
function hunksOf(changes: readonly LineChange[]): readonly (readonly LineChange[])[] {
  const hunks: LineChange[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1);
    if (last && change.fromStart - last.at(-1)!.fromEnd <= 2 * CONTEXT) last.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function nameOf({ name, note }: DifferenceSide): string {
  return note === undefined ? name : `${name}\t${note}`;
}

/** In a unified diff, an empty range is given by the line before it. */
function rangeOf(start: number, end: number): string {
  return `${end === start ? start : start + 1},${end - start}`;
}

function written(mark: string, line: string): string {
  return line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`;
}
