// Waits for a committed change that the bus announces: looks at the database at once, and again after each message about it.

import type { Bus, Topic } from './bus.ts';

interface Wait<Message, Row> {
  readonly concerns: (message: Message) => boolean;
  readonly read: () => Promise<Row>;
  readonly isNews: (row: Row) => boolean;
  readonly milliseconds: number;
  readonly signal?: AbortSignal;
}

/** The last result, when the time is over. Rejects with the signal's reason. */
export function waitForNews<Message, Row>(
  bus: Bus,
  topic: Topic<Message>,
  { concerns, read, isNews, milliseconds, signal }: Wait<Message, Row>,
): Promise<Row> {
  return new Promise((resolve, reject) => {
    const look = (isLast: boolean): void => {
      read().then((row) => {
        if (isLast || isNews(row)) end(() => resolve(row));
      }, fail);
    };
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener('abort', onGone);
      settle();
    };
    const fail = (error: Error): void => end(() => reject(error));
    const onGone = (): void => fail(signal!.reason as Error);
    const timer = setTimeout(() => look(true), milliseconds);
    const unsubscribe = bus.subscribe(topic, {
      message: (message) => concerns(message) && look(false),
      rescan: () => look(false),
    });
    signal?.addEventListener('abort', onGone);
    // It may have happened before the subscription began.
    look(false);
  });
}
