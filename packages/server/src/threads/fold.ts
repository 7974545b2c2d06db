// State = fold(events): all that is known of a thread, made from its log alone. Pure; a state is
// never changed, only replaced. The pieces of messages (`token`, `reasoning`) change nothing:
// `message_end` holds the whole. The lifecycle of calls and the sums of usage are the protocol's.

import type { Usage } from '@continuo/engine';
import {
  addSpent,
  callsAfter,
  everyOpenCall,
  type AttachedFile,
  type Call,
  type EventData,
  type ImageReference,
  type LogEvent,
  type RunError,
  type SessionState,
} from '@continuo/protocol';
import type { HistoryMessage } from '../models/model.ts';

/** What a run waits for, and since when (in milliseconds). While it is paused, it waits for that alone. */
interface Rest {
  /** `approvals`: every call that is left waits to be allowed. `answer`: the calls that are being made ask questions. */
  readonly for: 'resume' | 'approvals' | 'answer';
  readonly since: number;
}

/** The last message of a run that the log holds as a whole, and how it ended. */
interface LastMessage {
  readonly message: string;
  readonly text: string;
  readonly end:
    | { readonly kind: 'complete' }
    /** The message was interrupted: the model is called again. */
    | { readonly kind: 'cut' }
    | { readonly kind: 'failed'; readonly error: RunError };
}

/** The run that has begun and has not ended. */
export interface RunState {
  readonly id: string;
  readonly firstSeq: number;
  readonly seq: number;
  /** The hold under which the run was last taken on, and how many there were. */
  readonly heldBy: number;
  readonly attempts: number;
  /** Attempts in a row that finished no step. */
  readonly stalled: number;
  /** How often the message under way was begun again under one hold, because its stream broke. */
  readonly retries: number;
  /** Milliseconds, by the clock of the pod that began it. */
  readonly startedAt: number;
  /** Messages begun, superseded ones included: the next is `m<n + 1>`. */
  readonly messages: number;
  /** The message under way. */
  readonly open: string | null;
  readonly last: LastMessage | null;
  /** The calls of the last message, in its order. */
  readonly calls: readonly Call[];
  /** Messages that it was sent while it was at work, and took in. */
  readonly steered: readonly string[];
  /** The last of these was not answered yet. */
  readonly unanswered: boolean;
  /** Null while it is at work. */
  readonly rest: Rest | null;
  /** How long it rested before, in milliseconds. */
  readonly restedMs: number;
  readonly modelCalls: number;
  readonly usage: Usage;
  /** The sum of what is known; null while nothing is. */
  readonly cost: number | null;
  /** Ids of the files that its model was shown and that its calls read, in order. */
  readonly sources: readonly string[];
}

export interface HistoryEntry {
  readonly runId: string;
  readonly seq: number;
  readonly entry: HistoryMessage;
  /** Of a tool's result: what later runs are shown, where the tool said so, and the images that belong to it. */
  readonly summary?: string;
  readonly images?: readonly ImageReference[];
  /** Of a person's message. */
  readonly attached?: readonly AttachedFile[];
}

/** Turns at the beginning of the history that a state does not hold, because no model is shown them. */
interface Omitted {
  readonly turns: number;
  /** What was said was rewound since: turns that the state does not hold may be shown again. */
  readonly stale: boolean;
}

export interface ThreadState {
  readonly seq: number;
  /** `since` in milliseconds. */
  readonly session: { readonly id: string; readonly state: SessionState; readonly since: number } | null;
  readonly history: readonly HistoryEntry[];
  /** Null where the history is whole. */
  readonly omitted: Omitted | null;
  /** The versions of files that the thread came to know, the latest last. */
  readonly known: readonly { readonly file: string; readonly version: number; readonly seq: number }[];
  /** Files that a model's provider refused: it is told their names alone. */
  readonly refused: readonly { readonly model: string; readonly file: string; readonly v: number }[];
  /** The least that a model refused as too long in this session, in tokens by our estimate. */
  readonly tooLong: Readonly<Record<string, number>>;
  readonly run: RunState | null;
}

/** Snapshots of another version are ignored. Raise it when the state, or what the fold makes of an event, changes. */
export const FOLD_VERSION = 2;

export const EMPTY: ThreadState = {
  seq: 0,
  session: null,
  history: [],
  omitted: null,
  known: [],
  refused: [],
  tooLong: {},
  run: null,
};

export function foldAll(state: ThreadState, events: readonly LogEvent[]): ThreadState {
  let next = state;
  // Copied once, and not for each message: a long log would take the square of their number.
  let history: HistoryEntry[] | null = null;
  for (const event of events) {
    const { run } = next;
    next = foldRunState(next, event);
    if (!HISTORY_EVENTS.has(event.type)) continue;
    history ??= [...state.history];
    history = foldHistory(history, event, run?.id === event.runId ? run : null);
  }
  return history ? { ...next, history } : next;
}

export function fold(state: ThreadState, event: LogEvent): ThreadState {
  return foldAll(state, [event]);
}

const HISTORY_EVENTS: ReadonlySet<LogEvent['type']> = new Set([
  'rewound',
  'message',
  'message_end',
  'tool_end',
  'canceled',
]);

