// A log in a dialect: where a client stands, and what it is sent from there on. A place is found by folding the run that is
// open there, silently, from its beginning: nothing is remembered that the log does not hold.

import type { ServerResponse } from 'node:http';
import {
  frameId,
  isTerminal,
  parseFrameId,
  sseFrame,
  type Dialect,
  type DialectFrame,
  type FrameCursor,
  type LogEvent,
} from '@continuo/protocol';
import type { Pool } from '../../db/pool.ts';
import type { StoredEvent } from '../../log/event.ts';
import type { Batch } from '../../log/follow.ts';
import { foldAfter, readRunEvents, readThreadEvents, seqOf } from '../../log/statements.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import { invalidCursor } from '../kernel/shared.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../../yielding.ts';

/** A dialect as it is spoken over HTTP. */
export interface DialectBinding<State> {
  readonly dialect: Dialect<State>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes after the last frame of a stream that has ended. */
  readonly closing?: string;
  /** Whether the stream ends with this frame; a run's stream ends with its terminal `state` in any case. */
  readonly ends?: (frame: DialectFrame, event: LogEvent) => boolean;
  /** The stream also ends where the run waits for people, once an event has come that is not before the thread's `since`: what is said last there. */
  readonly rests?: {
    readonly since: number;
    readonly closing: (state: State) => readonly DialectFrame[] | null;
  };
  /** To its clients a stream that ends has said it all: one that must be broken off does not end, it breaks. */
  readonly endsWhole?: true;
  /** What a stream says last that ends because the server shuts down, and not because it has said it all. */
  readonly leaving?: string;
  /** The dialect speaks to this client alone: nothing is shared with others. */
  readonly alone?: true;
  /** What is sent of an event instead of a frame's data. */
  readonly json?: (event: StoredEvent) => string;
}

/** A whole thread, numbered by its `seq`; or one run of it, numbered by its `run_seq`. */
export interface Scope {
  readonly threadId: string;
  readonly run: { readonly id: string; readonly startAfter: number } | null;
}

/** After the thread's `seq`, in this state, with the first `part` frames of the next event seen already. */
export interface StreamPosition<State> {
  readonly seq: number;
  readonly state: State;
  readonly part: number;
}

export function positionAtStart<State>(dialect: Dialect<State>, { run }: Scope): StreamPosition<State> {
  return { seq: run?.startAfter ?? 0, state: dialect.initial, part: 0 };
}

/** Where a client that saw the frame with this id stands; it may have gone away meanwhile. */
export async function positionOf<State>(
  pool: Pool,
  response: ServerResponse,
  dialect: Dialect<State>,
  scope: Scope,
  given: string,
): Promise<StreamPosition<State>> {
  const cursor = parseFrameId(given);
  if (!cursor)
    throw invalidCursor(given, 'is not the id of a frame; ids are whole numbers from 1, or such as 12.1.');
  const position = await whileConnected(response, (signal) =>
    positionAt(pool, dialect, scope, cursor, signal),
  );
  if (!position) throw invalidCursor(given, 'is ahead of the log: there is no frame with that id yet.');
  return position;
}

/** Where a client with this cursor stands; null if the log has no such frame. */
export async function positionAt<State>(
  pool: Pool,
  dialect: Dialect<State>,
  scope: Scope,
  cursor: FrameCursor,
  signal?: AbortSignal,
): Promise<StreamPosition<State> | null> {
  if (cursor.at === 0) return cursor.part === null ? positionAtStart(dialect, scope) : null;
  const { threadId, run } = scope;
  const seq = run ? await seqOf(pool, threadId, run.id, run.startAfter, cursor.at) : cursor.at;
  if (seq === null) return null;
  // Between the frames of an event one stands before it.
  const last = cursor.part === null ? seq : seq - 1;
  const after = run ? run.startAfter : await foldAfter(pool, threadId, { at: seq, last });
  if (after === null) return null;
  let state = dialect.initial;
  if (state === null && cursor.part === null) return { seq, state, part: 0 };
  for await (const events of pagesOf(pool, scope, { after, last: seq }, signal)) {
    for (const event of events) {
      const [next, frames] = dialect.step(state, event);
      if (event.seq > last)
        return cursor.part! < frames.length ? { seq: last, state, part: cursor.part! } : null;
      state = next;
    }
  }
  return { seq, state, part: 0 };
}

/** At most `limit` frames after a place, up to the thread's `last` event; `next` is null if there are no more now. */
export async function pageAfter<State>(
  pool: Pool,
  dialect: Dialect<State>,
  scope: Scope,
  from: StreamPosition<State>,
  { last, limit }: { readonly last: number; readonly limit: number },
): Promise<string> {
  const items: string[] = [];
  let [id, next] = ['', 'null'];
  for await (const each of framesAfter(pool, dialect, scope, from, last)) {
    if (items.length === limit) {
      next = `"${id}"`;
      break;
    }
    id = each.id;
    const { frame, event } = each;
    const type = JSON.stringify(frame.event);
    items.push(
      `{"id":"${id}","type":${type},"data":${jsonOf(frame, event)},"at":"${event.at.toISOString()}"}`,
    );
  }
  return `{"items":[${items.join(',')}],"next":${next}}`;
}

