// Lists of what is published: filtered, sorted, in pages. Bodies are read only if they are wanted: a list of whole pieces would be
// large.

import type { ContentField, ContentType } from './content-type.ts';
import type { Place } from './draft.ts';
import { toPublished, type Published, type PublishedRow } from './publishing.ts';

/** How a field is compared. */
export const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'has', 'exists'] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Filter {
  readonly field: string;
  readonly operator: Operator;
  readonly value: string;
}

/** `newest` and `oldest` are by the first publication; a field may have `-` before it. */
export interface PublishedQuery {
  readonly filters: readonly Filter[];
  readonly sort: string;
  readonly limit: number;
  /** The sort key and the slug of the last piece of the page before. */
  readonly after?: Cursor | undefined;
  /** Whether the bodies are wanted. */
  readonly bodies: boolean;
}

export type Cursor = readonly [key: string, slug: string];

export interface PublishedPage {
  readonly items: readonly Published[];
  readonly total: number;
  readonly next: Cursor | null;
}

/** A query that names a field that the type does not have, or compares it with something else. `path` is the parameter. */
export class BadQuery extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

interface Row extends PublishedRow {
  readonly key: string;
}

const FIRST = `to_char(p.first_published_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const ALL = 'p.type, p.slug, p.file_id, p.version, p.title, p.fields, p.first_published_at, p.published_at';

export async function listPublished(
  { client, workspaceId }: Place,
  type: ContentType,
  { filters, sort, limit, after, bodies }: PublishedQuery,
): Promise<PublishedPage> {
  const values: unknown[] = [workspaceId, type.name];
  const bind = (value: unknown, as = 'text') => `$${values.push(value)}::${as}`;
  const conditions = filters.map((filter) => conditionOf(type, filter, bind));
  const where = ['p.workspace_id = $1 and p.type = $2', ...conditions].join(' and ');
  const counted = await client.query<{ total: number }>(
    `select count(*)::int as total from published p where ${where}`,
    values,
  );
  const { key, order } = sortOf(type, sort, bind);
  const onwards =
    after === undefined
      ? ''
      : ` and (${key}, p.slug) ${order === 'asc' ? '>' : '<'} (${bind(after[0])}, ${bind(after[1])})`;
  const { rows } = await client.query<Row>(
    `select ${ALL}, ${bodies ? 'p.body, p.html' : "'' as body, '' as html"}, ${key} as key from published p
      where ${where}${onwards} order by ${key} ${order}, p.slug ${order} limit ${bind(limit + 1, 'int')}`,
    values,
  );
  const last = rows[limit - 1];
  return {
    items: rows.slice(0, limit).map(toPublished),
    total: counted.rows[0]!.total,
    next: rows.length > limit && last ? [last.key, last.slug] : null,
  };
}

/** The newest pieces of all types, or of one, without filters. */
export async function listNewest(
  { client, workspaceId }: Place,
  { type, limit, bodies }: { readonly type?: string; readonly limit: number; readonly bodies: boolean },
): Promise<readonly Published[]> {
  const { rows } = await client.query<Row>(
    `select ${ALL}, ${bodies ? 'p.body, p.html' : "'' as body, '' as html"}, '' as key from published p
      where p.workspace_id = $1 and ($2::text is null or p.type = $2)
      order by p.first_published_at desc, p.type, p.slug limit $3`,
    [workspaceId, type ?? null, limit],
  );
  return rows.map(toPublished);
}

type Bind = (value: unknown, as?: string) => string;

function fieldOf({ name, fields }: ContentType, field: string, path: string): ContentField {
  const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (known) return known;
  throw new BadQuery(
    path,
    `${name} has no field ${JSON.stringify(field.slice(0, 64))}; there are ${Object.keys(fields).join(', ')}`,
  );
}

/** A published piece may be older than the type's file, in which the field is a number now. */
function numberIn(bind: Bind, field: string): string {
  const json = `p.fields -> ${bind(field)}`;
  return `case when jsonb_typeof(${json}) = 'number' then (${json})::numeric end`;
}

/** The names of fields come from the type's file, and its names from a pattern; they are bound as values all the same. */
function sortOf(
  type: ContentType,
  sort: string,
  bind: Bind,
): { readonly key: string; readonly order: 'asc' | 'desc' } {
  if (sort === 'newest') return { key: FIRST, order: 'desc' };
  if (sort === 'oldest') return { key: FIRST, order: 'asc' };
  const order = sort.startsWith('-') ? 'desc' : 'asc';
  const name = sort.replace(/^-/, '');
  const { kind } = fieldOf(type, name, 'sort');
  // As text that sorts as the number does: never negative, with digits of equal length.
  const shifted = () => `greatest(least(${numberIn(bind, name)}, 1e15), -1e15) + 1e15`;
  if (kind === 'number')
    return { key: `coalesce(to_char(${shifted()}, 'FM0000000000000000.000000'), '')`, order };
  return { key: `coalesce(lower(p.fields ->> ${bind(name)}), '')`, order };
}

function conditionOf(type: ContentType, { field, operator, value }: Filter, bind: Bind): string {
  const path = operator === 'eq' ? `fields.${field}` : `fields.${field}[${operator}]`;
  const { kind } = fieldOf(type, field, path);
  // Every value that is bound must be used.
  const json = () => `p.fields -> ${bind(field)}`;
  const text = () => `p.fields ->> ${bind(field)}`;
  if (operator === 'exists') {
    if (value !== 'true' && value !== 'false') throw new BadQuery(path, 'must be true or false');
    return `(${json()}) is ${value === 'true' ? 'not null' : 'null'}`;
  }
  const isList = kind === 'list' || kind === 'reference';
  if (operator === 'has' || (isList && operator === 'eq')) {
    if (!isList) throw new BadQuery(path, `is for lists, and ${field} is a ${kind}`);
    // A reference may be a single slug.
    return `(coalesce(${json()} ? ${bind(value)}, false) or ${text()} = ${bind(value)})`;
  }
  if (operator === 'in') {
    const any = value.split(',').map((each) => each.trim());
    if (isList) return `coalesce(${json()} ?| ${bind(any, 'text[]')}, false)`;
    return `coalesce(${text()} = any (${bind(any, 'text[]')}), false)`;
  }
  if (isList) throw new BadQuery(path, `a ${kind} has only the comparisons has, in and exists`);
  if (kind === 'number') {
    if (!/^-?\d{1,15}(\.\d{1,6})?$/.test(value)) throw new BadQuery(path, 'must be a number');
    return compare(numberIn(bind, field), bind(value, 'numeric'), operator);
  }
  if (kind === 'boolean' && value !== 'true' && value !== 'false')
    throw new BadQuery(path, 'must be true or false');
  return compare(text(), bind(value), operator);
}

const SIGN = { eq: '=', ne: 'is distinct from', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function compare(left: string, right: string, operator: Exclude<Operator, 'in' | 'has' | 'exists'>): string {
  return operator === 'ne'
    ? `${left} ${SIGN.ne} ${right}`
    : `coalesce(${left} ${SIGN[operator]} ${right}, false)`;
}
