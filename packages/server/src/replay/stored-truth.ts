// Compares a thread's log with what else the database says about it. Each rule holds on every database, whichever version wrote it.

import type { RunStatus } from '@continuo/protocol';
import type { StoredEvent } from '../log/event.ts';
import { withinWindow } from '../runs/loop/snapshots.ts';
import { EMPTY, foldAll } from '../threads/fold.ts';
import { firstDifference } from './projections.ts';
import { stateLinesBetween } from './state-lines.ts';
import type { StoredThread } from './threads.ts';

export interface Difference {
  readonly what: 'log' | 'status' | 'snapshot';
  readonly text: string;
}

export function differencesWithin(thread: StoredThread): Difference[] {
  return [...gaps(thread.log), ...statuses(thread), ...snapshot(thread)];
}

/** L1: `seq` and `run_seq` have no gap and no repeat. */
function gaps(log: readonly StoredEvent[]): Difference[] {
  const last = new Map<string | null, number>();
  for (const { seq, runId, runSeq } of log) {
    const expected = (last.get(null) ?? 0) + 1;
    if (seq !== expected) return [{ what: 'log', text: `event ${seq} comes where ${expected} should` }];
    last.set(null, seq);
    if (runId === null) continue;
    const inRun = (last.get(runId) ?? 0) + 1;
    if (runSeq !== inRun)
      return [{ what: 'log', text: `event ${seq} is number ${runSeq} of run ${runId}, not ${inRun}` }];
    last.set(runId, inRun);
  }
  return [];
}

/** RUN-3: a run's status equals the fold of its log. */
function statuses({ log, runs }: StoredThread): Difference[] {
  const folded = new Map<string, RunStatus>();
  for (const event of log)
    if (event.type === 'state' && event.runId !== null) folded.set(event.runId, event.data.status);
  return runs.flatMap(({ id, status }) => {
    const byLog = folded.get(id) ?? 'queued';
    return byLog === status
      ? []
      : [{ what: 'status' as const, text: `run ${id} is ${status}, and by its log ${byLog}` }];
  });
}

/** A snapshot is the fold of the log up to its seq. */
function snapshot({ log, snapshot: stored }: StoredThread): Difference[] {
  if (!stored) return [];
  const folded = withinWindow(
    foldAll(
      EMPTY,
      log.filter(({ seq }) => seq <= stored.seq),
    ),
  );
  const difference = firstDifference(stateLinesBetween(EMPTY, stored), stateLinesBetween(EMPTY, folded));
  return difference === null ? [] : [{ what: 'snapshot', text: difference }];
}
