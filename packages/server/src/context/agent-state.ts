// The agent state: what a call's results tell about entities, which updates of the summarizer and of people are accepted, and
// the part of the state that models are shown.

import {
  AGENT_STATE_LISTS,
  agentStateOf,
  applyAgentStateDelta,
  schemas,
  type AgentState,
  type AgentStateUpdate,
  type EventData,
  type Memory,
  type NewEvent,
} from '@continuo/protocol';
import type { ContextPart } from './request.ts';
import { isRemoval } from '../threads/changed-facts.ts';

type Delta = EventData['agent_state_delta'];
type ItemUpdate = NonNullable<Delta['items']>[number];
type Refused = NonNullable<Delta['refused']>[number];

/** How many elements of a list models are shown: the latest. */
const SHOWN = 30;
/** How many items a state may have. */
const ITEMS = 500;

/** What the events of a call tell about entities and their edges; null if nothing. No model is asked. */
export function deltaOfCall(call: string, events: readonly NewEvent[]): Delta | null {
  const patches = events.flatMap((event) => (event.type === 'entity_patch' ? [event.data] : []));
  const told = patches.filter(({ entity_type }) => entity_type !== 'doc_structure');
  if (told.length === 0) return null;
  const gone = told.filter(isRemoval).map(({ entity_id }) => entity_id);
  const entities = told
    .filter(({ entity_id }) => !gone.includes(entity_id))
    .map(({ entity_id: id, entity_type: kind, entity_name: name }) => ({
      id,
      kind,
      ...(name !== undefined && { name }),
    }));
  const dependencies = told.flatMap(({ patch }) => patch.flatMap(({ value }) => edgesIn(value)));
  const understood = {
    ...(entities.length > 0 && { entities }),
    ...(dependencies.length > 0 && { dependencies }),
  };
  return {
    source: 'result',
    call,
    ...(Object.keys(understood).length > 0 && { state: { current_understanding: understood } }),
    ...(gone.length > 0 && { gone }),
  };
}

interface Edge {
  readonly from_id?: unknown;
  readonly to_id?: unknown;
  readonly rel?: unknown;
  readonly edges?: unknown;
}

/** The edges in the value of a patch: an edge, a list of them, or a whole entity with them. */
function edgesIn(value: unknown): { from: string; to: string; rel: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(edgesIn);
  const { from_id: from, to_id: to, rel, edges } = value as Edge;
  if (typeof from === 'string' && typeof to === 'string' && typeof rel === 'string')
    return [{ from, to, rel }];
  return Array.isArray(edges) ? edges.flatMap(edgesIn) : [];
}

interface Checked {
  readonly items: ItemUpdate[];
  readonly state: AgentStateUpdate;
  readonly refused: Refused[];
}

interface ProposedChange {
  readonly agent_state_item_updates?: unknown;
  readonly agent_state_updates?: unknown;
}

/**
 * Checks a proposed change update by update: item updates first, then state updates. A bad one is refused with a reason, and the
 * others count. `isKnownId` tells whether an entity's id occurs in what the change was made from.
 */
