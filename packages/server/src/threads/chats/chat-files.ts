// Chats as files: `/chats/<slug>-<short id>.chat` shows a thread's log. These paths are not stored: the name follows the
// title, and the short id alone identifies the thread.

import { readForFold } from '../../log/statements.ts';
import type { Queryable } from '../../db/pool.ts';
import type { ChatFiles } from '../../files/tools/shared.ts';
import type { FilePath } from '../../files/paths.ts';
import { yieldWithAbortCheck } from '../../limits/yielding.ts';
import { joinParagraphs, paragraph } from './transcript.ts';

/** At most 48 characters of a title. */
const SLUG = /^.{0,48}/su;

export interface Chat {
  readonly threadId: string;
  /** Its title, or the beginning of its first message. */
  readonly title: string;
  readonly name: string;
  readonly path: string;
  /** The last seq of its log. */
  readonly version: number;
  readonly changedAt: Date;
}

interface Row {
  id: string;
  title: string | null;
  created_at: Date;
  said: string | null;
  seq: number | null;
  at: Date | null;
}

/** The beginning of the first message's JSON. It names a chat that has no title. */
export const SAID =
  '(select left(m.content::text, 600) from messages m where m.thread_id = t.id order by m.ordinal, m.seq limit 1) as said';

const CHATS = `select t.id, t.title, t.created_at, e.seq, e.at, ${SAID}
  from threads t
  left join lateral (select seq, at from events where thread_id = t.id order by seq desc limit 1) e on true`;

/** Newest first. A page begins after the thread `after`. */
export async function listChatFiles(
  client: Queryable,
  workspaceId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<readonly Chat[]> {
  const { rows } = await client.query<Row>({
    name: 'list_chats',
    text: `${CHATS} where t.workspace_id = $1 and t.removed_at is null and t.parent_run is null and ($2::uuid is null or
        (t.created_at, t.id) < (select a.created_at, a.id from threads a where a.id = $2))
      order by t.created_at desc, t.id desc limit $3`,
    values: [workspaceId, after, limit],
  });
  return rows.map(chatOf);
}

export async function hasChats(client: Queryable, workspaceId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from threads where workspace_id = $1 and removed_at is null and parent_run is null limit 1',
    [workspaceId],
  );
  return rowCount === 1;
}

/** The chat at a path. Only the short id counts, so an old name still works. */
export async function findChat(
  client: Queryable,
  workspaceId: string,
  { folded }: FilePath,
): Promise<Chat | null> {
  const short = shortIdIn(folded);
  if (short === null) return null;
  const { rows } = await client.query<Row>({
    name: 'find_chat',
    text: `${CHATS} where t.workspace_id = $1 and t.removed_at is null and right(t.id::text, 12) = $2 order by t.id desc limit 1`,
    values: [workspaceId, short],
  });
  return rows[0] ? chatOf(rows[0]) : null;
}

/** The short id in a chat's path: the last 12 digits of its thread's id. */
export function shortIdIn(path: string): string | null {
  return /^\/chats\/(?:[^/]*-)?([\da-f]{12})\.chat$/.exec(path)?.[1] ?? null;
}

/** Events to render between two yields: a result may be long. */
const EVENTS_PER_TURN = 20;

interface RenderedChat {
  readonly text: string;
  /** The last seq that it covers. */
  readonly version: number;
  /** Its model has read untrusted content, such as a web page, which the text repeats. */
  readonly untrusted: boolean;
}

/** The chat's transcript. */
export async function renderChat(client: Queryable, threadId: string): Promise<RenderedChat> {
  const events = await readForFold(client, threadId);
  const paragraphs: (string | null)[] = [];
  let untrusted = false;
  for (const [index, event] of events.entries()) {
    if (index % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await yieldWithAbortCheck({ mode: 'fast' });
    paragraphs.push(paragraph(event));
    untrusted ||= 'untrusted' in event.data && event.data.untrusted === true;
  }
  return { text: joinParagraphs(paragraphs), version: events.at(-1)?.seq ?? 0, untrusted };
}

/** Chats as tools see them. */
export function createChatFiles(client: Queryable): ChatFiles {
  return {
    list: (workspaceId, limit) => listChatFiles(client, workspaceId, { after: null, limit }),
    read: async (workspaceId, path) => {
      const chat = await findChat(client, workspaceId, path);
      return chat && { ...chat, ...(await renderChat(client, chat.threadId)) };
    },
  };
}

function chatOf({ id, title, created_at, said, seq, at }: Row): Chat {
  const name = chatName({ id, title, said });
  return {
    threadId: id,
    title: titleOf({ title, said }),
    name,
    path: `/chats/${name}`,
    version: seq ?? 0,
    changedAt: at ?? created_at,
  };
}

/** `<slug>-<short id>.chat`. `said` is the result of `SAID`. */
export function chatName({ id, title, said }: Pick<Row, 'id' | 'title' | 'said'>): string {
  return `${slug(titleOf({ title, said }))}-${id.slice(-12)}.chat`;
}

function titleOf({ title, said }: Pick<Row, 'title' | 'said'>): string {
  return title ?? (said === null ? '' : beginning(said));
}

function slug(text: string): string {
  const words = text
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const short = (SLUG.exec(words.replace(/^-/, ''))?.[0] ?? '').replace(/-$/, '');
  return short === '' ? 'chat' : short;
}

/** The text of a message, from the beginning of its JSON, which may be cut anywhere. */
export function beginning(json: string): string {
  const text = /^\{"text":"((?:[^"\\]|\\u[\da-fA-F]{4}|\\[^u])*)/.exec(json)?.[1] ?? '';
  return (JSON.parse(`"${text}"`) as string).toWellFormed();
}
