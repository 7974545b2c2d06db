// A chat as people see it. The view is updated in place, event by event, without copies; screens compare versions to find out
// what changed.

import type { Usage } from '@continuo/engine';
import type { Call } from '../fold/calls.ts';
import type {
  ApprovalDecision,
  ApprovalKind,
  AttachedFile,
  CallOutcome,
  EventData,
  NewEvent,
  RunError,
  SessionState,
} from '../events.ts';

/** The input of the view: a thread's events, or the events of one run, whose stream has no times. */
export type ViewEvent = NewEvent & {
  readonly seq: number;
  readonly run_id: string | null;
  readonly run_seq: number | null;
  readonly at: string | null;
};

export interface ChatView {
  /** Increases with every change. Turns and items have versions too: the view's version at their last change. */
  version: number;
  /** The first and the last event in the view; 0 if there is none. */
  firstSeq: number;
  seq: number;
  title: string | null;
  session: { id: string; state: SessionState; reason: string; since: string | null } | null;
  /** The last event that changed the chat's memory, and the last one that told a model's usage; 0 if there is none in the view. */
  memorySeq: number;
  usageSeq: number;
  /** How full the model's context window was, if the chat did not fit. */
  context: EventData['context_usage'] | null;
  /** The usage of everything in the view, rewound turns included. */
  usage: Usage;
  /** US dollars, for calls with a known price; null until there is one. */
  cost: number | null;
  /** One turn per run, in the order in which the runs began. */
  turns: Turn[];
  /** Internal state of the fold. */
  readonly fold: ViewFold;
}

interface ViewFold {
  readonly turns: Map<string, Turn>;
  /** The last turn that ran each message, by the message's id. */
  readonly said: Map<string, Turn>;
  readonly rewinds: { readonly run: string | null; readonly to: number }[];
  /** The events of turns whose beginning is missing: once an older page has it, the turn is rebuilt. */
  readonly cut: Map<string, ViewEvent[]>;
}

/** `waiting`: nothing can happen until a person decides. */
export type TurnState = 'running' | 'waiting' | 'paused' | 'done' | 'error' | 'canceled';

export interface Turn {
  readonly run: string;
  version: number;
  readonly firstSeq: number;
  lastSeq: number;
  /** False while the turn's beginning is on an older page. */
  readonly whole: boolean;
  state: TurnState;
  /** How many pods have held the run. */
  attempt: number;
  /**
   * How many of them took over a run that another pod left unfinished. A run that waits for people, or starts other runs, has no
   * owner, so claiming it is not a takeover.
   */
  takeovers: number;
  readonly startedAt: string | null;
  endedAt: string | null;
  error: RunError | null;
  /** Why the run was canceled. */
  canceled: string | null;
  /** What the person wants, as the server understood it; only in the chats of projects. */
  mode?: EventData['mode'];
  /** Ids of the files that the answer uses. */
  sources: readonly string[];
  usage: Usage;
  cost: number | null;
  /** The chat was rewound to before this turn, or its message was run again: models no longer see the turn. */
  forgotten: 'rewound' | 'retried' | null;
  readonly items: Item[];
  /** Internal state of the fold: messages, and the calls of the last one, by id. */
  readonly answers: Map<string, AnswerItem>;
  readonly calls: Map<string, TrackedCall>;
}

/** A call in its lifecycle, and the item that shows it. */
export interface TrackedCall {
  readonly item: CallItem;
  call: Call;
}

export type Item = PersonItem | AnswerItem | CallItem | ChildItem | PlanItem | VerdictItem;

interface AnyItem {
  version: number;
  /** The seq of the event with which the item began. */
  readonly seq: number;
  readonly at: string | null;
  /** The item was rewound. If the whole turn was, only the turn says so. */
  forgotten: boolean;
}

export interface PersonItem extends AnyItem {
  readonly kind: 'person';
  readonly id: string;
  readonly content: string;
  readonly files: readonly AttachedFile[];
  /** The message was sent to the running run. */
  readonly steer: boolean;
}

