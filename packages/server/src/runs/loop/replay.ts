// Rebuilds a thread's state from its snapshot and its log. A log can be long, so the fold yields to other work in between.

import type { LogEvent } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { readForFold } from '../../log/statements.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../../limits/yielding.ts';
import { EMPTY, foldAll, type ThreadState } from '../../threads/fold.ts';
import { readSnapshot } from './snapshots.ts';
import type { CachedState } from './thread-state-cache.ts';

/** Starts from a state that this pod knows, or from the thread's snapshot, if there is one. */
export async function replay(
  client: Queryable,
  threadId: string,
  signal?: AbortSignal,
  known: CachedState | null = null,
): Promise<CachedState> {
  const from = known ?? (await readBase(client, threadId));
  const events = await readForFold(client, threadId, from.state.seq);
  return { state: await foldInTurns(events, signal, from.state), snapshotSeq: from.snapshotSeq };
}

async function readBase(client: Queryable, threadId: string): Promise<CachedState> {
  const state = (await readSnapshot(client, threadId)) ?? EMPTY;
  return { state, snapshotSeq: state.seq };
}

/** Folds the whole log. A snapshot may hold only the end of the history. */
export async function replayWhole(
  client: Queryable,
  threadId: string,
  signal?: AbortSignal,
): Promise<ThreadState> {
  return foldInTurns(await readForFold(client, threadId), signal);
}

export async function foldInTurns(
  events: readonly LogEvent[],
  signal?: AbortSignal,
  from: ThreadState = EMPTY,
): Promise<ThreadState> {
  let state = from;
  for (let at = 0; at < events.length; at += ITEMS_PER_TURN) {
    if (at > 0) await yieldWithAbortCheck({ mode: 'fast', signal });
    state = foldAll(state, events.slice(at, at + ITEMS_PER_TURN));
  }
  return state;
}