/** The history after an event; `run` is the event's own run, as it was before the event. */
function foldHistory(history: HistoryEntry[], event: LogEvent, run: RunState | null): HistoryEntry[] {
  const runId = event.runId!;
  const { seq } = event;
  switch (event.type) {
    case 'rewound':
      return history.filter((each) => each.seq <= event.data.to_seq);
    case 'message': {
      const { id, content, files } = event.data;
      const kept = withoutRunsOf(history, id);
      kept.push({ runId, seq, entry: { role: 'user', id, content }, ...(files && { attached: files }) });
      return kept;
    }
    case 'message_end': {
      const { message, parts, model } = event.data;
      const id = `${runId}/${message}`;
      if (parts.length > 0)
        history.push({ runId, seq, entry: { role: 'assistant', id, parts, ...(model && { model }) } });
      return history;
    }
    case 'tool_end': {
      const { call, tool, output, success, summary, images } = event.data;
      const note = noteOn(run?.calls.find((each) => each.call === call));
      const result: HistoryEntry = {
        runId,
        seq,
        entry: { role: 'tool', callId: call, tool, output: withNote(output, note), failed: !success },
        ...(summary !== undefined && { summary }),
        ...(images && { images }),
      };
      insertResult(history, result, run?.calls.map((each) => each.call) ?? []);
      return history;
    }
    case 'canceled': {
      const content = `[System: Response was interrupted by user (${event.data.reason})]`;
      // A run that was canceled in the queue said nothing, so there is nothing to explain.
      if (run) history.push({ runId, seq, entry: { role: 'system', content } });
      return history;
    }
    default:
      return history;
  }
}

/** What the model is told with a call's result: that a person changed the input, or what the person said. */
export function noteOn(call: Call | undefined): string | null {
  if (!call?.allowed) return null;
  const { decision, input, comment } = call.allowed;
  const changed = decision === 'edit' ? `A person changed the input to ${JSON.stringify(input)}.` : null;
  const said = comment === undefined ? null : `A person allowed the call and said: ${comment}`;
  return [changed, said].filter((part) => part !== null).join(' ') || null;
}

function withNote(output: unknown, note: string | null): unknown {
  if (note === null) return output;
  const { text, ...rest } = output as { text?: unknown };
  // A result's `text` is all that a model is shown of it.
  return typeof text === 'string'
    ? { ...rest, text: `${text}\n\n[${note}]` }
    : { ...(output as object), note };
}

/** The state after an event, but for the history. */
function foldRunState(state: ThreadState, event: LogEvent): ThreadState {
  const { seq, runId } = event;
  const run = runId !== null && state.run?.id === runId ? { ...state.run, seq: event.runSeq ?? 0 } : null;
  switch (event.type) {
    case 'session': {
      const { session: id, to_state } = event.data;
      const session = { id, state: to_state, since: event.at.getTime() };
      // A server may have been given a larger window since: each session tries anew.
      const tooLong = state.session?.id === id ? state.tooLong : {};
      return { ...withRun(state, seq, run, (r) => afterSession(r, to_state, event.at)), session, tooLong };
    }
    case 'rewound': {
      const { to_seq } = event.data;
      return {
        ...withRun(state, seq, run, (r) => r),
        known: state.known.filter((each) => each.seq <= to_seq),
        omitted: state.omitted && { ...state.omitted, stale: true },
      };
    }
    case 'message':
      return withRun(state, seq, run, (r) =>
        event.data.steer ? { ...r, steered: [...r.steered, event.data.id], unanswered: true } : r,
      );
    case 'state':
      if (event.data.status !== 'running') return { ...state, seq, run: run ? null : state.run };
      return { ...state, seq, run: run ? goesOn(run, event.attempt, event.data.attempt) : begun(event) };
    case 'message_start':
      return withRun(state, seq, run, (r) => ({
        ...r,
        open: event.data.message,
        messages: r.messages + 1,
        modelCalls: r.modelCalls + 1,
      }));
    case 'message_end':
      return withRun(state, seq, run, (r) => ({
        ...ended(r, event.data),
        calls: callsAfter(r.calls, event),
      }));
    case 'tool_start':
      return withRun(state, seq, run, (r) => withCalls(r, event));
    case 'approval': {
      const isQuestion = event.data.kind === 'question';
      return withRun(state, seq, run, (r) => ({
        ...withCalls(r, event),
        ...(!isQuestion && { stalled: 0 }),
      }));
    }
    case 'approval_end':
      return withRun(state, seq, run, (r) => ({ ...withCalls(r, event), stalled: 0 }));
    case 'tool_end': {
      const { sources, versions } = event.data;
      const learned = Object.entries(versions ?? {}).map(([file, version]) => ({ file, version, seq }));
      return {
        ...withRun(state, seq, run, (r) => ({
          ...withCalls(r, event),
          stalled: 0,
          sources: withSources(r.sources, sources),
        })),
        known: learned.length === 0 ? state.known : [...state.known, ...learned],
      };
    }
    case 'usage':
      return withRun(state, seq, run, (r) => ({
        ...r,
        ...addSpent(r, event.data),
      }));
    case 'context_usage': {
      const { refused } = event.data;
      const tooLong = refused ? { ...state.tooLong, [refused.model]: refused.tokens } : state.tooLong;
      return { ...withRun(state, seq, run, (r) => r), tooLong };
    }
    case 'error': {
      const { model, files } = event.data.refused ?? { model: '', files: [] };
      const refused = files.map(({ file, v }) => ({ model, file, v }));
      return { ...withRun(state, seq, run, (r) => r), refused: [...state.refused, ...refused] };
    }
    default:
      return { ...state, seq, run: run ?? state.run };
  }
}

