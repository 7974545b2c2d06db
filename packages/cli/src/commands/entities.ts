// Entities of every kind: list, add, set, state, link, unlink, remove, restore, history.

import type { Client } from '@continuo/client';
import { connect, type Remote } from '../connect.ts';
import { usageError } from '../failure.ts';
import {
  entitiesOf,
  findEntity,
  findProject,
  isId,
  kindNamed,
  listAll,
  titleOf,
  type Entity,
  type EntityKind,
} from '../find-entity.ts';
import { dim, note, print, printJson, safe, short, table, time } from '../output.ts';
import { authorName } from './files.ts';

interface InProject extends Remote {
  readonly project?: string;
}
interface Based extends InProject {
  readonly base?: number;
}

export async function list(
  given: string,
  {
    project,
    state,
    removed,
    limit,
    ...remote
  }: InProject & { state?: string; removed?: true; limit: number },
): Promise<void> {
  const { client } = await connect(remote);
  const kind = await kindNamed(client, given);
  if (state !== undefined) checkState(kind, state);
  const query = {
    ...(await within(client, project)),
    ...(state && { state }),
    ...(removed && { removed: 'true' as const }),
  };
  const items: Entity[] = [];
  for await (const each of listAll(entitiesOf(client, kind), query)) {
    if (items.length > limit) break;
    items.push(each);
  }
  const shown = items.slice(0, limit);
  if (remote.json) return printJson({ items: shown });
  if (items.length === 0) return note(`No ${removed ? 'removed ' : ''}${kind.label.many.toLowerCase()}.`);
  const columns = kind.columns.filter((name) => name !== 'updated_at');
  print(
    table(
      [kind.kind.toUpperCase(), 'CHANGED', ...columns.map((name) => name.toUpperCase()), 'TITLE'],
      shown.map((each) => [
        each.id,
        time(each.updated_at),
        ...columns.map((name) => short(each[name] ?? '', 40)),
        short(titleOf(each), 80),
      ]),
    ),
  );
  if (items.length > limit) note(dim('There are more; use -n to show more.'));
}

export async function add(
  given: string,
  title: string,
  values: readonly string[],
  { project, ...remote }: InProject,
): Promise<void> {
  const { client } = await connect(remote);
  const kind = await kindNamed(client, given);
  if (kind.kind === 'project') throw usageError('Create a project with: continuo projects create <name>');
  const { id } = await findProject(client, project);
  const made = await entitiesOf(client, kind).create({
    project_id: id,
    [kind.title_field]: title,
    ...fieldsFrom(kind, values),
  });
  report(remote, made, 'is added');
}

export async function set(
  given: string,
  entity: string,
  values: readonly string[],
  { project, base, ...remote }: Based,
): Promise<void> {
  const { client } = await connect(remote);
  const kind = await kindNamed(client, given);
  const patch = fieldsFrom(kind, values);
  const { id } = await findEntity(client, kind, entity, await within(client, project));
  report(remote, await entitiesOf(client, kind).change(id, patch, { base }), 'is changed');
}

export async function state(
  given: string,
  entity: string,
  next: string,
  { project, base, ...remote }: Based,
): Promise<void> {
  const { client } = await connect(remote);
  const kind = await kindNamed(client, given);
  checkState(kind, next);
  const { id } = await findEntity(client, kind, entity, await within(client, project));
  report(
    remote,
    await entitiesOf(client, kind).change(id, { state: next }, { base }),
    `is ${next.replaceAll('_', ' ')}`,
  );
}

export async function remove(
  given: string,
  entity: string,
  { project, base, ...remote }: Based,
): Promise<void> {
  const { client, commandFor } = await connect(remote);
  const kind = await kindNamed(client, given);
  const { id } = await findEntity(client, kind, entity, await within(client, project));
  report(remote, await entitiesOf(client, kind).remove(id, { base }), 'is removed');
  if (!remote.json)
    note(dim(`For 30 days, this restores it: ${commandFor(`entities restore ${kind.kind} ${id}`)}`));
}

export async function restore(given: string, id: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  report(remote, await entitiesOf(client, await kindNamed(client, given)).restore(id), 'is back');
}

export async function link(
  from: string,
  rel: string,
  to: string,
  { project, ...remote }: InProject,
): Promise<void> {
  const { client } = await connect(remote);
  const query = await within(client, project);
  const edge = await client.edges.create({
    from_id: await endOf(client, from, query),
    rel,
    to_id: await endOf(client, to, query),
  });
  if (remote.json) return printJson(edge);
  print(`Linked: ${safe(from)} ${rel.replaceAll('_', ' ')} ${safe(to)}`);
}

