// A request while it is read for one tool: which atoms are already used, where a leaf is named, where a value of several words
// ends, and how a piece of text converts to a value.

import { type Atom, parseJson } from './atoms.ts';
import { type Kind, type Leaf, type Schema, choicesOf, fits, itemsOf, kindOf } from './schema.ts';
import { AFTER_VALUE, BEFORE_NAME, CONTENT_NAMES, PATH_NAMES } from './vocabulary.ts';
import { isPreposition, splitName } from './words.ts';

export interface Reading {
  readonly text: string;
  readonly atoms: readonly Atom[];
  /** The index at which the request itself begins, after "could you please". */
  readonly from: number;
  /** Stems of the tool's name. A value does not begin with one of them. */
  readonly toolWords: ReadonlySet<string>;
  /** Stems of the tool's description and properties. */
  readonly aboutWords: ReadonlySet<string>;
  readonly root: Schema;
  readonly leaves: readonly Leaf[];
  /** Atoms that are already part of a value. */
  readonly used: ReadonlySet<number>;
}

export interface Found {
  readonly value: unknown;
  readonly taken: readonly number[];
  /** How strongly the value suggests the tool. */
  readonly weight: number;
}

export type Finder = (leaf: Leaf, reading: Reading) => Found | null;

export const has = (leaf: Leaf, words: ReadonlySet<string>): boolean =>
  leaf.words.some((word) => words.has(word));
export const isContent = (leaf: Leaf): boolean => isText(leaf.kind) && has(leaf, CONTENT_NAMES);
export const isText = (kind: Kind): boolean => kind === 'string' || kind === 'any';
/** A value that can be recognised by its form. */
export const isPlainValue = (atom: Atom | undefined): boolean =>
  atom !== undefined && atom.kind !== 'word' && atom.kind !== 'mark';
export const isNumeric = (kind: Kind): boolean => kind === 'number' || kind === 'integer';

export function isPathLike(leaf: Leaf): boolean {
  if (isContent(leaf) || choicesOf(leaf.schema).length > 0) return false;
  return has(leaf, PATH_NAMES) || /\b(?:path|file ?name|directory|folder)\b/i.test(leaf.about);
}

export const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

/** How people say an allowed value; empty if it cannot be said. */
export function spoken(choice: unknown): string {
  return typeof choice === 'string' ? choice : (JSON.stringify(choice) ?? '');
}

/** Converts a text to a value of the schema; undefined if it does not fit. */
export function convert(text: string, schema: Schema, root: Schema): unknown {
  const plain = (one: string): string => splitName(one).join(' ');
  const choice = choicesOf(schema).find(
    (one) => spoken(one) === text || (spoken(one) !== '' && plain(spoken(one)) === plain(text)),
  );
  if (choice !== undefined) return choice;
  const kind = kindOf(schema);
  if (isText(kind)) return text;
  if (isNumeric(kind)) return /^[-+]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (kind === 'boolean')
    return /^(?:true|yes|on)$/i.test(text) ? true : /^(?:false|no|off)$/i.test(text) ? false : undefined;
  if (kind === 'null') return /^(?:null|none|nothing)$/i.test(text) ? null : undefined;
  const data = parseJson(text);
  if (data !== undefined && typeof data === 'object') return data;
  if (kind !== 'array') return undefined;
  const items = itemsOf(schema, root);
  return text
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/)
    .filter((item) => item !== '')
    .map((item) => convert(item.replace(/^["'`](.*)["'`]$/, '$1'), items, root));
}

/** The atoms from `from` to `to` as a value of the leaf; null if they do not fit. */
export function take(leaf: Leaf, reading: Reading, from: number, to: number, weight: number): Found | null {
  const first = reading.atoms[from];
  const last = reading.atoms[to - 1];
  if (!first || !last) return null;
  const text = to - from === 1 ? first.value : reading.text.slice(first.start, last.end);
  const data =
    to - from === 1 && first.kind === 'json' && leaf.kind !== 'string'
      ? parseJson(text)
      : convert(text, leaf.schema, reading.root);
  return accept(leaf, reading, data, { taken: range(from, to), weight });
}

export function accept(
  leaf: Leaf,
  reading: Reading,
  value: unknown,
  found: Omit<Found, 'value'>,
): Found | null {
  return value !== undefined && fits(value, leaf.schema, reading.root) ? { value, ...found } : null;
}

/** The index after a name (given as stems) that begins at `at`; 0 if it does not. */
export function afterName(stems: readonly string[], reading: Reading, at: number): number {
  let heard = 0;
  let next = at;
  while (heard < stems.length && !reading.used.has(next)) {
    const parts = reading.atoms[next]?.stems ?? [];
    if (parts.length === 0 || parts.some((part, index) => part !== stems[heard + index])) return 0;
    heard += parts.length;
    next += 1;
  }
  return heard === stems.length && heard > 0 ? next : 0;
}

export const mark = (reading: Reading, at: number): string =>
  reading.atoms[at]?.kind === 'mark' ? (reading.atoms[at]?.value ?? '') : '';
export const word = (reading: Reading, at: number): string =>
  reading.atoms[at]?.kind === 'word' ? (reading.atoms[at]?.value.toLowerCase() ?? '') : '';

export function isKeyed(leaf: Leaf, reading: Reading, at: number): boolean {
  const next = afterName(leaf.stems, reading, at);
  return next > 0 && ['=', ':'].includes(mark(reading, next));
}

export const introduced = (reading: Reading, at: number): boolean =>
  at <= reading.from || mark(reading, at - 1) === ',' || BEFORE_NAME.has(word(reading, at - 1));

/** The end of a value of several words: the next value, or the name of another leaf. */
export function endOfRun(leaf: Leaf, reading: Reading, from: number): number {
  const others = reading.leaves.filter((other) => other !== leaf);
  let to = from;
  for (; to < reading.atoms.length; to += 1) {
    if (reading.used.has(to) || mark(reading, to) === ';') break;
    const named = (other: Leaf): boolean =>
      isKeyed(other, reading, to) || (introduced(reading, to) && afterName(other.stems, reading, to) > 0);
    if (to > from && others.some(named)) break;
  }
  return trimEnd(reading, from, to, isContent(leaf));
}

/** Removes trailing connecting words and punctuation; content keeps its "!" and "?". */
export function trimEnd(reading: Reading, from: number, end: number, isContent = false): number {
  const marks = isContent ? '.,;:' : '.,;:!?';
  let to = end;
  while (to > from) {
    const last = word(reading, to - 1);
    if (!marks.includes(mark(reading, to - 1) || ' ') && !isPreposition(last) && !AFTER_VALUE.has(last))
      break;
    to -= 1;
  }
  return to;
}
