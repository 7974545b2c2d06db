// Entities: create, read, update, delete and restore, with a version for every change. Each change is one statement, which writes
// the entity, its version and its patch for the change feed. An update names the version that it was made from.

import { v7 as uuidv7 } from 'uuid';
import { sqlState, type Queryable } from '../db/pool.ts';
import type { Author, FeedChange } from '../files/files.ts';
import { NotFound, Refused, VersionConflict } from './errors.ts';
import type { Entity, Kind } from './kind.ts';

/** On whose behalf entities are changed, and where. */
export interface Caller {
  /** The pool, or a transaction. */
  readonly client: Queryable;
  readonly workspaceId: string;
  readonly author: Author;
  /** Maximum number of bytes of the workspace. */
  readonly quotaBytes: number;
}

/** What a change did: the entities after it, and the rows that it added to the change feed. */
export interface Change {
  readonly entities: readonly Entity[];
  readonly changes: readonly FeedChange[];
}

/** An entity as callers give it: its title and state, and its kind's fields. */
export interface EntityInput {
  readonly title?: string | undefined;
  readonly name?: string | undefined;
  readonly state?: string | undefined;
  readonly [field: string]: unknown;
}

/** One operation of `change_entities`. */
export type Operation =
  | {
      readonly op: 'create';
      readonly id: string;
      readonly kind: string;
      readonly project_id: string | null;
      readonly title: string;
      readonly state: string | null;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly folder?: string;
      readonly folded?: string;
      /** There are edges to it already. */
      readonly linked?: true;
    }
  | {
      readonly op: 'update';
      readonly id: string;
      readonly base: number;
      readonly title: string;
      readonly state: string | null;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  | { readonly op: 'remove' | 'restore'; readonly id: string; readonly base: number | null }
  | {
      readonly op: 'link';
      readonly id: string;
      readonly from_id: string;
      readonly to_id: string;
      readonly rel: string;
      readonly acyclic: boolean;
    }
  | { readonly op: 'unlink'; readonly id: string };

type Creation = Operation & { readonly op: 'create' };

/** How often an update without an expected version is made again because another writer was faster. */
const TRIES = 100;

/** How long a removed entity can be restored. */
export const RESTORABLE_DAYS = 30;

/** Makes the changes, all or none. */
export async function changeEntities(
  { client, workspaceId, author, quotaBytes }: Caller,
  operations: readonly Operation[],
  at: Date = new Date(),
): Promise<Change> {
  const { rows } = await client
    .query<{ changes: FeedChange[]; states: Entity[] }>({
      name: 'change_entities',
      text: 'select changes, states from change_entities($1, $2, $3, $4, $5)',
      values: [workspaceId, JSON.stringify(operations), JSON.stringify(author), at, quotaBytes],
    })
    .catch(refuse);
  return { entities: rows[0]!.states, changes: rows[0]!.changes };
}

/** Creates one entity of a project. */
async function createEntity(
  { client, workspaceId, author, quotaBytes }: Caller,
  creation: Creation,
  at: Date = new Date(),
): Promise<Change> {
  const { id, kind, project_id, title, state, fields } = creation;
  const entity = newEntity(creation, at);
  const data = {
    entity_type: kind,
    entity_id: id,
    project_id,
    entity_name: title,
    version: 1,
    patch: [{ op: 'add', path: '', value: entity }],
    author,
  };
  await client
    .query({
      name: 'create_entity',
      text: 'select from create_entity($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
      values: [
        workspaceId,
        id,
        kind,
        project_id,
        title,
        state,
        JSON.stringify(fields),
        JSON.stringify(entity),
        JSON.stringify(data),
        JSON.stringify(author),
        at,
        quotaBytes,
      ],
    })
    .catch((error: Error) => {
      throw sqlState(error) === 'CN420' ? new NotFound('project', error.message) : error;
    });
  return { entities: [entity], changes: [{ type: 'entity_patch', data }] };
}

/** A new entity as clients see it, without edges. Equal to what the SQL function `entity_state` makes of its row. */
function newEntity({ id, kind, project_id, title, state, fields }: Creation, at: Date): Entity {
  return {
    id,
    kind,
    project_id,
    version: 1,
    title,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    removed_at: null,
    edges: [],
    ...(state !== null && { state }),
    ...fields,
  };
}

/** The entity that a row of the feed says was created; undefined if it says something else. */
export function createdBy({ data }: FeedChange): Entity | undefined {
  const [first] = (data.patch ?? []) as readonly { op: string; path: string; value?: Entity }[];
  return first?.op === 'add' && first.path === '' ? first.value : undefined;
}

function refuse(error: Error): never {
  if (sqlState(error) === 'CN420') throw new NotFound('entity', error.message);
  if (sqlState(error) === 'CN422') throw new Refused(error.message);
  throw error;
}

export class EntityService {
  readonly kind: Kind;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  async create(caller: Caller, entity: EntityInput, projectId: string | null): Promise<Change> {
    const creation = this.creation(entity, projectId);
    return projectId === null ? changeEntities(caller, [creation]) : createEntity(caller, creation);
  }

  /** The operation that creates an entity. */
  creation(entity: EntityInput, projectId: string | null): Creation {
    const { states, kind } = this.kind;
    const state = entity.state ?? states?.initial ?? null;
    if (states && !Object.hasOwn(states.transitions, state!)) throw this.#noState(state!);
    return {
      op: 'create',
      id: uuidv7(),
      kind,
      project_id: projectId,
      title: entity[this.kind.titleField]!,
      state,
      fields: this.#fieldsOf(entity),
    };
  }

  /** Null if there is none, or if it was removed. */
  async read(
    { client, workspaceId }: Pick<Caller, 'client' | 'workspaceId'>,
    id: string,
    { removed = false }: { removed?: boolean } = {},
  ): Promise<Entity | null> {
    const { rows } = await client.query<{ entity: Entity; is_live: boolean }>({
      name: 'read_entity',
      text: `select entity_state(e) as entity,
          e.removed_at is null and not exists (
            select from entities p where p.id = e.project_id and p.removed_at is not null) as is_live
        from entities e where e.id = $1 and e.workspace_id = $2 and e.kind = $3`,
      values: [id, workspaceId, this.kind.kind],
    });
    return rows[0] && (rows[0].is_live || removed) ? rows[0].entity : null;
  }

  /** `expected` is the version that the caller saw; null: whatever version there is. */
  async update(caller: Caller, id: string, patch: EntityInput, expected: number | null): Promise<Change> {
    for (let tries = 1; ; tries += 1) {
      const entity = await this.#existing(caller, id, expected);
      const next = this.#patched(entity, patch);
      if (!next) return { entities: [entity], changes: [] };
      try {
        return await changeEntities(caller, [{ op: 'update', id, base: entity.version, ...next }]);
      } catch (error) {
        // In a transaction the statement's failure has ended it: the caller makes it again as a whole.
        if (sqlState(error) !== 'CN412' || tries === TRIES || isTransaction(caller.client)) throw error;
      }
    }
  }

  async delete(caller: Caller, id: string, expected: number | null): Promise<Change> {
    await this.#existing(caller, id, expected);
    return this.#withVersion(caller, id, () =>
      changeEntities(caller, [{ op: 'remove', id, base: expected }]),
    );
  }

  async restore(caller: Caller, id: string): Promise<Change> {
    const entity = await this.read(caller, id, { removed: true });
    if (!entity) throw this.notFound(id);
    if (entity.removed_at === null) return { entities: [entity], changes: [] };
    return changeEntities(caller, [{ op: 'restore', id, base: null }]);
  }

  notFound(id: string): NotFound {
    return new NotFound(this.kind.kind, id);
  }

  async #existing(caller: Caller, id: string, expected: number | null): Promise<Entity> {
    const entity = await this.read(caller, id);
    if (!entity) throw this.notFound(id);
    if (expected !== null && expected !== entity.version) throw new VersionConflict(entity);
    return entity;
  }

  async #withVersion<T>(caller: Caller, id: string, change: () => Promise<T>): Promise<T> {
    return change().catch(async (error: unknown) => {
      if (sqlState(error) !== 'CN412' || isTransaction(caller.client)) throw error;
      const entity = await this.read(caller, id);
      throw entity ? new VersionConflict(entity) : this.notFound(id);
    });
  }

  /** The entity with a patch; null if nothing changes. */
  #patched(
    entity: Entity,
    patch: EntityInput,
  ): { title: string; state: string | null; fields: Record<string, unknown> } | null {
    const { titleField } = this.kind;
    const title = patch[titleField] ?? entity[titleField]!;
    const state = patch.state ?? entity.state ?? null;
    this.#checkTransition(entity, state);
    const fields = this.#fieldsOf({ ...entity, ...patch });
    const before = this.#fieldsOf(entity);
    const isSame =
      title === entity[titleField] &&
      state === (entity.state ?? null) &&
      JSON.stringify(fields) === JSON.stringify(before);
    return isSame ? null : { title, state, fields: { ...this.#ownFields(entity), ...fields } };
  }

  #checkTransition(entity: Entity, state: string | null): void {
    const { states } = this.kind;
    if (!states || state === null || state === entity.state) return;
    if (!Object.hasOwn(states.transitions, state)) throw this.#noState(state);
    const allowed = states.transitions[entity.state!] ?? [];
    if (allowed.includes(state)) return;
    throw new Refused(
      `a ${this.kind.kind} that is ${entity.state} cannot become ${state}; it can become ${allowed.join(', ') || 'nothing else'}`,
    );
  }

  #noState(state: string): Refused {
    const all = Object.keys(this.kind.states!.transitions).join(', ');
    return new Refused(`a ${this.kind.kind} has no state ${state}; its states are ${all}`);
  }

  /** The kind's fields, in the order of their definition; those that are absent are null. */
  #fieldsOf(entity: EntityInput): Record<string, unknown> {
    return Object.fromEntries(
      Object.keys(this.kind.fields.shape).map((name) => [name, entity[name] ?? null]),
    );
  }

  /** What the server itself keeps in the fields: a project's folder. */
  #ownFields({ folder }: Entity): Record<string, unknown> {
    return folder === undefined ? {} : { folder };
  }
}

