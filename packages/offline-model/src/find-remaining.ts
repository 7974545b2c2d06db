// Assigns the rest of a request, after all values that could be recognised: numbers and quoted texts in order, and the rest of
// the sentence.

import {
  type Found,
  type Reading,
  accept,
  isContent,
  isNumeric,
  isPathLike,
  isText,
  mark,
  range,
  take,
  trimEnd,
  word,
} from './reading.ts';
import { type Leaf, choicesOf, itemsOf, kindOf } from './schema.ts';
import { NO_VALUE } from './vocabulary.ts';
import { isArticle, isPreposition, isQuestionWord, stem } from './words.ts';

/** Numbers and quoted texts go, in order, to the required leaves that accept them. */
export function nextValue(leaf: Leaf, reading: Reading): Found | null {
  if (choicesOf(leaf.schema).length > 0) return null;
  if (leaf.kind === 'object') return pairs(leaf, reading);
  const onlyOne = reading.leaves.filter((other) => isText(other.kind)).length === 1;
  if (!leaf.required && !(isText(leaf.kind) && (onlyOne || isContent(leaf)))) return null;
  const free = [...reading.atoms.entries()].filter(([at]) => !reading.used.has(at));
  if (isNumeric(leaf.kind))
    return first(
      free.filter(([, atom]) => atom.kind === 'number'),
      (at) => take(leaf, reading, at, at + 1, 0.5),
    );
  const quoted = free.filter(([, atom]) => atom.kind === 'quoted');
  if (isText(leaf.kind))
    return first(quoted, (at) => take(leaf, reading, at, at + 1, leaf.required ? 1 : 0.5));
  if (leaf.kind !== 'array' || quoted.length === 0) return null;
  return accept(
    leaf,
    reading,
    quoted.map(([, atom]) => atom.value),
    { taken: quoted.map(([at]) => at), weight: 1 },
  );
}

function first<T>(
  entries: readonly (readonly [number, T])[],
  find: (at: number) => Found | null,
): Found | null {
  for (const [at] of entries) {
    const found = find(at);
    if (found) return found;
  }
  return null;
}

/** a=1 b=two, for an object without declared properties. */
function pairs(leaf: Leaf, reading: Reading): Found | null {
  const entries: [string, unknown][] = [];
  const taken: number[] = [];
  for (const [at, atom] of reading.atoms.entries()) {
    const value = reading.atoms[at + 2];
    if (atom.kind !== 'word' || mark(reading, at + 1) !== '=' || !value || reading.used.has(at)) continue;
    entries.push([atom.value, value.kind === 'number' ? Number(value.value) : value.value]);
    taken.push(at, at + 1, at + 2);
  }
  return entries.length === 0
    ? null
    : accept(leaf, reading, Object.fromEntries(entries), { taken, weight: 1 });
}

/** If exactly one text is still missing, it gets the rest of the sentence. */
export function findRemainingText(
  open: readonly Leaf[],
  all: readonly Leaf[],
  reading: Reading,
): { readonly leaf: Leaf; readonly found: Found | null } | null {
  const takesWords = (leaf: Leaf): boolean =>
    (isText(leaf.kind) ||
      (leaf.kind === 'array' && kindOf(itemsOf(leaf.schema, reading.root)) === 'string')) &&
    choicesOf(leaf.schema).length === 0;
  const texts = open.filter((leaf) => leaf.required && takesWords(leaf));
  const optional = all.filter((leaf) => takesWords(leaf) && !isPathLike(leaf));
  const leaf =
    texts.length === 1
      ? texts[0]
      : all.every((one) => !one.required) && optional.length === 1
        ? optional[0]
        : undefined;
  if (!leaf || !open.includes(leaf)) return null;
  if (isContent(leaf) && reading.atoms.some((atom) => atom.value.toLowerCase() === 'empty'))
    return { leaf, found: accept(leaf, reading, '', { taken: [], weight: 0 }) };
  for (const words of [new Set([...reading.toolWords, ...reading.aboutWords]), reading.toolWords]) {
    const [from, to] = restOf(reading, words, isContent(leaf));
    const meaningful = range(from, to).some(
      (at) =>
        reading.atoms[at]?.kind !== 'mark' &&
        !NO_VALUE.has(word(reading, at)) &&
        !isPreposition(word(reading, at)) &&
        !isArticle(word(reading, at)),
    );
    // "tell me a joke" names no file.
    if (isPathLike(leaf) && (to - from > 1 || isArticle(word(reading, from - 1)))) continue;
    if (meaningful) return { leaf, found: take(leaf, reading, from, to, 0) };
  }
  return null;
}

/** The text after the words that name the tool, up to the next used value. */
function restOf(
  reading: Reading,
  toolWords: ReadonlySet<string>,
  isContent: boolean,
): readonly [from: number, to: number] {
  let from = skipTool(reading, toolWords);
  if (reading.used.has(from)) {
    while (
      reading.used.has(from) ||
      isPreposition(word(reading, from)) ||
      isArticle(word(reading, from)) ||
      ',:'.includes(mark(reading, from) || ' ')
    )
      from += 1;
  }
  let to = from;
  while (to < reading.atoms.length && !reading.used.has(to)) to += 1;
  return [from, trimEnd(reading, from, to, isContent)];
}

function skipTool(reading: Reading, toolWords: ReadonlySet<string>): number {
  const skipped = new Set<string>();
  let at = reading.from;
  for (; at < reading.atoms.length && !reading.used.has(at); at += 1) {
    const here = word(reading, at);
    if (here === '') {
      if (!',:-–'.includes(mark(reading, at) || ' ')) break;
      if (mark(reading, at) === ':') return at + 1;
      continue;
    }
    if (isPreposition(here) && skipped.size > 0) return skipPrepositions(reading, at);
    const known =
      !skipped.has(stem(here)) &&
      (skipped.size === 0 || here.split('_').length > 1 || toolWords.has(stem(here)));
    if (isArticle(here) || isPreposition(here) || (skipped.size < 3 && isQuestionWord(here))) continue;
    if (!known) break;
    skipped.add(stem(here));
  }
  return at;
}

function skipPrepositions(reading: Reading, start: number): number {
  let at = start;
  while (isPreposition(word(reading, at)) && !reading.used.has(at)) at += 1;
  return at;
}
