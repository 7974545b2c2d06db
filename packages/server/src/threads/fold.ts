// The fold: builds a thread's state from its log alone. Pure; a state is immutable. The pieces of messages (`token`,
// `reasoning`) change nothing, because `message_end` holds the whole message. The protocol package folds the lifecycle of
// calls and the sums of usage.

import type { Usage } from '@continuo/engine';
import {
  addSpent,
  callsAfter,
  errorTextOf,
  everyOpenCall,
  memoryAfter,
  NO_MEMORY,
  type AttachedFile,
  type Call,
  type EventData,
  type ImageReference,
  type LogEvent,
  type Memory,
  type RunError,
  type SessionState,
  type ThreadScope,
} from '@continuo/protocol';
import type { HistoryMessage } from '../models/model.ts';
import { factOfFile, factOfPatch } from './changed-facts.ts';

/** What a run waits for, and since when, in milliseconds. A paused run waits only for `resume`. */
interface Rest {
  /** `approvals`: every open call waits for approval. `answer`: every started call waits for the answer to a question. */
  readonly for: 'resume' | 'approvals' | 'answer';
  readonly since: number;
}

/** The last finished message of a run, and how it ended. */
interface LastMessage {
  readonly message: string;
  readonly text: string;
  readonly end:
    | { readonly kind: 'complete' }
    /** The message was interrupted: the model is called again. */
    | { readonly kind: 'cut' }
    | { readonly kind: 'failed'; readonly error: RunError };
}

/** A run that the running run has started. */
interface ChildState {
  /** Names it within its parent. */
  readonly child: string;
  readonly run: string;
  readonly thread: string;
  readonly status: 'open' | 'done' | 'error' | 'canceled';
  /** It had read untrusted content. */
  readonly untrusted?: true;
}

/** The running run. */
export interface RunState {
  readonly id: string;
  readonly firstSeq: number;
  readonly seq: number;
  /** The attempt of the hold that last started or took over the run. */
  readonly heldBy: number;
  /** How many holds the run has had. */
  readonly attempts: number;
  /** Consecutive attempts that finished no step. */
  readonly stalled: number;
  /** How often the current message was retried under one hold because its stream broke. */
  readonly retries: number;
  /** Milliseconds, by the clock of the pod that started the run. */
  readonly startedAt: number;
  /** Messages begun, including superseded ones. The next message is `m<n + 1>`. */
  readonly messages: number;
  /** The unfinished message. */
  readonly open: string | null;
  readonly last: LastMessage | null;
  /** The calls of the last message, in its order. */
  readonly calls: readonly Call[];
  /** Ids of steering messages that the run took in. */
  readonly steered: readonly string[];
  /** The model has not answered the last steering message yet. */
  readonly unanswered: boolean;
  /** Null while the run is working. */
  readonly rest: Rest | null;
  /** Total milliseconds of earlier rests. */
  readonly restedMs: number;
  readonly modelCalls: number;
  readonly usage: Usage;
  /** The sum of all known costs; null if none is known. */
  readonly cost: number | null;
  /** Ids of files that the model was shown or that calls read, in order. */
  readonly sources: readonly string[];
  /** In the order of their start. */
  readonly children: readonly ChildState[];
  /** What open calls have changed, in words. */
  readonly changed: readonly { readonly call: string; readonly fact: string }[];
  /** Absent if the run may act, as it always may outside of projects. */
  readonly mode?: EventData['mode'];
}

export interface HistoryEntry {
  readonly runId: string;
  readonly seq: number;
  readonly entry: HistoryMessage;
  /** Only for a tool's result: the tool's summary for later runs. */
  readonly summary?: string;
  /** Only for a tool's result: what the call changed, in words. */
  readonly changed?: readonly string[];
  /** Only for a tool's result: what a person or the policy decided about the call, in words. */
  readonly decided?: string;
  /** Only for a tool's result. */
  readonly images?: readonly ImageReference[];
  /** Only for a person's message. */
  readonly attached?: readonly AttachedFile[];
}

/** The oldest turns, which a state does not hold because no model is shown them. */
interface Omitted {
  readonly turns: number;
  /** A rewind happened since, so omitted turns may have to be shown again. */
  readonly stale: boolean;
}

