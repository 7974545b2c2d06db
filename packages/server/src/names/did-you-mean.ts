// Suggestions for a name that is not known.

import { distance } from 'fastest-levenshtein';

const MOST_LISTED = 24;

/** Completes a sentence that says the name is wrong. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = nearest(name, known);
  return best === undefined ? `; allowed: ${listed(known)}` : `; did you mean ${best}?`;
}

/** All names, or the first of many. */
function listed(names: readonly string[]): string {
  if (names.length <= MOST_LISTED) return names.join(', ');
  return `${names.slice(0, MOST_LISTED).join(', ')}, and ${names.length - MOST_LISTED} others`;
}

/** The most similar known name, at most three edits away; of equals, the one with the longest common beginning. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  return known
    .map((candidate) => ({
      candidate,
      edits: distance(wanted, candidate.toLowerCase()),
      begins: sharedStart(wanted, candidate.toLowerCase()),
    }))
    .filter(({ edits }) => edits <= 3)
    .toSorted((a, b) => a.edits - b.edits || b.begins - a.begins)[0]?.candidate;
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
