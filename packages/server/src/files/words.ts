// The full-text index. A write only records that there is something to index (`unindexed`). Some pod indexes it a
// moment later. A search first indexes whatever is left, so that it finds everything committed before it.

import type { Bus } from '../bus/bus.ts';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { CHUNK_BYTES } from './content.ts';
import { FILES_CHANGED } from './topics.ts';

/** How many characters of a text are indexed. */
const WORDS_CHARACTERS = 128 * 1024;
/** A UTF-16 code unit takes at most 3 bytes of UTF-8. */
const WORDS_CHUNKS = Math.ceil((3 * WORDS_CHARACTERS) / CHUNK_BYTES);
/** Versions indexed by one transaction. */
const BATCH = 32;
/** Delay between a change and its indexing: a file that is written repeatedly is not indexed each time. */
const SOON_MS = 1000;

/** Returns when everything committed before the call is indexed. An abort stops it between two transactions. */
export async function indexWords(pool: Pool, workspaceId: string, signal?: AbortSignal): Promise<void> {
  while ((await transaction(pool, (client) => indexSome(client, workspaceId))) > 0) signal?.throwIfAborted();
}

/** The workspaces with something left to index. */
export async function listUnindexed(client: Queryable): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>('select distinct workspace_id as id from unindexed');
  return rows.map(({ id }) => id);
}

async function indexSome(client: Queryable, workspaceId: string): Promise<number> {
  // A second indexer waits here until the first is done, and then finds nothing to do.
  const due = await client.query<{ file_id: string; version: number }>({
    name: 'unindexed',
    text: `select file_id, version from unindexed where workspace_id = $1
      order by file_id, version limit ${BATCH} for update`,
    values: [workspaceId],
  });
  if (due.rows.length === 0) return 0;
  const files = [...new Set(due.rows.map(({ file_id }) => file_id))];
  // A version written after the locked ones has its own row, and is indexed later.
  const { rows } = await client.query<{ file_id: string; data: Buffer | null }>({
    name: 'unindexed_texts',
    text: `select f.id as file_id, (
        select string_agg(k.data, '' order by c.place)
          from unnest(v.chunks[1:${WORDS_CHUNKS}]) with ordinality c (hash, place) join chunks k on k.hash = c.hash
      ) as data
      from files f join file_versions v on v.file_id = f.id and v.version = f.version
      where f.id = any ($1) and f.removed_at is null and f.is_text`,
    values: [files],
  });
  await client.query({
    name: 'drop_words',
    text: 'delete from file_words where file_id = any ($1) and not file_id = any ($2)',
    values: [files, rows.map(({ file_id }) => file_id)],
  });
  await client.query({
    name: 'put_words',
    text: `insert into file_words (workspace_id, file_id, words)
      select $1, u.id, to_tsvector('simple', u.words) from unnest($2::uuid[], $3::text[]) as u (id, words)
      on conflict (file_id) do update set words = excluded.words`,
    values: [workspaceId, rows.map(({ file_id }) => file_id), rows.map(({ data }) => wordsOf(data))],
  });
  await client.query({
    name: 'indexed',
    text: `delete from unindexed using unnest($2::uuid[], $3::integer[]) as u (id, v)
      where workspace_id = $1 and file_id = u.id and version = u.v`,
    values: [workspaceId, due.rows.map(({ file_id }) => file_id), due.rows.map(({ version }) => version)],
  });
  return due.rows.length;
}

function wordsOf(data: Buffer | null): string {
  return (data ?? Buffer.alloc(0)).toString('utf8').slice(0, WORDS_CHARACTERS).toWellFormed();
}

export interface Indexer {
  /** Schedules indexing of a workspace that has changed. */
  soon(workspaceId: string): void;
  /** Resolves when indexing in progress has finished. */
  stop(): Promise<void>;
}

export function startIndexer(pool: Pool, onError: (error: Error) => void): Indexer {
  const waiting = new Map<string, NodeJS.Timeout>();
  const doing = new Set<Promise<void>>();
  let stopped = false;
  const index = (workspaceId: string): void => {
    waiting.delete(workspaceId);
    const work: Promise<void> = indexWords(pool, workspaceId)
      .catch(onError)
      .finally(() => doing.delete(work));
    doing.add(work);
  };
  return {
    soon: (workspaceId) => {
      if (stopped || waiting.has(workspaceId)) return;
      waiting.set(workspaceId, setTimeout(index, SOON_MS, workspaceId).unref());
    },
    stop: async () => {
      stopped = true;
      for (const timer of waiting.values()) clearTimeout(timer);
      await Promise.all(doing);
    },
  };
}

export function subscribeIndexer(bus: Bus, indexer: Indexer): void {
  bus.subscribe(FILES_CHANGED, {
    message: ({ workspaceId }) => indexer.soon(workspaceId),
    // After lost messages nothing is needed: searches and the hourly chores index what is left.
    rescan: () => undefined,
  });
}
