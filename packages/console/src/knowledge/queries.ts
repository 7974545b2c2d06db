// The queries of the project pages, kept true by the change feed.

import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Entity } from '@continuo/protocol';
import { queries } from '../data/queries.ts';
import { api, type Board, type EntityPage, type Kind, type Link, type Structure } from './api.ts';
import {
  applyToBoard,
  applyToEntity,
  applyToList,
  applyToStructure,
  type Applied,
  type EntityChange,
  type ListFilter,
} from './apply.ts';
import { createFeed } from './feed.ts';

const ROOT = 'knowledge';
const keys = {
  structure: (project: string): QueryKey => [ROOT, 'structure', project],
  list: (filter: ListFilter): QueryKey => [ROOT, 'list', filter],
  board: (filter: ListFilter): QueryKey => [ROOT, 'board', filter],
  entity: (id: string): QueryKey => [ROOT, 'entity', id],
  links: (id: string): QueryKey => [ROOT, 'links', id],
  versions: (id: string): QueryKey => [ROOT, 'versions', id],
};

const feed = createFeed({
  change: (change) => {
    for (const query of queries.getQueryCache().findAll({ queryKey: [ROOT] })) apply(query, change);
  },
  lost: () => void queries.invalidateQueries({ queryKey: [ROOT] }),
});

/** A read that has just arrived may be older than the changes that the feed has brought meanwhile. */
queries.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return;
  const { query } = event;
  if (query.queryKey[0] !== ROOT) return;
  const data = query.state.data;
  if (query.queryKey[1] === 'entity') {
    for (const change of feed.changesOf(query.queryKey[2] as string)) apply(query, change);
    return;
  }
  const asOf = asOfIn(data);
  if (asOf === null) return;
  const missed = feed.since(asOf);
  if (missed === null) readAgain(query);
  else for (const change of missed) apply(query, change);
});

function asOfIn(data: unknown): number | null {
  if (typeof data !== 'object' || data === null) return null;
  if ('as_of' in data) return data.as_of as number;
  return 'pages' in data ? Math.min(...(data.pages as EntityPage[]).map((page) => page.as_of)) : null;
}

function apply(query: Query, change: EntityChange): void {
  const { data, isInvalidated } = query.state;
  // It will be read again.
  if (data === undefined || isInvalidated) return;
  const [, what, of] = query.queryKey as [string, string, unknown];
  if (what === 'links') {
    const ends = [of, ...(data as readonly Link[]).map(({ entity }) => entity.id)];
    if (ends.includes(change.entity_id)) void queries.invalidateQueries({ queryKey: query.queryKey });
    return;
  }
  if (what === 'versions') {
    if (of === change.entity_id && change.entity_type !== 'doc_structure')
      void queries.invalidateQueries({ queryKey: query.queryKey });
    return;
  }
  const applied = appliedTo(what, of, data, change);
  if (!applied) return;
  if (applied.data !== data) queries.setQueryData(query.queryKey, applied.data);
  if (applied.stale) readAgain(query);
}

function appliedTo(what: string, of: unknown, data: unknown, change: EntityChange): Applied<unknown> | null {
  switch (what) {
    case 'structure':
      return applyToStructure(data as Structure, of as string, change);
    case 'list':
      return applyToList(data as InfiniteData<EntityPage>, of as ListFilter, change);
    case 'board':
      return applyToBoard(data as Board, of as ListFilter, change);
    case 'entity':
      return applyToEntity(data as Entity, change);
    default:
      return null;
  }
}

/** A read in flight is not repeated: once it arrives, it catches up with the feed. */
function readAgain(query: Query): void {
  void queries.invalidateQueries({ queryKey: query.queryKey }, { cancelRefetch: false });
}

/** For pages that show knowledge: keeps it live. */
export function useFeed(): void {
  useEffect(() => feed.hold(), []);
}

export function useKinds() {
  return useQuery({ queryKey: ['kinds'], queryFn: ({ signal }) => api.kinds(signal) });
}

export function useStructure(project: string) {
  return useQuery({
    queryKey: keys.structure(project),
    queryFn: ({ signal }) => api.structure(project, signal),
    structuralSharing: false,
  });
}

const PER_PAGE = 100;

function filterOf(kind: Kind, project: string | null, state: string | null): ListFilter {
  return { kind: kind.kind, projectId: project, state };
}

export function useList(kind: Kind, project: string | null, state: string | null = null) {
  return useInfiniteQuery({
    queryKey: keys.list(filterOf(kind, project, state)),
    queryFn: ({ pageParam, signal }) =>
      api.list(
        kind.plural,
        {
          limit: PER_PAGE,
          ...(project !== null && { project_id: project }),
          ...(state !== null && { state }),
          ...(pageParam !== null && { after: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

export function useBoard(kind: Kind, project: string) {
  return useQuery({
    queryKey: keys.board(filterOf(kind, project, null)),
    queryFn: ({ signal }) => api.board(kind.plural, project, signal),
  });
}

/** An entity has a version, but no `as_of`: it is read once the feed has started, so that no change is missed. */
export function useEntity(id: string) {
  return useQuery({
    queryKey: keys.entity(id),
    queryFn: async ({ signal }) => {
      await feed.started();
      return api.read(id, signal);
    },
    enabled: id !== '',
  });
}

/** Shows what the server has just answered, if it is newer. */
export function putEntity(entity: Entity): void {
  queries.setQueryData<Entity>(keys.entity(entity.id), (held) =>
    held && held.version >= entity.version ? held : entity,
  );
}

export function useLinks(id: string) {
  return useQuery({ queryKey: keys.links(id), queryFn: ({ signal }) => api.links(id, signal) });
}

/** Newest first; also of a removed entity. */
export function useVersions(kind: Kind, id: string, enabled = true) {
  return useInfiniteQuery({
    queryKey: keys.versions(id),
    queryFn: ({ pageParam, signal }) => api.versions(kind.plural, id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    enabled,
  });
}

export function useSearchHits(words: string, project: string) {
  return useQuery({
    queryKey: ['knowledge-search', words, project],
    queryFn: ({ signal }) => api.search({ q: words, project_id: project, limit: HITS }, signal),
    enabled: words !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

const HITS = 30;

/** The structure as the feed has brought it, also if the page has not shown it yet. */
export function heldStructure(project: string): Structure | undefined {
  return queries.getQueryData<Structure>(keys.structure(project));
}

/** Resolves when the structure is newer than this version. The feed brings it; if that takes long, it is read. */
export async function structureAfter(project: string, version: number): Promise<void> {
  const key = keys.structure(project);
  const isNewer = () => (heldStructure(project)?.version ?? Infinity) > version;
  if (isNewer()) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      stop();
      clearTimeout(timer);
      resolve();
    };
    const stop = queries.getQueryCache().subscribe(() => isNewer() && done());
    const timer = setTimeout(
      () => void queries.invalidateQueries({ queryKey: key }).finally(done),
      PATIENCE_MS,
    );
  });
}

const PATIENCE_MS = 2000;
