// State = fold(events): all that is known of a thread, made from its log alone. Pure; a state is
// never changed, only replaced. The pieces of messages (`token`, `reasoning`) change nothing:
// `message_end` holds the whole.

import type { Usage } from '@continuo/engine';
import type { ImageReference, LogEvent, RunError, SessionState } from '@continuo/protocol';
import type { HistoryMessage } from '../models/model.ts';

export interface CallState {
  readonly call: string;
  readonly tool: string;
  /** What the model wrote where it was not JSON is `null`, and `problem` says so. */
  readonly input: unknown;
  readonly problem: string | null;
  readonly stage:
    | { readonly kind: 'planned' }
    /** It waits for a person's approval. */
    | { readonly kind: 'asked'; readonly approval: string; readonly paths: readonly string[] }
    | { readonly kind: 'started'; readonly attempt: number }
    | { readonly kind: 'ended' };
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
  /** The last whole message. */
  readonly last: {
    readonly message: string;
    readonly text: string;
    readonly error: RunError | null;
    readonly cut: boolean;
  } | null;
  /** The calls of the last message, in its order. */
  readonly calls: readonly CallState[];
  /** Since when nothing is left to do but to wait for approval, in milliseconds; and for how long it has waited before. */
  readonly parkedAt: number | null;
  readonly parkedMs: number;
  readonly modelCalls: number;
  readonly usage: Usage;
  /** The sum of what is known; null while nothing is. */
  readonly cost: number | null;
  /** Ids of the files that its calls read and used, in order. */
  readonly sources: readonly string[];
}

interface HistoryEntry {
  readonly runId: string;
  readonly entry: HistoryMessage;
  /** Of a tool's result: what later runs are shown, where the tool said so, and the images that belong to it. */
  readonly summary?: string;
  readonly images?: readonly ImageReference[];
}

export interface ThreadState {
  readonly seq: number;
  readonly session: { readonly id: string; readonly state: SessionState } | null;
  readonly history: readonly HistoryEntry[];
  /** The versions of files that the thread came to know, the latest last. */
  readonly known: readonly { readonly file: string; readonly version: number }[];
  readonly run: RunState | null;
}

export const EMPTY: ThreadState = { seq: 0, session: null, history: [], known: [], run: null };

const INTERRUPTED = '[System: Response was interrupted by user (user_cancelled)]';

export function foldAll(state: ThreadState, events: readonly LogEvent[]): ThreadState {
  let next = state;
  // Copied once, and not for each message: a long log would take the square of their number.
  let history: HistoryEntry[] | null = null;
  for (const event of events) {
    const { run } = next;
    next = foldBut(next, event);
    if (!SAYING.has(event.type)) continue;
    history ??= [...state.history];
    tell(history, event, run?.id === event.runId ? run : null);
  }
  return history ? { ...next, history } : next;
}

export function fold(state: ThreadState, event: LogEvent): ThreadState {
  return foldAll(state, [event]);
}

const SAYING: ReadonlySet<LogEvent['type']> = new Set(['message', 'message_end', 'tool_end', 'canceled']);

/** Adds to a history what an event says; `run` is the event's own, as it was before. */
function tell(history: HistoryEntry[], event: LogEvent, run: RunState | null): void {
  const runId = event.runId!;
  switch (event.type) {
    case 'message': {
      const { id, content } = event.data;
      forgetRunsOf(history, id);
      history.push({ runId, entry: { role: 'user', id, content } });
      return;
    }
    case 'message_end': {
      const { message, parts, model } = event.data;
      if (parts.length === 0) return;
      const id = `${runId}/${message}`;
      history.push({ runId, entry: { role: 'assistant', id, parts, ...(model && { model }) } });
      return;
    }
    case 'tool_end': {
      const { call, tool, output, success, summary, images } = event.data;
      const result: HistoryEntry = {
        runId,
        entry: { role: 'tool', callId: call, tool, output, failed: !success },
        ...(summary !== undefined && { summary }),
        ...(images && { images }),
      };
      insertResult(history, result, run?.calls.map((each) => each.call) ?? []);
      return;
    }
    case 'canceled':
      // A run that was canceled in the queue said nothing, so there is nothing to explain.
      if (run) history.push({ runId, entry: { role: 'system', content: INTERRUPTED } });
      return;
    default:
  }
}