export interface ThreadState {
  readonly seq: number;
  /** `since` in milliseconds. */
  readonly session: { readonly id: string; readonly state: SessionState; readonly since: number } | null;
  readonly history: readonly HistoryEntry[];
  /** Null if the history is whole. */
  readonly omitted: Omitted | null;
  /** The file versions that the thread read or wrote, latest last. */
  readonly known: readonly { readonly file: string; readonly version: number; readonly seq: number }[];
  /** Files that a model's provider refused. The model is told only their names. */
  readonly refused: readonly { readonly model: string; readonly file: string; readonly v: number }[];
  /** By model: the smallest history that it refused as too long in this session, in estimated tokens. */
  readonly tooLong: Readonly<Record<string, number>>;
  /** What the thread is about, as the last message that says so. */
  readonly scope: ThreadScope;
  readonly memory: Memory;
  readonly run: RunState | null;
}

/** Snapshots of another version are ignored. Raise it when the type of the state or the meaning of an event changes. */
export const FOLD_VERSION = 6;

export const EMPTY: ThreadState = {
  seq: 0,
  session: null,
  history: [],
  omitted: null,
  known: [],
  refused: [],
  tooLong: {},
  scope: { project_id: null },
  memory: NO_MEMORY,
  run: null,
};

export function foldAll(state: ThreadState, events: readonly LogEvent[]): ThreadState {
  let next = state;
  // Copied once per fold and not once per message, which would take quadratic time.
  let history: HistoryEntry[] | null = null;
  for (const event of events) {
    const { run } = next;
    next = foldRunState(next, event);
    const memory = memoryAfter(next.memory, event);
    if (memory !== next.memory) next = { ...next, memory };
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
      const { id, content, files, untrusted } = event.data;
      const kept = withoutRunsOf(history, id);
      const entry = { role: 'user' as const, id, content, ...(untrusted && { untrusted }) };
      kept.push({ runId, seq, entry, ...(files && { attached: files }) });
      return kept;
    }
    case 'message_end': {
      const { message, parts, model, untrusted } = event.data;
      const id = `${runId}/${message}`;
      const more = { ...(model && { model }), ...(untrusted && { untrusted }) };
      if (parts.length > 0) history.push({ runId, seq, entry: { role: 'assistant', id, parts, ...more } });
      return history;
    }
    case 'tool_end': {
      const { call, tool, output, success, outcome, summary, images, untrusted } = event.data;
      const note = noteOn(run?.calls.find((each) => each.call === call));
      const changed = run?.changed.flatMap((each) => (each.call === call ? [each.fact] : [])) ?? [];
      const decided = note ?? (outcome === 'denied' ? errorTextOf(output) : null);
      const result: HistoryEntry = {
        runId,
        seq,
        entry: {
          role: 'tool',
          callId: call,
          tool,
          output: withNote(output, note),
          failed: !success,
          ...(untrusted && { untrusted }),
        },
        ...(summary !== undefined && { summary }),
        ...(changed.length > 0 && { changed }),
        ...(decided !== null && { decided }),
        ...(images && { images }),
      };
      insertResult(history, result, run?.calls.map((each) => each.call) ?? []);
      return history;
    }
    case 'canceled': {
      const content = `[System: Response was interrupted by user (${event.data.reason})]`;
      // A run that was canceled in the queue has no messages, so the model needs no explanation.
      if (run) history.push({ runId, seq, entry: { role: 'system', content } });
      return history;
    }
    default:
      return history;
  }
}

/** A note to the model with a call's result: that a person changed the input, and the person's comment. */
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
  // If a result has `text`, the model is shown nothing else.
  return typeof text === 'string'
    ? { ...rest, text: `${text}\n\n[${note}]` }
    : { ...(output as object), note };
}

