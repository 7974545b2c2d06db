// A dialect: a pure state machine that projects a log to the frames of one client protocol. The same events give the same frames
// for every client, wherever it starts to read.

import type { LogEvent } from '../events.ts';

export interface DialectFrame {
  /** The name of the SSE event, if the protocol has names. */
  readonly event?: string;
  /** If this is the event's own data object, it is sent exactly as stored. */
  readonly data: unknown;
  /** Under back-pressure only the newest frame of each kind of progress is sent. Frames without `progress` are never skipped. */
  readonly progress?: string;
}

/**
 * The state belongs to the open run. It lasts until the event after the run's end (the session's), and a run's first event starts
 * from `initial`. So a reader that resumes where no run is open need not read earlier events. A dialect whose state is null keeps
 * no state at all. In a thread's log, a run that was canceled in the queue ends between the events of the open run.
 */
export interface Dialect<State> {
  readonly name: string;
  readonly initial: State;
  readonly step: (state: State, event: LogEvent) => readonly [State, readonly DialectFrame[]];
}

/** A dialect of one run. A response ends when people must answer; the next response continues. */
export interface RunDialect<State> extends Dialect<State> {
  /** The first frames of a response that continues from here; none at the start of the run. */
  readonly opening: (state: State) => readonly DialectFrame[];
  /** The last frames of a response if the run waits for people here; null if it does not. */
  readonly closing: (state: State) => readonly DialectFrame[] | null;
}

/**
 * A client's cursor: after all frames of the event `at`, or, with a `part`, after that many of them. The id of an event's last
 * frame is the event's number; earlier frames have `<number>.<part>`.
 */
export interface FrameCursor {
  readonly at: number;
  readonly part: number | null;
}

export function frameId(at: number, part: number, parts: number): string {
  return part === parts ? String(at) : `${at}.${part}`;
}

/** Null if it is not a frame id. */
export function parseFrameId(id: string): FrameCursor | null {
  const match = /^(\d{1,9})(?:\.([1-9]\d{0,5}))?$/.exec(id);
  if (!match) return null;
  return { at: Number(match[1]), part: match[2] === undefined ? null : Number(match[2]) };
}
