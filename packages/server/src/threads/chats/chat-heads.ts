// Chats as the mirror writes them to disk: path, last seq of the log, and whether a run is running.

import type { Bus } from '../../bus/bus.ts';
import type { Queryable } from '../../db/pool.ts';
import type { DiskMirrors } from '../../files/mirror/mirrors.ts';
import type { Chat, Chats } from '../../files/mirror/out/chats.ts';
import type { StoredEvent } from '../../log/event.ts';
import { LOG_APPENDED } from '../../log/notice.ts';
import { THREAD_CHANGED } from '../topics.ts';
import { chatName, renderChat, SAID, shortIdIn } from './chat-files.ts';

const PAGE = 500;

interface Row {
  id: string;
  workspace_id: string;
  title: string | null;
  said: string | null;
  created_at: Date;
  removed: boolean;
  busy: boolean;
  seq: number | null;
  at: Date | null;
}

const HEADS = `select t.id, t.workspace_id, t.title, t.created_at, t.removed_at is not null as removed, e.seq, e.at, ${SAID},
    exists (select from runs r where r.thread_id = t.id and r.status = 'running') as busy
  from threads t
  left join lateral (select seq, at from events where thread_id = t.id order by seq desc limit 1) e on true`;

export function createChatHeads(client: Queryable, busy: () => boolean): Chats {
  return {
    busy,
    find: async (ids) => {
      const { rows } = await client.query<Row>({
        name: 'find_chat_heads',
        text: `${HEADS} where t.id = any ($1) and t.parent_run is null`,
        values: [ids],
      });
      return rows.map(headOf);
    },
    list: async (workspaceId, after) => {
      const { rows } = await client.query<Row>({
        name: 'list_chat_heads',
        text: `${HEADS} where t.workspace_id = $1 and t.removed_at is null and t.parent_run is null and ($2::uuid is null or
            (t.created_at, t.id) < (select a.created_at, a.id from threads a where a.id = $2))
          order by t.created_at desc, t.id desc limit ${PAGE}`,
        values: [workspaceId, after],
      });
      return { chats: rows.map(headOf), next: rows.length < PAGE ? null : rows.at(-1)!.id };
    },
    at: async (workspaceId, path) => {
      const short = shortIdIn(path);
      if (short === null) return null;
      const { rows } = await client.query<Row>({
        name: 'find_chat_head',
        text: `${HEADS} where t.workspace_id = $1 and right(t.id::text, 12) = $2 order by t.id desc limit 1`,
        values: [workspaceId, short],
      });
      return rows[0] ? headOf(rows[0]) : null;
    },
    read: (id) => renderChat(client, id),
  };
}

/** Tells the mirror to write a chat when one of its runs ends, and when the chat is renamed, removed or restored. */
export function subscribeChatMirror(bus: Bus, mirrors: Pick<DiskMirrors, 'chatsChanged'>): void {
  bus.subscribe(LOG_APPENDED, {
    message: ({ threadIds, rows }) => {
      if (rows === null || rows.some(changesFile)) mirrors.chatsChanged(threadIds);
    },
    rescan: () => mirrors.chatsChanged(null),
  });
  bus.subscribe(THREAD_CHANGED, {
    message: ({ threadId, change }) => {
      if (change === 'file') mirrors.chatsChanged([threadId]);
    },
    // A reconnect rescans all topics, and the rescan of LOG_APPENDED checks every chat.
    rescan: () => undefined,
  });
}

function changesFile({ type, data }: StoredEvent): boolean {
  return type === 'titled' || (type === 'state' && data.status !== 'running');
}

function headOf(row: Row): Chat {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    path: `/chats/${chatName(row)}`,
    version: row.seq ?? 0,
    changedAt: row.at ?? row.created_at,
    removed: row.removed,
    busy: row.busy,
  };
}
