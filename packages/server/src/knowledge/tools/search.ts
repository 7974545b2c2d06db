// Searches: in entities of one kind, in a project, or in the whole workspace.

import { z } from 'zod';
import type { AnyTool } from '../../tools/registry.ts';
import type { CallContext, Tool } from '../../tools/tool.ts';
import { searchKnowledge, type SearchItem } from '../search.ts';
import {
  id,
  limit,
  mayRead,
  nounOf,
  placed,
  placesOf,
  query,
  quoted,
  requireReadable,
  shortSchema,
  type KnowledgeToolWorld,
} from './shared.ts';

const SNIPPET_CHARACTERS = 300;

interface Searched {
  readonly query: string;
  readonly project_id?: string | undefined;
  readonly limit: number;
}

export function searchTools(world: KnowledgeToolWorld): readonly AnyTool[] {
  return [
    searchTool(world, {
      name: 'search_onto_workspace',
      description: 'Searches all projects, documents, tasks and other entities by words.',
      input: z.strictObject({ query, limit }),
      what: 'the workspace',
    }),
    searchTool(world, {
      name: 'search_onto_project',
      description: 'Searches everything in a project by words.',
      input: z.strictObject({ query, project_id: id, limit }),
      what: 'the project',
    }),
  ];
}

interface Search {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Searched>;
  /** Where it searches, in words. */
  readonly what: string;
  /** The kind that it searches; all kinds without one. */
  readonly kind?: string;
}

export function searchTool(
  world: KnowledgeToolWorld,
  { name, description, input, what, kind }: Search,
): Tool<Searched> {
  return {
    name,
    description,
    effect: 'pure',
    like: 'read',
    inProjects: true,
    input,
    schema: shortSchema(input),
    words: (given) => `Searches ${what} for ${JSON.stringify(quoted(given.query))}`,
    paths: placed(world, 'project_id'),
    operation: async (given) => ({
      action: 'search',
      entity_type: kind ?? 'project',
      entity_name: quoted(given.query),
    }),
    async run({ query: words, project_id: projectId, limit: most }, { workspaceId, signal }) {
      if (projectId !== undefined) await requireReadable(world, { workspaceId }, { project: projectId });
      const found = await searchKnowledge(world.pool, workspaceId, {
        query: words,
        projectId,
        ...(kind !== undefined && { kinds: [kind] }),
        limit: most,
        signal,
      });
      return foundLines(world, { workspaceId }, found);
    },
  };
}

/** What a search found of what the model may read. */
async function foundLines(
  world: KnowledgeToolWorld,
  { workspaceId }: Pick<CallContext, 'workspaceId'>,
  found: readonly SearchItem[],
) {
  const isReadable = await mayRead(world, workspaceId);
  const places = await placesOf(
    world.pool,
    workspaceId,
    found.map((item) => item.entity_id),
  );
  const items = found.filter((item) => {
    const path = item.path ?? places.get(item.entity_id);
    return path !== undefined && isReadable(path);
  });
  const lines = items.map(({ entity_type: kind, entity_id, title, snippet }) => {
    const said = quoted(snippet ?? '', SNIPPET_CHARACTERS);
    return `- ${nounOf({ kind })} ${title} (id ${entity_id})${said === '' ? '' : `: ${said}`}`;
  });
  return {
    items,
    text: [items.length === 0 ? 'nothing found' : `${items.length} found`, ...lines].join('\n'),
  };
}