/** A failed statement ends its transaction, so that it cannot be repeated alone. */
function isTransaction(client: Queryable): boolean {
  return !('totalCount' in client);
}

export interface EntityQuery {
  readonly kind: string;
  readonly projectId?: string | undefined;
  readonly state?: string | undefined;
  /** The id of the last entity of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Those that were removed and can be restored, instead of those that are there. */
  readonly removed?: boolean | undefined;
}

export interface EntityPage {
  readonly items: readonly Entity[];
  readonly next: string | null;
  /** The change feed's seq of the same moment: a client that follows the feed from there misses nothing. */
  readonly as_of: number;
}

/** A condition: the entity `e` is there, and so is its project. */
export const LIVE = `e.removed_at is null and not exists (
  select from entities p where p.id = e.project_id and p.removed_at is not null)`;

/** What is in a removed project is restored with it. */
const REMOVED = `e.removed_at is not null and not exists (
  select from entities p where p.id = e.project_id and p.removed_at is not null)`;

export async function listEntities(
  client: Queryable,
  workspaceId: string,
  { kind, projectId, state, after, limit, removed = false }: EntityQuery,
): Promise<EntityPage> {
  const { rows } = await client.query<{ as_of: string; items: Entity[] }>({
    name: removed ? 'list_removed_entities' : 'list_entities',
    text: `select w.change_seq as as_of, coalesce((
        select jsonb_agg(s.entity order by s.id) from (
          select e.id, entity_state(e) as entity from entities e
          where e.workspace_id = w.id and e.kind = $2 and ($3::uuid is null or e.project_id = $3)
            and ($4::text is null or e.state = $4) and ($5::uuid is null or e.id > $5) and ${removed ? REMOVED : LIVE}
          order by e.id limit $6
        ) s), '[]') as items
      from workspaces w where w.id = $1`,
    values: [workspaceId, kind, projectId ?? null, state ?? null, after ?? null, limit + 1],
  });
  const { as_of, items } = rows[0] ?? { as_of: '0', items: [] };
  return {
    items: items.slice(0, limit),
    next: items.length > limit ? items[limit - 1]!.id : null,
    as_of: Number(as_of),
  };
}

