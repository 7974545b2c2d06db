// A chat as people see it. Built in place, event by event: nothing is ever copied, and whoever shows it compares versions
// to know what changed.

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

/** What the view is made of: a thread's events, or those of one run, whose stream tells no time. */
export type ViewEvent = NewEvent & {
  readonly seq: number;
  readonly run_id: string | null;
  readonly run_seq: number | null;
  readonly at: string | null;
};

export interface ChatView {
  /** Another one whenever anything changed. Turns and items have versions, too: the view's at their last change. */
  version: number;
  /** The first and the last event that are in it; 0 if none is. */
  firstSeq: number;
  seq: number;
  title: string | null;
  session: { id: string; state: SessionState; reason: string; since: string | null } | null;
  /** How full the model's window was, where it did not hold the whole chat. */
  context: EventData['context_usage'] | null;
  /** Of all that is in the view, what was taken back included. */
  usage: Usage;
  /** US dollars, as far as prices are known; null while none is. */
  cost: number | null;
  /** One for each run, in the order in which they began. */
  turns: Turn[];
  /** The fold's own. */
  readonly fold: ViewFold;
}

interface ViewFold {
  readonly turns: Map<string, Turn>;
  /** By a person's message: the turn that took it in last. */
  readonly said: Map<string, Turn>;
  readonly rewinds: { readonly run: string | null; readonly to: number }[];
  /** The events of turns whose beginning is not there yet: an older page makes the turn anew. */
  readonly cut: Map<string, ViewEvent[]>;
}

/** `waiting`: nothing is left to do until a person decides. */
export type TurnState = 'running' | 'waiting' | 'paused' | 'done' | 'error' | 'canceled';

export interface Turn {
  readonly run: string;
  version: number;
  readonly firstSeq: number;
  lastSeq: number;
  /** False while its beginning is on an older page. */
  readonly whole: boolean;
  state: TurnState;
  /** How many pods have held it. */
  attempt: number;
  /** How many of them went on with what another had left in the middle; while it waits for people nobody holds it. */
  takeovers: number;
  readonly startedAt: string | null;
  endedAt: string | null;
  error: RunError | null;
  /** Why it was canceled. */
  canceled: string | null;
  /** Ids of the files that its answer was made from. */
  sources: readonly string[];
  usage: Usage;
  cost: number | null;
  /** The chat was taken back to before it, or its message was run again: models are not told of it any more. */
  forgotten: 'rewound' | 'retried' | null;
  readonly items: Item[];
  /** The fold's own: messages, and the calls of the last one, by their ids. */
  readonly answers: Map<string, AnswerItem>;
  readonly calls: Map<string, TrackedCall>;
}

/** A call in its lifecycle, and the item that shows it. */
export interface TrackedCall {
  readonly item: CallItem;
  call: Call;
}

export type Item = PersonItem | AnswerItem | CallItem;

interface AnyItem {
  version: number;
  /** The event that it began with. */
  readonly seq: number;
  readonly at: string | null;
  /** Taken back; where its whole turn is, the turn says so. */
  forgotten: boolean;
}

export interface PersonItem extends AnyItem {
  readonly kind: 'person';
  readonly id: string;
  readonly content: string;
  readonly files: readonly AttachedFile[];
  /** It came while the run was at work. */
  readonly steer: boolean;
}

export interface AnswerItem extends AnyItem {
  readonly kind: 'answer';
  readonly message: string;
  model: string | null;
  /** What was thought and said, in order; `from` where it came piece by piece. */
  parts: { kind: 'thought' | 'text'; text: string; from: string | null }[];
  /** `superseded`: the message was begun again; `error` says why, where the model's stream failed, and is null where a pod was lost. */
  state: 'streaming' | 'complete' | 'error' | 'interrupted' | 'superseded';
  error: RunError | null;
  endedAt: string | null;
}

export interface CallItem extends AnyItem {
  readonly kind: 'call';
  readonly call: string;
  readonly tool: string;
  /** What it does, in words. */
  title: string | null;
  /** What the model wrote where it was not JSON is `{ raw }`. */
  input: unknown;
  state: 'planned' | 'waiting' | 'running' | 'ended';
  output: unknown;
  success: boolean | null;
  outcome: CallOutcome | null;
  startedAt: string | null;
  endedAt: string | null;
  /** The versions of files that it made. */
  readonly files: Omit<EventData['file_updated'], 'call'>[];
  /** What people were asked about it. */
  readonly approvals: ApprovalItem[];
}

export interface ApprovalItem {
  readonly id: string;
  readonly kind: ApprovalKind;
  readonly input: unknown;
  readonly paths: readonly string[];
  readonly reason: string;
  /** Of a question: that of the answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly askedAt: string | null;
  readonly expiresAt: string | null;
  /** Null while it waits; `canceled` if the run ended first. */
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

/** It was canceled while it waited its turn: nothing was said in it, and it says nothing about how the chat is. */
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
