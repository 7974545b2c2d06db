// What people change of a chat besides talking to it: its title, whether it is put away, whether it is there.

import type { Pod } from '../../actors/pod.ts';
import { transaction, type Pool, type Queryable } from '../../db/pool.ts';
import { requestStop } from './stop.ts';

const REMOVED = 'chat_removed';

export async function changeChat(
  client: Queryable,
  id: string,
  { title, archived }: { title?: string | undefined; archived?: boolean | undefined },
): Promise<void> {
  await client.query({
    name: 'change_chat',
    // A title that a person gave is not looked for any more.
    text: `update threads set title = coalesce($2, title), title_wanted = title_wanted and $2::text is null,
        archived_at = case when $3::boolean is null then archived_at when $3 then coalesce(archived_at, clock_timestamp()) end
      where id = $1`,
    values: [id, title ?? null, archived ?? null],
  });
}

/** From now on it takes no message and is not shown, until it is brought back or purged. What is open is stopped with it. */
export async function removeChat({ pool, pod }: { pool: Pool; pod: Pod }, id: string): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('select stop_thread($1, $2)', [id, REMOVED]);
    await client.query(
      'update threads set removed_at = clock_timestamp() where id = $1 and removed_at is null',
      [id],
    );
  });
  // Wakes its owner, and stops what came in between.
  await requestStop({ pool, pod }, id, REMOVED);
}

export async function restoreChat(client: Queryable, id: string): Promise<void> {
  await client.query({
    name: 'restore_chat',
    text: 'update threads set removed_at = null where id = $1',
    values: [id],
  });
}
