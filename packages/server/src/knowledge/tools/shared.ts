// Shared by the tools that work on knowledge: which entities a model may see, the names that people see, errors as failures that
// a model can act on, and the events of a change.
//
// Policies and permissions are rules about paths. A document is judged by the path of its file, any other entity by the folder of
// its project. An entity that the model may not read does not exist for it: it is in no list, and reading or changing it fails as if
// there were none.

import { z } from 'zod';
import { sqlState, type Pool, type Queryable } from '../../db/pool.ts';
import { InTheWay, type Changed } from '../../files/files.ts';
import {
  announce,
  authorOf,
  emitFeedChanges,
  refusals,
  type AppliedChange,
} from '../../files/tools/shared.ts';
import type { Workspaces } from '../../files/workspace-files.ts';
import { judge, type Rules } from '../../tools/policy.ts';
import {
  Stale,
  ToolFailure,
  type CallContext,
  type EntityOperation,
  type TransactionContext,
} from '../../tools/tool.ts';
import type { Caller, Change } from '../entities.ts';
import { NotFound, Refused, VersionConflict } from '../errors.ts';
import { titleOf, type Entity, type Kind } from '../kind.ts';
import type { Knowledge } from '../knowledge.ts';

export interface KnowledgeToolWorld {
  readonly pool: Pool;
  readonly workspaces: Workspaces;
  readonly knowledge: Knowledge;
  /** The policy of the workspace and the role's permissions. */
  readonly rules: (workspaceId: string) => Promise<Rules>;
}

type InWorkspace = Pick<CallContext, 'workspaceId'>;
export type Fields = Record<string, unknown>;

export const id = z.uuid();
export const query = z.string().trim().min(1).max(1000);
/** How many items a list or a search returns, unless the model asks for fewer or more. */
export const limit = z.int().min(1).max(200).default(50);
export const expectedVersion = z.int().min(1);

/** What people call one of the kind: "task". */
export function nounOf({ kind }: Pick<Kind, 'kind'>): string {
  return kind.replaceAll('_', ' ');
}

// ——— what a model may see

/** The paths by which entities are judged. Unknown entities have none. */
export async function placesOf(
  client: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ id: string; path: string }>({
    name: 'places_of_entities',
    text: `select e.id, coalesce(e.fields ->> 'path', p.folder) as path
      from entities e left join projects p on p.id = coalesce(e.project_id, e.id)
      where e.workspace_id = $1 and e.id = any ($2) and coalesce(e.fields ->> 'path', p.folder) is not null`,
    values: [workspaceId, ids],
  });
  return new Map(rows.map(({ id: entity, path }) => [entity, path]));
}

/** Whether a model may read what is judged by a path. */
export async function mayRead(
  { rules }: Pick<KnowledgeToolWorld, 'rules'>,
  workspaceId: string,
): Promise<(path: string) => boolean> {
  const known = await rules(workspaceId);
  return (path) =>
    judge({ tool: 'get_onto_document_details', like: 'read', effect: 'pure', paths: [path] }, known)
      .action !== 'deny';
}

/** The places of those entities that the model may read. */
export async function readablePlaces(
  world: KnowledgeToolWorld,
  { workspaceId }: InWorkspace,
  ids: readonly string[],
  client: Queryable = world.pool,
): Promise<ReadonlyMap<string, string>> {
  const places = await placesOf(client, workspaceId, ids);
  const isReadable = await mayRead(world, workspaceId);
  return new Map([...places].filter(([, path]) => isReadable(path)));
}

/** Fails as if there were no such entity, unless the model may read all of them. */
export async function requireReadable(
  world: KnowledgeToolWorld,
  context: InWorkspace,
  wanted: Readonly<Record<string, string>>,
  client?: Queryable,
): Promise<void> {
  const places = await readablePlaces(world, context, Object.values(wanted), client);
  for (const [what, entity] of Object.entries(wanted))
    if (!places.has(entity)) throw new ToolFailure(notFound(new NotFound(what, entity)));
}

// ——— names that people see

/** The title of an entity, also of a removed one; null if there is none. */
export async function readTitle(
  client: Queryable,
  { workspaceId }: InWorkspace,
  entityId: string,
): Promise<{ readonly kind: string; readonly title: string } | null> {
  const { rows } = await client.query<{ kind: string; title: string }>({
    name: 'read_title',
    text: 'select kind, title from entities where workspace_id = $1 and id = $2',
    values: [workspaceId, entityId],
  });
  return rows[0] ?? null;
}

/** The name that people see of an entity that may not be there. */
export async function nameFor(
  { pool }: KnowledgeToolWorld,
  context: InWorkspace,
  what: string,
  entityId: string,
): Promise<string> {
  return (await readTitle(pool, context, entityId))?.title ?? `unknown ${what}`;
}

/** A text on one short line. */
export function quoted(text: string, most = 100): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

