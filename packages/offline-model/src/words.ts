// Recognises words of the vocabulary: splits names into words, reduces words to stems, and relates synonymous verbs.

import { ARTICLES, AUXILIARIES, CONNECTIVES, PREPOSITIONS, QUESTION_WORDS, VERBS } from './vocabulary.ts';

/** Splits `readFile`, `read_file` and `read-file` into read, file. */
export function splitName(name: string): readonly string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const ENDINGS = [/ies$/, /es$/, /s$/, /ly$/, /ing$/, /ed$/, /e$/];

/** A rough stem: file and files, write and writing, run and running give the same stem. */
export function stem(word: string): string {
  let root = word.toLowerCase().replace(/['’]s$/, '');
  for (const ending of ENDINGS) {
    const cut = root.replace(ending, ending.source === 'ies$' ? 'y' : '');
    if (cut.length >= 3 && !(ending.source === 's$' && root.endsWith('ss'))) root = cut;
  }
  return root.replace(/(\p{L})\1$/u, '$1');
}

export const isPreposition = (word: string): boolean => PREPOSITIONS.has(word.toLowerCase());
export const isArticle = (word: string): boolean => ARTICLES.has(word.toLowerCase());

/** Whether the word says nothing about which tool is meant. */
export function isEmptyWord(word: string): boolean {
  const lower = word.toLowerCase();
  return [ARTICLES, PREPOSITIONS, AUXILIARIES, CONNECTIVES].some((set) => set.has(lower));
}

export const isQuestionWord = (word: string): boolean =>
  QUESTION_WORDS.has(word.toLowerCase()) || AUXILIARIES.has(word.toLowerCase());

const GROUPS = new Map<string, Set<number>>();
for (const [group, { words }] of VERBS.entries()) {
  for (const word of words.split(' ')) {
    const known = GROUPS.get(stem(word)) ?? new Set();
    GROUPS.set(stem(word), known.add(group));
  }
}

const groupsOf = (stemmed: string): ReadonlySet<number> => GROUPS.get(stemmed) ?? new Set();

export const isKnownVerb = (stemmed: string): boolean => GROUPS.has(stemmed);
export const isAskingVerb = (stemmed: string): boolean =>
  [...groupsOf(stemmed)].some((group) => VERBS[group]?.asks === true);
export const isRunningVerb = (stemmed: string): boolean => related('run', stemmed) > 0;

/** How closely two stems are related: 1 for the same word, 0.8 for a related verb, otherwise 0. */
export function related(one: string, other: string): number {
  if (one === other) return 1;
  const groups = groupsOf(other);
  return [...groupsOf(one)].some((group) => groups.has(group)) ? 0.8 : 0;
}
