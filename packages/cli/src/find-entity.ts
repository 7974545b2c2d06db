// Finds projects, entities and documents by what people call them: an id, a unique name or title, or a path.

import type { Client, Schemas } from '@continuo/client';
import { CommandError, EXIT, usageError } from './failure.ts';

export type EntityKind = Schemas['EntityKind'];
export type Entity = Schemas['Entity'];
/** The entities of a kind. */
export type Entities = ReturnType<typeof entitiesOf>;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Entities per request. */
const PAGE = 1000;

export function isId(given: string): boolean {
  return ID.test(given);
}

export function titleOf({ name, title }: Pick<Entity, 'name' | 'title'>): string {
  return name ?? title ?? '';
}

/** The kind with this name, in the singular or the plural. */
export async function kindNamed(client: Client, given: string): Promise<EntityKind> {
  const { items } = await client.kinds();
  const found = items.find(({ kind, plural }) => [kind, plural].includes(given.toLowerCase()));
  if (found) return found;
  throw usageError(`There is no kind ${given}. The kinds are ${items.map(({ kind }) => kind).join(', ')}.`);
}

export function entitiesOf(client: Client, { kind, plural }: EntityKind) {
  return client.entities<string>(kind, plural);
}

export async function* listAll(
  entities: Entities,
  query: { readonly project_id?: string; readonly state?: string; readonly removed?: 'true' },
): AsyncGenerator<Entity, void> {
  let after: string | null | undefined;
  while (after !== null) {
    const page: { items: Entity[]; next: string | null } = await entities.list({
      ...query,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page.items;
    after = page.next;
  }
}

/** The entity with this id, or the only one with this title. */
export async function findEntity(
  client: Client,
  kind: EntityKind,
  given: string,
  query: { readonly project_id?: string } = {},
): Promise<Entity> {
  const entities = entitiesOf(client, kind);
  if (isId(given)) return entities.get(given);
  const found: Entity[] = [];
  for await (const each of listAll(entities, query))
    if (comparable(titleOf(each)) === comparable(given)) found.push(each);
  if (found.length === 1) return found[0]!;
  const what = kind.label.one.toLowerCase();
  if (found.length === 0)
    throw new CommandError(`There is no ${what} ${JSON.stringify(given)}.`, {
      code: `${kind.kind}_not_found`,
      exitCode: EXIT.notFound,
      hint: `List them with: continuo ${kind.kind === 'project' ? 'projects list' : `entities list ${kind.kind}`}`,
    });
  throw new CommandError(
    `There are ${found.length} ${kind.label.many.toLowerCase()} ${JSON.stringify(given)}.`,
    {
      code: 'ambiguous_name',
      exitCode: EXIT.conflict,
      hint: `Name one by its id: ${found.map(({ id }) => id).join(', ')}`,
    },
  );
}

/** The named project; without a name, the only one that there is. */
export async function findProject(client: Client, given: string | undefined): Promise<Entity> {
  const kind = await kindNamed(client, 'project');
  if (given !== undefined) return findEntity(client, kind, given);
  const { items } = await client.projects.list({ limit: 2 });
  if (items.length === 1) return items[0] as Entity;
  throw usageError(
    items.length === 0 ? 'There is no project yet.' : 'There is more than one project.',
    items.length === 0
      ? 'Create one with: continuo projects create <name>'
      : 'Name one with -p <name or id>.',
  );
}

/** A document by its id or its path, such as Research/Market. */
export async function findDocument(
  client: Client,
  given: string,
  project: string | undefined,
): Promise<Schemas['Document']> {
  if (isId(given)) return client.documents.get(given);
  return client.documents.byPath((await findProject(client, project)).id, given);
}

function comparable(title: string): string {
  return title.normalize('NFC').trim().toLowerCase();
}
