// Changes of a chat other than messages: rename, archive, remove, restore.

import { transaction, type Queryable } from '../../db/pool.ts';
import { THREAD_CHANGED, type ThreadChanged } from '../../threads/topics.ts';
import { requestStop } from './stop.ts';
import { principalJson, type FactWorld } from './world.ts';

const REMOVED = 'chat_removed';

interface ChatChange {
  readonly title?: string | undefined;
  readonly archived?: boolean | undefined;
  readonly pinned?: boolean | undefined;
}

export async function changeChat(
  world: FactWorld,
  id: string,
  { title, archived, pinned }: ChatChange,
): Promise<void> {
  await changeAndAnnounce(world, { threadId: id, change: title === undefined ? 'fact' : 'file' }, (client) =>
    client.query({
      name: 'change_chat',
      // A title from a person replaces the generated one.
      text: `update threads set title = coalesce($2, title), title_wanted = title_wanted and $2::text is null,
        archived_at = case when $3::boolean is null then archived_at when $3 then coalesce(archived_at, clock_timestamp()) end,
        pinned_at = case when $4::boolean is null then pinned_at when $4 then coalesce(pinned_at, clock_timestamp()) end
      where id = $1`,
      values: [id, title ?? null, archived ?? null, pinned ?? null],
    }),
  );
}

/** Stops the chat's open runs. A removed chat accepts no messages and is not listed, until it is restored or purged. */
export async function removeChat(world: FactWorld, id: string): Promise<void> {
  await changeAndAnnounce(world, { threadId: id, change: 'file' }, async (client) => {
    await client.query('select stop_thread($1, $2, $3)', [id, REMOVED, principalJson(world)]);
    await client.query(
      'update threads set removed_at = clock_timestamp() where id = $1 and removed_at is null',
      [id],
    );
  });
  // Wakes the owner, and stops runs that were queued meanwhile.
  await requestStop(world, id, REMOVED);
}

export async function restoreChat(world: FactWorld, id: string): Promise<void> {
  await changeAndAnnounce(world, { threadId: id, change: 'file' }, (client) =>
    client.query({
      name: 'restore_chat',
      text: 'update threads set removed_at = null where id = $1',
      values: [id],
    }),
  );
}

/** Announces the change in its transaction: another pod may be the one that writes the chat's file. */
async function changeAndAnnounce(
  { pool, bus }: FactWorld,
  message: ThreadChanged,
  change: (client: Queryable) => Promise<unknown>,
): Promise<void> {
  const deliver = await transaction(pool, async (client) => {
    await change(client);
    return bus.publishIn(client, THREAD_CHANGED, message);
  });
  deliver();
}