/** The path by which calls about an entity are judged; none if the model may not read it, and then the call finds nothing. */
export function placed(world: KnowledgeToolWorld, key: string) {
  return async (input: object, context: InWorkspace): Promise<readonly string[]> => {
    const given = (input as Fields)[key];
    return typeof given === 'string' ? [...(await readablePlaces(world, context, [given])).values()] : [];
  };
}

/** The operation of a call about one entity, which is named by the id in `key`. */
export function operationOn(
  world: KnowledgeToolWorld,
  { action, kind, key }: { action: EntityOperation['action']; kind: string; key: string },
) {
  return async (
    input: object,
    context: InWorkspace,
    output?: Readonly<Record<string, unknown>>,
  ): Promise<EntityOperation> => {
    const entityId = (output?.id ?? (input as Fields)[key]) as string | undefined;
    const name =
      (output?.title as string | undefined) ??
      (entityId === undefined ? '' : await nameFor(world, context, nounOf({ kind }), entityId));
    return {
      action,
      entity_type: kind,
      entity_name: name || `unknown ${nounOf({ kind })}`,
      ...(entityId !== undefined && { entity_id: entityId }),
    };
  };
}

// ——— errors

/** Turns errors into failures that a model can act on. A change that lost a race is prepared again. */
export async function asFailures<T>(work: Promise<T>): Promise<T> {
  return refusals(work).catch((error: unknown) => {
    if (error instanceof VersionConflict) throw new ToolFailure(conflict(error));
    if (error instanceof NotFound) throw new ToolFailure(notFound(error));
    if (error instanceof Refused || error instanceof InTheWay)
      throw new ToolFailure(`${error.message}. Nothing was changed`);
    // Another writer was faster: of a version, or of the name of a new project's folder.
    if (sqlState(error) === 'CN412' || sqlState(error) === '23505')
      throw new Stale('the entity was changed a moment ago');
    throw error;
  });
}

function notFound({ message, what }: NotFound): string {
  return `${message}. Look it up with ${what === 'project' ? 'list_onto_projects' : 'a list or search tool'}, and take the id from there`;
}

function conflict({ entity }: VersionConflict): string {
  const { id: entityId, kind, version, edges: _, created_at: __, removed_at: ___, ...state } = entity;
  return (
    `the ${nounOf({ kind })} ${titleOf(entity)} (id ${entityId}) was changed since: it is at version ${version} now. Nothing was changed. ` +
    `It is now ${JSON.stringify(state)}. If your change is still right, make it with expected_version ${version}`
  );
}

// ——— changes

function callerIn({ workspaces }: KnowledgeToolWorld, context: TransactionContext<unknown>): Caller {
  return {
    client: context.sql,
    workspaceId: context.workspaceId,
    author: authorOf(context),
    quotaBytes: workspaces.options.quotaBytes,
  };
}

/** Makes a change in the call's transaction, and announces it: in the log, and after the commit to the mirror and to followers. */
export async function change<T extends Change & { readonly files?: readonly Changed[] }>(
  world: KnowledgeToolWorld,
  context: TransactionContext<unknown>,
  work: (caller: Caller) => Promise<T>,
): Promise<T> {
  const made = await asFailures(work(callerIn(world, context)));
  const files = (made.files ?? []).filter((each): each is AppliedChange => each.kind === 'changed');
  // What the files changed elsewhere is among the changes already.
  announce(
    world,
    context,
    files.map((file) => ({ ...file, also: [] })),
  );
  emitFeedChanges(context, made.changes);
  if (files.length === 0 && made.changes.length > 0)
    context.afterCommit(() => world.workspaces.announce(context.workspaceId));
  return made;
}

// ——— results

/** How a line names an entity for later calls. */
export function reference({ id: entityId, version }: Pick<Entity, 'id' | 'version'>): string {
  return `(id ${entityId}, version ${version})`;
}

/** A schema as short as models need it: they send it with every request. The tool itself checks the rest. */
export function shortSchema(input: z.ZodType): Readonly<Record<string, unknown>> {
  return shortened(z.toJSONSchema(input, { target: 'draft-7', io: 'input' })) as Record<string, unknown>;
}

const LEFT_OUT = new Set(
  '$schema pattern format minLength maxLength minimum maximum minItems maxItems additionalProperties default'.split(
    ' ',
  ),
);

function shortened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shortened);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, ...rest } = schema as { anyOf?: readonly Record<string, unknown>[] };
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only && others.length === 0) return shortened({ ...only, ...rest });
  const kept = Object.entries(schema).filter(([key, value]) => !LEFT_OUT.has(key) || value === 'date');
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      // The names of properties are not keywords.
      key === 'properties'
        ? Object.fromEntries(
            Object.entries(value as Record<string, unknown>).map(([name, each]) => [name, shortened(each)]),
          )
        : shortened(value),
    ]),
  );
}
