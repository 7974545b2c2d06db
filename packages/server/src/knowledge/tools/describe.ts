// What a model is told about the project or the entity that its thread is about.

import type { ThreadScope } from '@continuo/protocol';
import { readEntities } from '../entities.ts';
import { summaryOf, titleOf } from '../kind.ts';
import { kindOf, nounOf, readablePlaces, reference, type KnowledgeToolWorld } from './shared.ts';
import { readReadableStructure } from './structure.ts';

/** Null if the project is gone, or if the model may not read it. */
export async function describeScope(
  world: KnowledgeToolWorld,
  workspaceId: string,
  { project_id: projectId, entity_id: entityId }: ThreadScope,
): Promise<string | null> {
  if (projectId === null) return null;
  const wanted = entityId === undefined ? [projectId] : [projectId, entityId];
  const [places, structure, entities] = await Promise.all([
    readablePlaces(world, { workspaceId }, wanted),
    readReadableStructure(world, workspaceId, projectId),
    readEntities(world.pool, workspaceId, wanted),
  ]);
  const project = entities.get(projectId);
  if (!structure || !project || !places.has(projectId)) return null;
  const entity = entityId !== undefined && places.has(entityId) ? entities.get(entityId) : undefined;
  const kind = entity && kindOf(world, entity.kind);
  const isHere = entity && kind && entity.removed_at === null;
  return [
    `This conversation is about the project ${titleOf(project)} (project_id ${projectId}).`,
    ...(isHere
      ? [`Within it, it is about the ${nounOf(entity)} ${summaryOf(kind, entity)} ${reference(entity)}.`]
      : []),
    'The documents of the project are its map. Find the document that matters in doc_structure, and read only that one with ' +
      'get_onto_document_details. Put new knowledge below the document where it belongs. Structure, plans and overviews go to documents ' +
      'first; what is to be done goes to tasks and plans first.',
    `doc_structure: ${JSON.stringify(structure)}`,
  ].join('\n\n');
}
