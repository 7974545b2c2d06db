// The queries of the pages about runs. All are stale as soon as a hint names the run's chat.

import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { client } from './client.ts';
import { keys } from './queries.ts';

export type ListedRun = Awaited<ReturnType<typeof client.runs.list>>['items'][number];
export type Run = Awaited<ReturnType<typeof client.runs.get>>;
export type RunContext = Awaited<ReturnType<typeof client.runs.context>>;
export type ModelContext = Awaited<ReturnType<typeof client.threads.context>>;
export type SentRequest = RunContext['requests'][number];
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

/** What a run sent to its model. While the run is open, its calls may become more. */
export const contextQuery = (
  run: Pick<Run, 'id' | 'status'>,
  message: string | undefined,
  tried: string | undefined,
) =>
  queryOptions({
    queryKey: [...keys.runs, 'context', run.id, run.status, message, tried],
    queryFn: ({ signal }) =>
      client.runs.context(
        run.id,
        { ...(message !== undefined && { message }), ...(tried !== undefined && { try: Number(tried) }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

/** Another request of the thread: its seq, a hyphen, and its try. */
export const requestQuery = (thread: string, request: string) =>
  queryOptions({
    queryKey: [...keys.runs, 'request', thread, request],
    queryFn: ({ signal }) => {
      const [seq, tried] = request.split('-').map(Number);
      return client.threads.context(thread, { seq: seq!, try: tried! }, { signal });
    },
  });