function withSources(known: readonly string[], more: readonly string[] = []): readonly string[] {
  return more.every((id) => known.includes(id)) ? known : [...new Set([...known, ...more])];
}

/** The version of a file that the thread read or wrote last. */
export function knownVersion(state: ThreadState, fileId: string): number | null {
  return state.known.findLast(({ file }) => file === fileId)?.version ?? null;
}

/** Calls may end in any order; their results stand in the order of the calls. */
function insertResult(history: HistoryEntry[], result: HistoryEntry, calls: readonly string[]): void {
  const place = ({ runId, entry }: HistoryEntry) =>
    runId === result.runId && entry.role === 'tool' ? calls.indexOf(entry.callId) : -1;
  let at = history.length;
  while (at > 0 && place(history[at - 1]!) > place(result)) at -= 1;
  history.splice(at, 0, result);
}

/** A message that is taken in again replaces what earlier runs made of it. */
function withoutRunsOf(history: HistoryEntry[], messageId: string): HistoryEntry[] {
  const earlier = history.find(({ entry }) => entry.role === 'user' && entry.id === messageId);
  return earlier ? history.filter(({ runId }) => runId !== earlier.runId) : history;
}

function withRun(
  state: ThreadState,
  seq: number,
  run: RunState | null,
  change: (run: RunState) => RunState,
): ThreadState {
  return { ...state, seq, run: run ? change(run) : state.run };
}

function begun(event: LogEvent): RunState {
  return {
    id: event.runId!,
    firstSeq: event.seq,
    seq: event.runSeq!,
    heldBy: event.attempt,
    attempts: 1,
    stalled: 1,
    retries: 0,
    startedAt: event.at.getTime(),
    messages: 0,
    open: null,
    last: null,
    calls: [],
    steered: [],
    unanswered: false,
    rest: null,
    restedMs: 0,
    modelCalls: 0,
    usage: { input: 0, output: 0 },
    cost: null,
    sources: [],
  };
}

/** Under another hold the run was taken over; under the same one its message is begun again. */
function goesOn(run: RunState, heldBy: number, attempts: number): RunState {
  if (heldBy === run.heldBy) return { ...run, open: null, retries: run.retries + 1 };
  return { ...run, heldBy, attempts, stalled: run.stalled + 1, open: null };
}

function ended(run: RunState, data: EventData['message_end']): RunState {
  const last = { message: data.message, text: data.text, end: endOf(data) };
  const sources = withSources(run.sources, data.sources);
  return { ...run, open: null, stalled: 0, retries: 0, unanswered: false, last, sources };
}

function endOf({ ended: how, error }: EventData['message_end']): LastMessage['end'] {
  if (error) return { kind: 'failed', error };
  return { kind: how === 'complete' ? 'complete' : 'cut' };
}

/** How long the run has been at work: waiting for people does not count. */
export function workedMs(run: RunState, now: number): number {
  return (run.rest?.since ?? now) - run.startedAt - run.restedMs;
}

function withCalls(run: RunState, event: LogEvent): RunState {
  return rested({ ...run, calls: callsAfter(run.calls, event) }, run.rest?.for === 'resume', event.at);
}

function afterSession(run: RunState, session: SessionState, at: Date): RunState {
  return { ...rested(run, session === 'paused', at), stalled: 0 };
}

/** Whether the run rests from here on, and for how long it has. */
function rested(run: RunState, isPaused: boolean, at: Date): RunState {
  const now = at.getTime();
  const reason = isPaused ? 'resume' : waitsFor(run.calls);
  if (reason !== null) return { ...run, rest: { for: reason, since: run.rest?.since ?? now } };
  return run.rest === null ? run : { ...run, rest: null, restedMs: run.restedMs + now - run.rest.since };
}

/** What people are to say before any call can go on; null while some call can. */
function waitsFor(calls: readonly Call[]): 'approvals' | 'answer' | null {
  if (everyOpenCall(calls, (stage) => pendingApproval({ stage }) !== null)) return 'approvals';
  const started = calls.filter(({ stage }) => stage.kind === 'started');
  const isAsking = everyOpenCall(started, (stage) => stage.kind === 'started' && stage.question !== null);
  return isAsking ? 'answer' : null;
}

/** The approval that a call waits for. One that was refused waits until its end, which is in the same append. */
export function pendingApproval({ stage }: Pick<Call, 'stage'>): EventData['approval'] | null {
  return stage.kind === 'waiting' || stage.kind === 'refused' ? stage.approval : null;
}