export interface Board {
  readonly columns: readonly {
    readonly state: string;
    readonly count: number;
    readonly items: readonly Entity[];
  }[];
  readonly as_of: number;
}

/** The entities of a project by state: of each state how many there are, and the first of them. */
export async function readBoard(
  client: Queryable,
  workspaceId: string,
  { kind, projectId, perColumn }: { kind: Kind; projectId: string; perColumn: number },
): Promise<Board> {
  const states = Object.keys(kind.states?.transitions ?? {});
  const { rows } = await client.query<{
    as_of: string;
    columns: { state: string; count: number; items: Entity[] }[];
  }>({
    name: 'read_board',
    text: `select w.change_seq as as_of, (
        select jsonb_agg(jsonb_build_object('state', s.state, 'count', (
            select count(*) from entities e
            where e.project_id = $2 and e.kind = $3 and e.state = s.state and e.removed_at is null),
          'items', coalesce((
            select jsonb_agg(i.entity order by i.id) from (
              select e.id, entity_state(e) as entity from entities e
              where e.project_id = $2 and e.kind = $3 and e.state = s.state and e.removed_at is null and e.workspace_id = w.id
              order by e.id limit $5
            ) i), '[]')) order by s.n)
        from unnest($4::text[]) with ordinality s (state, n)) as columns
      from workspaces w where w.id = $1`,
    values: [workspaceId, projectId, kind.kind, states, perColumn],
  });
  const { as_of, columns } = rows[0]!;
  return { columns: columns ?? [], as_of: Number(as_of) };
}