export interface AnswerItem extends AnyItem {
  readonly kind: 'answer';
  readonly message: string;
  model: string | null;
  /** Thoughts and text, in order; `from` is the time when a streamed part began. */
  parts: { kind: 'thought' | 'text'; text: string; from: string | null }[];
  /** `superseded`: the message started again. `error` then says why the model's stream failed; it is null if a pod was lost. */
  state: 'streaming' | 'complete' | 'error' | 'interrupted' | 'superseded';
  error: RunError | null;
  endedAt: string | null;
}

export interface CallItem extends AnyItem {
  readonly kind: 'call';
  readonly call: string;
  readonly tool: string;
  /** Describes the call for people. */
  title: string | null;
  /** The call's input; invalid JSON becomes `{ raw }`. */
  input: unknown;
  state: 'planned' | 'waiting' | 'running' | 'ended';
  output: unknown;
  success: boolean | null;
  outcome: CallOutcome | null;
  startedAt: string | null;
  endedAt: string | null;
  /** The file versions that the call created. */
  readonly files: Omit<EventData['file_updated'], 'call'>[];
  /** What the call does to entities; the end of an operation replaces its start. */
  readonly operations: Omit<EventData['operation'], 'call'>[];
  /** The approvals of the call. */
  readonly approvals: ApprovalItem[];
}

/** A run that this one started. What is null is not known: a start on an older page, an end that is still to come. */
export interface ChildItem extends AnyItem {
  readonly kind: 'child';
  readonly child: string;
  readonly run: string;
  readonly thread: string;
  readonly title: string | null;
  readonly role: string | null;
  state: 'running' | 'done' | 'error' | 'canceled';
  text: string | null;
  error: RunError | null;
  /** Of the child run alone, without the runs that it started. */
  usage: Usage | null;
  cost: number | null;
  files: NonNullable<EventData['child_end']['files']>;
  endedAt: string | null;
}

/** The plan that the run carries out: the latest status of each step that has changed, in the order of the plan. */
export interface PlanItem extends AnyItem {
  readonly kind: 'plan';
  readonly plan: string;
  steps: EventData['plan_step'][];
}

export interface VerdictItem extends AnyItem {
  readonly kind: 'verdict';
  readonly verdict: EventData['verdict'];
}

export interface ApprovalItem {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly input: unknown;
  readonly paths: readonly string[];
  readonly reason: string;
  /** For a question: the schema of the answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly askedAt: string | null;
  readonly expiresAt: string | null;
  /** Null while the approval is open; `canceled` if the run ended first. */
  decision: ApprovalDecision | 'expired' | 'canceled' | null;
  comment: string | null;
  decidedAt: string | null;
}

export function newView(): ChatView {
  return {
    version: 0,
    firstSeq: 0,
    seq: 0,
    title: null,
    session: null,
    memorySeq: 0,
    usageSeq: 0,
    context: null,
    usage: { input: 0, output: 0 },
    cost: null,
    turns: [],
    fold: { turns: new Map(), said: new Map(), rewinds: [], cut: new Map() },
  };
}

export function isOpen({ state }: Turn): boolean {
  return state === 'running' || state === 'waiting' || state === 'paused';
}

/** The run was canceled in the queue: the turn is empty, and says nothing about the state of the chat. */
export function neverBegan({ whole, canceled, items }: Turn): boolean {
  return whole && canceled !== null && items.length === 0;
}

/** The calls that wait for a person. */
export function waitingCalls(
  view: ChatView,
): { readonly turn: Turn; readonly call: CallItem; readonly approval: ApprovalItem }[] {
  return view.turns.filter(isOpen).flatMap((turn) =>
    turn.items.flatMap((item) => {
      const approval = item.kind === 'call' && item.state === 'waiting' ? item.approvals.at(-1) : undefined;
      return approval ? [{ turn, call: item as CallItem, approval }] : [];
    }),
  );
}
