// Entities that stay equal to the database. They are read once, and then follow the patches of the change feed. A patch applies
// only to the version before its own; after a gap the entity is read again. So a patch counts once, however often and in
// whichever order it arrives: from the feed, after a lost connection, or from the events of a run.

import { applyEntityPatch, PatchError, type EntityPatch, type HeldEntity } from '@continuo/protocol';
import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import { retryWhileTemporary, type StreamState } from '../stream.ts';
import { feedOf } from './feed.ts';
import { createLive, type Live } from './store.ts';

/** What a replica holds, and how it is read. */
export interface Source<T extends HeldEntity> {
  readonly workspace: string | undefined;
  /** Reads everything. `as_of` is the feed's seq that all of it includes. */
  load(
    signal: AbortSignal,
  ): Promise<{ readonly items: readonly (readonly [string, T])[]; readonly as_of: number }>;
  /** Reads one again. */
  read(key: string, signal: AbortSignal): Promise<T>;
  /** The key of what a patch changes; null if it is not held here. `isHeld`: whether the patch's entity is. */
  keyOf(patch: EntityPatch, isHeld: boolean): string | null;
  /** Whether a patch changes so much that everything must be read again. */
  resets(patch: EntityPatch): boolean;
}

/** How far a replica is. */
export interface ReplicaState {
  /** Nothing has been read yet. */
  readonly loading: boolean;
  readonly connection: StreamState;
  /** A permanent error: retrying would not help. */
  readonly error: Error | null;
}

export interface LiveReplica<S> extends Live<S> {
  /** Applies a patch that came another way, such as an `entity_patch` event of a run. */
  apply(this: void, patch: EntityPatch): void;
}

/** `value` is null if the entity does not exist, or is no longer known: after its next patch, it is read again. */
interface Held<T> {
  readonly version: number;
  readonly value: T | null;
}

export function liveReplica<T extends HeldEntity, S>(
  client: Client,
  source: Source<T>,
  show: (held: ReadonlyMap<string, T>, state: ReplicaState) => S,
): LiveReplica<S> {
  const held = new Map<string, Held<T>>();
  let asOf = 0;
  let loading = true;
  let connection: StreamState = { kind: 'connecting' };
  let error: Error | null = null;
  let take: ((patch: EntityPatch, seq: number | null) => void) | null = null;

  const put = (key: string, value: T): void => {
    const before = held.get(key);
    if (!before || before.version <= value.version) held.set(key, { version: value.version, value });
  };
  /** False if the entity must be read again. */
  const applyTo = (key: string, patch: EntityPatch): boolean => {
    const before = held.get(key);
    if (before && before.version >= patch.version) return true;
    try {
      const value = applyEntityPatch(before?.value ?? undefined, patch) as T;
      held.set(key, { version: patch.version, value });
      return true;
    } catch (cause) {
      if (!(cause instanceof PatchError)) throw cause;
      return false;
    }
  };

  const live = createLive<S>({
    show: () => {
      const known = [...held].flatMap(([key, { value }]) => (value === null ? [] : [[key, value] as const]));
      return show(new Map(known), { loading, connection, error });
    },
    run: async (signal, changed) => {
      let isLoaded = false;
      let queue: Promise<void> = Promise.resolve();
      /** One at a time, in order. */
      const enqueue = (work: () => Promise<void>) => {
        queue = queue
          .then(() => (signal.aborted ? undefined : work()))
          .catch((cause: unknown) => {
            if (!signal.aborted) error = cause as Error;
          })
          .finally(changed);
      };
      const onState = (state: StreamState) => {
        if (signal.aborted || state.kind !== 'reconnecting') return;
        connection = state;
        changed();
      };
      const load = async () => {
        const { items, as_of } = await retryWhileTemporary(() => source.load(signal), { signal, onState });
        const loaded = new Set(items.map(([key]) => key));
        for (const [key, { version }] of held) if (!loaded.has(key)) held.set(key, { version, value: null });
        for (const [key, value] of items) put(key, value);
        asOf = as_of;
        isLoaded = true;
        loading = false;
        error = null;
      };
      const reload = () => load().finally(() => (loading = false));
      const readAgain = async (key: string, version: number) => {
        try {
          put(key, await retryWhileTemporary(() => source.read(key, signal), { signal, onState }));
        } catch (cause) {
          if (!(cause instanceof ApiError) || ![404, 410].includes(cause.status)) throw cause;
          held.set(key, { version, value: null });
        }
      };
      take = (patch, seq) =>
        enqueue(async () => {
          if (seq !== null && seq <= asOf) return;
          if (source.resets(patch)) return reload();
          const key = source.keyOf(patch, held.has(patch.entity_id));
          if (key !== null && isLoaded && !applyTo(key, patch)) await readAgain(key, patch.version);
        });
      const unsubscribe = feedOf(client, source.workspace).listen({
        state: (state) => {
          connection = state;
          // The feed is open, so that no change is missed after what is read now. It resumes by itself after a cut.
          if (state.kind === 'open') enqueue(async () => (isLoaded ? undefined : reload()));
          changed();
        },
        change: ({ seq, type, data }) => {
          if (type === 'entity_patch') take?.(data, seq);
        },
        failed: (cause) => {
          isLoaded = false;
          loading = false;
          error = cause;
          changed();
        },
      });
      signal.addEventListener('abort', () => {
        unsubscribe();
        take = null;
      });
    },
  });
  return { ...live, apply: (patch) => take?.(patch, null) };
}

/** Whether a patch removes or restores a project, and with it all that is in it. */
export function movesProject(
  { entity_type, entity_id, patch }: EntityPatch,
  project: string | undefined,
): boolean {
  return (
    entity_type === 'project' &&
    (project === undefined || entity_id === project) &&
    patch.some(({ path }) => path === '/removed_at')
  );
}
