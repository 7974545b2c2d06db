// The tools that work on knowledge. Those of a kind follow from its definition.

import type { AnyTool } from '../../tools/registry.ts';
import { documentTools } from './documents.ts';
import { entityTools } from './entities.ts';
import { projectTools } from './projects.ts';
import { searchTools } from './search.ts';
import type { KnowledgeToolWorld } from './shared.ts';

export function createKnowledgeTools(world: KnowledgeToolWorld): readonly AnyTool[] {
  return [
    ...searchTools(world),
    ...projectTools(world),
    ...world.knowledge.kinds.flatMap((kind) => [
      ...entityTools(world, kind),
      ...(kind.kind === 'document' ? documentTools(world) : []),
    ]),
  ];
}
