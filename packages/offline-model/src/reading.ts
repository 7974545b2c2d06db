// A request while it is read for one tool: which atoms are spoken for, where a leaf is
// named, where a value of several words ends, and what a stretch of text means as a value.

import { type Atom, parseJson } from './atoms.ts';
import { type Kind, type Leaf, type Schema, choicesOf, fits, itemsOf, kindOf } from './schema.ts';
import { AFTER_VALUE, BEFORE_NAME, CONTENT_NAMES, PATH_NAMES } from './vocabulary.ts';
import { isPreposition, splitName } from './words.ts';

export interface Reading {
  readonly text: string;
  readonly atoms: readonly Atom[];
  /** Where the request itself begins, after "could you please". */
  readonly from: number;
  /** Stems that name the tool, which a value therefore does not begin with. */
  readonly toolWords: ReadonlySet<string>;
  /** Stems that describe it. */
  readonly aboutWords: ReadonlySet<string>;
  readonly root: Schema;
  readonly leaves: readonly Leaf[];
  /** Atoms that already went into a value. */
  readonly used: ReadonlySet<number>;
}

export interface Found {
  readonly value: unknown;
  readonly taken: readonly number[];
  /** How much the value speaks for the tool that it fits. */
  readonly weight: number;
}

export type Finder = (leaf: Leaf, reading: Reading) => Found | null;

export const has = (leaf: Leaf, words: ReadonlySet<string>): boolean =>
  leaf.words.some((word) => words.has(word));
export const isContent = (leaf: Leaf): boolean => isText(leaf.kind) && has(leaf, CONTENT_NAMES);
export const isText = (kind: Kind): boolean => kind === 'string' || kind === 'any';
/** A value that stands out from the words around it. */
export const isPlainValue = (atom: Atom | undefined): boolean =>
  atom !== undefined && atom.kind !== 'word' && atom.kind !== 'mark';
export const isNumeric = (kind: Kind): boolean => kind === 'number' || kind === 'integer';

export function isPathLike(leaf: Leaf): boolean {
  if (isContent(leaf) || choicesOf(leaf.schema).length > 0) return false;
  return has(leaf, PATH_NAMES) || /\b(?:path|file ?name|directory|folder)\b/i.test(leaf.about);
}

export const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

/** How a value that the schema allows is said; empty where it cannot be. */
export function spoken(choice: unknown): string {
  return typeof choice === 'string' ? choice : (JSON.stringify(choice) ?? '');
}

/** The value that a text stands for under a schema; undefined where it cannot. */
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

/** The atoms from `from` to `to` as a value of the leaf, if it fits. */
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

/** The first index after a name (its stems) that stands at `at`; otherwise 0. */
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

/** Where a value of several words ends: at another value, or where another leaf is named. */
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

/** Without the words and marks that only lead on; a content keeps its "!" and "?". */
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
