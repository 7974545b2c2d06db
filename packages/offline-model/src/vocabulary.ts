// All words that the offline model recognises. None of them belongs to a particular tool: a tool is recognised by these words
// together with its own name, description and properties.

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

// ——— words without a meaning of their own

export const ARTICLES = setOf('a an the some my your our me us this that these those out up please just');
export const PREPOSITIONS = setOf(
  'for about of on to with in into at from as by like under inside using that saying',
);
export const AUXILIARIES = setOf(
  'is are was were be been am do does did has have had will would can could should may might must shall it its i you we he she they',
);
export const CONNECTIVES = setOf(
  'and or but then also not no so if there here now please ok okay thanks thank hello hi hey yes again',
);
export const QUESTION_WORDS = setOf(
  "what what's whats which who who's whom whose where where's when how much many",
);
/** Words that are never a value, even where a value could be. */
export const NO_VALUE = setOf(
  'it them one something anything back again now there here and then you i is are',
);

// ——— verbs

/** Groups of synonymous verbs; `asks` marks those that only read. */
export const VERBS: readonly { readonly asks: boolean; readonly words: string }[] = [
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
/** Verbs that may come before a tool's own verb: "do a search". */
export const HELPER_VERBS = setOf('do use make try perform run start execute call give go take');

// ——— words in a tool's name and description

/** Words in a tool's name that say little about it. */
export const LIGHT_WORDS = setOf('get do use call tool mcp');
/** A description that begins with one of these words names a thing: such a tool only reads. */
export const NOUN_PHRASE_OPENINGS = setOf('the a an current latest');

// ——— names of properties, by what they take

export const CONTENT_NAMES = setOf(
  'content contents text body message note data markdown comment code fact thought',
);
export const PATH_NAMES = setOf(
  'path paths file files filename filepath dir directory folder source destination',
);
export const COUNT_NAMES = setOf('limit count top max maximum n k size number results');
/** Values that can be recognised by their form, with the formats and names of the properties that take them. */
export const SEEN_KINDS: readonly {
  readonly kind: string;
  readonly formats: readonly string[];
  readonly names: ReadonlySet<string>;
}[] = [
  { kind: 'url', formats: ['uri', 'url'], names: setOf('url uri link website href') },
  { kind: 'email', formats: ['email'], names: setOf('email to recipient recipients cc address') },
  { kind: 'uuid', formats: ['uuid'], names: setOf('id ids uuid') },
  {
    kind: 'date',
    formats: ['date', 'date-time'],
    names: setOf('date day when since until due deadline at'),
  },
];
/** The names of properties that a preposition introduces: "to French" for a language. */
export const PREPOSITION_NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['to', setOf('to target destination dest recipient receiver new language')],
  ['into', setOf('to target destination language')],
  ['from', setOf('from source src origin old')],
  ['with', setOf('with replacement new by')],
  ['in', setOf('in location city place country region room timezone language')],
  ['at', setOf('at location place time')],
  ['as', setOf('as name title')],
]);

// ——— words around a value

/** Between a property's name and its value: "limit is 5". */
export const LINKS = setOf('is are of to as set equals be being named called number');
/** Before a property's name: "with subject Hello". */
export const BEFORE_NAME = setOf('with and using where whose the its');
/** Before a content: "a note saying hello". */
export const BEFORE_CONTENT = ['saying', 'says', 'say', 'containing', 'contains'];
/** Before a name or title: "a file called x". */
export const BEFORE_TITLE = ['named', 'called', 'titled'];
/** Before the replacement of a line. */
export const BEFORE_REPLACEMENT = setOf('with to by into as :');
/** Before a number that is a limit: "the top 3". */
export const BEFORE_COUNT = setOf('top first last most to');
/** Before a folder: "in src". */
export const BEFORE_FOLDER = setOf('in from under inside of');
/** Before a flag that is not set: "without overwrite". */
export const BEFORE_DENIED_FLAG = setOf("no not without non don't");
/** After a value, but not part of it. */
export const AFTER_VALUE = setOf('and then the please its');

// ——— between two requests

export const THEN = setOf('then afterwards next finally lastly');
export const AND = setOf('and also plus');

// ——— numbers

const inOrder = (words: string, first: number): [string, number][] =>
  words.split(' ').map((word, index) => [word, first + index]);

export const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...inOrder('zero one two three four five six seven eight nine ten eleven twelve', 0),
  ['dozen', 12],
  ['twenty', 20],
  ['thirty', 30],
  ['fifty', 50],
  ['hundred', 100],
]);
export const ORDINALS: ReadonlyMap<string, number> = new Map(
  inOrder('first second third fourth fifth sixth seventh eighth ninth tenth', 1),
);

const unit = (names: string, milliseconds: number): [string, number][] =>
  names.split(' ').map((name) => [name, milliseconds]);

/** Names of the units of time, with their milliseconds. */
export const TIME_UNITS: ReadonlyMap<string, number> = new Map([
  ...unit('ms millisecond milliseconds', 1),
  ...unit('s sec secs second seconds', 1000),
  ...unit('m min mins minute minutes', 60_000),
  ...unit('h hour hours', 3_600_000),
]);
