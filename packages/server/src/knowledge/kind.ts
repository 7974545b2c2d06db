// What a kind of entity is. One definition holds everything that is particular to a kind: its fields, its states with the legal
// transitions, its summary line and its place in the console. The service, the routes, the tools, the OpenAPI document and the
// console's forms follow from it.

import { z } from 'zod';

export const TITLE_CHARACTERS = 200;
export const TEXT_CHARACTERS = 20_000;
/** Maximum number of edges of an entity. The SQL function `linkable_states` has the same number. */
export const EDGES_PER_ENTITY = 500;

interface States {
  readonly initial: string;
  /** The states that each state may change to. A state may always stay. */
  readonly transitions: Readonly<Record<string, readonly string[]>>;
}

export interface Kind {
  /** As the API names it: `task`. */
  readonly kind: string;
  /** The last part of its routes, and of the tools that list it: `tasks`. */
  readonly plural: string;
  readonly label: { readonly one: string; readonly many: string };
  /** One sentence for people and models. */
  readonly description: string;
  /** What people call its title. */
  readonly titleField: 'title' | 'name';
  /** The fields besides title and state, all optional. */
  readonly fields: z.ZodObject;
  /** Null: the kind has no states. */
  readonly states: States | null;
  /** The fields that a summary line shows after the title and the state. */
  readonly summary: readonly string[];
  /** Where the console shows it: its position among the kinds, and the fields that its table shows. */
  readonly console: { readonly order: number; readonly columns: readonly string[] };
  /** The entity is a file: its title, description and content are the file's. */
  readonly isFile?: true;
  /** It may be in no project. */
  readonly hasOptionalProject?: true;
}

/** An entity as clients see it. Its kind's fields are members too; a project has a `name` instead of a `title`. */
export interface Entity {
  readonly id: string;
  readonly kind: string;
  readonly project_id: string | null;
  readonly version: number;
  readonly title?: string;
  readonly name?: string;
  readonly state?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly removed_at: string | null;
  readonly edges: readonly Edge[];
  readonly [field: string]: unknown;
}

export interface Edge {
  readonly id: string;
  readonly from_id: string;
  readonly rel: string;
  readonly to_id: string;
}

/** Text that the database can store: no NUL, no lone surrogate. */
export function text(most: number) {
  return z
    .string()
    .max(most)
    .refine(
      (value) => value.isWellFormed() && !value.includes('\0'),
      'must not contain NUL or half of a character',
    );
}

export const title = text(TITLE_CHARACTERS)
  .trim()
  .min(1)
  .refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), 'must be one line');

/** A day, such as 2026-11-17. */
export const day = z.iso.date();

const RESERVED = new Set(
  'id kind project_id version title name state created_at updated_at removed_at edges content path order parent_id'.split(
    ' ',
  ),
);

/** Checks a definition, so that a mistake in it stops the server at its start. */
export function defineKind(definition: Kind): Kind {
  const { kind, plural, fields, states, summary, console: place } = definition;
  const problem = (what: string) => new Error(`kind ${kind}: ${what}`);
  if (!/^[a-z][a-z_]*$/.test(kind) || !/^[a-z][a-z_]*$/.test(plural))
    throw problem('its names consist of lower case letters and _');
  const names = Object.keys(fields.shape);
  const taken = names.find((name) => RESERVED.has(name));
  if (taken && !definition.isFile) throw problem(`the field ${taken} is one that every entity has`);
  const unknown = [...summary, ...place.columns].find((name) => !names.includes(name) && !RESERVED.has(name));
  if (unknown) throw problem(`its summary or table shows ${unknown}, which is not a field`);
  if (states) {
    const all = Object.keys(states.transitions);
    const missing = [states.initial, ...Object.values(states.transitions).flat()].find(
      (state) => !all.includes(state),
    );
    if (missing) throw problem(`the state ${missing} has no transitions of its own; give it an empty list`);
  }
  return definition;
}

export function titleOf(entity: Entity): string {
  return entity.name ?? entity.title ?? '';
}

/** One line about an entity, for lists that models read. */
export function summaryOf(kind: Kind, entity: Entity): string {
  const details = kind.summary.flatMap((field) => {
    const value = entity[field];
    return value === undefined || value === null || value === ''
      ? []
      : [`${field.replaceAll('_', ' ')}: ${oneLine(value)}`];
  });
  const state = entity.state === undefined ? [] : [entity.state.replaceAll('_', ' ')];
  return [titleOf(entity), ...state, ...details].join(' · ');
}

const SUMMARY_CHARACTERS = 160;

function oneLine(value: unknown): string {
  const line = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' ').trim();
  return line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS - 1).toWellFormed()}…` : line;
}
