// The requests that models were sent: rebuilt from their manifests, the log, and the versions and texts that they were made of. The
// rebuilt request has the hash that was stored when it was sent; if it has not, the answer says why.

import { outputText, type ModelContext, type SentRequest } from '@continuo/protocol';
import type { PartList } from '../../context/manifest.ts';
import { hashRequest, type Sent } from '../../context/fingerprint.ts';
import { estimate, estimateText } from '../../context/history.ts';
import {
  rebuildHistory,
  toModelRequest,
  type ContextPart,
  type HistoryRecipe,
} from '../../context/request.ts';
import { rebuildPart } from '../../context/rebuilt-parts.ts';
import { rebuildSummarizerRequest, type SummarizerRecipe } from '../../context/summarizer.ts';
import { readContextTexts } from '../../context/texts.ts';
import type { Queryable } from '../../db/pool.ts';
import type { StoredEvent } from '../../log/event.ts';
import { readForFold } from '../../log/statements.ts';
import type { HistoryMessage, ToolSchema } from '../../models/model.ts';
import { EMPTY, type ThreadState } from '../../threads/fold.ts';
import { foldInTurns } from '../loop/replay.ts';
import { costOfParts } from './context-cost.ts';

export interface Manifest extends SentRequest {
  readonly workspaceId: string;
  readonly parts: string;
  /** How the messages of an answer's request follow from the log. */
  readonly history: HistoryRecipe | null;
  /** The same of a summarizer's request. Both null: its messages are stored as texts. */
  readonly summarizing: SummarizerRecipe | null;
  readonly feedSeq: number | null;
}

interface Row {
  thread_id: string;
  seq: number;
  try: number;
  workspace_id: string;
  run_id: string | null;
  message: string | null;
  purpose: SentRequest['purpose'];
  model: string;
  hash: string;
  parts: string;
  history: string | null;
  feed_seq: string | null;
  at: Date;
}

const COLUMNS = `thread_id, seq, try, workspace_id, run_id, message, purpose, model, encode(hash, 'hex') as hash,
  encode(parts, 'hex') as parts, history, feed_seq, at`;

const LAST_TRY = 32_767;

interface Range {
  /** Requests after this one, or after this event. */
  readonly after?: { readonly seq: number; readonly try?: number };
  readonly runId?: string;
  readonly limit?: number;
}

/** The requests of a thread in order; with `runId`, only those of the run. */
export async function readManifests(
  client: Queryable,
  threadId: string,
  { after = { seq: 0 }, runId, limit = 10_000 }: Range = {},
): Promise<readonly Manifest[]> {
  const { rows } = await client.query<Row>({
    name: 'read_manifests',
    text: `select ${COLUMNS} from context_manifests
      where thread_id = $1 and (seq, try) > ($2, $3) and ($4::uuid is null or run_id = $4) order by seq, try limit $5`,
    values: [threadId, after.seq, after.try ?? LAST_TRY, runId ?? null, limit],
  });
  return rows.map(fromRow);
}

