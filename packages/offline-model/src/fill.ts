// Builds a tool's input from a request in plain words. Values that cannot be found are reported as missing; an input without
// missing parts always fits the tool's schema.

import { parseJson } from './atoms.ts';
import { byFlag, byKey, byNameAndValue, byNameAndWords } from './find-named.ts';
import { byChoice, byKind, byPreposition, byUnit } from './find-by-form.ts';
import { nextValue, findRemainingText } from './find-remaining.ts';
import { type Finder, type Found, type Reading, accept, isPathLike, spoken } from './reading.ts';
import {
  type Leaf,
  type Schema,
  ONLY,
  asSchema,
  choicesOf,
  fits,
  leavesOf,
  resolveSchema,
} from './schema.ts';

interface Missing {
  readonly name: string;
  readonly about: string;
}

export interface Filled {
  readonly input: Readonly<Record<string, unknown>>;
  readonly missing: readonly Missing[];
  /** How strongly the values suggest this tool. */
  readonly weight: number;
}

type Clause = Pick<Reading, 'text' | 'atoms' | 'from' | 'toolWords' | 'aboutWords'> & {
  /** The path to use if the request names none. */
  readonly path?: string | null;
};

export function fill(schema: Schema, clause: Clause): Filled {
  const object = resolveSchema(schema, schema);
  const leaves = leavesOf(object, schema);
  const found = new Map<Leaf, Found>();
  const used = new Set<number>();
  const reading: Reading = { ...clause, root: schema, leaves, used };
  const whole = wholeInput(schema, reading);
  if (whole) return whole;
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
  const meant = open().find((leaf) => leaf.required && isPathLike(leaf));
  if (meant && clause.path) set(meant, accept(meant, reading, clause.path, { taken: [], weight: 0.5 }));
  const last = findRemainingText(open(), inOrder, reading);
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

/** An input that the request spells out as JSON is used as it is. */
function wholeInput(schema: Schema, { atoms }: Reading): Filled | null {
  for (const atom of atoms) {
    const value = atom.kind === 'json' ? parseJson(atom.value) : undefined;
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) continue;
    if (fits(value, schema, schema)) return { input: value as Filled['input'], missing: [], weight: 3 };
  }
  return null;
}

/** A JSON object in the request provides every leaf that it contains. */
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

/** The schema's own value: a default, or the only value that is allowed. */
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
    .map((leaf) => ({ name: leaf.path.filter((name) => name !== ONLY).join('.'), about: describe(leaf) }));
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

/** Required objects that the request does not mention and that may be empty. */
function emptyObjects(object: Schema, root: Schema, depth = 0): Record<string, unknown> {
  const names = Array.isArray(object['required'])
    ? object['required'].filter((name) => typeof name === 'string')
    : [];
  const inner = (name: string): Schema => resolveSchema(asSchema(object['properties'])[name], root);
  const objects = depth > 3 ? [] : names.filter((name) => inner(name)['properties'] !== undefined);
  return Object.fromEntries(objects.map((name) => [name, emptyObjects(inner(name), root, depth + 1)]));
}

/** `Object.fromEntries` creates ordinary properties for any name, even `__proto__`. */
export function nest(
  entries: readonly (readonly [path: readonly string[], value: unknown])[],
): Record<string, unknown> {
  const groups = Map.groupBy(entries, ([path]) => path[0] ?? '');
  return Object.fromEntries(
    [...groups].map(([name, inside]) => {
      const own = inside.find(([path]) => path.length === 1);
      if (own) return [name, own[1]];
      const deeper = nest(inside.map(([path, value]) => [path.slice(1), value]));
      return [name, Object.hasOwn(deeper, ONLY) ? [deeper[ONLY]] : deeper];
    }),
  );
}

function describe(leaf: Leaf): string {
  const choices = choicesOf(leaf.schema);
  if (choices.length > 1) return `one of ${choices.map(spoken).join(', ')}`;
  const kind = leaf.kind === 'boolean' ? 'yes or no' : leaf.kind === 'any' ? '' : leaf.kind;
  return [leaf.about.replace(/[.\s]+$/, ''), leaf.kind === 'string' && leaf.about ? '' : kind]
    .filter(Boolean)
    .join('; ');
}
