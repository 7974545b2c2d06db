// The log's notice on the bus: these threads have new events. A flush sends one notice for all its threads, in the same
// statement: a separate NOTIFY for each commit would cost more than the append.

import { defineTopic, type Bus } from '../bus/bus.ts';
import type { StoredEvent } from './event.ts';
import type { Followers } from './follow.ts';

export interface LogNotice {
  readonly threadIds: readonly string[];
  /** The events, all of one thread; null if another pod appended them. */
  readonly rows: readonly StoredEvent[] | null;
}

export const LOG_APPENDED = defineTopic<LogNotice>('log.appended', {
  encode: ({ threadIds }) => threadIds.join(' '),
  decode: (text) => ({ threadIds: text.split(' '), rows: null }),
});

/** A writer announces its appends with these: followers on its own pod get the rows, other pods get the thread ids. */
export function announceOn(bus: Bus): {
  readonly publish: (rows: readonly StoredEvent[]) => void;
  readonly notice: (threadIds: readonly string[]) => string | null;
} {
  return {
    publish: (rows) => bus.deliver(LOG_APPENDED, { threadIds: [rows[0]!.threadId], rows }),
    notice: (threadIds) => bus.payload(LOG_APPENDED, { threadIds, rows: null }),
  };
}

export function subscribeFollowers(bus: Bus, followers: Followers): void {
  bus.subscribe(LOG_APPENDED, {
    message: ({ threadIds, rows }) => {
      if (rows) followers.publish(rows);
      else for (const threadId of threadIds) followers.readNew(threadId);
    },
    rescan: () => followers.rescan(),
  });
}