/** The state after an event, except its history. */
function foldRunState(state: ThreadState, event: LogEvent): ThreadState {
  const { seq, runId } = event;
  const run = runId !== null && state.run?.id === runId ? { ...state.run, seq: event.runSeq ?? 0 } : null;
  switch (event.type) {
    case 'session': {
      const { session: id, to_state } = event.data;
      const session = { id, state: to_state, since: event.at.getTime() };
      // The model's window may have been enlarged since, so each session starts over.
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
    case 'message': {
      const next = withRun(state, seq, run, (r) =>
        event.data.steer ? { ...r, steered: [...r.steered, event.data.id], unanswered: true } : r,
      );
      return event.data.scope ? { ...next, scope: event.data.scope } : next;
    }
    case 'state':
      if (event.data.status !== 'running') return { ...state, seq, run: run ? null : state.run };
      return { ...state, seq, run: run ? goesOn(run, event.attempt, event.data.attempt) : begun(event) };
    case 'mode':
      return withRun(state, seq, run, (r) => ({ ...r, mode: event.data }));
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
    case 'operation':
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
          changed: r.changed.filter(({ call }) => call !== event.data.call),
          sources: withSources(r.sources, sources),
        })),
        known: learned.length === 0 ? state.known : [...state.known, ...learned],
      };
    }
    case 'child_start': {
      const { child, run: childRun, thread } = event.data;
      const started: ChildState = { child, run: childRun, thread, status: 'open' };
      return withRun(state, seq, run, (r) => ({ ...r, stalled: 0, children: [...r.children, started] }));
    }
    case 'child_end': {
      const { run: childRun, status, untrusted } = event.data;
      const end = { status, ...(untrusted && { untrusted }) };
      return withRun(state, seq, run, (r) => ({
        ...r,
        stalled: 0,
        children: r.children.map((each) => (each.run === childRun ? { ...each, ...end } : each)),
      }));
    }
    case 'file_updated':
      return withRun(state, seq, run, (r) => withChanged(r, event.data.call, factOfFile(event.data)));
    case 'entity_patch':
      return withRun(state, seq, run, (r) => withChanged(r, event.data.call, factOfPatch(event.data)));
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

function withChanged(run: RunState, call: string, fact: string | null): RunState {
  return fact === null ? run : { ...run, changed: [...run.changed, { call, fact }] };
}

function withSources(known: readonly string[], more: readonly string[] = []): readonly string[] {
  return more.every((id) => known.includes(id)) ? known : [...new Set([...known, ...more])];
}

/** The version of a file that the thread last read or wrote. */
export function knownVersion(state: ThreadState, fileId: string): number | null {
  return state.known.findLast(({ file }) => file === fileId)?.version ?? null;
}

/** Calls may end in any order. The history has their results in the order of the calls. */
function insertResult(history: HistoryEntry[], result: HistoryEntry, calls: readonly string[]): void {
  const place = ({ runId, entry }: HistoryEntry) =>
    runId === result.runId && entry.role === 'tool' ? calls.indexOf(entry.callId) : -1;
  let at = history.length;
  while (at > 0 && place(history[at - 1]!) > place(result)) at -= 1;
  history.splice(at, 0, result);
}

/** A retried message replaces the earlier run that answered it. */
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
    children: [],
    changed: [],
  };
}

/** A `running` event under another hold is a takeover. Under the same hold, it is a retry of the message. */
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

/** How long the run has been working. Time that it waits for people does not count. */
export function workedMs(run: RunState, now: number): number {
  return (run.rest?.since ?? now) - run.startedAt - run.restedMs;
}

function withCalls(run: RunState, event: LogEvent): RunState {
  return rested({ ...run, calls: callsAfter(run.calls, event) }, run.rest?.for === 'resume', event.at);
}

function afterSession(run: RunState, session: SessionState, at: Date): RunState {
  return { ...rested(run, session === 'paused', at), stalled: 0 };
}

/** Starts or ends the run's rest, and adds up the time. */
function rested(run: RunState, isPaused: boolean, at: Date): RunState {
  const now = at.getTime();
  const reason = isPaused ? 'resume' : waitsFor(run.calls);
  if (reason !== null) return { ...run, rest: { for: reason, since: run.rest?.since ?? now } };
  return run.rest === null ? run : { ...run, rest: null, restedMs: run.restedMs + now - run.rest.since };
}

/** What the open calls wait for; null if a call can continue without a person. */
function waitsFor(calls: readonly Call[]): 'approvals' | 'answer' | null {
  if (everyOpenCall(calls, (stage) => pendingApproval({ stage }) !== null)) return 'approvals';
  const started = calls.filter(({ stage }) => stage.kind === 'started');
  const isAsking = everyOpenCall(started, (stage) => stage.kind === 'started' && stage.question !== null);
  return isAsking ? 'answer' : null;
}

/** The approval that a call waits for. A refused call counts as waiting until its `tool_end`, which is in the same append. */
export function pendingApproval({ stage }: Pick<Call, 'stage'>): EventData['approval'] | null {
  return stage.kind === 'waiting' || stage.kind === 'refused' ? stage.approval : null;
}
