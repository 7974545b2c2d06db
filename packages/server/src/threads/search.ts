// Search over messages. A search first indexes the messages that came since the last one, so that it finds everything that was
// committed before it, and a run never waits for the index.

import { transaction, type Pool, type Queryable } from '../db/pool.ts';
import { readQuestion, snippetOf } from '../knowledge/search.ts';

/** Messages indexed by one transaction. */
const BATCH = 500;
/** How many characters of a message are indexed. */
const MESSAGE_CHARACTERS = 64 * 1024;
/** The class of the advisory lock that an indexer holds. */
const INDEX_LOCK = 4404;

export interface MessageQuery {
  /** Words, `"a phrase"`, `begin*` and `-not`. */
  readonly query: string;
  /** Only the messages of this chat. */
  readonly chatId?: string | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundMessage {
  readonly message_id: string;
  readonly thread_id: string;
  readonly title: string | null;
  readonly role: 'user' | 'assistant';
  /** Where the message begins in its thread's log; null if it has not begun. */
  readonly seq: number | null;
  readonly created_at: Date;
  readonly score: number;
  readonly snippet: string | null;
}

type Row = Omit<FoundMessage, 'snippet'> & { body: string; words: string[] };

export async function searchMessages(
  pool: Pool,
  workspaceId: string,
  { query, chatId, limit, signal }: MessageQuery,
): Promise<readonly FoundMessage[]> {
  const { words, prefixes, phrases, excluded } = readQuestion(query);
  if (words.length + prefixes.length + phrases.length === 0) return [];
  while ((await transaction(pool, (client) => indexSome(client, workspaceId))) > 0) signal?.throwIfAborted();
  const { rows } = await pool.query<Row>({
    name: 'search_messages',
    text: 'select * from search_messages($1, $2, $3, $4, $5, $6, $7)',
    values: [workspaceId, words.join(' '), prefixes, phrases, excluded, chatId ?? null, limit],
  });
  return rows.map(({ body, words: found, ...row }) => ({ ...row, snippet: snippetOf(body, new Set(found)) }));
}

const DUE = `select m.id, m.created_at, left(coalesce(readable(m.content) ->> 'text', ''), ${MESSAGE_CHARACTERS}) as text
  from messages m
  where m.workspace_id = $1
    and m.created_at >= coalesce((select indexed_until from message_index where workspace_id = $1), '-infinity') - interval '10 minutes'
    and not exists (select from indexed_texts t where t.object_id = m.id)
  order by m.created_at limit ${BATCH}`;

async function indexSome(client: Queryable, workspaceId: string): Promise<number> {
  const due = () =>
    client.query<{ id: string; created_at: Date; text: string }>({
      name: 'unindexed_messages',
      text: DUE,
      values: [workspaceId],
    });
  if ((await due()).rowCount === 0) return 0;
  // A second indexer waits here until the first is done, and then finds less to do.
  await client.query({
    name: 'lock_message_index',
    text: `select pg_advisory_xact_lock(${INDEX_LOCK}, hashtext(message_scope($1)::text))`,
    values: [workspaceId],
  });
  const { rows } = await due();
  if (rows.length === 0) return 0;
  await client.query({
    name: 'index_messages',
    text: `with indexed as (select index_texts(message_scope($1), $2, $3))
      insert into message_index as i (workspace_id, indexed_until) select $1, least($4, clock_timestamp()) from indexed
      on conflict (workspace_id) do update set indexed_until = greatest(i.indexed_until, excluded.indexed_until)`,
    values: [
      workspaceId,
      rows.map(({ id }) => id),
      // The first line of a text is its title; a message has none. Lower case here, because a database's own depends on its locale.
      rows.map(({ text }) => `\n${text.toLowerCase()}`),
      rows.at(-1)!.created_at,
    ],
  });
  return rows.length;
}