export function checkChange(
  state: AgentState,
  proposed: ProposedChange,
  { at, isKnownId = () => true }: { readonly at: string; readonly isKnownId?: (id: string) => boolean },
): Checked {
  const refused: Refused[] = [];
  const items: ItemUpdate[] = [];
  let now = state;
  for (const update of listOf(proposed.agent_state_item_updates)) {
    const result = checkItem(now, update, at);
    if (typeof result === 'string') refused.push({ update, reason: result });
    else {
      items.push(result);
      now = applyAgentStateDelta(now, { source: 'person', items: [result] }, at);
    }
  }
  const updates = listOf(proposed.agent_state_updates).map((each) =>
    checkState(now, each, isKnownId, refused),
  );
  return { items, state: updates.reduce(mergeUpdates, {}), refused };
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function checkItem(state: AgentState, update: unknown, at: string): ItemUpdate | string {
  const parsed = schemas.agentStateItemUpdate.safeParse(update);
  if (!parsed.success) return problemOf(parsed.error.issues);
  const { data } = parsed;
  const id = data.op === 'add' ? data.item.id : data.id;
  const known = state.items.some((item) => item.id === id);
  if (data.op === 'add' && known) return `there is an item ${JSON.stringify(id)} already; update it`;
  if (data.op === 'add' && state.items.length >= ITEMS) return `a state may have at most ${ITEMS} items`;
  if (data.op !== 'add' && !known) return `there is no item ${JSON.stringify(id)}`;
  return { ...data, at };
}

/** The elements of an update that are accepted; adds the others to `refused`. */
function checkState(
  state: AgentState,
  update: unknown,
  isKnownId: (id: string) => boolean,
  refused: Refused[],
): AgentStateUpdate {
  if (typeof update !== 'object' || update === null) {
    refused.push({ update, reason: 'a state update must be an object' });
    return {};
  }
  const { current_understanding: understood, ...lists } = update as Record<string, unknown>;
  const accepted = <K extends keyof typeof AGENT_STATE_LISTS>(list: K, given: unknown) =>
    listOf(given).flatMap((each) => {
      const parsed = AGENT_STATE_LISTS[list].safeParse(each);
      const reason = parsed.success
        ? unknownIds(state, parsed.data, isKnownId)
        : problemOf(parsed.error.issues);
      if (reason !== null) refused.push({ update: { [list]: each }, reason });
      return reason === null ? [parsed.data] : [];
    });
  const { entities, dependencies } = (understood ?? {}) as Record<string, unknown>;
  return withoutEmpty({
    current_understanding: withoutEmpty({
      entities: accepted('entities', entities),
      dependencies: accepted('dependencies', dependencies),
    }),
    assumptions: accepted('assumptions', lists['assumptions']),
    expectations: accepted('expectations', lists['expectations']),
    tentative_hypotheses: accepted('tentative_hypotheses', lists['tentative_hypotheses']),
  });
}

/** Why an entity or a dependency is refused: it names an id that nothing mentions. */
function unknownIds(state: AgentState, value: unknown, isKnownId: (id: string) => boolean): string | null {
  const { id, kind, from, to } = value as Record<string, unknown>;
  const ids = typeof kind === 'string' ? [id] : from === undefined ? [] : [from, to];
  const known = state.current_understanding.entities;
  const unknown = ids.find((each) => !known.some((entity) => entity.id === each) && !isKnownId(String(each)));
  return unknown === undefined ? null : `nothing in the conversation mentions ${JSON.stringify(unknown)}`;
}

function mergeUpdates(one: AgentStateUpdate, other: AgentStateUpdate): AgentStateUpdate {
  const join = <T>(a: T[] = [], b: T[] = []) => [...a, ...b];
  return withoutEmpty({
    current_understanding: withoutEmpty({
      entities: join(one.current_understanding?.entities, other.current_understanding?.entities),
      dependencies: join(one.current_understanding?.dependencies, other.current_understanding?.dependencies),
    }),
    assumptions: join(one.assumptions, other.assumptions),
    expectations: join(one.expectations, other.expectations),
    tentative_hypotheses: join(one.tentative_hypotheses, other.tentative_hypotheses),
  });
}

function withoutEmpty(lists: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(lists).filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : Object.keys(value as object).length > 0,
    ),
  );
}

function problemOf(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'update'}: ${message}`).join('; ');
}

/** The members of a delta, without empty ones. */
export function toDelta({ items, state, refused }: Checked): Pick<Delta, 'items' | 'state' | 'refused'> {
  return {
    ...(items.length > 0 && { items }),
    ...(Object.keys(state).length > 0 && { state }),
    ...(refused.length > 0 && { refused }),
  };
}

/**
 * The state as models are shown it: active items, assumptions that hold, and the latest of each list. What the current run's own
 * calls changed is in their results, so the part stays the same for the whole run. Null if the state is empty.
 */
export function agentStatePart(memory: Memory): ContextPart | null {
  const deltas = memory.deltas.filter(
    ({ data, covers }) => data.source !== 'result' || !covers.includes(memory.message ?? ''),
  );
  const text = stateText(agentStateOf({ deltas }, ''));
  return text === null
    ? null
    : { kind: 'agent_state', text, source: { kind: 'event', seq: deltas.at(-1)!.seq } };
}

function stateText(state: AgentState): string | null {
  const { entities, dependencies } = state.current_understanding;
  const shown = {
    current_understanding: { entities: entities.slice(-SHOWN), dependencies: dependencies.slice(-SHOWN) },
    assumptions: state.assumptions.filter(({ confidence }) => confidence > 0).slice(-SHOWN),
    expectations: state.expectations.slice(-SHOWN),
    tentative_hypotheses: state.tentative_hypotheses.slice(-SHOWN),
    items: state.items
      .filter(({ status }) => status === 'active')
      .slice(-SHOWN)
      .map(({ createdAt: _, updatedAt: __, status: ___, ...item }) => item),
  };
  const lists = [
    ...Object.values(shown.current_understanding),
    ...Object.values(shown).filter(Array.isArray),
  ];
  if (lists.every((list) => list.length === 0)) return null;
  return `Your agent state in this conversation. It is yours, not the person’s message. Items are provisional: make entities of them only if the person clearly wants it.\n\n${JSON.stringify(shown)}`;
}
