// Rebases text that was typed while a merge was being saved. Loaded on demand.

import { diff } from '@codemirror/merge';
import { ChangeSet, Text } from '@codemirror/state';

/** Applies the edits from `from` to `typed` to `theirs`. Where edits overlap, both stay. */
export function rebase(from: string, typed: string, theirs: string): string {
  const mine = changes(from, typed).map(changes(from, theirs));
  return mine.apply(textOf(theirs)).toString();
}

function changes(from: string, to: string): ChangeSet {
  const found = diff(from, to).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: textOf(to.slice(fromB, toB)),
  }));
  return ChangeSet.of(found, from.length);
}

/** Unlike the editor, treats a carriage return as an ordinary character. */
function textOf(text: string): Text {
  return Text.of(text.split('\n'));
}
