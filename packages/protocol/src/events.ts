// The log's events, as they are stored and, in the `runs` dialect, sent. Each names its message (`m1`, `m2`, … within its run) or
// its call.

import type { PatchOperation } from './knowledge.ts';
import type { PlanStepStatus } from './plans.ts';
import type { AgentStateItemUpdate, AgentStateUpdate } from './memory.ts';
import type { MessagePart, Metadata, StopReason, Usage } from '@continuo/engine';

export type RunStatus = 'queued' | 'running' | 'done' | 'error' | 'canceled';
export type SessionState = 'idle' | 'running' | 'paused' | 'error' | 'cancelled' | 'completed';

/** Why a call has no result of its own. */
export type CallOutcome = 'unknown' | 'canceled' | 'denied';

export interface EventData {
  /**
   * `attempt` counts the pods that held this run. `supersedes` names a message that was left unfinished. `cause` is the reason if
   * the model's stream failed and the same pod retries; without a cause, another pod took the run over.
   */
  state:
    | { status: 'running'; attempt: number; supersedes?: string; cause?: RunError }
    | { status: 'done' | 'error' | 'canceled' };
  /** Belongs to the thread; a pause and the events that follow it also belong to the paused run. */
  session: { session: string; from_state: SessionState | null; to_state: SessionState; reason: string };
  /** From here on, models no longer see events after the thread's `to_seq`. Files do not change. */
  rewound: { to_seq: number };
  /** A person's message, when the run takes it in; `steer` if it was sent to the running run. */
  message: {
    id: string;
    role: 'user';
    content: string;
    files?: readonly AttachedFile[];
    steer?: true;
    /** A part of it is untrusted content: the body of a request that fired a trigger, or a result of such a run. */
    untrusted?: true;
    /** From here on the thread is about this; without it, about what it was before. */
    scope?: ThreadScope;
  };
  /**
   * What the person wants, as the server understood it before it asked the model; only in the threads of projects. `rules`: by the words
   * of the message. `default`: the rules did not decide. `model`: the model found that the message asks for a change.
   */
  mode: { mode: Mode; by: 'rules' | 'default' | 'model'; why: string };
  /** The model began to answer, `waited_ms` after the request. */
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
    /** Ids of the attached files that the model saw. */
    sources?: readonly string[];
    /** No model wrote it, and it has words of child runs that had read untrusted content. */
    untrusted?: true;
  };
  /**
   * The thread does not fit into the model's context window, so this many of its oldest turns were left out. `limit` is the
   * window, or, if the model refused more, the most that it was sent; both in tokens. `refused` is the smallest size that it has
   * just refused.
   */
  context_usage: {
    message: string;
    tokens: number;
    limit: number;
    turns_left_out: number;
    refused?: { model: string; tokens: number };
  };
  /** `ratio`: how many tokens the provider counts for one that the server estimated; 1 if absent. */
  usage: {
    message: string;
    model: string;
    usage: Usage;
    cost: number | null;
    duration_ms: number;
    ratio?: number;
  };
  /** `title` describes the call for people. */
  tool_start: { tool: string; input: unknown; call: string; title?: string };
  tool_end: {
    tool: string;
    output: unknown;
    call: string;
    success: boolean;
    outcome?: CallOutcome;
    /** What later runs see instead of the output, if the tool provides it. */
    summary?: string;
    /** Ids of the files that the output uses. */
    sources?: readonly string[];
    /** The file versions, by file id, that the thread knows from here on. */
    versions?: Readonly<Record<string, number>>;
    /** Images that models see with the output. */
    images?: readonly ImageReference[];
    /** The output is untrusted content, such as a web page. Models see it with a mark. */
    untrusted?: true;
  };
  /**
   * The call waits for a person: to allow it, or, if a crash left its outcome unknown, to repeat it or not. A `question` comes
   * from the running call itself: `reason` is its text, and `schema` the schema of the answer. `paths` are the paths that the
   * call would touch, in the form that rules match. `files` identifies the files that the call leaves, with their versions: an
   * approved call that would leave others is not made.
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
    files?: string;
    expires_at?: string;
  };
  /** `input` replaces the call's input if a person edited it; for a question it is the answer. */
  approval_end: {
    approval: string;
    call: string;
    tool: string;
    decision: ApprovalDecision | 'expired';
    input?: unknown;
    comment?: string;
  };
  /** A file version that the call created: new content, a move (`from` is the old path), or a removal. */
  file_updated: { path: string; v: number; file: string; call: string; from?: string; removed?: true };
  /**
   * What a call does to entities, for people: when it starts, and how it ended. `entity_name` is never an id; for a list or a
   * search it is the collection or the query.
   */
  operation: {
    action: OperationAction;
    entity_type: string;
    entity_name: string;
    status: 'start' | 'success' | 'error';
    entity_id?: string;
    call: string;
  };
  /** An entity that the call changed: a JSON Patch (RFC 6902) from the version before. */
  entity_patch: EntityPatch & { call: string };
  /**
   * A step of a plan has a new status. `plan` is the plan's id, `step` the step's position in the plan, counted from 1. `chat` is
   * the step's own chat and `run` its run there, once it has them; `error` says why it failed, is blocked, or was skipped.
   */
  plan_step: {
    plan: string;
    step: number;
    step_id: string;
    status: PlanStepStatus;
    title?: string;
    chat?: string;
    run?: string;
    error?: string;
  };
  /**
   * Whether an autonomous run has reached its goal, after a round of work. `check`: the check command decided; `judge`: a model that
   * sees results and versions; `watchdog`: the round failed and changed nothing. `changed` counts files and entities that the round
   * changed, `idle` the rounds in a row, up to this one, that changed nothing.
   */
  verdict: {
    round: number;
    verdict: 'met' | 'not_met' | 'impossible';
    by: 'check' | 'judge' | 'watchdog';
    reasons: readonly string[];
    changed: number;
    idle: number;
  };
  /** The run started a child run on a thread of its own. `child` names it within this run. */
  child_start: { child: string; run: string; thread: string; title: string; role: string };
  /** The child run ended. `text` is the beginning of its last message; `files` and `entities` are what it changed. */
  child_end: {
    child: string;
    run: string;
    thread: string;
    status: 'done' | 'error' | 'canceled';
    text?: string;
    error?: RunError;
    usage?: Usage;
    cost?: number | null;
    files?: readonly { path: string; v: number; file: string }[];
    entities?: readonly { entity_type: string; entity_id: string; entity_name?: string }[];
    /** The child's model had read untrusted content, such as a web page. */
    untrusted?: true;
  };
  final: { text: string; sources: readonly string[]; message: string | null };
  /** `refused`: files that the model's provider did not accept; from here on that model sees only their names. */
  error: {
    error: string;
    code: string;
    refused?: { model: string; files: readonly { file: string; v: number }[] };
  };
  canceled: { reason: string };
  /** The thread has a title now; if a model made it, which one, and its usage and cost. */
  titled: { title: string; model?: string; usage?: Usage; cost?: number | null };
  /**
   * From here on, models see this text instead of the conversation up to the thread's `to_seq`. It builds on version `replaces`,
   * and it covers all messages that are named, of which models still see the kept ones. `note` says why no model made it,
   * although there is one.
   */
  summary: {
    version: number;
    replaces: number | null;
    text: string;
    to_seq: number;
    kept_message_ids: readonly string[];
    dropped_message_ids: readonly string[];
    tokens: { replaced: number; summary: number };
    note?: string;
    /** It replaces messages with untrusted content, such as a web page. */
    untrusted?: true;
  } & ModelWork;
  /** The summarizer failed, its summary was refused, or its answer came too late. It may be asked again at `retry_at`, in milliseconds. */
  summary_failed: { to_seq: number; tries: number; error: string; retry_at: number } & ModelWork;
  /**
   * A change of the agent state: item updates first, then state updates. A call's results and a plan change it within their run;
   * the summarizer and people change it between runs. A rewind before `to_seq`, or a retry of a message that is covered, takes it
   * back. `refused` are updates that were not applied. `cleared` empties the state first.
   */
  agent_state_delta: {
    source: 'result' | 'plan' | 'summarizer' | 'person';
    items?: readonly (AgentStateItemUpdate & { at: string })[];
    state?: AgentStateUpdate;
    /** Ids of entities that were removed. */
    gone?: readonly string[];
    cleared?: true;
    refused?: readonly { update: unknown; reason: string }[];
    to_seq?: number;
    covers?: readonly string[];
    call?: string;
    /** A person's request. */
    edit?: string;
    by?: Readonly<Record<string, unknown>>;
    /** Why the summarizer’s turn has no update. */
    error?: string;
  } & ModelWork;
}

