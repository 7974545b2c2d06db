// What waits to be appended: events in groups that are written whole, with the rows that they change.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { StoredEvent } from './event.ts';

/** A row that changes together with the group's events; `event` is the index of the event that says so. */
export type Change =
  | { kind: 'start'; event: number; run: string; rewound_to?: number }
  | {
      kind: 'end';
      event: number;
      run: string;
      status: 'done' | 'error' | 'canceled';
      error?: unknown;
      usage?: unknown;
      cost?: number | null;
      /** Messages that it was sent and took in: if it was sent others, it does not end by itself. */
      steers?: number;
      /** People were asked, and need not answer any more. */
      asked?: boolean;
    }
  | { kind: 'message'; event: number; id: string; run: string; ordinal: number; content: unknown }
  | { kind: 'steered'; event: number; id: string }
  | { kind: 'session'; event: number; id: string; state: string; reason: string }
  | {
      kind: 'approval';
      event: number;
      id: string;
      workspace: string;
      run: string;
      call: string;
      tool: string;
      subkind: string;
      content: unknown;
      paths: unknown;
      reason: string;
      expires_at: string | null;
    }
  | { kind: 'title'; event: number; title: string }
  /** Lets the thread go until `wake_at`, unless somebody wants something of it; the last of a pen's changes. */
  | { kind: 'release'; event: number; wake_at: string | null };

export interface Entry {
  readonly runId: string | null;
  readonly event: NewEvent;
}

export interface Group {
  entries: Entry[];
  readonly changes: readonly Change[];
  readonly at: number;
  readonly bytes: number;
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: Error): void;
}

/** Nobody waits for the group's commit. */
export function nobody(): void {}

export function group(
  entries: Entry[],
  changes: readonly Change[],
  at: number,
  resolve: Group['resolve'] = nobody,
  reject: Group['reject'] = nobody,
): Group {
  let bytes = 0;
  for (const { event } of entries) bytes += sizeOf(event);
  return { entries, changes, at, bytes, resolve, reject };
}

function sizeOf(event: NewEvent): number {
  return 100 + ('text' in event.data ? event.data.text.length : 0);
}

/** The database's JSON functions refuse NUL and lone surrogates inside a value; a cast from text does not. */
export function withJsonAsText(change: Change): Record<string, unknown> {
  const text = (value: unknown) => (value == null ? null : JSON.stringify(value));
  if (change.kind === 'message') return { ...change, content: text(change.content) };
  if (change.kind === 'approval')
    return { ...change, content: text(change.content), paths: text(change.paths) };
  if (change.kind === 'end') return { ...change, error: text(change.error), usage: text(change.usage) };
  return { ...change };
}

/** Under pressure, adjacent tokens of one message become one event. */
export function mergeTokens(groups: readonly Group[]): Group[] {
  const merged: Group[] = [];
  for (const next of groups) {
    const last = merged.at(-1);
    const text = joined(last, next);
    if (!last || !text) {
      merged.push({ ...next, entries: [...next.entries] });
      continue;
    }
    merged[merged.length - 1] = {
      ...last,
      entries: [{ runId: last.entries[0]!.runId, event: { type: 'token', data: text } }],
      bytes: last.bytes + next.bytes,
    };
  }
  return merged;
}

function joined(last: Group | undefined, next: Group): EventData['token'] | null {
  if (!last || last.entries.length !== 1 || next.entries.length !== 1) return null;
  const [a, b] = [last.entries[0]!, next.entries[0]!];
  if (a.event.type !== 'token' || b.event.type !== 'token' || a.runId !== b.runId) return null;
  if (a.event.data.message !== b.event.data.message) return null;
  // Whoever waits for a token is told of that one.
  if (last.resolve !== nobody || next.resolve !== nobody) return null;
  return { text: a.event.data.text + b.event.data.text, message: a.event.data.message };
}
