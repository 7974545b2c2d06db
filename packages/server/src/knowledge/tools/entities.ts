// The tools that every kind has, made from its definition: list, search, read, create, update and delete. Documents and projects
// are created, and documents are read and changed, by tools of their own.

import { z } from 'zod';
import type { AnyTool } from '../../tools/registry.ts';
import { ToolFailure, type CallContext, type Tool } from '../../tools/tool.ts';
import { listLinks } from '../edges.ts';
import { listEntities, type EntityInput } from '../entities.ts';
import { summaryOf, title, titleOf, type Entity, type Kind } from '../kind.ts';
import { searchTool } from './search.ts';
import {
  asFailures,
  change,
  expectedVersion,
  id,
  limit,
  mayRead,
  nameFor,
  nounOf,
  operationOn,
  placed,
  placesOf,
  query,
  quoted,
  readablePlaces,
  reference,
  requireReadable,
  shortSchema,
  type Fields,
  type KnowledgeToolWorld,
} from './shared.ts';

export function entityTools(world: KnowledgeToolWorld, kind: Kind): readonly AnyTool[] {
  const shared = [listTool(world, kind), searchTool(world, searchOf(kind))];
  if (kind.kind === 'document') return shared;
  const own = [...shared, detailsTool(world, kind), updateTool(world, kind), deleteTool(world, kind)];
  return kind.kind === 'project' ? own : [...own, createTool(world, kind)];
}

function searchOf({ kind, plural }: Kind) {
  return {
    name: `search_onto_${plural}`,
    description: `Searches ${plural} by words.`,
    input: z.strictObject({ query, project_id: id.optional(), limit }),
    kind,
    what: plural,
  };
}

/** The fields of a kind, with its state, as an input. */
function fieldsOf(kind: Kind): Record<string, z.ZodType> {
  return { ...stateOf(kind), ...(kind.fields.shape as Record<string, z.ZodType>) };
}

function stateOf({ states }: Kind): { state?: z.ZodType } {
  const all = Object.keys(states?.transitions ?? {});
  return all.length === 0 ? {} : { state: z.enum(all as [string, ...string[]]).optional() };
}

interface Listed {
  readonly project_id?: string | undefined;
  readonly state?: string | undefined;
  readonly limit: number;
}

function listTool(world: KnowledgeToolWorld, kind: Kind): Tool<Listed> {
  const { kind: name, plural, label } = kind;
  const isProject = name === 'project';
  const input = z.strictObject({
    ...(!isProject && { project_id: id }),
    ...stateOf(kind),
    limit,
  }) as unknown as z.ZodType<Listed>;
  return {
    name: `list_onto_${plural}`,
    description: isProject ? 'Lists the projects of the workspace.' : `Lists the ${plural} of a project.`,
    effect: 'pure',
    like: 'read',
    inProjects: true,
    input,
    schema: shortSchema(input),
    words: ({ state }) => `Lists ${state === undefined ? '' : `${state.replaceAll('_', ' ')} `}${plural}`,
    paths: placed(world, 'project_id'),
    operation: async ({ project_id: project }, context) => ({
      action: 'list',
      entity_type: name,
      entity_name:
        project === undefined
          ? label.many
          : `${label.many} of ${await nameFor(world, context, 'project', project)}`,
    }),
    async run({ project_id: projectId, state, limit: most }, { workspaceId }) {
      if (projectId !== undefined) await requireReadable(world, { workspaceId }, { project: projectId });
      const found = await listEntities(world.pool, workspaceId, {
        kind: name,
        projectId,
        state,
        limit: most,
      });
      const places = await placesOf(
        world.pool,
        workspaceId,
        found.items.map((each) => each.id),
      );
      const isReadable = await mayRead(world, workspaceId);
      const items = found.items.filter((each) => isReadable(places.get(each.id) ?? ''));
      const more =
        found.next === null ? [] : ['[there are more: ask for a state, for a larger limit, or search]'];
      const lines = items.map((each) => `- ${summaryOf(kind, each)} ${reference(each)}`);
      return {
        items: items.map((each) => ({
          id: each.id,
          title: titleOf(each),
          version: each.version,
          ...(each.state !== undefined && { state: each.state }),
        })),
        text: [
          `${items.length === 0 ? 'no' : items.length} ${items.length === 1 ? nounOf(kind) : plural}`,
          ...lines,
          ...more,
        ].join('\n'),
      };
    },
  };
}

function detailsTool(world: KnowledgeToolWorld, kind: Kind): Tool<Fields> {
  const { kind: name } = kind;
  const key = `${name}_id`;
  const input = z.strictObject({ [key]: id });
  return {
    name: `get_onto_${name}_details`,
    description: `Reads a ${nounOf(kind)} with its links.`,
    effect: 'pure',
    like: 'read',
    inProjects: true,
    input,
    schema: shortSchema(input),
    words: () => `Reads a ${nounOf(kind)}`,
    summary: ({ title: called, version }) =>
      `Read the ${nounOf(kind)} ${String(called)}, version ${String(version)}.`,
    paths: placed(world, key),
    operation: operationOn(world, { action: 'read', kind: name, key }),
    async run(given, { workspaceId }) {
      const entityId = given[key] as string;
      await requireReadable(world, { workspaceId }, { [name]: entityId });
      const entity = await world.knowledge.entities(name).read({ client: world.pool, workspaceId }, entityId);
      if (!entity)
        throw new ToolFailure(
          `there is no ${nounOf(kind)} with the id ${entityId}; it may have been removed`,
        );
      return {
        id: entity.id,
        title: titleOf(entity),
        version: entity.version,
        text: [...detailLines(kind, entity), ...(await linkLines(world, { workspaceId }, entity.id))].join(
          '\n',
        ),
      };
    },
  };
}

