// The difference between two versions of a text, in the unified form.

import { createTwoFilesPatch } from 'diff';

/** Bytes of either side at most, changed lines at most, and how long it may take: the cost grows with their square. */
export const DIFF_BYTES = 1024 * 1024;
const CHANGED_LINES = 4000;
const TIME_MS = 500;

export interface Difference {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** Null if there is too much of it. */
export function differenceOf(
  from: { readonly name: string; readonly text: string },
  to: { readonly name: string; readonly text: string },
): Difference | null {
  if (from.text === to.text) return { diff: '', added: 0, removed: 0 };
  const patch = createTwoFilesPatch(from.name, to.name, from.text, to.text, undefined, undefined, {
    maxEditLength: CHANGED_LINES,
    timeout: TIME_MS,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  if (patch === undefined) return null;
  const lines = patch.split('\n').slice(2);
  return {
    diff: patch,
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}
