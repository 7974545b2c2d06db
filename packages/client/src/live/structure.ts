// The live tree of a project's documents, with their titles.

import type { DocStructure, HeldEntity } from '@continuo/protocol';
import type { Client } from '../client.ts';
import type { Schemas } from '../http.ts';
import { liveReplica, movesProject, type LiveReplica, type ReplicaState } from './replica.ts';

export interface StructureShown extends ReplicaState {
  /** Null until it is read. */
  readonly structure: DocStructure | null;
  readonly documents: ReadonlyMap<string, Schemas['DocumentMetadata']>;
}

/** The key of the structure itself; documents have their ids. */
const STRUCTURE = '';

export function liveStructure(
  client: Client,
  project: string,
  { workspace }: { readonly workspace?: string | undefined } = {},
): LiveReplica<StructureShown> {
  const read = async (signal: AbortSignal) => {
    const {
      version,
      root,
      documents = [],
      as_of,
    } = await client.documents.structure(project, { include: 'metadata' }, { workspace, signal });
    return { structure: { version, root }, documents, as_of };
  };
  return liveReplica<HeldEntity, StructureShown>(
    client,
    {
      workspace,
      load: async (signal) => {
        const { structure, documents, as_of } = await read(signal);
        return {
          items: [[STRUCTURE, structure], ...documents.map((each) => [each.id, each] as const)],
          as_of,
        };
      },
      read: async (key, signal) =>
        key === STRUCTURE ? (await read(signal)).structure : client.entity(key, { workspace, signal }),
      keyOf: ({ entity_type, entity_id, project_id }, isHeld) => {
        if (entity_type === 'doc_structure') return entity_id === project ? STRUCTURE : null;
        return entity_type === 'document' && (isHeld || project_id === project) ? entity_id : null;
      },
      resets: (patch) => movesProject(patch, project),
    },
    (held, shown) => ({
      ...shown,
      structure: (held.get(STRUCTURE) as DocStructure | undefined) ?? null,
      documents: new Map(
        [...held].flatMap(([key, each]) =>
          key === STRUCTURE || each['removed_at'] || (each['project_id'] ?? project) !== project
            ? []
            : [[key, each as unknown as Schemas['DocumentMetadata']] as const],
        ),
      ),
    }),
  );
}
