// What threads announce on the bus.

import { defineTopic } from '../bus/bus.ts';

export interface ThreadChanged {
  readonly threadId: string;
  /**
   * `fact`: the thread has a new fact, or was created or archived. `file`: the thread was renamed, removed or restored, and its
   * chat file must follow.
   */
  readonly change: 'fact' | 'file';
}

/** A thread changed in a way that its log does not record, or not yet. */
export const THREAD_CHANGED = defineTopic<ThreadChanged>('threads.changed', {
  encode: ({ threadId, change }) => `${change} ${threadId}`,
  decode: (text) => {
    const [change, threadId] = text.split(' ');
    return { threadId: threadId!, change: change as ThreadChanged['change'] };
  },
});
