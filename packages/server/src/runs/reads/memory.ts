// The memory of a chat: its agent state, and the versions of its summary with what they replaced. Read from the log.

import {
  agentStateOf,
  memoryAfter,
  MEMORY_EVENTS,
  NO_MEMORY,
  type AgentState,
  type EventData,
  type Memory,
  type Summary,
  type SummaryVersion,
} from '@continuo/protocol';
import { messageId, messageText, termsIn } from '../../context/extract.ts';
import type { Queryable } from '../../db/pool.ts';
import { readForFold, readTypes } from '../../log/statements.ts';
import type { StoredEvent } from '../../log/event.ts';
import type { HistoryEntry } from '../../threads/fold.ts';
import { foldInTurns } from '../loop/replay.ts';

/** Maximum characters of a replaced message, and maximum number of lost terms. */
const SHOWN = 20_000;
const LOST = 500;

export async function readAgentState(client: Queryable, threadId: string): Promise<AgentState> {
  const { memory } = await readMemory(client, threadId);
  return agentStateOf(memory, threadId);
}

/** Newest first. */
export async function readSummaries(client: Queryable, threadId: string): Promise<Summary[]> {
  const { memory, events } = await readMemory(client, threadId);
  return events.flatMap((event) => (event.type === 'summary' ? [toWire(event, memory)] : [])).toReversed();
}

/** Null if there is no such version. */
export async function readSummary(
  client: Queryable,
  threadId: string,
  version: number,
): Promise<SummaryVersion | null> {
  const { memory, events } = await readMemory(client, threadId);
  const summaries = events.filter((event) => event.type === 'summary');
  const made = summaries.find(({ data }) => data.version === version);
  if (!made) return null;
  const before = summaries.find(({ data }) => data.version === made.data.replaces)?.data ?? null;
  const log = await readForFold(client, threadId);
  const { history } = await foldInTurns(log.filter(({ seq }) => seq < made.seq));
  const replaced = history.filter((entry) => isReplaced(entry, made.data, before));
  const kept = new Set(made.data.kept_message_ids);
  return {
    ...toWire(made, memory),
    replaced: {
      summary: before?.text ?? null,
      messages: replaced.map((entry) => toWireMessage(entry, kept)),
    },
    lost: lostTerms(replaced, made.data),
  };
}

async function readMemory(client: Queryable, threadId: string) {
  const events = await readTypes(client, threadId, MEMORY_EVENTS);
  return { memory: events.reduce(memoryAfter, NO_MEMORY), events };
}

type SummaryEvent = StoredEvent & { type: 'summary' };

function toWire({ data, at, seq }: SummaryEvent, { summaries }: Memory): Summary {
  return {
    version: data.version,
    text: data.text,
    made_by: data.model ?? 'extract',
    made_at: at.toISOString(),
    messages: data.dropped_message_ids.length,
    tokens: data.tokens,
    replaces: data.replaces,
    in_use: summaries.at(-1)?.seq === seq,
    ...(data.note !== undefined && { note: data.note }),
  };
}

/** Whether a summary replaced this entry, and not already the one before. */
function isReplaced(
  { seq }: HistoryEntry,
  { to_seq }: EventData['summary'],
  before: EventData['summary'] | null,
) {
  return seq <= to_seq && seq > (before?.to_seq ?? 0);
}

function toWireMessage(
  each: HistoryEntry,
  kept: ReadonlySet<string>,
): SummaryVersion['replaced']['messages'][number] {
  const id = messageId(each) ?? `${each.runId}/${each.seq}`;
  const text = messageText(each.entry).slice(0, SHOWN);
  return { id, role: each.entry.role, text, kept: kept.has(id) };
}

function lostTerms(
  replaced: readonly HistoryEntry[],
  { text, kept_message_ids }: EventData['summary'],
): string[] {
  const gone = replaced.filter((each) => !kept_message_ids.includes(messageId(each) ?? ''));
  const terms = gone.flatMap(({ entry }) => termsIn(messageText(entry)));
  return [...new Set(terms)].filter((term) => !text.includes(term)).slice(0, LOST);
}
