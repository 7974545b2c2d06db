// Reads a tool's JSON Schema: the leaves of its input, and whether a value fits. Never guesses: if it is unclear whether a value
// fits, it does not.

import { splitName, stem } from './words.ts';

export type Schema = Readonly<Record<string, unknown>>;
export type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object' | 'any';

/** A place in the input that takes a single value; nested objects are split into their own leaves. */
export interface Leaf {
  readonly path: readonly string[];
  readonly words: readonly string[];
  readonly stems: readonly string[];
  readonly about: string;
  readonly schema: Schema;
  readonly kind: Kind;
  readonly required: boolean;
}

/** In a leaf's path: the single item of a list of objects. */
export const ONLY = '\0only';

const DEEPEST = 8;
const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function asSchema(value: unknown): Schema {
  if (value === false) return { not: {} };
  return isRecord(value) ? value : {};
}

/** Follows references, and chooses the first alternative that is not null. */
export function resolveSchema(value: unknown, root: Schema, depth = 0): Schema {
  const schema = asSchema(value);
  if (depth > DEEPEST) return { not: {} };
  const { $ref, anyOf, oneOf, allOf, ...own } = schema;
  if (typeof $ref === 'string') return { ...resolveSchema(follow($ref, root), root, depth + 1), ...own };
  const choices = list(anyOf ?? oneOf).map((choice) => resolveSchema(choice, root, depth + 1));
  if (choices.length > 0 && choices.every((choice) => 'const' in choice))
    return { ...own, enum: choices.map((choice) => choice['const']) };
  const chosen = choices.find((choice) => choice['type'] !== 'null');
  const parts = list(allOf).map((part) => resolveSchema(part, root, depth + 1));
  return [chosen ?? {}, ...parts].reduce<Schema>(merge, own);
}

function merge(one: Schema, other: Schema): Schema {
  const properties = { ...asSchema(one['properties']), ...asSchema(other['properties']) };
  const required = [...list(one['required']), ...list(other['required'])];
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function follow(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return false;
  let place: unknown = root;
  for (const key of reference.slice(1).split('/').filter(Boolean)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    place = isRecord(place) && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return place === undefined ? false : place;
}

export function kindOf(schema: Schema): Kind {
  const types = list(schema['type']);
  const type = types.length > 0 ? (types.find((one) => one !== 'null') ?? 'null') : schema['type'];
  if (typeof type === 'string') return type as Kind;
  if (isRecord(schema['properties'])) return 'object';
  const sample = 'const' in schema ? schema['const'] : list(schema['enum'])[0];
  if (sample !== undefined && sample !== null && typeof sample !== 'object') return typeof sample as Kind;
  return 'any';
}

/** The leaves of an object's schema, required or not, in the schema's order. */
export function leavesOf(
  schema: Schema,
  root: Schema,
  above: { path: readonly string[]; required: boolean } = { path: [], required: true },
): readonly Leaf[] {
  const properties = asSchema(schema['properties']);
  const required = new Set(list(schema['required']).filter((name) => typeof name === 'string'));
  const names = new Set([...Object.keys(properties), ...required]);
  return [...names].flatMap((name) => {
    const inner = resolveSchema(Object.hasOwn(properties, name) ? properties[name] : {}, root);
    const path = [...above.path, name];
    const here = { path, required: above.required && required.has(name) };
    const kind = kindOf(inner);
    if (kind === 'object' && isRecord(inner['properties']) && path.length < 4)
      return leavesOf(inner, root, here);
    const items = kind === 'array' && here.required ? itemsOf(inner, root) : {};
    if (isRecord(items['properties']) && list(items['required']).length > 0 && path.length < 4)
      return leavesOf(items, root, { ...here, path: [...path, ONLY] });
    const words = splitName(name);
    return [
      {
        ...here,
        words,
        stems: words.map(stem),
        about: typeof inner['description'] === 'string' ? inner['description'] : '',
        schema: inner,
        kind,
      },
    ];
  });
}

/** The allowed values, if the schema lists them. */
export function choicesOf(schema: Schema): readonly unknown[] {
  return 'const' in schema ? [schema['const']] : list(schema['enum']);
}

export function itemsOf(schema: Schema, root: Schema): Schema {
  return resolveSchema(schema['items'] ?? {}, root);
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  url: /^[a-z][a-z0-9+.-]*:\S+$/i,
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
};

export function fits(value: unknown, schemaLike: unknown, root: Schema, depth = 0): boolean {
  if (depth > 4 * DEEPEST) return false;
  const schema = asSchema(schemaLike);
  const inside = (part: unknown, of: unknown): boolean => fits(part, of, root, depth + 1);
  const { $ref, anyOf, oneOf, allOf, not } = schema;
  if (typeof $ref === 'string' && !inside(value, follow($ref, root))) return false;
  if (Array.isArray(anyOf) && !anyOf.some((choice) => inside(value, choice))) return false;
  if (Array.isArray(oneOf) && oneOf.filter((choice) => inside(value, choice)).length !== 1) return false;
  if (Array.isArray(allOf) && !allOf.every((part) => inside(value, part))) return false;
  if (not !== undefined && inside(value, not)) return false;
  if ('const' in schema && !same(value, schema['const'])) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].some((choice) => same(value, choice))) return false;
  const types = typeof schema['type'] === 'string' ? [schema['type']] : list(schema['type']);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (typeof value === 'string') return textFits(value, schema);
  if (typeof value === 'number') return numberFits(value, schema);
  if (Array.isArray(value)) return arrayFits(value, schema, inside);
  return !isRecord(value) || objectFits(value, schema, inside);
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const limit = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  return typeof value === type && (type !== 'number' || Number.isFinite(value));
}

function textFits(value: string, schema: Schema): boolean {
  const { length } = Array.from(value);
  if (length < limit(schema['minLength'], 0) || length > limit(schema['maxLength'], Infinity)) return false;
  const format = typeof schema['format'] === 'string' ? FORMATS[schema['format']] : undefined;
  if (format && !format.test(value)) return false;
  if (typeof schema['pattern'] !== 'string') return true;
  try {
    return new RegExp(schema['pattern'], 'u').test(value);
  } catch {
    return false;
  }
}

function numberFits(value: number, schema: Schema): boolean {
  if (value < limit(schema['minimum'], -Infinity) || value > limit(schema['maximum'], Infinity)) return false;
  if (
    value <= limit(schema['exclusiveMinimum'], -Infinity) ||
    value >= limit(schema['exclusiveMaximum'], Infinity)
  )
    return false;
  const step = limit(schema['multipleOf'], 0);
  return step <= 0 || Number.isInteger(value / step);
}

type Inside = (part: unknown, schema: unknown) => boolean;

function arrayFits(value: readonly unknown[], schema: Schema, inside: Inside): boolean {
  if (value.length < limit(schema['minItems'], 0) || value.length > limit(schema['maxItems'], Infinity))
    return false;
  if (
    schema['uniqueItems'] === true &&
    new Set(value.map((item) => JSON.stringify(item))).size < value.length
  )
    return false;
  return schema['items'] === undefined || value.every((item) => inside(item, schema['items']));
}

function objectFits(value: Schema, schema: Schema, inside: Inside): boolean {
  if (list(schema['required']).some((name) => typeof name === 'string' && !Object.hasOwn(value, name)))
    return false;
  const properties = asSchema(schema['properties']);
  return Object.entries(value).every(([name, inner]) =>
    Object.hasOwn(properties, name)
      ? inside(inner, properties[name])
      : schema['additionalProperties'] === undefined || inside(inner, schema['additionalProperties']),
  );
}