export interface EntityVersion {
  readonly version: number;
  readonly op: 'create' | 'update' | 'remove' | 'restore' | 'link' | 'unlink';
  readonly entity: Entity;
  readonly author: Author;
  readonly at: Date;
}

/** Newest first. */
export async function listEntityVersions(
  { client, workspaceId }: Pick<Caller, 'client' | 'workspaceId'>,
  id: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<readonly EntityVersion[]> {
  const { rows } = await client.query<Omit<EntityVersion, 'author'> & { author: string }>({
    name: 'list_entity_versions',
    text: `select version, op, entity, author, at from entity_versions
      where entity_id = $1 and workspace_id = $2 and ($3::integer is null or version < $3) order by version desc limit $4`,
    values: [id, workspaceId, before, limit],
  });
  return rows.map((row) => ({ ...row, author: JSON.parse(row.author) as Author }));
}

/** The entities with these ids, of any kind; `live`: only those that are there, and whose project is. */
export async function readEntities(
  client: Queryable,
  workspaceId: string,
  ids: readonly string[],
  { live = false }: { live?: boolean } = {},
): Promise<ReadonlyMap<string, Entity>> {
  const { rows } = await client.query<{ entity: Entity }>({
    name: live ? 'read_live_entities' : 'read_entities',
    text: `select entity_state(e) as entity from entities e
      where e.workspace_id = $1 and e.id = any ($2)${live ? ` and ${LIVE}` : ''}`,
    values: [workspaceId, ids],
  });
  return new Map(rows.map(({ entity }) => [entity.id, entity]));
}
