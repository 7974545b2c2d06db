// The tools that create a project with what belongs to it, and that link entities.

import { z } from 'zod';
import type { AnyTool } from '../../tools/registry.ts';
import { ToolFailure, type Tool, type TransactionContext } from '../../tools/tool.ts';
import { findEdge, link, unlink } from '../edges.ts';
import { text, TEXT_CHARACTERS, title, titleOf } from '../kind.ts';
import { folderFor } from '../names.ts';
import { PROJECTS_FOLDER } from '../projects.ts';
import { RELATIONS } from '../relations.ts';
import {
  change,
  id,
  nounOf,
  quoted,
  readablePlaces,
  readTitle,
  reference,
  requireReadable,
  shortSchema,
  type KnowledgeToolWorld,
} from './shared.ts';

/** The most goals, and the most tasks, that come with a new project. */
const TOGETHER = 100;

export function projectTools(world: KnowledgeToolWorld): readonly AnyTool[] {
  return [createTool(world), linkTool(world), unlinkTool(world)];
}

const creation = z.strictObject({
  name: title,
  purpose: text(TEXT_CHARACTERS).optional().describe('In the user’s own words'),
  goals: z.array(title).max(TOGETHER).optional(),
  tasks: z
    .array(
      z.strictObject({
        title,
        goal: z.int().min(0).optional().describe('Number of the goal that it supports, from 0'),
      }),
    )
    .max(TOGETHER)
    .optional(),
});
type Creation = z.infer<typeof creation>;

function createTool(world: KnowledgeToolWorld): Tool<Creation> {
  return {
    name: 'create_onto_project',
    description: 'Creates a project with a context document of its purpose, and with goals and tasks.',
    effect: 'transactional',
    like: 'write',
    inProjects: true,
    input: creation,
    schema: shortSchema(creation),
    words: ({ name }) => `Creates the project ${quoted(name)}`,
    paths: ({ name }) => [`${PROJECTS_FOLDER}/${folderFor(name)}`],
    operation: async ({ name }, _, output) => ({
      action: 'create',
      entity_type: 'project',
      entity_name: name,
      ...(output && { entity_id: output.id as string }),
    }),
    async run({ goals = [], ...given }, context) {
      const made = await change(world, context, (caller) =>
        world.knowledge.projects.create(caller, {
          ...given,
          goals: goals.map((each) => ({ title: each })),
        }),
      );
      const lines = made.entitiesCreated.map(
        (each) => `- ${nounOf(each)} ${titleOf(each)} ${reference(each)}`,
      );
      return {
        id: made.project.id,
        title: titleOf(made.project),
        version: made.project.version,
        entitiesCreated: made.entitiesCreated,
        edgesCreated: made.edgesCreated,
        text: [
          `project created: ${titleOf(made.project)}, with ${made.entitiesCreated.length} entities and ${made.edgesCreated.length} edges`,
          ...lines,
        ].join('\n'),
      };
    },
  };
}

const edge = z.strictObject({
  from_id: id,
  rel: z.enum(Object.keys(RELATIONS) as [string, ...string[]]),
  to_id: id,
});
type Edge = z.infer<typeof edge>;

/** What the two tools share: they change both ends, and people see them as changes of the edge's start. */
function ends(world: KnowledgeToolWorld) {
  return {
    effect: 'transactional' as const,
    like: 'write',
    inProjects: true as const,
    input: edge,
    schema: shortSchema(edge),
    paths: async ({ from_id, to_id }: Edge, context: { readonly workspaceId: string }) => [
      ...new Set((await readablePlaces(world, context, [from_id, to_id])).values()),
    ],
    operation: async ({ from_id }: Edge, context: { readonly workspaceId: string }) => {
      const from = await readTitle(world.pool, context, from_id);
      return {
        action: 'update' as const,
        entity_type: from?.kind ?? 'project',
        entity_name: from?.title ?? 'unknown entity',
        ...(from && { entity_id: from_id }),
      };
    },
  };
}

function linkTool(world: KnowledgeToolWorld): Tool<Edge> {
  return {
    ...ends(world),
    name: 'link_onto_entities',
    description: 'Links two entities, after they were created.',
    words: ({ rel }) => `Links two entities: ${RELATIONS[rel]!.forward}`,
    async run(given: Edge, context: TransactionContext) {
      await requireReadable(world, context, { entity: given.from_id }, context.sql);
      await requireReadable(world, context, { entity: given.to_id }, context.sql);
      const made = await change(world, context, (caller) => link(caller, given));
      const [from, to] = made.entities;
      const text = `linked: ${titleOf(from!)} ${RELATIONS[given.rel]!.forward} ${titleOf(to!)}`;
      return { edge_id: made.edge.id, text };
    },
  };
}

function unlinkTool(world: KnowledgeToolWorld): Tool<Edge> {
  return {
    ...ends(world),
    name: 'unlink_onto_entities',
    description: 'Removes a link between two entities.',
    words: ({ rel }) => `Removes a link between two entities: ${RELATIONS[rel]!.forward}`,
    async run(given: Edge, context: TransactionContext) {
      await requireReadable(world, context, { entity: given.from_id }, context.sql);
      await requireReadable(world, context, { entity: given.to_id }, context.sql);
      const found = await findEdge(context.sql, context.workspaceId, given);
      if (!found)
        throw new ToolFailure(`these two are not linked by ${given.rel}; get_onto_…_details shows the links`);
      const made = await change(world, context, (caller) => unlink(caller, found.id));
      const text = `no longer linked: ${made.entities.map(titleOf).join(` ${RELATIONS[given.rel]!.forward} `)}`;
      return { edge_id: found.id, text };
    },
  };
}
