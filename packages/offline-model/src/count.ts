// Counts on request, without a language model: "count to a hundred", "count from 5 to 20, slowly".

import { NUMBERS } from './vocabulary.ts';

const ASKED = /\bcount(?: up)?(?: from ([a-z\d]+))? to ((?:a |one )?[a-z\d]+)(.*)$/is;
const MOST_NUMBERS = 1000;

export interface Counting {
  readonly text: string;
  readonly slowly: boolean;
}

/** The numbers to say; null if the text does not ask for counting. */
export function countFor(text: string): Counting | null {
  const [, from = '1', to = '', rest = ''] = ASKED.exec(text) ?? [];
  const [first, last] = [numberOf(from), numberOf(to)];
  if (first === null || last === null || last < first || last - first >= MOST_NUMBERS) return null;
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return {
    text: `${numbers.join(', ')}.\n\n(From the offline stand-in: no language model is connected.)`,
    slowly: /\bslow(?:ly)?\b/i.test(rest),
  };
}

function numberOf(words: string): number | null {
  const word = words.toLowerCase().replace(/^(?:a|one) (?=\w)/, '');
  if (/^\d{1,6}$/.test(word)) return Number(word);
  return NUMBERS.get(word) ?? null;
}
