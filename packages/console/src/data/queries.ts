// The queries of the pages, their keys, and how hints update them.

import {
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type QueryKey,
} from '@tanstack/react-query';
import { ApiError, ConnectionError } from '@continuo/client';
import { client } from './client.ts';

type ChatPage = Awaited<ReturnType<typeof client.chats.list>>;
export type Chat = ChatPage['items'][number];
type ApprovalPage = Awaited<ReturnType<typeof client.approvals.list>>;
export type Approval = ApprovalPage['items'][number];

/** Queries under `files`, `approvals`, `runs`, `servers` and `automation` are stale as soon as a hint says so. */
export const keys = {
  chats: ['chats'] as QueryKey,
  pinnedChats: ['pinned-chats'] as QueryKey,
  /** Archived and removed chats. */
  hiddenChats: ['hidden-chats'] as QueryKey,
  chat: (id: string): QueryKey => ['chat', id],
  approvals: ['approvals'] as QueryKey,
  files: ['files'] as QueryKey,
  runs: ['runs'] as QueryKey,
  servers: ['servers'] as QueryKey,
  automation: ['automation'] as QueryKey,
  output: (id: string): QueryKey => ['execution-output', id],
  /** The agent state and the summaries of a chat; what it has in focus, and how full the model's window is. */
  memory: (chat: string): QueryKey => ['memory', chat],
  focus: (chat: string): QueryKey => ['focus', chat],
  why: (chat: string): QueryKey => ['why', chat],
};

const CHATS_PER_PAGE = 50;
const MAX_PINNED = 100;

/** Hints invalidate queries, so nothing is stale by age. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      networkMode: 'always',
      retry: (count, error) => error instanceof ConnectionError && count < 2,
    },
    mutations: { networkMode: 'always' },
  },
});

export function useChats() {
  return useInfiniteQuery({
    queryKey: keys.chats,
    queryFn: ({ pageParam, signal }) =>
      client.chats.list(
        { limit: CHATS_PER_PAGE, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

/** The most recently active 100. */
export function usePinnedChats() {
  return useQuery({
    queryKey: keys.pinnedChats,
    queryFn: async ({ signal }) =>
      (await client.chats.list({ pinned: 'true', limit: MAX_PINNED }, { signal })).items,
  });
}

/** Archived chats, or removed chats that can still be restored. */
export function useHiddenChats(which: 'archived' | 'removed') {
  return useInfiniteQuery({
    queryKey: [...keys.hiddenChats, which],
    queryFn: ({ pageParam, signal }) =>
      client.chats.list(
        { [which]: 'true', limit: CHATS_PER_PAGE, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

export const chatQuery = (id: string) =>
  queryOptions({ queryKey: keys.chat(id), queryFn: ({ signal }) => client.chats.get(id, { signal }) });

export function useChat(id: string) {
  return useQuery(chatQuery(id));
}

/** Fetches a chat that is about to be shown. */
export function prefetchChat(id: string): void {
  void queries.prefetchQuery(chatQuery(id));
}

const APPROVALS_PER_PAGE = 100;

/** Newest first: all waiting approvals, or the most recent decided ones. */
export function useApprovals(state: 'waiting' | 'decided' = 'waiting') {
  return useQuery({
    queryKey: [...keys.approvals, state],
    queryFn: async ({ signal }) => {
      const items: Approval[] = [];
      for (let after: string | null = null; ;) {
        const query = { state, limit: APPROVALS_PER_PAGE, ...(after !== null && { after }) };
        const page: ApprovalPage = await client.approvals.list(query, { signal });
        items.push(...page.items);
        after = page.next;
        if (after === null || state === 'decided') return { items };
      }
    },
  });
}

/** An approval that was waiting a moment ago, with its decision. */
export function useDecided(id: string, wanted: boolean) {
  return useQuery({
    queryKey: [...keys.approvals, 'one', id],
    queryFn: ({ signal }) => client.approvals.get(id, { signal }),
    enabled: wanted,
  });
}

const MAX_WORKSPACES = 1000;

export function useWorkspaces() {
  return useQuery({
    queryKey: ['workspaces'],
    queryFn: async ({ signal }) =>
      (await client.workspaces.list({ limit: MAX_WORKSPACES }, { signal })).items,
    // Hints do not announce new workspaces.
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
}

/** The workspace of a chat that is not in the current one. */
export function useWorkspaceOf(chat: string) {
  return useQuery({
    queryKey: ['home', chat],
    queryFn: async ({ signal }) => {
      const thread = await client.threads.get(chat, { signal });
      return client.workspaces.get({ workspace: thread.workspace_id, signal });
    },
  });
}

export function useRoles() {
  return useQuery({
    queryKey: ['roles'],
    queryFn: async ({ signal }) => (await client.roles.list({ signal })).items,
  });
}

/** Fetches a chat again, and updates the lists that show it. */
export async function chatChanged(cache: QueryClient, id: string): Promise<void> {
  if (!cache.getQueryData(keys.chats) && !cache.getQueryData(keys.chat(id))) return;
  try {
    putChat(cache, await client.chats.get(id));
  } catch (error) {
    if (!(error instanceof ApiError)) return;
    // Removed: pages that show it are told.
    cache.setQueryData<InfiniteData<ChatPage>>(keys.chats, (data) => data && without(data, id));
    cache.setQueryData<Chat[]>(keys.pinnedChats, (data) => data?.filter((chat) => chat.id !== id));
    void cache.invalidateQueries({ queryKey: keys.chat(id) });
  }
}

/** Stores a chat that the server has just returned. A chat with new activity moves to the top. */
export function putChat(cache: QueryClient, chat: Chat): void {
  cache.setQueryData(keys.chat(chat.id), chat);
  // The server's lists leave out archived and removed chats, and chats that a run opened for a part of its work.
  const isListed = chat.archived_at === null && chat.removed_at === null && chat.parent_run === null;
  cache.setQueryData<Chat[]>(keys.pinnedChats, (data) => {
    const others = data?.filter(({ id }) => id !== chat.id);
    if (!isListed || chat.pinned_at === null) return others;
    return others && [chat, ...others].toSorted((one, other) => other.active_at.localeCompare(one.active_at));
  });
  cache.setQueryData<InfiniteData<ChatPage>>(keys.chats, (data) => {
    if (!data) return data;
    if (!isListed) return without(data, chat.id);
    const known = data.pages.flatMap(({ items }) => items).find(({ id }) => id === chat.id);
    const stays = known?.active_at === chat.active_at;
    const pages = stays
      ? data.pages.map((page) => ({
          ...page,
          items: page.items.map((item) => (item === known ? chat : item)),
        }))
      : without(data, chat.id).pages.map((page, index) =>
          index === 0 ? { ...page, items: [chat, ...page.items] } : page,
        );
    return { ...data, pages };
  });
}

function without(data: InfiniteData<ChatPage>, id: string): InfiniteData<ChatPage> {
  const pages = data.pages.map((page) => ({ ...page, items: page.items.filter((item) => item.id !== id) }));
  return { ...data, pages };
}
