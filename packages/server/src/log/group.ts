// Groups of events that wait to be appended. A group is written as a whole, together with the rows that it changes.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { StoredEvent } from './event.ts';

/** A row change that commits with the group's events. `event` is the index of the event that causes it. */
export type Change =
  | { kind: 'start'; event: number; run: string }
  | {
      kind: 'end';
      event: number;
      run: string;
      status: 'done' | 'error' | 'canceled';
      error?: unknown;
      usage?: unknown;
      cost?: number | null;
      /** How many steering messages the run took in. If it was sent more, the database refuses every end but `canceled`. */
      steers?: number;
      /** The run has pending approvals, which end with it. */
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
  /** Releases the thread until `wake_at`, unless it has new facts. Always the last change of a pen. */
  | { kind: 'release'; event: number; wake_at: string | null };

export interface Entry {
  readonly runId: string | null;
  readonly event: NewEvent;
}

export interface Group {
  entries: Entry[];
  /** The entries' data as JSON. Null if no caller waits for the group: its pieces may still be merged. */
  readonly json: readonly string[] | null;
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
  return { entries, json, changes: changes.map(withJsonAsText), at, bytes, resolve, reject };
}

function sizeOf(event: NewEvent): number {
  return 100 + ('text' in event.data ? event.data.text.length : 0);
}

/** The database's JSON functions refuse NUL and lone surrogates inside a value; a cast from text does not. */
function withJsonAsText(change: Change): Change {
  const text = (value: unknown) => (value == null ? null : JSON.stringify(value));
  if (change.kind === 'message') return { ...change, content: text(change.content) };
  if (change.kind === 'approval')
    return {
      ...change,
      content: text(change.content),
      paths: text(change.paths),
      call: keepable(change.call),
      tool: keepable(change.tool),
      reason: keepable(change.reason),
    };
  if (change.kind === 'end') return { ...change, error: text(change.error), usage: text(change.usage) };
  return { ...change };
}

/** Replaces NUL and lone surrogates, which a text column cannot store. */
export function keepable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
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
