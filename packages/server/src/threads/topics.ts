// What threads announce on the bus.

import { defineTopic } from '../bus/bus.ts';

export interface ThreadChanged {
  readonly threadId: string;
  /**
   * `fact`: somebody wants something of it, or it was made, or archived. `file`: its title changed, or it was removed or
   * restored, and so does the file that shows it.
   */
  readonly change: 'fact' | 'file';
}

/** Something about a thread changed that its log does not say, or not yet. */
export const THREAD_CHANGED = defineTopic<ThreadChanged>('threads.changed', {
  encode: ({ threadId, change }) => `${change} ${threadId}`,
  decode: (text) => {
    const [change, threadId] = text.split(' ');
    return { threadId: threadId!, change: change as ThreadChanged['change'] };
  },
});