/** Everything about an entity except its links, for models. */
export function detailLines(kind: Kind, entity: Entity): readonly string[] {
  const fields = ['state', ...Object.keys(kind.fields.shape)].flatMap((field) => {
    const value = entity[field];
    if (value === undefined || value === null || value === '') return [];
    return [`${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  return [
    `${nounOf(kind)} ${titleOf(entity)} ${reference(entity)}`,
    ...fields,
    ...(entity.project_id === null ? [] : [`project_id: ${entity.project_id}`]),
    `updated_at: ${entity.updated_at}`,
  ];
}

/** The links of an entity to those that the model may read. */
export async function linkLines(
  world: KnowledgeToolWorld,
  context: Pick<CallContext, 'workspaceId'>,
  entityId: string,
): Promise<readonly string[]> {
  const { items: links } = await listLinks(world.pool, context.workspaceId, entityId);
  const places = await readablePlaces(
    world,
    context,
    links.map(({ entity }) => entity.id),
  );
  return links
    .filter(({ entity }) => places.has(entity.id))
    .map(({ label, entity }) => `- ${label} the ${nounOf(entity)} ${entity.title} (id ${entity.id})`);
}

function createTool(world: KnowledgeToolWorld, kind: Kind): Tool<Fields> {
  const { kind: name, titleField } = kind;
  const input = z.strictObject({ project_id: id, [titleField]: title, ...fieldsOf(kind) });
  const looked = operationOn(world, { action: 'create', kind: name, key: '' });
  return {
    name: `create_onto_${name}`,
    description: `Creates a ${nounOf(kind)}. ${kind.description}`,
    effect: 'transactional',
    like: 'write',
    inProjects: true,
    input,
    schema: shortSchema(input),
    words: (given) => `Creates the ${nounOf(kind)} ${quoted(String(given[titleField]))}`,
    paths: placed(world, 'project_id'),
    operation: (given, context, output) => looked(given, context, output ?? { title: given[titleField] }),
    async run({ project_id: projectId, ...entity }, context) {
      await requireReadable(world, context, { project: projectId as string }, context.sql);
      const made = await change(world, context, (caller) =>
        world.knowledge.entities(name).create(caller, entity, projectId as string),
      );
      return changedEntity(kind, made.entities[0]!, 'created');
    },
  };
}

function updateTool(world: KnowledgeToolWorld, kind: Kind): Tool<Fields> {
  const { kind: name, titleField } = kind;
  const key = `${name}_id`;
  const input = z.strictObject({
    [key]: id,
    expected_version: expectedVersion,
    [titleField]: title.optional(),
    ...fieldsOf(kind),
  });
  return {
    name: `update_onto_${name}`,
    description: `Changes fields of a ${nounOf(kind)}; null clears one.`,
    effect: 'transactional',
    like: 'write',
    inProjects: true,
    input,
    schema: shortSchema(input),
    words: ({ [titleField]: called }) =>
      called === undefined
        ? `Changes a ${nounOf(kind)}`
        : `Changes the ${nounOf(kind)} ${quoted(called as string)}`,
    paths: placed(world, key),
    operation: operationOn(world, { action: 'update', kind: name, key }),
    async run({ [key]: entityId, expected_version: expected, ...patch }, context) {
      await requireReadable(world, context, { [name]: entityId as string }, context.sql);
      const made = await change(world, context, (caller) =>
        world.knowledge
          .entities(name)
          .update(caller, entityId as string, patch as EntityInput, expected as number),
      );
      return changedEntity(
        kind,
        made.entities[0]!,
        made.changes.length === 0 ? 'already has these values' : 'changed',
      );
    },
  };
}

function deleteTool(world: KnowledgeToolWorld, kind: Kind): Tool<Fields> {
  const { kind: name } = kind;
  const key = `${name}_id`;
  const isProject = name === 'project';
  const input = z.strictObject({ [key]: id, expected_version: expectedVersion.optional() });
  const places = placed(world, key);
  return {
    name: `delete_onto_${name}`,
    description: `Removes a ${nounOf(kind)}${isProject ? ' with all that is in it' : ''}. People can restore it for 30 days.`,
    effect: 'transactional',
    like: 'remove',
    inProjects: true,
    input,
    schema: shortSchema(input),
    words: () => `Removes a ${nounOf(kind)}`,
    paths: async (given, context) =>
      (await places(given, context)).flatMap((path) => (isProject ? [path, `${path}/`] : [path])),
    operation: operationOn(world, { action: 'delete', kind: name, key }),
    async run({ [key]: given, expected_version: expected }, context) {
      const entityId = given as string;
      await requireReadable(world, context, { [name]: entityId }, context.sql);
      const service = isProject ? world.knowledge.projects : world.knowledge.entities(name);
      const before = await asFailures(
        world.knowledge
          .entities(name)
          .read({ client: context.sql, workspaceId: context.workspaceId }, entityId),
      );
      const made = await change(world, context, (caller) =>
        service.delete(caller, entityId, (expected as number | undefined) ?? null),
      );
      return changedEntity(kind, made.entities[0] ?? before!, 'removed');
    },
  };
}

/** The result of a change of one entity. */
export function changedEntity(kind: Kind | undefined, entity: Entity, did: string) {
  const summary = kind ? summaryOf(kind, entity) : titleOf(entity);
  return {
    id: entity.id,
    title: titleOf(entity),
    version: entity.version,
    text: `${nounOf(kind ?? entity)} ${did}: ${summary} ${reference(entity)}`,
  };
}
