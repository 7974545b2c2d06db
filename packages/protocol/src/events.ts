// The log's events: what is stored, and, in the `runs` dialect, what is sent. Each names its
// message (`m1`, `m2`, … within its run) or its call.

import type { MessagePart, Metadata, StopReason, Usage } from '@continuo/engine';

export type RunStatus = 'queued' | 'running' | 'done' | 'error' | 'canceled';
export type SessionState = 'idle' | 'running' | 'paused' | 'error' | 'cancelled' | 'completed';

/** Why a tool's call has no result of its own. */
export type CallOutcome = 'unknown' | 'canceled' | 'denied';

export interface EventData {
  /**
   * `attempt` counts the pods that held this run; `supersedes` names a message left unfinished. `cause` says why, where the model's
   * stream failed and the same pod asks again; without a cause, another pod took the run over.
   */
  state:
    | { status: 'running'; attempt: number; supersedes?: string; cause?: RunError }
    | { status: 'done' | 'error' | 'canceled' };
  /** The thread's own; a pause and what follows it are also of the run that pauses. */
  session: { session: string; from_state: SessionState | null; to_state: SessionState; reason: string };
  /** What was said after `to_seq` (the thread's) is forgotten from here on; files stay as they are. */
  rewound: { to_seq: number };
  /** A person's message, as the run takes it in; `steer` if it came while the run was at work. */
  message: {
    id: string;
    role: 'user';
    content: string;
    files?: readonly AttachedFile[];
    steer?: true;
  };
  /** The model began to answer, `waited_ms` after it was asked. */
  message_start: { message: string; model: string; waited_ms?: number };
  reasoning: { text: string; message: string };
  token: { text: string; message: string };
  message_end: {
    message: string;
    text: string;
    parts: readonly MessagePart[];
    ended: 'complete' | 'error' | 'interrupted';
    reason?: StopReason;
    model?: string;
    metadata?: Metadata;
    error?: RunError;
    /** Ids of the attached files that the model was shown. */
    sources?: readonly string[];
  };
  /**
   * The model's window does not hold the whole thread: so many of its oldest turns were left out. `limit` is the window, or,
   * where the model refused more, what it was shown at most; both are in tokens. `refused` is the least that it just refused.
   */
  context_usage: {
    message: string;
    tokens: number;
    limit: number;
    turns_left_out: number;
    refused?: { model: string; tokens: number };
  };
  usage: { message: string; model: string; usage: Usage; cost: number | null; duration_ms: number };
  /** `title` says in words what the call does. */
  tool_start: { tool: string; input: unknown; call: string; title?: string };
  tool_end: {
    tool: string;
    output: unknown;
    call: string;
    success: boolean;
    outcome?: CallOutcome;
    /** What later runs are shown instead of the output, where the tool says so itself. */
    summary?: string;
    /** Ids of the files that the output was made from. */
    sources?: readonly string[];
    /** The versions of files, by id, that the thread knows from here on. */
    versions?: Readonly<Record<string, number>>;
    /** Images that models are shown with the output. */
    images?: readonly ImageReference[];
  };
  /**
   * The call waits for a person: to be allowed, or, where a crash left its outcome unknown, to be made again or not. A
   * `question` is asked by the call while it is being made: `reason` is its text, and `schema` that of the answer.
   * `paths` is what it would touch, as rules see it.
   */
  approval: {
    approval: string;
    kind: ApprovalKind;
    call: string;
    tool: string;
    input: unknown;
    paths: readonly string[];
    reason: string;
    schema?: Readonly<Record<string, unknown>>;
    expires_at?: string;
  };
  /** `input` is what the call is made with, where a person changed it; or the answer to a question. */
  approval_end: {
    approval: string;
    call: string;
    tool: string;
    decision: ApprovalDecision | 'expired';
    input?: unknown;
    comment?: string;
  };
  /** A version that the call made: content written, a file moved (`from` is where it was), or removed. */
  file_updated: { path: string; v: number; file: string; call: string; from?: string; removed?: true };
  final: { text: string; sources: readonly string[]; message: string | null };
  /** `refused`: files that the model's provider did not take; that model is told their names alone from here on. */
  error: {
    error: string;
    code: string;
    refused?: { model: string; files: readonly { file: string; v: number }[] };
  };
  canceled: { reason: string };
  /** The thread has a title now; who made it, where a model did, and what that took. */
  titled: { title: string; model?: string; usage?: Usage; cost?: number | null };
}

/** `call`: may the call be made. `unknown_outcome`: should a call with an unknown outcome be made again. `question`: the call itself asks. */
export type ApprovalKind = 'call' | 'unknown_outcome' | 'question';
/** A `call` takes `approve`, `deny`, `edit`; an `unknown_outcome` takes `retry`, `skip`; a `question` takes `answer`, `deny`, `skip`. */
export type ApprovalDecision = 'approve' | 'deny' | 'edit' | 'retry' | 'skip' | 'answer';

/** A file of the workspace that came with a message, as it was then. */
export interface AttachedFile {
  readonly file: string;
  readonly path: string;
  readonly v: number;
  readonly media_type: string;
  /** Bytes. */
  readonly size: number;
}

/** An image in the workspace, as it was at one version. */
export interface ImageReference {
  readonly file: string;
  readonly v: number;
  readonly media_type: string;
}

export interface RunError {
  readonly code: string;
  readonly error: string;
}

export type EventType = keyof EventData;

/** An event before it has a place in the log. */
export type NewEvent = { [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

/** An event in the log. `runSeq` is its id in the run's stream; a thread's own events have no run. */
export type LogEvent = NewEvent & {
  readonly threadId: string;
  readonly seq: number;
  readonly runId: string | null;
  readonly runSeq: number | null;
  readonly attempt: number;
  readonly at: Date;
};

/** An event as a thread's stream and pages show it. A thread's own events have no run. */
export type ThreadEvent = NewEvent & {
  readonly seq: number;
  readonly run_id: string | null;
  readonly run_seq: number | null;
  readonly at: string;
};

export function isTerminal(status: RunStatus): status is 'done' | 'error' | 'canceled' {
  return status === 'done' || status === 'error' || status === 'canceled';
}
