// The queries of the files page. A version never changes, so its content has a key that no hint invalidates. Everything
// else is under `files`.

import {
  keepPreviousData,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';

export type Entry = Awaited<ReturnType<typeof client.files.tree>>['items'][number];
export type Version = Awaited<ReturnType<typeof client.files.versions>>['items'][number];

/** Larger texts are not opened in the editor. */
export const EDITOR_BYTES = 1024 * 1024;
const ENTRIES_PER_PAGE = 500;
const VERSIONS_PER_PAGE = 100;

interface Folder {
  readonly items: readonly Entry[];
  readonly more: boolean;
}

/** The expanded folders, each with the number of pages asked for. */
export function useFolders(paths: readonly string[], pages: ReadonlyMap<string, number>) {
  const cache = useQueryClient();
  return useQueries({
    queries: paths.map((path) => {
      const count = pages.get(path) ?? 1;
      const key = (many: number): QueryKey => [...keys.files, 'tree', path, many];
      return {
        queryKey: key(count),
        queryFn: ({ signal }: { signal: AbortSignal }) => readFolder(path, count, signal),
        placeholderData: () => {
          for (let fewer = count - 1; fewer > 0; fewer -= 1) {
            const known = cache.getQueryData<Folder>(key(fewer));
            if (known) return known;
          }
          return undefined;
        },
      };
    }),
  });
}

async function readFolder(path: string, pages: number, signal: AbortSignal): Promise<Folder> {
  const items: Entry[] = [];
  let after: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const { items: found, next }: Awaited<ReturnType<typeof client.files.tree>> = await client.files.tree(
      { path, limit: ENTRIES_PER_PAGE, ...(after !== null && { after }) },
      { signal },
    );
    items.push(...found);
    after = next;
    if (after === null) break;
  }
  return { items, more: after !== null };
}

export function useSearchHits(words: string) {
  return useQuery({
    queryKey: [...keys.files, 'search', words],
    queryFn: async ({ signal }) => {
      const query = { q: words, kinds: 'file,document,chat', limit: 50 };
      const { items } = await client.files.search(query, { signal });
      return items.flatMap((hit) => (hit.path === null ? [] : [{ ...hit, path: hit.path }]));
    },
    enabled: words !== '',
    placeholderData: keepPreviousData,
  });
}

export function historyKey(path: string): QueryKey {
  return [...keys.files, 'versions', path];
}

/** Newest first; also for a removed file. */
export function useHistory(path: string) {
  return useInfiniteQuery({
    queryKey: historyKey(path),
    queryFn: ({ pageParam, signal }) =>
      client.files.versions(
        { path, limit: VERSIONS_PER_PAGE, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

export function textKey(file: string, version: number): QueryKey {
  return ['file-text', file, version];
}

export interface VersionText {
  readonly version: number;
  readonly text: string;
}

/** The text of a version. While it loads, the previous text, which `version` tells apart. */
export function useVersionText(path: string, file: string, version: number) {
  return useQuery({
    queryKey: textKey(file, version),
    queryFn: async ({ signal }): Promise<VersionText> => ({
      version,
      text: version === 0 ? '' : await (await client.files.read(path, { version, signal })).text(),
    }),
    placeholderData: keepPreviousData,
  });
}
