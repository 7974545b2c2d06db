// Projects a log to a dialect: finds a client's stream position, and makes the frames that follow it. The position is computed by
// folding the open run from its beginning, so the server stores no state per client.

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
import type { Queryable } from '../../db/pool.ts';
import type { StoredEvent } from '../../log/event.ts';
import type { Batch } from '../../log/follow.ts';
import { readRunEvents, readThreadEvents, seqOf } from '../../log/statements.ts';
import { foldAfter } from '../../runs/reads/read-runs.ts';
import { whileConnected } from '../kernel/client-gone.ts';
import { invalidCursor } from '../kernel/shared.ts';
import { ITEMS_PER_TURN, yieldWithAbortCheck } from '../../limits/yielding.ts';

/** A dialect with its HTTP headers, and how its streams end. */
export interface DialectBinding<State> {
  readonly dialect: Dialect<State>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent after the last frame of a stream that ended normally. */
  readonly closing?: string;
  /** Whether the stream ends after this frame. A run's stream always ends after its terminal `state`. */
  readonly ends?: (frame: DialectFrame, event: LogEvent) => boolean;
  /** The stream also ends when the run waits for people, but not before the thread's event `since`. `closing` gives the last frames. */
  readonly rests?: {
    readonly since: number;
    readonly closing: (state: State) => readonly DialectFrame[] | null;
  };
  /** Clients take the end of the stream for the end of the answer. An incomplete stream must therefore be destroyed, not ended. */
  readonly endsWhole?: true;
  /** The last bytes of a stream that ends early because the server shuts down; `retry:` alone if absent. */
  readonly leaving?: string;
  /** The frames depend on this client, so they are not shared with other followers. */
  readonly alone?: true;
  /** The JSON to send for an event, instead of the frame's data. */
  readonly json?: (event: StoredEvent) => string;
}

/** What is streamed: a whole thread, whose frames are numbered by `seq`; or one run, whose frames are numbered by `run_seq`. */
export interface StreamSource {
  readonly threadId: string;
  readonly run: { readonly id: string; readonly startAfter: number } | null;
}

/**
 * A reader's position: after the thread's `seq`, with the dialect's state there. The reader already has the first `part` frames
 * of the next event.
 */
export interface StreamPosition<State> {
  readonly seq: number;
  readonly state: State;
  readonly part: number;
}

export function positionAtStart<State>(
  dialect: Dialect<State>,
  { run }: StreamSource,
): StreamPosition<State> {
  return { seq: run?.startAfter ?? 0, state: dialect.initial, part: 0 };
}

/** The position after the frame with this id. Stops when the client disconnects. */
export async function positionOf<State>(
  db: Queryable,
  response: ServerResponse,
  dialect: Dialect<State>,
  source: StreamSource,
  given: string,
): Promise<StreamPosition<State>> {
  const cursor = parseFrameId(given);
  if (!cursor)
    throw invalidCursor(
      given,
      'is not the id of a frame; ids are whole numbers from 1, or two such as 12.1.',
    );
  const position = await whileConnected(response, (signal) =>
    positionAt(db, dialect, source, cursor, signal),
  );
  if (!position) throw invalidCursor(given, 'is ahead of the log: there is no frame with that id yet.');
  return position;
}

/** The position at this cursor; null if the log has no such frame. */
export async function positionAt<State>(
  db: Queryable,
  dialect: Dialect<State>,
  source: StreamSource,
  cursor: FrameCursor,
  signal?: AbortSignal,
): Promise<StreamPosition<State> | null> {
  if (cursor.at === 0) return cursor.part === null ? positionAtStart(dialect, source) : null;
  const { threadId, run } = source;
  const seq = run ? await seqOf(db, threadId, run.id, run.startAfter, cursor.at) : cursor.at;
  if (seq === null) return null;
  // A cursor between two frames of an event is a position before that event.
  const last = cursor.part === null ? seq : seq - 1;
  const after = run ? run.startAfter : await foldAfter(db, threadId, { at: seq, last });
  if (after === null) return null;
  let state = dialect.initial;
  if (state === null && cursor.part === null) return { seq, state, part: 0 };
  for await (const events of pagesOf(db, source, { after, last: seq }, signal)) {
    for (const event of events) {
      const [next, frames] = dialect.step(state, event);
      if (event.seq > last)
        return cursor.part! < frames.length ? { seq: last, state, part: cursor.part! } : null;
      state = next;
    }
  }
  return { seq, state, part: 0 };
}

