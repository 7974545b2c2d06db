// The difference between two versions of a text, in the unified form.

import { createTwoFilesPatch } from 'diff';
import { ITEMS_PER_TURN } from '../yielding.ts';

/** Bytes of either side at most, and changed lines: the cost grows with their square. */
export const DIFF_BYTES = 1024 * 1024;
const CHANGED_LINES = 4000;

export interface Difference {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

interface Side {
  readonly name: string;
  readonly text: string;
  /** Stands beside the name. */
  readonly note?: string;
}

/** Null if there is too much of it. Few changes are found at once; with many, others have their turn meanwhile. */
export async function differenceOf(from: Side, to: Side): Promise<Difference | null> {
  if (from.text === to.text) return { diff: '', added: 0, removed: 0 };
  const texts = [from.name, to.name, from.text, to.text, from.note, to.note] as const;
  const headerOptions = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };
  const patch =
    createTwoFilesPatch(...texts, { headerOptions, maxEditLength: ITEMS_PER_TURN }) ??
    (await new Promise<string | undefined>((callback) =>
      createTwoFilesPatch(...texts, {
        headerOptions,
        maxEditLength: CHANGED_LINES,
        callback,
      }),
    ));
  if (patch === undefined) return null;
  const lines = patch.split('\n').slice(2);
  return {
    diff: patch,
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}
