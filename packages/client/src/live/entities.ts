// The live entities of a kind: those that a list returns, kept equal to the database.

import type { HeldEntity } from '@continuo/protocol';
import type { Client } from '../client.ts';
import type { EntityOf } from '../resources/knowledge.ts';
import { liveReplica, movesProject, type LiveReplica, type ReplicaState } from './replica.ts';

export interface EntitiesShown<E> extends ReplicaState {
  /** In the order of their ids, which is the order in which they were created. */
  readonly items: readonly E[];
}

export interface EntitiesQuery {
  readonly project_id?: string | undefined;
  readonly state?: string | undefined;
  readonly workspace?: string | undefined;
}

/** Entities per request. */
const PAGE = 1000;

export function liveEntities<K extends string>(
  client: Client,
  kind: K,
  { project_id, state, workspace }: EntitiesQuery = {},
): LiveReplica<EntitiesShown<EntityOf<K>>> {
  const { list } = client.entities<string>(kind);
  const query = { ...(project_id && { project_id }), ...(state && { state }), limit: PAGE };
  return liveReplica<HeldEntity, EntitiesShown<EntityOf<K>>>(
    client,
    {
      workspace,
      load: async (signal) => {
        const first = await list(query, { workspace, signal });
        const items = [...first.items];
        for (let { next } = first; next !== null;) {
          const page = await list({ ...query, after: next }, { workspace, signal });
          items.push(...page.items);
          next = page.next;
        }
        return { items: items.map((item) => [item.id, item] as const), as_of: first.as_of };
      },
      read: (id, signal) => client.entity(id, { workspace, signal }),
      // One that is held may go: a file that moves can change its project, and what kind it is.
      keyOf: ({ entity_type, entity_id, project_id: project }, isHeld) =>
        (isHeld && entity_type !== 'doc_structure') ||
        (entity_type === kind && (project_id === undefined || project === project_id))
          ? entity_id
          : null,
      resets: (patch) => kind !== 'project' && movesProject(patch, project_id),
    },
    (held, shown) => ({
      ...shown,
      items: [...held.values()]
        .filter(
          (entity) =>
            entity['removed_at'] === null &&
            entity['kind'] === kind &&
            (project_id === undefined || entity['project_id'] === project_id) &&
            (state === undefined || entity['state'] === state),
        )
        .toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1)) as unknown as EntityOf<K>[],
    }),
  );
}
