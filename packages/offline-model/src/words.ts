// What the offline model knows of English: how names split into words, which words carry
// no meaning, and which common verbs stand for each other. Nothing here knows any tool.

/** `readFile`, `read_file` and `read-file` are all read, file. */
export function splitName(name: string): readonly string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const ENDINGS = [/ies$/, /es$/, /s$/, /ly$/, /ing$/, /ed$/, /e$/];

/** A rough stem: file, files; write, writing; run, running come out the same. */
export function stem(word: string): string {
  let root = word.toLowerCase().replace(/['’]s$/, '');
  for (const ending of ENDINGS) {
    const cut = root.replace(ending, ending.source === 'ies$' ? 'y' : '');
    if (cut.length >= 3 && !(ending.source === 's$' && root.endsWith('ss'))) root = cut;
  }
  return root.replace(/(\p{L})\1$/u, '$1');
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const ARTICLES = setOf('a an the some my your our me us this that these those out up please just');
const PREPOSITIONS = setOf(
  'for about of on to with in into at from as by like under inside using that saying',
);
const AUXILIARIES = setOf(
  'is are was were be been am do does did has have had will would can could should may might must shall it its i you we he she they',
);
const CONNECTIVES = setOf(
  'and or but then also not no so if there here now please ok okay thanks thank hello hi hey yes again',
);
const QUESTION_WORDS = setOf("what what's whats which who who's whom whose where where's when how much many");

export const isPreposition = (word: string): boolean => PREPOSITIONS.has(word.toLowerCase());
export const isArticle = (word: string): boolean => ARTICLES.has(word.toLowerCase());

/** Words that say nothing about which tool is meant. */
export function isEmptyWord(word: string): boolean {
  const lower = word.toLowerCase();
  return [ARTICLES, PREPOSITIONS, AUXILIARIES, CONNECTIVES].some((set) => set.has(lower));
}

export const isQuestionWord = (word: string): boolean =>
  QUESTION_WORDS.has(word.toLowerCase()) || AUXILIARIES.has(word.toLowerCase());

/** Verbs that people use for one another; `asks` marks those that only look. */
const VERBS: readonly { readonly asks: boolean; readonly words: string }[] = [
  {
    asks: true,
    words:
      "get read show view open display print cat tell give fetch retrieve check look see load inspect describe return what what's whats which who when",
  },
  { asks: true, words: 'list enumerate ls show' },
  { asks: true, words: 'find search look lookup grep glob query locate where recall' },
  { asks: true, words: 'compare diff' },
  { asks: true, words: 'calculate compute evaluate count measure' },
  { asks: false, words: 'create make add insert put generate write' },
  { asks: false, words: 'write save store put overwrite' },
  { asks: false, words: 'edit change modify update replace patch alter set' },
  { asks: false, words: 'undo restore revert rollback' },
  { asks: false, words: 'delete remove erase drop rm discard' },
  { asks: false, words: 'run execute launch start exec perform invoke' },
  { asks: false, words: 'send deliver submit notify' },
  { asks: false, words: 'move rename mv' },
  { asks: false, words: 'copy duplicate cp' },
  { asks: false, words: 'stop cancel abort kill end' },
  { asks: false, words: 'wait sleep pause delay' },
];

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

/** How far two stems mean the same: 1 for the same word, 0.8 for a related verb, 0. */
export function related(one: string, other: string): number {
  if (one === other) return 1;
  const groups = groupsOf(other);
  return [...groupsOf(one)].some((group) => groups.has(group)) ? 0.8 : 0;
}
