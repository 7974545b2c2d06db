// The memory of a chat and what it has in focus. A new `seq` means that an event may have changed the answer.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';

export type AgentState = Awaited<ReturnType<typeof client.chats.state>>;
/** Sends a change of the agent state; rejects if any of it is refused. */
export type Change = (change: Parameters<typeof client.chats.changeState>[1]) => Promise<void>;
export type Item = AgentState['items'][number];
export type Summary = Awaited<ReturnType<typeof client.chats.summaries>>['items'][number];
export type SummaryVersion = Awaited<ReturnType<typeof client.chats.summary>>;
export type ChatContext = Awaited<ReturnType<typeof client.chats.context>>;

export const stateKey = (chat: string, seq: number) => [...keys.memory(chat), 'state', seq];

export function useAgentState(chat: string, seq: number) {
  return useQuery({
    queryKey: stateKey(chat, seq),
    queryFn: ({ signal }) => client.chats.state(chat, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

export function useSummaries(chat: string, seq: number) {
  return useQuery({
    queryKey: [...keys.memory(chat), 'summaries', seq],
    queryFn: async ({ signal }) => (await client.chats.summaries(chat, { signal })).items,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

export function useSummary(chat: string, version: number) {
  return useQuery({
    queryKey: [...keys.memory(chat), 'summary', version],
    queryFn: ({ signal }) => client.chats.summary(chat, version, { signal }),
  });
}

export function useChatContext(chat: string, seq: number) {
  return useQuery({
    queryKey: [...keys.focus(chat), seq],
    queryFn: ({ signal }) => client.chats.context(chat, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