/** At most `limit` frames after a position, up to the thread's event `last`. `next` is null if there are no more frames yet. */
export async function pageAfter<State>(
  db: Queryable,
  dialect: Dialect<State>,
  source: StreamSource,
  from: StreamPosition<State>,
  { last, limit }: { readonly last: number; readonly limit: number },
): Promise<string> {
  const items: string[] = [];
  let [id, next] = ['', 'null'];
  for await (const each of framesAfter(db, dialect, source, from, last)) {
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
  db: Queryable,
  dialect: Dialect<State>,
  source: StreamSource,
  { seq, ...from }: StreamPosition<State>,
  last: number,
): AsyncGenerator<{ readonly id: string; readonly frame: DialectFrame; readonly event: StoredEvent }> {
  let { state, part } = from;
  for await (const events of pagesOf(db, source, { after: seq, last })) {
    for (const event of events) {
      const [next, frames] = dialect.step(state, event);
      const at = numberOf(source, event);
      for (; part < frames.length; part += 1)
        yield { id: frameId(at, part + 1, frames.length), frame: frames[part]!, event };
      state = next;
      part = 0;
    }
  }
}

function numberOf({ run }: StreamSource, event: StoredEvent): number {
  return run === null ? event.seq : event.runSeq!;
}

/** Stored data is sent byte for byte. */
function jsonOf(frame: DialectFrame, event: StoredEvent): string {
  return frame.data === event.data ? event.json : JSON.stringify(frame.data);
}

/** The source's events after `after` up to `last`, in pages small enough for one turn of the event loop. */
export async function* pagesOf(
  db: Queryable,
  { threadId, run }: StreamSource,
  { after, last }: { readonly after: number; readonly last: number },
  signal?: AbortSignal,
): AsyncGenerator<readonly StoredEvent[]> {
  for (let seq = after; seq < last;) {
    const limit = ITEMS_PER_TURN;
    const read = run
      ? await readRunEvents(db, { threadId, runId: run.id, after: seq, limit })
      : await readThreadEvents(db, threadId, seq, limit);
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

/** Writes a log's frames for one client, batch by batch. */
export class DialectWriter<State> {
  readonly #binding: DialectBinding<State>;
  readonly #source: StreamSource;
  readonly #key: string;
  #state: State;
  #part: number;

  constructor(binding: DialectBinding<State>, source: StreamSource, { state, part }: StreamPosition<State>) {
    this.#binding = binding;
    this.#source = source;
    this.#key = `${binding.dialect.name} ${source.run?.id ?? ''}`;
    this.#state = state;
    this.#part = part;
  }

  /**
   * Followers that get the same batch in the same dialect and source are at the same position and in the same state, so the frames
   * are made once and shared. Under back-pressure, and for a client that already has some frames of the event, they are made for
   * that client alone.
   */
  say(batch: Batch, pressed: boolean): Omit<WriteResult<State>, 'state'> {
    const skip = this.#part;
    this.#part = 0;
    const make = () =>
      writeFrames(this.#binding, this.#source, { state: this.#state, rows: batch.rows, skip, pressed });
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

function writeFrames<State>(
  { dialect, ends, rests, json, closing = '' }: DialectBinding<State>,
  source: StreamSource,
  { state, rows, skip, pressed }: Turn<State>,
): WriteResult<State> {
  const { run } = source;
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
    const at = numberOf(source, row);
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

/** Frames of the response that are not in the log. They have no id, so clients cannot resume from them. */
export function unnumbered(frames: readonly DialectFrame[]): string {
  return frames.map(({ data }) => `data: ${JSON.stringify(data)}\n\n`).join('');
}
