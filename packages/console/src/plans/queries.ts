// The queries of plans. A plan's progress is read again at every change in the workspace, because the status of a step is one.

import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { PlanProgress } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { keys, queries } from '../data/queries.ts';

const keyOf = (id: string) => [...keys.files, 'plan', id];

export function usePlan(id: string) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => client.plans.progress(id, { signal }) as Promise<PlanProgress>,
    placeholderData: keepPreviousData,
  });
}

export function usePlans() {
  return useInfiniteQuery({
    queryKey: [...keys.files, 'plans'],
    queryFn: ({ signal, pageParam }) =>
      client.plans.states({ limit: 50, ...(pageParam !== null && { after: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

/** How many waiting plans are shown. */
const WAITING = 50;

const waitingPlans = queryOptions({
  queryKey: [...keys.files, 'waiting plans'],
  queryFn: ({ signal }) => client.plans.states({ waiting: 'true', limit: WAITING }, { signal }),
});

/** The plans whose approval a run waits for. */
export function useWaitingPlans() {
  return useQuery(waitingPlans);
}

/** Whether a chat waits for the approval of its plan. */
export function useIsPlanWaiting(chat: string): boolean {
  const select = ({ items }: { items: readonly { chat_id: string | null }[] }) =>
    items.some((plan) => plan.chat_id === chat);
  return useQuery({ ...waitingPlans, select }).data ?? false;
}

/** A response to a change is the plan after it. */
export async function changePlan(id: string, change: () => Promise<unknown>): Promise<void> {
  queries.setQueryData(keyOf(id), await change());
}
