// The memory of a thread: its rolling summaries and its agent state, folded from the log.
//
// 1. What covers a message that was rewound or retried leaves the memory. What a person changed stays.
// 2. Models see the last summary that is left. Each builds on the one before, so leaving is always from the end.
// 3. Deltas are kept one by one, so that some of them can leave.

import type { EventData, LogEvent } from '../events.ts';
import type { AgentState, AgentStateItem } from '../memory.ts';

export interface HeldSummary {
  readonly seq: number;
  readonly at: string;
  readonly data: EventData['summary'];
}

interface HeldDelta {
  readonly seq: number;
  /** The last event that it follows from; a rewind before it takes it back. Null for a person's change. */
  readonly toSeq: number | null;
  readonly covers: readonly string[];
  readonly at: string;
  readonly data: EventData['agent_state_delta'];
}

export interface Memory {
  /** The version of the last summary, whether it is left or not. */
  readonly versions: number;
  /** Those that are left, oldest first. */
  readonly summaries: readonly HeldSummary[];
  readonly deltas: readonly HeldDelta[];
  /** Failures since the last summary or reconciliation. */
  readonly failed: EventData['summary_failed'] | null;
  /** The summarizer has reconciled the state up to this event. */
  readonly reconciledTo: number;
  /** How many tokens the provider of the last answer's model counts for one that is estimated; 1 if absent. */
  readonly ratio?: number;
  /** The last message that a run took in: later deltas of the run cover it. */
  readonly message: string | null;
}

export const NO_MEMORY: Memory = {
  versions: 0,
  summaries: [],
  deltas: [],
  failed: null,
  reconciledTo: 0,
  message: null,
};

/** The events that change a memory. */
export const MEMORY_EVENTS = [
  'message',
  'rewound',
  'summary',
  'summary_failed',
  'agent_state_delta',
] as const;

export function memoryAfter(memory: Memory, event: LogEvent): Memory {
  switch (event.type) {
    case 'message':
      if (event.data.steer) return memory;
      return { ...without(memory, ({ covers }) => covers.includes(event.data.id)), message: event.data.id };
    case 'rewound': {
      const { to_seq } = event.data;
      const left = without(memory, ({ toSeq }) => toSeq !== null && toSeq > to_seq);
      return { ...left, reconciledTo: Math.min(left.reconciledTo, to_seq) };
    }
    case 'summary': {
      const held = { seq: event.seq, at: event.at.toISOString(), data: event.data };
      return {
        ...memory,
        versions: event.data.version,
        summaries: [...memory.summaries, held],
        failed: null,
      };
    }
    case 'usage': {
      const { ratio: before, ...rest } = memory;
      const { ratio } = event.data;
      return ratio === before ? memory : { ...rest, ...(ratio !== undefined && { ratio }) };
    }
    case 'summary_failed':
      return { ...memory, failed: event.data };
    case 'agent_state_delta':
      return withDelta(memory, event);
    default:
      return memory;
  }
}

function withDelta(memory: Memory, { seq, at, data }: LogEvent & { type: 'agent_state_delta' }): Memory {
  const covers = data.covers ?? (data.source === 'person' || memory.message === null ? [] : [memory.message]);
  const toSeq = data.source === 'person' ? null : (data.to_seq ?? seq);
  const held: HeldDelta = { seq, toSeq, covers, at: at.toISOString(), data };
  const deltas = data.cleared ? [held] : [...memory.deltas, held];
  if (data.source !== 'summarizer') return { ...memory, deltas };
  return { ...memory, deltas, failed: null, reconciledTo: Math.max(memory.reconciledTo, toSeq!) };
}

type Covering = Pick<HeldDelta, 'toSeq' | 'covers'>;

/** The memory without what a rewind reverts. A summary is reverted with the one that it builds on. */
function without(memory: Memory, isGone: (each: Covering) => boolean): Memory {
  const first = memory.summaries.findIndex(({ data }) =>
    isGone({ toSeq: data.to_seq, covers: [...data.kept_message_ids, ...data.dropped_message_ids] }),
  );
  const deltas = memory.deltas.filter((delta) => !isGone(delta));
  if (first === -1 && deltas.length === memory.deltas.length) return memory;
  return {
    ...memory,
    summaries: first === -1 ? memory.summaries : memory.summaries.slice(0, first),
    deltas,
    failed: null,
  };
}

/** The summary that models are shown. */
export function currentSummary({ summaries }: Memory): HeldSummary | null {
  return summaries.at(-1) ?? null;
}

function emptyAgentState(sessionId: string): AgentState {
  return {
    sessionId,
    current_understanding: { entities: [], dependencies: [] },
    assumptions: [],
    expectations: [],
    tentative_hypotheses: [],
    items: [],
  };
}

export function agentStateOf({ deltas }: Pick<Memory, 'deltas'>, sessionId: string): AgentState {
  return deltas.reduce(
    (state, { data, at }) => applyAgentStateDelta(state, data, at),
    emptyAgentState(sessionId),
  );
}

/** The state after a delta. An update of an item that is not there, because its addition was reverted, changes nothing. */
export function applyAgentStateDelta(
  state: AgentState,
  { items = [], state: update = {}, gone = [], source, error }: EventData['agent_state_delta'],
  at: string,
): AgentState {
  const { entities, dependencies } = state.current_understanding;
  const { current_understanding: understood = {} } = update;
  return {
    ...state,
    current_understanding: {
      entities: merged(entities, understood.entities, byId).filter((each) => !gone.includes(each.id)),
      dependencies: merged(dependencies, understood.dependencies, byEnds).filter(
        ({ from, to }) => !gone.includes(from) && !gone.includes(to),
      ),
    },
    items: items.reduce(withItem, state.items),
    assumptions: merged(state.assumptions, update.assumptions, byId),
    expectations: merged(state.expectations, update.expectations, ({ action }) => action),
    tentative_hypotheses: merged(state.tentative_hypotheses, update.tentative_hypotheses, byId),
    ...(source === 'summarizer' && error === undefined && { lastSummarizedAt: at }),
  };
}

type ItemUpdate = NonNullable<EventData['agent_state_delta']['items']>[number];

function withItem(items: AgentStateItem[], update: ItemUpdate): AgentStateItem[] {
  const { at } = update;
  if (update.op === 'add') {
    const item = { ...update.item, createdAt: at, updatedAt: at };
    return [...items.filter(({ id }) => id !== item.id), item];
  }
  const patch = update.op === 'remove' ? { status: 'discarded' as const } : update.patch;
  return items.map((item) =>
    item.id === update.id ? ({ ...item, ...patch, updatedAt: at } as AgentStateItem) : item,
  );
}

function byId({ id }: { readonly id: string }): string {
  return id;
}

function byEnds({ from, to, rel = '' }: { from: string; to: string; rel?: string | undefined }): string {
  return JSON.stringify([from, to, rel]);
}

/** The elements in the order of their keys' first appearance; a later one replaces an earlier one with its key. */
function merged<T>(known: T[], more: readonly T[] = [], key: (each: T) => string): T[] {
  if (more.length === 0) return known;
  return [...new Map([...known, ...more].map((each) => [key(each), each])).values()];
}
