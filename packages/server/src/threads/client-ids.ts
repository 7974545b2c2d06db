// Client ids: a foreign client's own names for threads, messages and runs. The server's id is derived from the name, so that the
// same name always means the same thing and no mapping has to be stored.

import { v5 as uuidv5 } from 'uuid';
import type { Queryable } from '../db/pool.ts';

/** How many versions of a message one query looks for. */
const VERSIONS = 8;

export function threadNamed(workspaceId: string, name: string): string {
  return uuidv5(name, workspaceId);
}

export function runNamed(threadId: string, name: string): string {
  return uuidv5(`run ${name}`, threadId);
}

/** A client may change a message and keep its name. Each change is a new version. */
export function messageNamed(threadId: string, name: string, version: number): string {
  return uuidv5(`message ${version} ${name}`, threadId);
}

export interface KnownMessage {
  readonly id: string;
  readonly version: number;
  readonly text: string;
  /** The last run that answered it. */
  readonly runId: string;
}

/** The latest version of a client's message; null if the client sent no message with that name. */
export async function readNamed(
  client: Queryable,
  threadId: string,
  name: string,
): Promise<KnownMessage | null> {
  let latest: KnownMessage | null = null;
  for (let first = 0; ; first += VERSIONS) {
    const ids = Array.from({ length: VERSIONS }, (_, index) => messageNamed(threadId, name, first + index));
    const { rows } = await client.query<{ id: string; content: string; run_id: string }>({
      name: 'read_named_messages',
      text: `select m.id, m.content, coalesce(
          (select r.id from runs r where r.thread_id = m.thread_id and r.message_id = m.id order by r.ordinal desc limit 1),
          m.run_id) as run_id
        from messages m where m.id = any($1) and m.thread_id = $2`,
      values: [ids, threadId],
    });
    for (const { id, content, run_id: runId } of rows) {
      const version = first + ids.indexOf(id);
      const { text } = JSON.parse(content) as { text: string };
      if (latest === null || version > latest.version) latest = { id, version, text, runId };
    }
    if (rows.length < VERSIONS) return latest;
  }
}
