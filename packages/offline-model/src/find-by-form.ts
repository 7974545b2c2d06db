// Finds values whose form shows which leaf they are for: a path, "5 seconds", one of the allowed values, "to Bob". These finders
// know no tools and invent no values.

import type { Atom } from './atoms.ts';
import {
  type Finder,
  type Found,
  type Reading,
  accept,
  afterName,
  convert,
  has,
  isNumeric,
  isPathLike,
  isPlainValue,
  isText,
  mark,
  range,
  spoken,
  take,
  trimEnd,
  word,
} from './reading.ts';
import { type Leaf, type Schema, choicesOf, itemsOf, kindOf } from './schema.ts';
import {
  BEFORE_COUNT,
  BEFORE_FOLDER,
  COUNT_NAMES,
  PREPOSITION_NAMES,
  SEEN_KINDS,
  TIME_UNITS,
} from './vocabulary.ts';
import { isArticle, isEmptyWord, isPreposition, isQuestionWord, splitName, stem } from './words.ts';

/** 5 seconds, 3 results, the top 3 */
export const byUnit: Finder = (leaf, reading) => {
  if (!isNumeric(leaf.kind)) return null;
  const own = leaf.words.map((name) => TIME_UNITS.get(name)).find((unit) => unit !== undefined);
  for (const [at, atom] of reading.atoms.entries()) {
    if (atom.kind !== 'number' || reading.used.has(at)) continue;
    const unit = word(reading, at + 1);
    const said = TIME_UNITS.get(unit);
    const both = { taken: [at, at + 1], weight: 1 };
    if (own !== undefined && said !== undefined)
      return accept(leaf, reading, (Number(atom.value) * said) / own, both);
    if (unit !== '' && leaf.stems.includes(stem(unit)))
      return accept(leaf, reading, Number(atom.value), both);
    if (BEFORE_COUNT.has(word(reading, at - 1)) && has(leaf, COUNT_NAMES))
      return take(leaf, reading, at, at + 1, 0.5);
  }
  return null;
};

const isGlob = (leaf: Leaf): boolean => leaf.words.includes('glob') || /\bglob\b/i.test(leaf.about);

/** A path with a file extension is rarely a folder. */
const isUnlikely = (atom: Atom | undefined, leaf: Leaf): boolean =>
  /\.[a-z]\w{0,9}$/i.test(atom?.value ?? '') &&
  /\b(?:folder|directory)\b/i.test(leaf.about) &&
  !/\bfile\b/i.test(leaf.about);

function isOfKind(atom: Atom, leaf: Leaf, schema: Schema): boolean {
  if (isNumeric(kindOf(schema))) return leaf.kind === 'array' && atom.kind === 'number';
  if (atom.kind === 'path') return /[*?]/.test(atom.value) ? isGlob(leaf) : isPathLike(leaf);
  if (atom.kind === 'quoted') return isPathLike(leaf) && /^\S*(?:\/|\.[a-z]\w{0,9}$)\S*$/i.test(atom.value);
  return SEEN_KINDS.some(
    ({ kind, formats, names }) =>
      atom.kind === kind && (formats.includes(String(schema['format'])) || has(leaf, names)),
  );
}

/** A path for a leaf that takes paths, an email address for one that takes addresses … */
export const byKind: Finder = (leaf, reading) => {
  const isList = leaf.kind === 'array';
  const schema = isList ? itemsOf(leaf.schema, reading.root) : leaf.schema;
  const weight = leaf.required ? 1 : 0.5;
  const matching = [...reading.atoms.entries()]
    .filter(([at, atom]) => !reading.used.has(at) && isOfKind(atom, leaf, schema))
    .map(([at]) => at);
  if (!isList)
    return matching[0] === undefined
      ? null
      : take(
          leaf,
          reading,
          matching[0],
          matching[0] + 1,
          isUnlikely(reading.atoms[matching[0]], leaf) ? -1 : weight,
        );
  const values = matching.map((at) => convert(reading.atoms[at]?.value ?? '', schema, reading.root));
  return matching.length === 0 ? null : accept(leaf, reading, values, { taken: matching, weight });
};

/** One of the values that the schema allows, if the text contains it. */
export const byChoice: Finder = (leaf, reading) => {
  const isList = leaf.kind === 'array';
  const choices = choicesOf(isList ? itemsOf(leaf.schema, reading.root) : leaf.schema);
  if (choices.length < 2) return null;
  const said = choices.flatMap((choice) => {
    const words = splitName(spoken(choice));
    const stems = words.map(stem);
    if (!leaf.required && words.every((one) => isEmptyWord(one) || isQuestionWord(one))) return [];
    const at = [...reading.atoms.keys()].find(
      (index) => reading.atoms[index]?.value === spoken(choice) || afterName(stems, reading, index) > 0,
    );
    return at === undefined || reading.used.has(at)
      ? []
      : [{ choice, at, to: Math.max(at + 1, afterName(stems, reading, at)) }];
  });
  const first = said[0];
  if (!first) return null;
  const value = isList ? said.map(({ choice }) => choice) : first.choice;
  return accept(leaf, reading, value, {
    taken: (isList ? said : [first]).flatMap(({ at, to }) => range(at, to)),
    weight: 0.5,
  });
};

/** to French, from Paris, in src */
export const byPreposition: Finder = (leaf, reading) => {
  if (!isText(leaf.kind)) return null;
  for (const at of reading.atoms.keys()) {
    const preposition = word(reading, at);
    if (reading.used.has(at) || !isPreposition(preposition) || at < reading.from) continue;
    const names = PREPOSITION_NAMES.get(preposition);
    if (!leaf.required || !names || !has(leaf, names)) {
      const place =
        isPathLike(leaf) && BEFORE_FOLDER.has(preposition) ? folderAt(leaf, reading, at + 1) : null;
      if (place) return place;
      continue;
    }
    let from = at + 1;
    while (isArticle(word(reading, from))) from += 1;
    let to = from;
    while (
      to < reading.atoms.length &&
      !reading.used.has(to) &&
      mark(reading, to) === '' &&
      !isPreposition(word(reading, to))
    )
      to += 1;
    if (isPlainValue(reading.atoms[from])) to = from + 1;
    const found = to > from ? take(leaf, reading, from, trimEnd(reading, from, to), 0.5) : null;
    if (found) return { ...found, taken: range(at, to) };
  }
  return null;
};

/** "in src", "in the src folder", but not "in the workspace" */
function folderAt(leaf: Leaf, reading: Reading, start: number): Found | null {
  const bare = !isArticle(word(reading, start));
  const at = bare ? start : start + 1;
  const name = word(reading, at);
  if (name === '' || isEmptyWord(name) || (!bare && !['folder', 'directory'].includes(word(reading, at + 1))))
    return null;
  return take(leaf, reading, at, at + 1, 0.5);
}
