// Finds values whose leaf is named in the request: "path=a.txt", "with subject Hello", "recursively". These finders know no tools
// and invent no values.

import {
  type Finder,
  type Found,
  type Reading,
  accept,
  afterName,
  endOfRun,
  introduced,
  isContent,
  isKeyed,
  isNumeric,
  isPlainValue,
  isText,
  mark,
  range,
  take,
  word,
} from './reading.ts';
import { type Leaf, choicesOf } from './schema.ts';
import { BEFORE_CONTENT, BEFORE_DENIED_FLAG, BEFORE_TITLE, LINKS } from './vocabulary.ts';
import { isEmptyWord, isPreposition, stem } from './words.ts';

/** path=a.txt, path: a.txt */
export const byKey: Finder = (leaf, reading) => {
  for (const at of reading.atoms.keys()) {
    if (!isKeyed(leaf, reading, at)) continue;
    const key = afterName(leaf.stems, reading, at);
    const from = key + 1;
    const first = reading.atoms[from];
    if (!first || reading.used.has(from)) continue;
    const single =
      mark(reading, key) === '=' || isPlainValue(first) || !(isText(leaf.kind) || leaf.kind === 'array');
    let to = single ? from + 1 : endOfRun(leaf, reading, from);
    while (
      mark(reading, key) === '=' &&
      first.kind !== 'quoted' &&
      reading.atoms[to]?.start === reading.atoms[to - 1]?.end &&
      mark(reading, to) !== ','
    )
      to += 1;
    // The value of "content: 2 eggs" is a text that begins with a number.
    if (single && isText(leaf.kind) && first.kind === 'number' && mark(reading, key) === ':')
      to = endOfRun(leaf, reading, from);
    const found = take(leaf, reading, from, to, 2);
    if (found) return { ...found, taken: [...range(at, from), ...found.taken] };
  }
  return null;
};

const SAYING = BEFORE_CONTENT.map((name) => [stem(name)]);
const NAMING = BEFORE_TITLE.map((name) => [stem(name)]);

function namesFor(leaf: Leaf): readonly (readonly string[])[] {
  const isTitle = leaf.words.includes('name') || leaf.words.includes('title');
  return [leaf.stems, ...(isContent(leaf) ? SAYING : []), ...(isTitle ? NAMING : [])];
}

function byName(
  leaf: Leaf,
  reading: Reading,
  value: (from: number, at: number) => Found | null,
): Found | null {
  const names = namesFor(leaf);
  for (const at of reading.atoms.keys()) {
    let from = Math.max(...names.map((stems) => afterName(stems, reading, at)));
    if (from === 0) continue;
    while (LINKS.has(word(reading, from)) || mark(reading, from) === ':') from += 1;
    if (reading.used.has(from)) continue;
    const found = value(from, at);
    if (found) return { ...found, taken: [...range(at, from), ...found.taken] };
  }
  return null;
}

/** subject "Hello", limit 5, unit celsius */
export const byNameAndValue: Finder = (leaf, reading) =>
  byName(leaf, reading, (from) => {
    const kind = reading.atoms[from]?.kind ?? 'mark';
    if (leaf.kind === 'array' && kind !== 'json') return null;
    if (
      isText(leaf.kind) &&
      choicesOf(leaf.schema).length === 0 &&
      (!isPlainValue(reading.atoms[from]) || leaf.path.at(-1)?.length === 1)
    )
      return null;
    return take(leaf, reading, from, from + 1, isNumeric(leaf.kind) ? 1 : 1.5);
  });

/** with subject Good morning; that says good morning */
export const byNameAndWords: Finder = (leaf, reading) =>
  byName(leaf, reading, (from, at) => {
    if (!(isText(leaf.kind) || leaf.kind === 'array') || leaf.path.at(-1)?.length === 1) return null;
    if (!leaf.required && !introduced(reading, at) && !isContent(leaf)) return null;
    if (isPreposition(word(reading, from)) || mark(reading, from) !== '') return null;
    return take(leaf, reading, from, endOfRun(leaf, reading, from), 0.5);
  });

/** "recursively", "without overwrite" */
export const byFlag: Finder = (leaf, reading) => {
  if (leaf.kind !== 'boolean' || leaf.words.every(isEmptyWord)) return null;
  for (const at of reading.atoms.keys()) {
    const next = afterName(leaf.stems, reading, at);
    if (next === 0) continue;
    const denied = BEFORE_DENIED_FLAG.has(word(reading, at - 1));
    return accept(leaf, reading, !denied, { taken: range(at, next), weight: 0.5 });
  }
  return null;
};
