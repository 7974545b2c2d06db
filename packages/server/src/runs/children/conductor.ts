// A conductor decides about the steps of a run that no model answers: it starts child runs, waits for them, and says how the run
// ends. A run has one if its row has a `directive`; the directive's mode names it. Conductors register in wiring/, so that
// this folder knows none of them.

import type { NewEvent } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import type { Budget } from '../budgets/reserve.ts';
import type { RunState } from '../../threads/fold.ts';
import type { Limits, QueuedRun } from '../loop/decide.ts';

/** How deep child runs may be nested. A chat of a person has the depth 0. */
const MAX_DEPTH = 3;
/** How many child runs a run may start. */
const MAX_CHILDREN = 2000;

/** Names the conductor of a run, with its options, in the run's row. */
interface Directive {
  readonly mode: string;
  readonly [field: string]: unknown;
}

/** A child run that has ended and that the parent's log does not have yet. */
export interface EndedChild {
  readonly run: string;
  readonly thread: string;
  readonly status: 'done' | 'error' | 'canceled';
  readonly error: { readonly code: string; readonly error: string } | null;
  readonly usage: { readonly input: number; readonly output: number } | null;
  readonly cost: number | null;
}

/** What the facts say about a run's parent, its children, and who decides about it. */
export interface Family {
  /** What decides about the run's steps; null if its role's model does. */
  readonly directive: Directive | null;
  /** How many parents its thread has. */
  readonly depth: number;
  /** The run that started this one, and the first of its ancestors. */
  readonly parentRun: string | null;
  readonly rootRun: string | null;
  /** The thread of the run that started this one. */
  readonly parentThread: string | null;
  /** The only tools that the run may use; null for all of its role's. */
  readonly tools: readonly string[] | null;
  /** What the run's model calls draw on; null without a limit. */
  readonly budget: Budget | null;
  /** Children that ended and may not be in the log yet. */
  readonly ended: readonly EndedChild[] | null;
  /** The run's conductor with its agenda, once it is read. */
  readonly conducting?: Conducting;
}

/** A child run to start. */
export interface Spawn {
  /** Names it within the parent. */
  readonly child: string;
  readonly title: string;
  readonly role: string;
  /** The parent's model, if absent. */
  readonly model?: string | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** The only tools that it may use; all of its role's, if absent. */
  readonly tools?: readonly string[] | undefined;
  /** Further events of the parent that are appended with the child's start. */
  readonly events?: (started: StartedChild) => readonly ConductedEvent[];
}

interface StartedChild {
  readonly run: string;
  readonly thread: string;
}

export interface ChildMessage {
  readonly text: string;
  /** A part of it is untrusted content: from the parent's own message, or from a child that had read some. */
  readonly untrusted?: true | undefined;
}

/** An event that the conductor adds, with a row change that commits with it. */
export interface ConductedEvent {
  readonly event: NewEvent;
  readonly change?: ConductedChange;
}

/** A row change without the index of its event. */
export interface ConductedChange {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** What is appended with the end of a run. */
interface Ending {
  readonly events: readonly ConductedEvent[];
  readonly changes: readonly ConductedChange[];
}

export type Next =
  /** Append these events, and start these children. */
  | { readonly kind: 'act'; readonly events: readonly ConductedEvent[]; readonly spawn: readonly Spawn[] }
  /** Nothing to do until a child ends or a fact arrives. */
  | { readonly kind: 'wait' }
  /** The run ends with the conductor's closing message. */
  | ({ readonly kind: 'finish' } & Ending)
  | {
      readonly kind: 'fail';
      readonly events: readonly ConductedEvent[];
      readonly code: string;
      readonly error: string;
    };

/** What a conductor reads with the run's facts. `Agenda` is its own. */
export interface Conductor<Agenda = unknown> {
  /** Called at each refresh of the facts, after the row of the run was read. */
  read(client: Queryable, run: QueuedRun): Promise<Agenda>;
  /** Pure. `ended` are children that ended since the last decision; `run` still has them as open. */
  next(run: RunState, queued: QueuedRun, agenda: Agenda): Next;
  /** The message that a child run gets. */
  message(client: Queryable, run: QueuedRun, agenda: Agenda, spawn: Spawn): Promise<ChildMessage>;
  /** The text that the run ends with: what was done, and what changed. */
  closing(client: Queryable, run: RunState, queued: QueuedRun, agenda: Agenda): Promise<string>;
  /** What is appended when the run ends before its conductor finished. The changes cannot be refused. */
  abandon?(run: RunState, queued: QueuedRun, agenda: Agenda, status: 'error' | 'canceled'): Ending;
  /** What is appended when the run is paused or resumed. The changes cannot be refused. */
  paused?(agenda: Agenda, isPaused: boolean): readonly ConductedChange[];
  /** Called after each append of the conductor, after a pause and a resume, and after the run's end. */
  appended?(queued: QueuedRun, agenda: Agenda): void;
}

const NO_ENDING: Ending = { events: [], changes: [] };

export type Conductors = ReadonlyMap<string, Conductor>;

/** A run's conductor with the agenda that was read for it. */
interface Conducting {
  next(run: RunState): Next;
  message(client: Queryable, spawn: Spawn): Promise<ChildMessage>;
  closing(client: Queryable, run: RunState): Promise<string>;
  abandon(run: RunState, status: 'error' | 'canceled'): Ending;
  paused(isPaused: boolean): readonly ConductedChange[];
  appended(): void;
}

/** The run with its conductor, if it has a directive. */
export async function withConductor(
  client: Queryable,
  conductors: Conductors,
  run: QueuedRun,
): Promise<QueuedRun> {
  const { family } = run;
  if (!family?.directive) return run;
  const { mode } = family.directive;
  const conductor = conductors.get(mode);
  const conducting = conductor ? await conduct(client, conductor, run) : unknownMode(mode);
  return { ...run, family: { ...family, conducting } };
}

async function conduct(client: Queryable, conductor: Conductor, run: QueuedRun): Promise<Conducting> {
  const agenda = await conductor.read(client, run);
  return {
    next: (state) => conductor.next(state, run, agenda),
    message: async (reader, spawn) => {
      const message = await conductor.message(reader, run, agenda, spawn);
      return run.message.untrusted ? { ...message, untrusted: true } : message;
    },
    closing: (reader, state) => conductor.closing(reader, state, run, agenda),
    abandon: (state, status) => conductor.abandon?.(state, run, agenda, status) ?? NO_ENDING,
    paused: (isPaused) => conductor.paused?.(agenda, isPaused) ?? [],
    appended: () => conductor.appended?.(run, agenda),
  };
}

/** Refuses children that are nested too deep, or that are too many. */
export function withinCaps(next: Next, run: RunState, { depth }: Family): Next {
  if (next.kind !== 'act' || next.spawn.length === 0) return next;
  const fail = (code: string, error: string): Next => ({ kind: 'fail', events: next.events, code, error });
  if (depth >= MAX_DEPTH) return fail('depth_limit', `child runs may be nested ${MAX_DEPTH} deep`);
  if (run.children.length + next.spawn.length > MAX_CHILDREN)
    return fail('children_limit', `a run may start ${MAX_CHILDREN} child runs`);
  return next;
}

function unknownMode(mode: string): Conducting {
  const error = `this server does not know the mode ${mode}`;
  return {
    next: () => ({ kind: 'fail', events: [], code: 'unknown_mode', error }),
    message: () => Promise.reject(new Error(error)),
    closing: () => Promise.reject(new Error(error)),
    abandon: () => NO_ENDING,
    paused: () => [],
    appended: () => undefined,
  };
}
