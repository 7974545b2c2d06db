// The queries of the pages about runs. All are stale as soon as a hint names the run's chat.

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client } from './client.ts';
import { keys } from './queries.ts';

export type ListedRun = Awaited<ReturnType<typeof client.runs.list>>['items'][number];
export type Run = Awaited<ReturnType<typeof client.runs.get>>;
export type Why = Awaited<ReturnType<typeof client.runs.why>>;

export const STATES = ['open', 'queued', 'running', 'done', 'error', 'canceled'] as const;

export interface RunFilter {
  readonly status?: (typeof STATES)[number] | undefined;
  readonly chat?: string | undefined;
}

const RUNS_PER_PAGE = 50;

export function useRuns({ status, chat }: RunFilter) {
  return useInfiniteQuery({
    queryKey: [...keys.runs, 'list', status, chat],
    queryFn: ({ pageParam, signal }) =>
      client.runs.list(
        {
          limit: RUNS_PER_PAGE,
          ...(status && { status }),
          ...(chat && { chat }),
          ...(pageParam !== null && { after: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

export function useRun(id: string) {
  return useQuery({
    queryKey: [...keys.runs, 'one', id],
    queryFn: ({ signal }) => client.runs.get(id, { signal }),
    staleTime: 0,
  });
}

/** What an open run waits for. A new `step` means that the answer may have changed. */
export function useWhy(run: Pick<Run, 'id' | 'thread_id' | 'ended_at' | 'status'>, step = 0) {
  return useQuery({
    queryKey: [...keys.why(run.thread_id), run.id, run.status, step],
    queryFn: ({ signal }) => client.runs.why(run.id, { signal }),
    enabled: run.ended_at === null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
