// A dialect: a pure machine that says a log in the words of one client protocol. The same events give the same frames,
// whoever asks and wherever they began to listen.

import type { LogEvent } from '../events.ts';

export interface DialectFrame {
  /** The SSE event's name, where the protocol has names. */
  readonly event?: string;
  /** The event's own data, the very object, goes out as it is stored. */
  readonly data: unknown;
  /** Under pressure only the newest frame of a kind of progress is sent; what has none is never left out. */
  readonly progress?: string;
}

/**
 * A state is of the run under way. It counts until the event after the run's end (the session's), and a run's first event
 * finds `initial`: so whoever takes a log up where no run is open need not look back. A dialect whose state is null remembers nothing at all.
 * Of a thread's log, a run that was canceled in the queue ends between the events of the one that is open.
 */
export interface Dialect<State> {
  readonly name: string;
  readonly initial: State;
  readonly step: (state: State, event: LogEvent) => readonly [State, readonly DialectFrame[]];
}

/** A dialect of one run, whose responses end while people are asked, and go on in the next. */
export interface RunDialect<State> extends Dialect<State> {
  /** What a response begins with that goes on from here; nothing at the beginning, which speaks for itself. */
  readonly opening: (state: State) => readonly DialectFrame[];
  /** What a response ends with where the run waits for people; null where it does not. */
  readonly closing: (state: State) => readonly DialectFrame[] | null;
}

/**
 * Where a client stands: after all frames of the event `at`, or, with a part, after that many of them. The last frame of
 * an event has the event's number as its id, those before it `<number>.<part>`.
 */
export interface FrameCursor {
  readonly at: number;
  readonly part: number | null;
}

export function frameId(at: number, part: number, parts: number): string {
  return part === parts ? String(at) : `${at}.${part}`;
}

/** Null if it is no id of a frame. */
export function parseFrameId(id: string): FrameCursor | null {
  const match = /^(\d{1,9})(?:\.([1-9]\d{0,5}))?$/.exec(id);
  if (!match) return null;
  return { at: Number(match[1]), part: match[2] === undefined ? null : Number(match[2]) };
}
