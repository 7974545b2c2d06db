// What was typed while others wrote. Loaded when a merge is saved.

import { diff } from '@codemirror/merge';
import { ChangeSet, Text } from '@codemirror/state';

/** Makes of `theirs` what `typed` made of `from`. Where the two meet, both stay. */
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

/** Not as the editor reads a text: a carriage return is a character like any other. */
function textOf(text: string): Text {
  return Text.of(text.split('\n'));
}
