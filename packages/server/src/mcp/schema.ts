// A tool's input schema from an untrusted server: the part that models see, and a check of the inputs that they send.
//
// A schema is a program that an attacker can make run forever (regular expressions, references that double, seconds of
// compiling for a few KiB). So schemas are never executed here: each part is only inspected, once. The server checks its
// input itself; the check here only catches obvious mistakes early.

import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

export interface InputSchema {
  readonly forModels: Schema;
  readonly input: z.ZodType<Record<string, unknown>>;
}

/** Throws if the schema is malformed: a schema that providers refuse would fail every run of the workspace. */
export function readSchema(given: unknown): InputSchema {
  if (!isObject(given)) throw new Error('its input schema is not an object');
  if (given['type'] !== 'object') throw new Error('its input schema is not of type object');
  const { error } = wellFormed.safeParse(given);
  const issue = error?.issues[0];
  if (issue) throw new Error(`its input schema is not valid at ${issue.path.join('.')}: ${issue.message}`);
  const lost = referencesIn(given).find((reference) => !resolves(reference, given));
  if (lost !== undefined)
    throw new Error(`its input schema refers to ${lost.slice(0, 100)}, which the schema does not contain`);
  const properties = asObject(given['properties']);
  const odd = Object.keys(properties).find((name) => !/^[\w.-]{1,64}$/.test(name));
  if (odd !== undefined)
    throw new Error(`its input schema names a property ${JSON.stringify(odd.slice(0, 64))}`);
  return { forModels: showable(given), input: checkOf(given, properties) };
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

/** Each keyword must have a value of its kind; other properties may hold anything. */
const wellFormed: z.ZodType = z.lazy(() => {
  const named = z.record(z.string(), wellFormed);
  const several = z.array(wellFormed).min(1);
  const keywords = {
    type: z.union([z.enum(TYPES), z.array(z.enum(TYPES)).min(1)]),
    enum: z.array(z.unknown()).min(1),
    required: z.array(z.string()),
    items: z.union([wellFormed, several]),
    multipleOf: z.number().positive(),
    uniqueItems: z.boolean(),
    ...each('properties patternProperties $defs definitions', named),
    ...each('additionalProperties propertyNames contains not if then else', wellFormed),
    ...each('allOf anyOf oneOf prefixItems', several),
    ...each('$ref title description pattern format', z.string()),
    ...each('minimum maximum exclusiveMinimum exclusiveMaximum', z.number()),
    ...each('minLength maxLength minItems maxItems minProperties maxProperties', z.int().min(0)),
  };
  return z.union([z.boolean(), z.looseObject(keywords).partial()]);
});

function each(names: string, schema: z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema]));
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? inner : referencesIn(inner),
  );
}

function resolves(reference: string, root: Schema): boolean {
  if (reference !== '#' && !reference.startsWith('#/')) return false;
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Schema)[key];
  }
  return true;
}

/** Providers refuse these keywords at the top level of a tool's schema; the server still checks them. */
const NOT_AT_THE_TOP = new Set(['$schema', '$id', '$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const']);

function showable(schema: Schema): Schema {
  const entries = Object.entries(schema).filter(([key]) => !NOT_AT_THE_TOP.has(key));
  return Object.fromEntries([['properties', {}], ...entries]);
}

/** Checks required and forbidden properties, and the types of top-level properties. */
function checkOf(schema: Schema, properties: Schema): InputSchema['input'] {
  const required = (schema['required'] ?? []) as readonly string[];
  const closed = schema['additionalProperties'] === false && !('patternProperties' in schema);
  return z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const wrong = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    for (const name of required) if (!Object.hasOwn(value, name)) wrong(name, 'is missing');
    for (const [name, given] of Object.entries(value)) {
      if (!Object.hasOwn(properties, name)) {
        if (closed) wrong(name, 'is not a property of the tool’s input');
        continue;
      }
      const { type, enum: choices } = asObject(properties[name]);
      const types = (Array.isArray(type) ? type : type === undefined ? [] : [type]) as readonly string[];
      if (types.length > 0 && !types.some((one) => isOfType(given, one)))
        wrong(name, `must be ${types.join(' or ')}`);
      else if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, given)))
        wrong(name, `must be one of ${JSON.stringify(choices).slice(0, 500)}`);
    }
  });
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function asObject(value: unknown): Schema {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
