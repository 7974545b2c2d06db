// The full-text index of a workspace's files, and of what other concepts hand over as text. A write only records that there is
// something to index (`unindexed`). Some pod indexes it a moment later. A search first indexes whatever is left, so that it finds
// everything committed before it.

import type { Bus } from '../bus/bus.ts';
import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { CHUNK_BYTES } from './content.ts';
import { FILES_CHANGED } from './topics.ts';

/** How many characters of a file's text are indexed. */
export const WORDS_CHARACTERS = 128 * 1024;
/** A UTF-16 code unit takes at most 3 bytes of UTF-8. */
const WORDS_CHUNKS = Math.ceil((3 * WORDS_CHARACTERS) / CHUNK_BYTES);
/** Versions indexed by one transaction. */
const BATCH = 32;
/** The class of the advisory lock that an indexer of a workspace holds. */
const INDEX_LOCK = 4404;
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

interface Due {
  object_id: string;
  version: number;
  text: string | null;
}

async function indexSome(client: Queryable, workspaceId: string): Promise<number> {
  const { rowCount } = await client.query({
    name: 'is_unindexed',
    text: 'select from unindexed where workspace_id = $1 limit 1',
    values: [workspaceId],
  });
  if (rowCount === 0) return 0;
  // A second indexer waits here until the first is done, and then finds less to do.
  await client.query({
    name: 'lock_index',
    text: `select pg_advisory_xact_lock(${INDEX_LOCK}, hashtext($1::uuid::text))`,
    values: [workspaceId],
  });
  const due = await client.query<Due>({
    name: 'unindexed',
    text: `select object_id, version, text from unindexed where workspace_id = $1
      order by object_id, version limit ${BATCH}`,
    values: [workspaceId],
  });
  // Of several versions of an object the last one counts.
  const texts = new Map(due.rows.map(({ object_id, text }) => [object_id, text]));
  // A version written after these has its own row, and is indexed later.
  const { rows } = await client.query<{ id: string; path: string; data: Buffer | null }>({
    name: 'unindexed_files',
    text: `select f.id, f.path, (
        select string_agg(k.data, '' order by c.place)
          from unnest(v.chunks[1:${WORDS_CHUNKS}]) with ordinality c (hash, place) join chunks k on k.hash = c.hash
      ) as data
      from files f join file_versions v on v.file_id = f.id and v.version = f.version
      where f.id = any ($1) and f.removed_at is null and f.is_text`,
    values: [[...texts.keys()]],
  });
  for (const { id, path, data } of rows) texts.set(id, `${nameWords(path)}\n${contentWords(data)}`);
  await client.query({
    name: 'index_texts',
    text: `with indexed as (select index_texts($1, $2, $3))
      delete from unindexed using unnest($4::uuid[], $5::integer[]) as u (id, v), indexed
      where workspace_id = $1 and object_id = u.id and version = u.v`,
    values: [
      workspaceId,
      [...texts.keys()],
      // Lower case here, because a database's own depends on its locale.
      [...texts.values()].map((text) => text?.toLowerCase() ?? null),
      due.rows.map(({ object_id }) => object_id),
      due.rows.map(({ version }) => version),
    ],
  });
  return due.rows.length;
}

/** A file is also found by the words of its name. */
function nameWords(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/\.[^.]*$/, '').replaceAll(/[_.-]+/g, ' ');
}

function contentWords(data: Buffer | null): string {
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
    // Lost messages need no handling: searches and the hourly chores index the remaining files.
    rescan: () => undefined,
  });
}
