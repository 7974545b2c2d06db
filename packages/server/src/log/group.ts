// What waits to be appended: events in groups that are written whole, with the rows that they change.

import type { EventData, NewEvent } from '@continuo/protocol';
import type { StoredEvent } from './event.ts';

/** A row that changes together with the group's events; `event` is the index of the event that says so. */
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
  /** The entries' data as JSON. Null where nobody waits for the group: its pieces may be merged before they are written. */
  readonly json: readonly string[] | null;
  readonly changes: readonly Change[];
  readonly at: number;
  readonly bytes: number;
  resolve(rows: readonly StoredEvent[]): void;
  reject(error: Error): void;
}

/** Nobody waits for the group's commit. */
export function fireAndForget(): void {}

/** Throws for a value that JSON cannot express, before anything of the group is queued. */
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

/** A column of text keeps neither of them. */
export function keepable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Under pressure, adjacent pieces of one message become one event. */
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

/** Null if it is more than that, or if somebody waits for it: they are told of that one. */
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
