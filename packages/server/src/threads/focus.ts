// The focus of a thread: the scope of its next message, unless that message names one itself.

import type { ThreadScope } from '@continuo/protocol';
import type { Bus } from '../bus/bus.ts';
import type { Queryable } from '../db/pool.ts';
import { THREAD_CHANGED } from './topics.ts';

export async function setFocus(
  { db, bus }: { readonly db: Queryable; readonly bus: Bus },
  threadId: string,
  scope: ThreadScope,
): Promise<void> {
  await db.query({
    name: 'set_focus',
    text: 'update threads set focus = $2 where id = $1',
    values: [threadId, JSON.stringify(scope)],
  });
  await bus.publish(THREAD_CHANGED, { threadId, change: 'fact' });
}
