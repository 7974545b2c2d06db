// The row changes of threads that commit with events: messages, sessions and titles.

import type { ChangeKinds } from '../log/changes.ts';

export type ThreadChange =
  /** A model said something. */
  | { kind: 'message'; event: number; id: string; ordinal: number; content: unknown }
  /** A run took in a steering message. */
  | { kind: 'steered'; event: number; id: string }
  | { kind: 'session'; event: number; id: string; state: string; reason: string }
  | { kind: 'title'; event: number; title: string }
  /** A person's change of the agent state was appended. */
  | { kind: 'state_edit'; event: number; id: string };

export const THREAD_CHANGES: ChangeKinds<ThreadChange> = {
  message: { json: ['content'] },
  steered: {},
  session: {},
  title: {},
  state_edit: {},
};
