// The queries of content. All are read again at every change in the workspace, because publishing is one.

import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keys, queries, useApprovals, type Approval } from '../data/queries.ts';

export type Piece = Awaited<ReturnType<typeof client.content.pieces>>['items'][number];
export type Checked = Awaited<ReturnType<typeof client.content.check>>;
export type ContentType = Awaited<ReturnType<typeof client.content.types>>['items'][number];

const keyOf = (...parts: readonly (string | number)[]) => [...keys.files, 'content', ...parts];

const piecesOf = (type: string) => ({
  queryKey: keyOf('pieces', type),
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await client.content.pieces(type, { signal })).items,
});

export interface TypeWithPieces {
  readonly type: ContentType;
  readonly pieces: readonly Piece[];
}

export function useContentTypes() {
  return useQuery({
    queryKey: keyOf('types'),
    queryFn: async ({ signal }) => (await client.content.types({ signal })).items,
  });
}

/** Every content type with its pieces; undefined until all are there. */
export function useContent() {
  const types = useContentTypes();
  const lists = useQueries({ queries: (types.data ?? []).map(({ name }) => piecesOf(name)) });
  const failed = [types, ...lists].find((query) => query.error && !query.data);
  const isThere = types.data !== undefined && lists.every(({ data }) => data !== undefined);
  return {
    data: isThere
      ? types.data.map((type, index): TypeWithPieces => ({ type, pieces: lists[index]!.data! }))
      : undefined,
    error: failed?.error ?? null,
    refetch: () => queries.invalidateQueries({ queryKey: keyOf() }),
  };
}

/** A piece whose file is there. */
export type StoredPiece = Piece & {
  readonly path: string;
  readonly file_id: string;
  readonly version: number;
};

export function isStored(piece: Piece): piece is StoredPiece {
  return piece.path !== null && piece.file_id !== null && piece.version !== null;
}

export function usePieces(type: string) {
  return useQuery(piecesOf(type));
}

/** The piece as it would be published from this version. */
export function useCheck({ type, slug }: Pick<Piece, 'type' | 'slug'>, version: number | null) {
  return useQuery({
    queryKey: keyOf('check', type, slug, version ?? 0),
    queryFn: ({ signal }) => client.content.check(type, slug, { version: version ?? undefined, signal }),
    enabled: version !== null,
    placeholderData: keepPreviousData,
  });
}

/** What is live of a piece; null if nothing is. */
export function useLive({ type, slug, live }: Piece) {
  return useQuery({
    queryKey: keyOf('live', type, slug, live?.version ?? 0),
    queryFn: ({ signal }) => client.content.read(type, slug, { signal }),
    enabled: live !== null,
  });
}

/** The version that was live before, other than the one that is live now; null if there is none. */
export function useVersionBefore({ type, slug, live, version }: Piece): number | null {
  const { data } = useQuery({
    queryKey: keyOf('publications', type, slug),
    queryFn: async ({ signal }) => (await client.content.publications(type, slug, { signal })).items,
    enabled: live !== null && version !== null,
  });
  return data?.find((each) => each.version !== live?.version)?.version ?? null;
}

export function contentChanged(): Promise<void> {
  return queries.invalidateQueries({ queryKey: keys.files });
}

const PUBLISHING = new Set(['publish_content', 'unpublish_content']);

interface Asked {
  readonly kind: Approval['kind'];
  readonly tool: string;
  readonly input?: unknown;
}

/** An agent that waits for a person before it publishes a piece or takes it off. */
export function isPublishing({ kind, tool, input }: Asked): boolean {
  return kind === 'call' && PUBLISHING.has(tool) && pieceOf({ input }) !== null;
}

export function usePublishingApprovals(): readonly Approval[] {
  return (useApprovals().data?.items ?? []).filter(isPublishing);
}

/** The piece that an approval is about. */
export function pieceOf({
  input,
}: {
  readonly input?: unknown;
}): { readonly type: string; readonly slug: string } | null {
  const { type, slug } = (input ?? {}) as { readonly type?: unknown; readonly slug?: unknown };
  return typeof type === 'string' && typeof slug === 'string' ? { type, slug } : null;
}

/** What an agent asks, without a question mark. `title` is the piece's, if it is known. */
export function publishingWords(
  approval: { readonly tool: string; readonly input?: unknown },
  title = inWords(pieceOf(approval)?.slug ?? ''),
): string {
  return approval.tool === 'publish_content' ? `Publish “${title}”` : `Take “${title}” off the site`;
}

export function titleOf({ title, slug }: Piece): string {
  return title === slug ? inWords(slug) : title;
}

/** `tea-for-beginners` becomes `Tea for beginners`. */
export function inWords(slug: string): string {
  const words = slug.replaceAll(/[-_]/g, ' ').replace(/^seo /, 'SEO ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
