// A thread's state from its whole log, which can be long: others have their turn meanwhile.

import type { LogEvent } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import { readForFold } from '../log/statements.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../yielding.ts';
import { EMPTY, foldAll, type ThreadState } from './fold.ts';

export async function replay(
  client: Queryable,
  threadId: string,
  signal?: AbortSignal,
): Promise<ThreadState> {
  return foldInTurns(await readForFold(client, threadId), signal);
}

export async function foldInTurns(events: readonly LogEvent[], signal?: AbortSignal): Promise<ThreadState> {
  let state = EMPTY;
  for (let from = 0; from < events.length; from += ITEMS_PER_TURN) {
    if (from > 0) await yieldWithAbortCheck({ mode: 'fast', signal });
    state = foldAll(state, events.slice(from, from + ITEMS_PER_TURN));
  }
  return state;
}
