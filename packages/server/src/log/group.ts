// Groups of events that wait to be appended. A group is written as a whole, together with the rows that it changes.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { Change } from './changes.ts';
import type { StoredEvent } from './event.ts';

export interface Entry {
  readonly runId: string | null;
  readonly event: NewEvent;
}

export interface Group {
  entries: Entry[];
  /** The entries' data as JSON. Null if no caller waits for the group: its pieces may still be merged. */
  readonly json: readonly string[] | null;
  /** Encoded for the database. */
  readonly changes: readonly Change[];
  readonly at: number;
  readonly bytes: number;
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: Error): void;
}

/** The `resolve` and `reject` of a group whose commit no caller waits for. */
export function fireAndForget(): void {}

/** Throws if JSON cannot express a value, before the group is queued. */
export function group(
  entries: Entry[],
  changes: readonly Change[],
  at: number,
  resolve: Group['resolve'] = fireAndForget,
  reject: Group['reject'] = fireAndForget,
): Group {
  let bytes = 0;
  for (const { event } of entries) bytes += sizeOf(event);
  const json = resolve === fireAndForget ? null : entries.map(({ event }) => JSON.stringify(event.data));
  return { entries, json, changes, at, bytes, resolve, reject };
}

function sizeOf(event: NewEvent): number {
  return 100 + ('text' in event.data ? event.data.text.length : 0);
}

/** Merges adjacent pieces of one message into one event. */
export function mergePieces(groups: readonly Group[]): readonly Group[] {
  const merged: Group[] = [];
  let at = 0;
  while (at < groups.length) {
    const first = groups[at]!;
    const piece = pieceOf(first);
    let end = at + 1;
    if (piece) while (end < groups.length && continues(piece, pieceOf(groups[end]!))) end += 1;
    merged.push(end === at + 1 ? first : joined(groups.slice(at, end), piece!));
    at = end;
  }
  return merged;
}

interface Piece {
  readonly runId: string | null;
  readonly type: 'token' | 'reasoning';
  readonly data: EventData['token'];
}

/** The piece that the group consists of. Null if the group holds anything else, or if a caller waits for it. */
function pieceOf(group: Group): Piece | null {
  if (group.entries.length !== 1 || group.resolve !== fireAndForget) return null;
  const { runId, event } = group.entries[0]!;
  return event.type === 'token' || event.type === 'reasoning'
    ? { runId, type: event.type, data: event.data }
    : null;
}

function continues(a: Piece, b: Piece | null): boolean {
  return b !== null && a.type === b.type && a.runId === b.runId && a.data.message === b.data.message;
}

function joined(groups: readonly Group[], { runId, type, data: { message } }: Piece): Group {
  let text = '';
  let bytes = 0;
  for (const each of groups) {
    text += (each.entries[0]!.event.data as EventData['token']).text;
    bytes += each.bytes;
  }
  return { ...groups[0]!, entries: [{ runId, event: { type, data: { text, message } } }], bytes };
}