export async function unlink(
  from: string,
  rel: string,
  to: string,
  { project, ...remote }: InProject,
): Promise<void> {
  const { client } = await connect(remote);
  const query = await within(client, project);
  const [start, end] = [await endOf(client, from, query), await endOf(client, to, query)];
  const { items } = await client.edges.list(start);
  const edge = items.find((each) => each.rel === rel && each.direction === 'out' && each.entity.id === end);
  if (!edge) throw usageError(`${safe(from)} has no link ${rel} to ${safe(to)}.`);
  await client.edges.remove(edge.id);
  if (remote.json) return printJson(edge);
  print(`Unlinked: ${safe(from)} ${rel.replaceAll('_', ' ')} ${safe(to)}`);
}

/** An end of an edge: an id, or a kind and a title, such as `task:Build the lander`. */
async function endOf(client: Client, given: string, query: { project_id?: string }): Promise<string> {
  if (isId(given)) return given;
  const [, kind, title] = /^(\w+):(.+)$/.exec(given) ?? [];
  if (kind === undefined || title === undefined)
    throw usageError(
      `${JSON.stringify(given)} is neither an id nor <kind>:<title>, such as task:"Build the lander".`,
    );
  return (await findEntity(client, await kindNamed(client, kind), title.trim(), query)).id;
}

export async function history(
  given: string,
  entity: string,
  { project, limit, ...remote }: InProject & { limit: number },
): Promise<void> {
  const { client } = await connect(remote);
  const kind = await kindNamed(client, given);
  // A removed entity has a history too, and only its id to be found by.
  const id = isId(entity)
    ? entity
    : (await findEntity(client, kind, entity, await within(client, project))).id;
  const page = await entitiesOf(client, kind).versions(id, { limit });
  if (remote.json) return printJson(page);
  print(
    table(
      ['VERSION', 'WHEN', 'WHAT', 'BY', 'STATE', 'TITLE'],
      page.items.map(({ version, at, op, author, entity: then }) => [
        String(version),
        time(at),
        op,
        authorName(author),
        then?.state ?? '',
        then ? short(titleOf(then), 80) : '',
      ]),
    ),
  );
  if (page.next !== null) note(dim('There are more; use -n to show more.'));
}

async function within(client: Client, project: string | undefined): Promise<{ project_id?: string }> {
  return project === undefined ? {} : { project_id: (await findProject(client, project)).id };
}

function report({ json }: Remote, entity: Entity, what: string): void {
  if (json) return printJson(entity);
  print(`${safe(titleOf(entity))} ${what}, at version ${entity.version}`);
}

function checkState({ label, states }: EntityKind, given: string): void {
  const all = Object.keys(states?.transitions ?? {});
  if (all.includes(given)) return;
  throw usageError(
    all.length === 0
      ? `${label.many} have no states.`
      : `A ${label.one.toLowerCase()} has no state ${given}; its states are ${all.join(', ')}.`,
  );
}

interface FieldSchema {
  readonly type?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly enum?: readonly unknown[];
}

/** The values of `field=value` words. An empty value clears the field. */
function fieldsFrom(kind: EntityKind, values: readonly string[]): Record<string, unknown> {
  const fields = kind.fields['properties'] as Readonly<Record<string, FieldSchema>>;
  const names = [kind.title_field, ...(kind.states ? ['state'] : []), ...Object.keys(fields)];
  return Object.fromEntries(
    values.map((word) => {
      const [name, value] = [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)];
      if (!word.includes('=')) throw usageError(`${JSON.stringify(word)} is not of the form field=value.`);
      if (!names.includes(name))
        throw usageError(
          `A ${kind.label.one.toLowerCase()} has no field ${name}; its fields are ${names.join(', ')}.`,
        );
      if (value === '') return [name, null];
      return [name, isText(fields[name]) ? value : parsed(name, value)];
    }),
  );
}

function isText(schema: FieldSchema | undefined): boolean {
  if (!schema) return true;
  return schema.type === 'string' || schema.enum !== undefined || (schema.anyOf ?? []).some(isText);
}

function parsed(name: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw usageError(`The value of ${name} must be JSON: ${JSON.stringify(value)} is not.`);
  }
}