/** The last request for an answer before an event of the thread. */
export async function readPreviousManifest(
  client: Queryable,
  threadId: string,
  before: number,
): Promise<Manifest | null> {
  const { rows } = await client.query<Row>({
    name: 'read_previous_manifest',
    text: `select ${COLUMNS} from context_manifests
      where thread_id = $1 and seq < $2 and purpose = 'answer' order by seq desc, try desc limit 1`,
    values: [threadId, before],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

function fromRow(row: Row): Manifest {
  const recipe: unknown = row.history === null ? null : JSON.parse(row.history);
  const isSummary = row.purpose === 'summary';
  return {
    thread_id: row.thread_id,
    seq: row.seq,
    try: row.try,
    run_id: row.run_id,
    message: row.message,
    purpose: row.purpose,
    model: row.model,
    hash: row.hash,
    at: row.at.toISOString(),
    workspaceId: row.workspace_id,
    parts: row.parts,
    history: isSummary ? null : (recipe as HistoryRecipe | null),
    summarizing: isSummary ? (recipe as SummarizerRecipe | null) : null,
    feedSeq: row.feed_seq === null ? null : Number(row.feed_seq),
  };
}

export function toWireSent({
  workspaceId: _,
  parts: __,
  history: ___,
  summarizing: ____,
  feedSeq: _____,
  ...sent
}: Manifest): SentRequest {
  return sent;
}

type Part = ModelContext['parts'][number];

interface Rebuilt {
  readonly sent: Sent;
  readonly parts: readonly Omit<Part, 'cost'>[];
}

export async function rebuildContext(client: Queryable, manifest: Manifest): Promise<ModelContext> {
  const list = await readPartList(client, manifest);
  const state = await readStateThen(client, manifest, list ?? NO_PARTS);
  const { rebuild, missing } = await readParts(client, manifest, { list, state });
  const rebuilt = rebuild(await readMessages(client, manifest, state));
  const hash = hashRequest(manifest.model, rebuilt.sent);
  const isExact = hash === manifest.hash;
  const ratio = ratioOf(manifest);
  const counted = rebuilt.parts.map((part) => ({ ...part, tokens: Math.round(part.tokens * ratio) }));
  const { parts, tokens, cost } = await costOfParts(client, manifest, counted);
  return {
    ...toWireSent(manifest),
    rebuilt_hash: hash,
    exact: isExact,
    problem: isExact ? null : problemWith(missing, rebuilt.parts),
    feed_seq: manifest.feedSeq,
    tokens: { ...tokens, ratio },
    cost,
    parts: [...parts],
    left_out: [...(list?.left_out ?? [])],
  };
}

/** How many tokens the provider counts for one that is estimated, as it was known then. */
export function ratioOf({ history }: Pick<Manifest, 'history'>): number {
  return history?.ratio ?? 1;
}

/** What the request is made of, besides the messages that follow from the log; null if it was deleted for good. */
export async function readPartList(
  client: Queryable,
  { thread_id, workspaceId, parts }: Manifest,
): Promise<PartList | null> {
  const text = (await readContextTexts(client, [thread_id, workspaceId], [parts])).get(parts);
  return text === undefined ? null : (JSON.parse(text) as PartList);
}

function problemWith(missing: number, parts: Rebuilt['parts']): string {
  const gone = parts.filter((part) => part.text === null).length + missing;
  if (gone === 0)
    return 'The rebuilt request differs from the one that was sent: this version of the server makes some part of it differently.';
  const what = gone === 1 ? 'One part' : `${gone} parts`;
  return `${what} of the request cannot be shown any more: what ${gone === 1 ? 'it was' : 'they were'} made from has been deleted for good.`;
}

type Messages = readonly { readonly seq: number | null; readonly message: HistoryMessage }[];

interface Parts {
  /** How many texts of no single part are gone. */
  readonly missing: number;
  readonly rebuild: (messages: Messages) => Rebuilt;
}

const NO_PARTS: PartList = { system: [], turn: [], messages: [], tools: '', tool_tokens: 0, left_out: [] };

/** Everything but the messages that follow from the log. */
async function readParts(
  client: Queryable,
  manifest: Manifest,
  { list: known, state }: { readonly list: PartList | null; readonly state: ThreadState },
): Promise<Parts> {
  const owners = [manifest.thread_id, manifest.workspaceId];
  const list = known ?? NO_PARTS;
  const listed = [...list.system, ...list.turn];
  const hashes = [...listed.map(({ hash }) => hash), ...list.messages, list.tools];
  const texts = new Map(await readContextTexts(client, owners, hashes));
  for (const part of listed) {
    const text = texts.has(part.hash) ? null : await rebuildPart(client, part, state);
    if (text !== null) texts.set(part.hash, text);
  }
  const schemas = texts.get(list.tools);
  const tools = schemas === undefined ? [] : (JSON.parse(schemas) as ToolSchema[]);
  const stored = list.messages.flatMap((hash) => {
    const message = texts.get(hash);
    return message === undefined ? [] : [{ seq: null, message: JSON.parse(message) as HistoryMessage }];
  });
  const filled = (each: PartList['system'][number]): ContextPart => ({
    ...each,
    text: texts.get(each.hash) ?? '',
  });
  const shown = (place: Part['place']) => (each: PartList['system'][number]) => ({
    place,
    kind: each.kind,
    source: each.source,
    tokens: each.tokens,
    text: texts.get(each.hash) ?? null,
  });
  const missing =
    Number(known === null) + Number(schemas === undefined) + list.messages.length - stored.length;
  return {
    missing,
    rebuild: (fromLog) => {
      const messages = [...stored, ...fromLog];
      const request = toModelRequest(
        {
          system: list.system.map(filled),
          turn: list.turn.map(filled),
          tools,
          history: { messages: messages.map(({ message }) => message) },
        },
        { messageId: '', signal: NEVER },
      );
      return {
        sent: request,
        parts: [
          ...tools.map(toolPart),
          ...list.system.map(shown('system')),
          ...beforeLastUser(messages.map(messagePart), list.turn.map(shown('turn'))),
        ],
      };
    },
  };
}

/** The parts of the turn stand where `toModelRequest` puts them. */
function beforeLastUser(
  messages: readonly Omit<Part, 'cost'>[],
  turn: readonly Omit<Part, 'cost'>[],
): readonly Omit<Part, 'cost'>[] {
  const last = messages.findLastIndex(({ kind }) => kind === 'user');
  return last < 0 ? [...messages, ...turn] : messages.toSpliced(last, 0, ...turn);
}

const NEVER = new AbortController().signal;

/** The thread's state when the request was made. What the summarizer or a person changed between then and the answer is not in it. */
async function readStateThen(
  client: Queryable,
  { history: recipe, summarizing, thread_id, seq }: Manifest,
  { turn }: PartList,
): Promise<ThreadState> {
  if (recipe === null && summarizing === null) return EMPTY;
  const all = await readForFold(client, thread_id);
  const events = all.filter((event) => event.seq < seq);
  if (recipe === null) return foldInTurns(events.filter((event) => event.seq <= summarizing!.state_seq));
  const source = turn.find(({ kind }) => kind === 'agent_state')?.source;
  const stateSeq = source?.kind === 'event' ? source.seq : seq;
  const isLater = (event: StoredEvent) =>
    (event.type === 'summary' && event.seq > (recipe.summary ?? 0)) ||
    (event.type === 'agent_state_delta' && event.seq > stateSeq);
  return foldInTurns(events.filter((event) => !isLater(event)));
}

/** The messages that follow from the log. */
async function readMessages(client: Queryable, manifest: Manifest, state: ThreadState): Promise<Messages> {
  const { history: recipe, summarizing, run_id: runId, thread_id, model } = manifest;
  if (summarizing !== null) {
    const { history } = rebuildSummarizerRequest(state, summarizing, thread_id);
    return history.map((message) => ({ seq: summarizing.state_seq, message }));
  }
  return recipe === null || runId === null ? [] : rebuildHistory(client, state, { recipe, runId, model });
}

function toolPart(tool: ToolSchema): Omit<Part, 'cost'> {
  const text = JSON.stringify(tool, null, 2);
  const tokens = estimateText(JSON.stringify(tool));
  return { place: 'tools', kind: 'tool', source: { kind: 'text', name: tool.name }, tokens, text };
}

function messagePart({ seq, message }: Messages[number]): Omit<Part, 'cost'> {
  const source = seq === null ? { kind: 'text' as const, name: 'message' } : { kind: 'event' as const, seq };
  return { place: 'history', kind: message.role, source, tokens: estimate(message), text: textOf(message) };
}

/** A message for people to read. */
function textOf(message: HistoryMessage): string {
  const files = 'files' in message ? (message.files ?? []) : [];
  const attached = files.map(({ mediaType, data }) => `[${mediaType}, ${data.length} bytes]`);
  const text = ((): string => {
    switch (message.role) {
      case 'user':
        return [message.content, ...(message.note ? [message.note] : [])].join('\n\n');
      case 'system':
        return message.content;
      case 'tool':
        return `${message.tool}${message.failed ? ' (failed)' : ''}:\n${outputText(message.output)}`;
      case 'assistant':
        return message.parts.map((part) => partText(part)).join('\n\n');
    }
  })();
  return [text, ...attached].join('\n');
}

function partText(part: Extract<HistoryMessage, { role: 'assistant' }>['parts'][number]): string {
  if (part.kind === 'tool_call') {
    const { input } = part;
    return `→ ${part.tool} ${input.kind === 'json' ? JSON.stringify(input.value, null, 2) : input.text}`;
  }
  return part.kind === 'reasoning' ? `[Reasoning] ${part.text}` : part.text;
}
