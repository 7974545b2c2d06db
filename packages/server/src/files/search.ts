// Search in a workspace: by part of a path, or by words in a text.

import type { Pool, Queryable } from '../db/pool.ts';
import { readChunks } from './content.ts';
import type { FileHead } from './files.ts';
import { fold } from '../case-folding.ts';
import { yieldWithAbortCheck } from '../yielding.ts';
import { indexWords } from './words.ts';

/** Characters of a snippet before and after the first word found. */
const AROUND = 80;
/** How many bytes of a text are searched for a snippet. */
const SNIPPET_BYTES = 256 * 1024;

export interface Hit {
  readonly path: string;
  readonly id: string;
  readonly kind: FileHead['kind'];
  readonly version: number;
  readonly size: number;
}

interface Row {
  id: string;
  path: string;
  kind: FileHead['kind'];
  version: number;
  size: string;
}

/** Files whose path contains this text: matches in the name first, then the shortest paths. */
export async function searchNames(
  client: Queryable,
  workspaceId: string,
  { words, limit }: { words: string; limit: number },
): Promise<readonly Hit[]> {
  const { rows } = await client.query<Row>({
    name: 'search_names',
    text: `select id, path, kind, version, size from files
      where workspace_id = $1 and removed_at is null and strpos(folded, $2) > 0
      order by strpos(substring(folded from '[^/]*$'), $2) > 0 desc, length(folded), folded limit $3`,
    values: [workspaceId, fold(words), limit],
  });
  return rows.map(hitOf);
}

/** Text files that contain these words, best match first, each with a snippet. */
export async function searchText(
  pool: Pool,
  workspaceId: string,
  { words, limit, signal }: { words: string; limit: number; signal?: AbortSignal | undefined },
): Promise<readonly (Hit & { readonly snippet: string | null })[]> {
  await indexWords(pool, workspaceId, signal);
  const { rows } = await pool.query<Row & { chunks: Buffer[] }>({
    name: 'search_text',
    text: `select f.id, f.path, f.kind, f.version, f.size, v.chunks
      from file_words w join files f on f.id = w.file_id
      join file_versions v on v.file_id = f.id and v.version = f.version,
      websearch_to_tsquery('simple', $2) q
      where f.workspace_id = $1 and f.removed_at is null and w.words @@ q
      order by ts_rank(w.words, q) desc, f.folded limit $3`,
    values: [workspaceId, words, limit],
  });
  const hits: (Hit & { snippet: string | null })[] = [];
  for (const { chunks, ...row } of rows) {
    await yieldWithAbortCheck({ mode: 'fast', signal });
    hits.push({ ...hitOf(row), snippet: await snippet(pool, chunks, words) });
  }
  return hits;
}

async function snippet(client: Queryable, chunks: readonly Buffer[], words: string): Promise<string | null> {
  let text = '';
  for await (const part of readChunks(client, chunks, 0, SNIPPET_BYTES)) text += part.toString('utf8');
  const lower = text.toLowerCase();
  const places = (words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => lower.indexOf(word))
    .filter((at) => at >= 0);
  if (places.length === 0) return null;
  const at = Math.min(...places);
  const [start, end] = [Math.max(0, at - AROUND), at + AROUND];
  const cut = text.slice(start, end).replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

function hitOf({ id, path, kind, version, size }: Row): Hit {
  return { id, path, kind, version, size: Number(size) };
}