async function* framesAfter<State>(
  pool: Pool,
  dialect: Dialect<State>,
  scope: Scope,
  { seq, ...from }: StreamPosition<State>,
  last: number,
): AsyncGenerator<{ readonly id: string; readonly frame: DialectFrame; readonly event: StoredEvent }> {
  let { state, part } = from;
  for await (const events of pagesOf(pool, scope, { after: seq, last })) {
    for (const event of events) {
      const [next, frames] = dialect.step(state, event);
      const at = numberOf(scope, event);
      for (; part < frames.length; part += 1)
        yield { id: frameId(at, part + 1, frames.length), frame: frames[part]!, event };
      state = next;
      part = 0;
    }
  }
}

function numberOf({ run }: Scope, event: StoredEvent): number {
  return run === null ? event.seq : event.runSeq!;
}

/** What is stored is sent byte for byte. */
function jsonOf(frame: DialectFrame, event: StoredEvent): string {
  return frame.data === event.data ? event.json : JSON.stringify(frame.data);
}

/** The scope's events after `after` up to `last`, as many at a time as one turn may take. */
export async function* pagesOf(
  pool: Pool,
  { threadId, run }: Scope,
  { after, last }: { readonly after: number; readonly last: number },
  signal?: AbortSignal,
): AsyncGenerator<readonly StoredEvent[]> {
  for (let seq = after; seq < last;) {
    const limit = ITEMS_PER_TURN;
    const read = run
      ? await readRunEvents(pool, { threadId, runId: run.id, after: seq, limit })
      : await readThreadEvents(pool, threadId, seq, limit);
    const events = read.filter((event) => event.seq <= last);
    if (events.length === 0) return;
    seq = events.at(-1)!.seq;
    yield events;
    await yieldWithAbortCheck({ mode: 'fast', signal });
  }
}

export interface WriteResult<State> {
  readonly state: State;
  /** Null if there is nothing to send. */
  readonly bytes: Buffer | null;
  readonly ended: boolean;
}

/** What one client is told, batch by batch. */
export class DialectWriter<State> {
  readonly #binding: DialectBinding<State>;
  readonly #scope: Scope;
  readonly #key: string;
  #state: State;
  #part: number;

  constructor(binding: DialectBinding<State>, scope: Scope, { state, part }: StreamPosition<State>) {
    this.#binding = binding;
    this.#scope = scope;
    this.#key = `${binding.dialect.name} ${scope.run?.id ?? ''}`;
    this.#state = state;
    this.#part = part;
  }

  /**
   * Whoever is handed the same batch in the same dialect and scope stands at the same place of the same log, and thus in the
   * same state: the frames are made once. Under pressure, and to a client that saw a part, they are made for it alone.
   */
  say(batch: Batch, pressed: boolean): Omit<WriteResult<State>, 'state'> {
    const skip = this.#part;
    this.#part = 0;
    const make = () =>
      say(this.#binding, this.#scope, { state: this.#state, rows: batch.rows, skip, pressed });
    const own = pressed || skip > 0 || this.#binding.alone;
    const said: WriteResult<State> = own ? make() : batch.memo(this.#key, make);
    this.#state = said.state;
    return said;
  }
}

interface Turn<State> {
  readonly state: State;
  readonly rows: readonly StoredEvent[];
  readonly skip: number;
  readonly pressed: boolean;
}

function say<State>(
  { dialect, ends, rests, json, closing = '' }: DialectBinding<State>,
  scope: Scope,
  { state, rows, skip, pressed }: Turn<State>,
): WriteResult<State> {
  const { run } = scope;
  const pieces: string[] = [];
  const newest = new Map<string, number>();
  let ended = false;
  let seq = -1;
  let unseen = skip;
  for (const row of rows) {
    if (run !== null && row.runId !== run.id) continue;
    const [next, frames] = dialect.step(state, row);
    state = next;
    seq = row.seq;
    const at = numberOf(scope, row);
    for (let index = unseen; index < frames.length && !ended; index += 1) {
      const frame = frames[index]!;
      if (pressed && frame.progress !== undefined) {
        const older = newest.get(frame.progress);
        if (older !== undefined) pieces[older] = '';
        newest.set(frame.progress, pieces.length);
      }
      const data = json ? json(row) : jsonOf(frame, row);
      pieces.push(sseFrame(frame.event, frameId(at, index + 1, frames.length), data));
      ended = ends?.(frame, row) ?? false;
    }
    unseen = 0;
    ended ||= run !== null && row.type === 'state' && isTerminal(row.data.status);
    if (ended) break;
  }
  const last = !ended && rests && seq >= rests.since ? rests.closing(state) : null;
  if (last) {
    pieces.push(unnumbered(last));
    ended = true;
  }
  const text = pieces.join('') + (ended ? closing : '');
  return { state, bytes: text === '' ? null : Buffer.from(text), ended };
}

/** Frames that are of the response and not of the log: nobody comes back to them. */
export function unnumbered(frames: readonly DialectFrame[]): string {
  return frames.map(({ data }) => `data: ${JSON.stringify(data)}\n\n`).join('');
}
