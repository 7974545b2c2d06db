// Suggestions for a name that is not known.

/** Completes a sentence that says the name is wrong. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = nearest(name, known);
  return best === undefined ? `; allowed: ${known.join(', ')}` : `; did you mean ${best}?`;
}

/** The most similar known name, at most three edits away; of equals, the one that begins most like it. */
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

/** The Levenshtein distance: how many letters to insert, remove or replace to turn `a` into `b`. */
export function distance(a: string, b: string): number {
  const row = Uint32Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    let diagonal = row[0]!;
    row[0] = i + 1;
    for (let j = 0; j < b.length; j += 1) {
      const replaced = diagonal + (a.charCodeAt(i) === b.charCodeAt(j) ? 0 : 1);
      diagonal = row[j + 1]!;
      row[j + 1] = Math.min(row[j]! + 1, diagonal + 1, replaced);
    }
  }
  return row[b.length]!;
}
