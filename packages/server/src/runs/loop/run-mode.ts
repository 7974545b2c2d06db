// The mode of a run: when it starts, and after steering messages.

import type { EventData } from '@continuo/protocol';
import { decideMode } from '../../context/mode.ts';
import type { RunState, ThreadState } from '../../threads/fold.ts';
import type { QueuedRun, SentMessage } from './decide.ts';

/** Null if the run may act: outside of projects, and for agents that another agent instructs. */
export function startingMode(
  { scope, history }: ThreadState,
  { message, family }: QueuedRun,
): EventData['mode'] | null {
  if ((message.scope ?? scope).project_id === null || family !== undefined) return null;
  return decideMode(
    message.content,
    history.some(({ entry }) => entry.role === 'assistant'),
  );
}

/** Null if the mode stays. */
export function steeredMode({ mode }: RunState, messages: readonly SentMessage[]): EventData['mode'] | null {
  if (mode === undefined) return null;
  const decided = messages
    .map(({ content }) => decideMode(content, true))
    .findLast(({ by }) => by === 'rules');
  return decided && decided.mode !== mode.mode ? decided : null;
}
