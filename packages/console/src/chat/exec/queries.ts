// What the server tells about a command: its output while it runs and afterwards, and the changes that it proposes.

import { useQuery } from '@tanstack/react-query';
import { ApiError } from '@continuo/client';
import { client } from '../../data/client.ts';
import { keys } from '../../data/queries.ts';

export type Execution = Awaited<ReturnType<typeof client.executions.get>>;
export type Change = Execution['changes'][number];

interface Wanted {
  readonly enabled: boolean;
  /** Whether the call still runs. */
  readonly running: boolean;
}

/** The output with its colours; null while the command waits for its turn. A hint tells when there is more. */
export function useOutput(id: string, { enabled, running }: Wanted) {
  return useQuery({
    // The output of an ended command never changes.
    queryKey: [...keys.output(id), running],
    queryFn: ({ signal }) => readOutput(id, signal),
    enabled,
    placeholderData: (former) => former,
  });
}

async function readOutput(id: string, signal: AbortSignal): Promise<Execution | null> {
  try {
    return await client.executions.get(id, { output: 'colors' }, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export const changesKey = (id: string) => [...keys.files, 'proposed', id];

/** The proposed changes. A hint about files tells that one may have been applied, or may be outdated. */
export function useChanges(id: string, enabled: boolean) {
  return useQuery({
    queryKey: changesKey(id),
    queryFn: async ({ signal }) =>
      (await client.executions.get(id, { output: 'none' }, { signal })).changes as readonly Change[],
    enabled,
  });
}

export function useDiff(id: string, path: string) {
  return useQuery({
    queryKey: ['execution-diff', id, path],
    queryFn: ({ signal }) => client.executions.diff(id, path, { signal }),
  });
}