/** The model that was called for an event outside a run, and its usage and cost; absent if none was. */
export interface ModelWork {
  readonly model?: string;
  readonly usage?: Usage;
  readonly cost?: number | null;
}

/** `clarify`: the person thinks aloud. `inform`: the person wants to know something. `act`: the person wants something done. */
export type Mode = 'clarify' | 'inform' | 'act';

export type OperationAction = 'list' | 'search' | 'read' | 'create' | 'update' | 'delete';

/**
 * A change of an entity, or of a project's document structure (`entity_type` is then `doc_structure`, and `entity_id` the
 * project's id). The patch of a new entity adds the whole of it at the root.
 */
export interface EntityPatch {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly project_id?: string | null;
  readonly entity_name?: string;
  readonly version: number;
  readonly patch: readonly PatchOperation[];
}

/** `call`: may the call be made? `unknown_outcome`: should a call with an unknown outcome be repeated? `question`: the call itself asks. */
export type ApprovalKind = 'call' | 'unknown_outcome' | 'question';
/** A `call` takes `approve`, `deny`, `edit`; an `unknown_outcome` takes `retry`, `skip`; a `question` takes `answer`, `deny`, `skip`. */
export type ApprovalDecision = 'approve' | 'deny' | 'edit' | 'retry' | 'skip' | 'answer';

/** What a thread is about: the whole workspace (`project_id` is null), a project, or an entity of a project. */
export interface ThreadScope {
  readonly project_id: string | null;
  readonly entity_id?: string;
}

/** A workspace file that was attached to a message, at the version it had then. */
export interface AttachedFile {
  readonly file: string;
  readonly path: string;
  readonly v: number;
  readonly media_type: string;
  /** In bytes. */
  readonly size: number;
}

/** An image file in the workspace, at one version. */
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

/** An event that is not in the log yet. */
export type NewEvent = { [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

/** An event in the log. `runSeq` is its id in the run's stream; the thread's own events have no run. */
export type LogEvent = NewEvent & {
  readonly threadId: string;
  readonly seq: number;
  readonly runId: string | null;
  readonly runSeq: number | null;
  readonly attempt: number;
  readonly at: Date;
};

/** An event as a thread's stream and pages show it. The thread's own events have no run. */
export type ThreadEvent = NewEvent & {
  readonly seq: number;
  readonly run_id: string | null;
  readonly run_seq: number | null;
  readonly at: string;
};

export function isTerminal(status: RunStatus): status is 'done' | 'error' | 'canceled' {
  return status === 'done' || status === 'error' || status === 'canceled';
}
