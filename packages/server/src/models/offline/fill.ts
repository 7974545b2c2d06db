// A tool's input out of a request in plain words. What cannot be found is reported as
// missing; an input without missing parts always fits the tool's schema.

import { parseJson } from './atoms.ts';
import {
  byChoice,
  byFlag,
  byKey,
  byKind,
  byNameAndValue,
  byNameAndWords,
  byPreposition,
  byUnit,
} from './find.ts';
import {
  type Finder,
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
import {
  type Leaf,
  type Schema,
  asSchema,
  choicesOf,
  fits,
  kindOf,
  leavesOf,
  resolveSchema,
} from './schema.ts';
import { isArticle, isPreposition, isQuestionWord, stem } from './words.ts';

interface Missing {
  readonly name: string;
  readonly about: string;
}

export interface Filled {
  readonly input: Readonly<Record<string, unknown>>;
  readonly missing: readonly Missing[];
  /** How much the values that were found speak for the tool. */
  readonly weight: number;
}

type Clause = Pick<Reading, 'text' | 'atoms' | 'from' | 'toolWords' | 'aboutWords'>;

export function fill(schema: Schema, clause: Clause): Filled {
  const object = resolveSchema(schema, schema);
  const leaves = leavesOf(object, schema);
  const found = new Map<Leaf, Found>();
  const used = new Set<number>();
  const reading: Reading = { ...clause, root: schema, leaves, used };
  const set = (leaf: Leaf, one: Found | null): void => {
    if (!one || found.has(leaf)) return;
    found.set(leaf, one);
    for (const at of one.taken) used.add(at);
  };

  const inOrder = [...leaves].sort((one, other) => Number(other.required) - Number(one.required));
  for (const leaf of inOrder) set(leaf, fromJson(leaf, reading));
  for (const finder of FINDERS)
    for (const leaf of inOrder) if (!found.has(leaf)) set(leaf, finder(leaf, reading));
  const open = (): readonly Leaf[] => inOrder.filter((leaf) => !found.has(leaf));
  for (const leaf of open()) set(leaf, nextValue(leaf, reading));
  const last = theRest(open(), inOrder, reading);
  if (last) set(last.leaf, last.found);
  for (const leaf of open()) set(leaf, fromSchema(leaf, reading));
  return assemble(schema, leaves, found);
}

const FINDERS: readonly Finder[] = [
  byKey,
  byNameAndValue,
  byKind,
  byUnit,
  byChoice,
  byFlag,
  byPreposition,
  byNameAndWords,
];

/** An object written out as JSON gives every leaf that it holds. */
function fromJson(leaf: Leaf, reading: Reading): Found | null {
  for (const [at, atom] of reading.atoms.entries()) {
    if (atom.kind !== 'json') continue;
    let value = parseJson(atom.value);
    for (const name of leaf.path) {
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined;
    }
    const found = accept(leaf, reading, value, { taken: [at], weight: 2 });
    if (found) return found;
  }
  return null;
}

/** Numbers and quoted texts go, in order, to the required leaves that take them. */
function nextValue(leaf: Leaf, reading: Reading): Found | null {
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

/** a=1 b=two, for an object that names no properties of its own. */
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

/** One text that is still missing takes what is left of the sentence. */
function theRest(
  open: readonly Leaf[],
  all: readonly Leaf[],
  reading: Reading,
): { readonly leaf: Leaf; readonly found: Found | null } | null {
  const takesWords = (leaf: Leaf): boolean =>
    (isText(leaf.kind) || (leaf.kind === 'array' && kindOf(asItems(leaf)) === 'string')) &&
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
    if (isPathLike(leaf) && to - from > 1) continue;
    if (meaningful) return { leaf, found: take(leaf, reading, from, to, 0) };
  }
  return null;
}

const NO_VALUE = new Set([
  'it',
  'them',
  'one',
  'something',
  'anything',
  'back',
  'again',
  'now',
  'there',
  'here',
  'and',
  'then',
  'you',
  'i',
  'is',
  'are',
]);
const asItems = (leaf: Leaf): Schema => resolveSchema(leaf.schema['items'] ?? {}, leaf.schema);

/** What stands after the words that name the tool, up to the next value that is used. */
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

/** What the schema itself gives: a default, or the only value that is allowed. */
function fromSchema(leaf: Leaf, reading: Reading): Found | null {
  if (!leaf.required) return null;
  const only = leaf.kind === 'null' ? [null] : choicesOf(leaf.schema);
  const value = 'default' in leaf.schema ? leaf.schema['default'] : only.length === 1 ? only[0] : undefined;
  return accept(leaf, reading, value, { taken: [], weight: 0 });
}

function assemble(schema: Schema, leaves: readonly Leaf[], found: ReadonlyMap<Leaf, Found>): Filled {
  const build = (kept: readonly Leaf[]): Record<string, unknown> =>
    nest(kept.map((leaf) => [leaf.path, found.get(leaf)?.value]));
  const missing = leaves
    .filter((leaf) => leaf.required && !found.has(leaf))
    .map((leaf) => ({ name: leaf.path.join('.'), about: describe(leaf) }));
  const known = leaves.filter((leaf) => found.has(leaf));
  const weight = Math.min(
    3,
    known.reduce((sum, leaf) => sum + (found.get(leaf)?.weight ?? 0), 0),
  );
  if (missing.length > 0) return { input: build(known), missing, weight };
  for (const kept of [known, known.filter((leaf) => leaf.required)]) {
    const input = { ...emptyObjects(resolveSchema(schema, schema), schema), ...build(kept) };
    if (fits(input, schema, schema)) return { input, missing, weight };
  }
  return {
    input: build(known),
    missing: [{ name: 'its input', about: 'as JSON that fits its schema' }],
    weight,
  };
}

/** Required objects that nothing was said about and that may be empty. */
function emptyObjects(object: Schema, root: Schema, depth = 0): Record<string, unknown> {
  const names = Array.isArray(object['required'])
    ? object['required'].filter((name) => typeof name === 'string')
    : [];
  const inner = (name: string): Schema => resolveSchema(asSchema(object['properties'])[name], root);
  const objects = depth > 3 ? [] : names.filter((name) => inner(name)['properties'] !== undefined);
  return Object.fromEntries(objects.map((name) => [name, emptyObjects(inner(name), root, depth + 1)]));
}

/** `Object.fromEntries` makes plain properties of any name, `__proto__` too. */
function nest(
  entries: readonly (readonly [path: readonly string[], value: unknown])[],
): Record<string, unknown> {
  const groups = Map.groupBy(entries, ([path]) => path[0] ?? '');
  return Object.fromEntries(
    [...groups].map(([name, inside]) => {
      const own = inside.find(([path]) => path.length === 1);
      return [name, own ? own[1] : nest(inside.map(([path, value]) => [path.slice(1), value]))];
    }),
  );
}

function describe(leaf: Leaf): string {
  const choices = choicesOf(leaf.schema);
  if (choices.length > 1) return `one of ${choices.map(String).join(', ')}`;
  const kind = leaf.kind === 'boolean' ? 'yes or no' : leaf.kind === 'any' ? '' : leaf.kind;
  return [leaf.about.replace(/[.\s]+$/, ''), leaf.kind === 'string' && leaf.about ? '' : kind]
    .filter(Boolean)
    .join('; ');
}
