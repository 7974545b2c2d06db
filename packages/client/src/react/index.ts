// React hooks. They render at most once per frame, however fast events arrive.

import { useMemo, useSyncExternalStore } from 'react';
import type { Client } from '../client.ts';
import { liveChat, type ChatOptions, type ChatShown, type LiveChat } from '../live/chat.ts';
import { liveEntities, type EntitiesQuery, type EntitiesShown } from '../live/entities.ts';
import { liveFile, type FileShown } from '../live/file.ts';
import type { LiveReplica, ReplicaState } from '../live/replica.ts';
import { liveRun, type RunShown } from '../live/run.ts';
import type { Live } from '../live/store.ts';
import { liveStructure, type StructureShown } from '../live/structure.ts';
import type { EntityOf } from '../resources/knowledge.ts';

export {
  liveChat,
  liveEntities,
  liveFile,
  liveRun,
  liveStructure,
  type ChatOptions,
  type ChatShown,
  type EntitiesQuery,
  type EntitiesShown,
  type FileShown,
  type Live,
  type LiveChat,
  type LiveReplica,
  type ReplicaState,
  type RunShown,
  type StructureShown,
};

function useLive<S>(live: Live<S>): S {
  return useSyncExternalStore(live.subscribe, live.get, live.get);
}

/** A run, from its first event to its last. */
export function useRun(client: Client, id: string): RunShown {
  return useLive(useMemo(() => liveRun(client, id), [client, id]));
}

/** A chat: the end of its log first, then new events. */
export function useChat(
  client: Client,
  id: string,
  { page }: ChatOptions = {},
): ChatShown & Pick<LiveChat, 'loadOlder'> {
  const live = useMemo(() => liveChat(client, id, { page }), [client, id, page]);
  return { ...useLive(live), loadOlder: live.loadOlder };
}

/** The current content of a file. */
export function useFile(
  client: Client,
  path: string,
  { workspace }: { readonly workspace?: string } = {},
): FileShown {
  return useLive(useMemo(() => liveFile(client, path, workspace), [client, path, workspace]));
}

type Applies = Pick<LiveReplica<unknown>, 'apply'>;

/** The projects of a workspace, in the order in which they were created. */
export function useProjects(
  client: Client,
  query: Omit<EntitiesQuery, 'project_id'> = {},
): EntitiesShown<EntityOf<'project'>> & Applies {
  return useEntities(client, 'project', query);
}

/** The entities of a kind. `apply` takes patches that come with a run's events, which may be earlier than the feed. */
export function useEntities<K extends string>(
  client: Client,
  kind: K,
  { project_id, state, workspace }: EntitiesQuery = {},
): EntitiesShown<EntityOf<K>> & Applies {
  const live = useMemo(
    () => liveEntities(client, kind, { project_id, state, workspace }),
    [client, kind, project_id, state, workspace],
  );
  return { ...useLive(live), apply: live.apply };
}

/** The tree of a project's documents, and what is known of each. */
export function useDocStructure(
  client: Client,
  projectId: string,
  { workspace }: { readonly workspace?: string | undefined } = {},
): StructureShown & Applies {
  const live = useMemo(() => liveStructure(client, projectId, { workspace }), [client, projectId, workspace]);
  return { ...useLive(live), apply: live.apply };
}
