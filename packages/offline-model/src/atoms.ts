// Splits text into atoms: words, and values that can be recognised by their form (quoted text, JSON, paths, numbers …). Quotes
// are removed; positions are kept, so that any part of the text can be taken exactly as written.

import { isJsonTooDeep } from '@continuo/engine';
import { NUMBERS } from './vocabulary.ts';
import { splitName, stem } from './words.ts';

type AtomKind = 'quoted' | 'json' | 'url' | 'email' | 'uuid' | 'date' | 'path' | 'number' | 'word' | 'mark';

export interface Atom {
  readonly kind: AtomKind;
  /** The atom's value: a quoted text without its quotes. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** The stems of a word, one per part of a compound name; empty for other atoms. */
  readonly stems: readonly string[];
  /** Whether the atom is the first on its line. */
  readonly startsLine: boolean;
}

/** Tried in this order at each position; the first capture group, if there is one, is the value. */
const RULES: readonly { readonly kind: AtomKind; readonly pattern: RegExp }[] = [
  { kind: 'quoted', pattern: /```(?:[\w-]*\n)?([\s\S]*?)```/y },
  { kind: 'quoted', pattern: /`([^`\n]+)`/y },
  { kind: 'quoted', pattern: /"([^"]*)"/y },
  { kind: 'quoted', pattern: /“([^”]*)”/y },
  { kind: 'quoted', pattern: /„([^“”]*)[“”]/y },
  { kind: 'quoted', pattern: /«([^»]*)»/y },
  { kind: 'quoted', pattern: /(?<![\p{L}\p{N}])'((?:[^'\n]|'(?=\p{L}))*)'(?!\p{L})/uy },
  { kind: 'url', pattern: /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>]*[^\s"'`<>.,;:!?)]/iy },
  { kind: 'email', pattern: /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/y },
  { kind: 'uuid', pattern: /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/iy },
  {
    kind: 'date',
    pattern: /\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?(?![\w-])/y,
  },
  { kind: 'path', pattern: /[^\s"`“”„«»<>|=,;:(){}[\]!?]+/y },
  {
    kind: 'number',
    pattern: /(?<![\p{L}\p{N}])[-+]?\d+(?:\.\d+)?(?=(?:ms|s|secs?|mins?|h|px|[kmg]?b)?(?![\p{L}\p{N}_]))/iuy,
  },
  { kind: 'word', pattern: /[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_'’-]*[\p{L}\p{N}\p{M}_])?/uy },
  { kind: 'mark', pattern: /\S/uy },
];

const MOST_JSON = 8;

/** Reads at most `most` atoms: a text may be long, and this runs on the main thread. */
export function readAtoms(text: string, most = 1000): readonly Atom[] {
  const atoms: Atom[] = [];
  const space = /\s*/y;
  let jsonTries = MOST_JSON;
  let at = 0;
  while (at < text.length && atoms.length < most) {
    space.lastIndex = at;
    const gap = space.exec(text)?.[0] ?? '';
    at += gap.length;
    if (at >= text.length) break;
    const startsLine = at === gap.length || gap.includes('\n');
    const opens = text[at] === '{' || text[at] === '[';
    const json = opens && jsonTries-- > 0 ? readJson(text, at) : null;
    const found = json ?? readOne(text, at);
    const stems = found.kind === 'word' ? splitName(found.value.replace(/['’]s$/, '')).map(stem) : [];
    atoms.push({ ...found, start: at, startsLine, stems });
    at = found.end;
  }
  return atoms;
}

function readOne(text: string, at: number): Pick<Atom, 'kind' | 'value' | 'end'> {
  for (const { kind, pattern } of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    const whole = match[0];
    if (kind === 'path') {
      const path = pathIn(whole);
      if (path === null) continue;
      return { kind, value: path, end: at + path.length };
    }
    const number = kind === 'word' ? (NUMBERS.get(whole.toLowerCase()) ?? 0) : 0;
    // "one" is a pronoun more often than a number.
    if (number > 1 && number <= 10) return { kind: 'number', value: String(number), end: at + whole.length };
    return { kind, value: match[1] ?? whole, end: at + whole.length };
  }
  return { kind: 'mark', value: text[at] ?? '', end: at + 1 };
}

/** A path has a slash or ends with a dot and an extension. */
function pathIn(token: string): string | null {
  const path = token.replace(/['’.…]+$/u, '');
  if (path === '/') return path;
  if (!/\p{L}/u.test(path) || /^(?:and\/or|e\.g|i\.e|a\.m|p\.m)$/i.test(path)) return null;
  return path.includes('/') || /\.[a-z][a-z0-9]{0,9}$/i.test(path) ? path : null;
}

function readJson(text: string, start: number): Pick<Atom, 'kind' | 'value' | 'end'> | null {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) {
      const value = text.slice(start, at + 1);
      return parseJson(value) === undefined ? null : { kind: 'json', value, end: at + 1 };
    }
  }
  return null;
}

/** Undefined if the text is not JSON, or is nested deeper than a call's input may be. */
export function parseJson(text: string): unknown {
  if (isJsonTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
