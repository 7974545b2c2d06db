// Similarity of texts: for "did you mean …?", and for the lines most similar to a text that was not found.

import { distance } from 'fastest-levenshtein';

/** Only the first characters of a longer text are compared. */
const COMPARED = 200;

export interface NearestInput {
  readonly wanted: string;
  readonly candidates: readonly string[];
  readonly most: number;
}

/** The similar candidates, most similar first. */
export function nearest({ wanted, candidates, most }: NearestInput): readonly string[] {
  return candidates
    .map((candidate) => ({ candidate, likeness: likeness(wanted, candidate) }))
    .filter(({ likeness: alike }) => alike >= 0.6)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** 1: equal except for case and surrounding space; 0: nothing in common. */
function likeness(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => beginningOf(text).trim().toLowerCase()) as [string, string];
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  // Texts of very different lengths are not similar: skip the comparison.
  if (Math.abs(a.length - b.length) / longest > 0.5) return 0;
  return 1 - distance(a, b) / longest;
}

function beginningOf(text: string): string {
  return text.length > COMPARED ? text.trimStart().slice(0, COMPARED) : text;
}

/** Maximum number of lines that are compared; each shares a word with the wanted line. */
const LINES_COMPARED = 300;
const LINES_NAMED = 3;
const LINE_SHOWN = 200;

/** The lines of a text that are most similar to the wanted one, with their line numbers. */
export function nearLines({ wanted, text }: { wanted: string; text: string }): readonly string[] {
  const words = [
    ...new Set(
      beginningOf(wanted)
        .toLowerCase()
        .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
    ),
  ];
  const shares = (line: string) => {
    const lower = line.toLowerCase();
    return words.length === 0 ? line.trim() !== '' : words.some((word) => lower.includes(word));
  };
  const lines: { readonly number: number; readonly line: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (lines.length === LINES_COMPARED) break;
    if (shares(line.slice(0, COMPARED))) lines.push({ number: index + 1, line });
  }
  return lines
    .map((one) => ({ ...one, alike: likeness(wanted, one.line) }))
    .filter(({ alike }) => alike >= 0.4)
    .toSorted((a, b) => b.alike - a.alike)
    .slice(0, LINES_NAMED)
    .map(({ number, line }) => `${String(number).padStart(6)}\t${line.slice(0, LINE_SHOWN)}`);
}