/** All but the history. */
function foldBut(state: ThreadState, event: LogEvent): ThreadState {
  const { seq, runId } = event;
  if (runId === null)
    return event.type === 'session'
      ? { ...state, seq, session: { id: event.data.session, state: event.data.to_state } }
      : { ...state, seq };

  const run = state.run?.id === runId ? { ...state.run, seq: event.runSeq ?? 0 } : null;
  switch (event.type) {
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
      return withRun(state, seq, run, (r) => ended(r, event.data));
    case 'tool_start':
      return withRun(state, seq, run, (r) => staged(r, event, { kind: 'started', attempt: event.attempt }));
    case 'approval': {
      const { approval, paths } = event.data;
      return withRun(state, seq, run, (r) => ({
        ...staged(r, event, { kind: 'asked', approval, paths }),
        stalled: 0,
      }));
    }
    case 'tool_end': {
      const { sources = [], versions } = event.data;
      const learned = Object.entries(versions ?? {}).map(([file, version]) => ({ file, version }));
      return {
        ...withRun(state, seq, run, (r) => ({
          ...staged(r, event, { kind: 'ended' }),
          stalled: 0,
          sources: sources.every((id) => r.sources.includes(id))
            ? r.sources
            : [...new Set([...r.sources, ...sources])],
        })),
        known: learned.length === 0 ? state.known : [...state.known, ...learned],
      };
    }
    case 'usage':
      return withRun(state, seq, run, (r) => ({
        ...r,
        usage: added(r.usage, event.data.usage),
        cost: event.data.cost === null ? r.cost : (r.cost ?? 0) + event.data.cost,
      }));
    default:
      return { ...state, seq, run: run ?? state.run };
  }
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
function forgetRunsOf(history: HistoryEntry[], messageId: string): void {
  const earlier = history.find(({ entry }) => entry.role === 'user' && entry.id === messageId);
  if (!earlier) return;
  const kept = history.filter(({ runId }) => runId !== earlier.runId);
  history.splice(0, history.length, ...kept);
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
    parkedAt: null,
    parkedMs: 0,
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

function ended(run: RunState, data: Extract<LogEvent, { type: 'message_end' }>['data']): RunState {
  const calls = data.parts.flatMap((part): CallState[] => {
    if (part.kind !== 'tool_call') return [];
    const call = { call: part.callId, tool: part.tool, stage: { kind: 'planned' } as const };
    return part.input.kind === 'json'
      ? [{ ...call, input: part.input.value, problem: null }]
      : [{ ...call, input: null, problem: `the input is not valid JSON: ${part.input.text.slice(0, 200)}` }];
  });
  const last = {
    message: data.message,
    text: data.text,
    error: data.error ?? null,
    cut: data.ended !== 'complete',
  };
  return { ...run, open: null, stalled: 0, retries: 0, last, calls };
}

/** How long the run has been at work: waiting for people does not count. */
export function workedMs(run: RunState, now: number): number {
  return (run.parkedAt ?? now) - run.startedAt - run.parkedMs;
}

function staged(
  run: RunState,
  event: Extract<LogEvent, { type: 'tool_start' | 'approval' | 'tool_end' }>,
  stage: CallState['stage'],
): RunState {
  const calls = run.calls.map((call) => (call.call === event.data.call ? { ...call, stage } : call));
  const left = calls.filter((call) => call.stage.kind !== 'ended');
  const at = event.at.getTime();
  if (left.length > 0 && left.every((call) => call.stage.kind === 'asked'))
    return { ...run, calls, parkedAt: run.parkedAt ?? at };
  const waited = run.parkedAt === null ? 0 : at - run.parkedAt;
  return { ...run, calls, parkedAt: null, parkedMs: run.parkedMs + waited };
}

function added(a: Usage, b: Usage): Usage {
  const sum: Record<string, number> = { ...a };
  for (const [key, value] of Object.entries(b)) sum[key] = (sum[key] ?? 0) + (value as number);
  return sum as unknown as Usage;
}
