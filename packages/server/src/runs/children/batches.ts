// Builds the append batches of runs with children: the start of a child, its end, and a pause that reaches it. Pure.

import { v7 as uuidv7 } from 'uuid';
import type { EventData, ThreadScope } from '@continuo/protocol';
import type { Entry } from '../../log/group.ts';
import type { RunState } from '../../threads/fold.ts';
import type { LoopChange } from '../changes.ts';
import type { AppendBatch } from '../loop/append-batch.ts';
import type { QueuedRun } from '../loop/decide.ts';
import type { ChildMessage, ConductedChange, ConductedEvent, EndedChild, Spawn } from './conductor.ts';

export interface SpawnedChild extends Spawn {
  readonly message: ChildMessage;
}

/** Starts children: each has a thread of its own, and its run is queued in this append. */
export function startChildren(
  queued: QueuedRun,
  scope: ThreadScope,
  children: readonly SpawnedChild[],
): AppendBatch & { readonly threads: readonly string[] } {
  const entries: Entry[] = [];
  const changes: LoopChange[] = [];
  const threads: string[] = [];
  for (const { child, title, role, model = queued.model, limits, tools, events, message } of children) {
    const [thread, run] = [uuidv7(), uuidv7()];
    threads.push(thread);
    changes.push({
      kind: 'spawn',
      event: entries.length,
      child_thread: thread,
      child_run: run,
      message: uuidv7(),
      chat_title: title,
      role,
      model,
      content: { ...message, ...(scope.project_id !== null && { scope }) },
      limits: limits ?? null,
      tools: tools ?? null,
    });
    entries.push({
      runId: queued.id,
      event: { type: 'child_start', data: { child, run, thread, title, role } },
    });
    for (const { event, change } of events?.({ run, thread }) ?? []) {
      if (change) changes.push({ ...change, event: entries.length } as LoopChange);
      entries.push({ runId: queued.id, event });
    }
  }
  return { entries, changes, threads };
}

/** Takes in the ends of children. */
export function endChildren(
  run: RunState,
  ended: readonly EndedChild[],
  outcomes: ReadonlyMap<string, Partial<EventData['child_end']>>,
): AppendBatch {
  const entries = ended.map((each): Entry => {
    const child = run.children.find((known) => known.run === each.run)!.child;
    const data: EventData['child_end'] = {
      child,
      run: each.run,
      thread: each.thread,
      status: each.status,
      ...outcomes.get(each.run),
      ...(each.error && { error: each.error }),
      ...(each.usage && { usage: each.usage, cost: each.cost }),
    };
    return { runId: run.id, event: { type: 'child_end', data } };
  });
  const changes = ended.map((each, event) => ({
    kind: 'child_end' as const,
    event,
    child_run: each.run,
  }));
  return { entries, changes };
}

/** A conductor's own events with their row changes. */
export function conducted(run: RunState, events: readonly ConductedEvent[]): AppendBatch {
  return {
    entries: events.map(({ event }) => ({ runId: run.id, event })),
    changes: events.flatMap(({ change }, event) => (change ? [{ ...change, event } as LoopChange] : [])),
  };
}

/** Adds changes to a batch that has an event already. */
export function withChanges(batch: AppendBatch, changes: readonly ConductedChange[]): AppendBatch {
  const added = changes.map((change) => ({ ...change, event: 0 }) as LoopChange);
  return { ...batch, changes: [...batch.changes, ...added] };
}

/** A pause or a resume reaches the open children in the same append. */
export function pauseChildren(run: RunState, paused: boolean): AppendBatch['changes'] {
  return openChildren(run).length === 0 ? [] : [{ kind: 'pause_children', event: 0, paused }];
}

/** A run that ends takes its open children with it: the database cancels them in the same append. */
export function abandonChildren(run: RunState): AppendBatch {
  const entries = openChildren(run).map(({ child, run: id, thread }): Entry => {
    const data = { child, run: id, thread, status: 'canceled' as const };
    return { runId: run.id, event: { type: 'child_end', data } };
  });
  return { entries, changes: [] };
}

export function openChildren({ children }: RunState) {
  return children.filter(({ status }) => status === 'open');
}
