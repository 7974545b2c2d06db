// Snapshots of folded threads. A pod that opens a thread reads its snapshot and the events after it, instead of the whole log.
// A snapshot is derived data: it is a pure function of a log that never changes, so it may be deleted, and it does not
// matter which pod wrote it. It holds only as much of the history as models are shown; older messages stay in the log.

import type { Pool, Queryable } from '../../db/pool.ts';
import { FOLD_VERSION, type HistoryEntry, type ThreadState } from '../../threads/fold.ts';
import { estimate, WINDOW_TOKENS } from '../../context/history.ts';

/** A new snapshot is due when the log has grown by this many events since the last one. */
export const SNAPSHOT_EVENTS = 500;

/** Limits the history to what models are shown: the latest whole turns. */
export function withinWindow(state: ThreadState, most = WINDOW_TOKENS): ThreadState {
  const { history } = state;
  let tokens = 0;
  // The last turn always stays, however long it is.
  let first = Math.max(0, history.findLastIndex(isTurn));
  for (let at = history.length - 1; at >= 0; at -= 1) {
    tokens += estimate(history[at]!.entry);
    if (tokens > most) break;
    if (isTurn(history[at]!) || at === 0) first = Math.min(first, at);
  }
  if (first === 0) return state;
  const turns = history.slice(0, first).filter(isTurn).length + (state.omitted?.turns ?? 0);
  return {
    ...state,
    history: history.slice(first),
    omitted: { turns, stale: state.omitted?.stale ?? false },
    // The latest version of each file is enough: after a rewind, the whole log is read again.
    known: [...new Map(state.known.map((each) => [each.file, each])).values()],
  };
}

function isTurn({ entry }: HistoryEntry): boolean {
  return entry.role === 'user';
}

export async function readSnapshot(client: Queryable, threadId: string): Promise<ThreadState | null> {
  const { rows } = await client.query<{ state: string }>({
    name: 'read_snapshot',
    text: 'select state from thread_snapshots where thread_id = $1 and version = $2',
    values: [threadId, FOLD_VERSION],
  });
  return rows[0] ? (JSON.parse(rows[0].state) as ThreadState) : null;
}

export async function writeSnapshot(pool: Pool, threadId: string, state: ThreadState): Promise<void> {
  await pool.query({
    name: 'write_snapshot',
    text: `insert into thread_snapshots (thread_id, version, seq, state) values ($1, $2, $3, $4)
      on conflict (thread_id) do update
        set version = excluded.version, seq = excluded.seq, state = excluded.state, made_at = excluded.made_at
        where (thread_snapshots.version, thread_snapshots.seq) < (excluded.version, excluded.seq)`,
    values: [threadId, FOLD_VERSION, state.seq, JSON.stringify(state)],
  });
}
