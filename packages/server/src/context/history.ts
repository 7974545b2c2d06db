// The history as a model is shown it: tool results of earlier runs are summarized; if the history is long, old results are masked;
// and the oldest turns are left out if the history would not fit the model's context window.

import { outputText } from '@continuo/protocol';
import type { HistoryFile, HistoryMessage } from '../models/model.ts';
import type { HistoryEntry, ThreadState } from '../threads/fold.ts';

export const SUMMARIZED = '[Note: Summarized result]';

export interface HistoryOptions {
  /** The run that calls the model. Its own tool results are shown in full. */
  readonly runId: string;
  readonly summaryLines: number;
  /** Turns that the thread's state does not hold. They are always left out. */
  readonly omitted?: ThreadState['omitted'];
  /** Maximum tokens of the history; null means no limit. */
  readonly budget: number | null;
  /** In a history of more tokens, old results are masked; never if absent. */
  readonly maskOver?: number | undefined;
}

/** Maximum tokens of the history in a thread's state. Also the limit for a model whose window is not known. */
export const WINDOW_TOKENS = 250_000;

export interface ShownHistory {
  readonly messages: readonly HistoryMessage[];
  /** An estimate. */
  readonly tokens: number;
  readonly turnsLeftOut: number;
}

/** Maximum characters of a summary, even if it has few lines. */
const SUMMARY_CHARACTERS = 2000;

/** Roughly what providers count for an image, or for a page of a PDF. */
const IMAGE_TOKENS = 1500;
/** Roughly the bytes of one page of a PDF. */
const PAGE_BYTES = 64 * 1024;

export function shownHistory(history: ThreadState['history'], options: HistoryOptions): ShownHistory {
  const messages = withMasks(
    history,
    history.map((each) =>
      each.runId === options.runId ? each.entry : shortened(each, options.summaryLines),
    ),
    options.maskOver ?? Infinity,
  );
  const before = options.omitted?.turns ?? 0;
  if (options.budget === null) return { messages, tokens: estimateAll(messages), turnsLeftOut: before };
  const turns = intoTurns(messages);
  const sizes = turns.map(estimateAll);
  let tokens = sizes.reduce((sum, size) => sum + size, 0);
  let first = 0;
  // The last turn always stays: it contains the message to answer.
  while (tokens > options.budget && first < turns.length - 1) {
    tokens -= sizes[first]!;
    first += 1;
  }
  return { messages: turns.slice(first).flat(), tokens, turnsLeftOut: before + first };
}

/** The message of an entry, as later runs are shown it. */
export function shortened({ entry, summary }: HistoryEntry, lines: number): HistoryMessage {
  if (entry.role !== 'tool') return entry;
  const output = summarizeResult(entry.output, lines, summary);
  return output === entry.output ? entry : { ...entry, output };
}

/** The latest messages whose results are never masked; the border moves by as many at a time, so that it rarely moves. */
const UNMASKED_MESSAGES = 12;

/** Masks the results before the latest messages, if there are too many tokens. */
function withMasks(
  history: ThreadState['history'],
  messages: readonly HistoryMessage[],
  tokens: number,
): readonly HistoryMessage[] {
  if (estimateAll(messages) <= tokens) return messages;
  const isMessage = ({ role }: HistoryMessage) => role === 'user' || role === 'assistant';
  const count = messages.filter(isMessage).length;
  let before = Math.floor(count / UNMASKED_MESSAGES - 1) * UNMASKED_MESSAGES;
  return messages.map((message, at) => {
    if (isMessage(message)) before -= 1;
    return before >= 0 && message.role === 'tool' ? masked(history[at]!, message) : message;
  });
}

/** One line about a result, with its id and what it changed; the result itself if it is not longer. */
function masked(
  { runId, entry, changed = [] }: HistoryEntry,
  message: Extract<HistoryMessage, { role: 'tool' }>,
): HistoryMessage {
  const text = outputText(entry.role === 'tool' ? entry.output : message.output);
  const id = `${runId}:${message.callId}`;
  const facts = changed.length > 0 ? ` It ${changed.join('; ')}.` : '';
  const began = text.split('\n', 1)[0]!.slice(0, 80);
  const output = `[Masked: ${text.length} characters that begin with ${JSON.stringify(began)}.${facts} look_back reads them by the id ${id}]`;
  return output.length < outputText(message.output).length ? { ...message, output } : message;
}

/** The tool's own summary of its result, or the result's first lines. If anything was cut, a last line says so. */
export function summarizeResult(output: unknown, lines: number, summary?: string): unknown {
  const text = outputText(output);
  if (summary !== undefined) return summary === text ? output : `${summary}\n${SUMMARIZED}`;
  const short = text.split('\n').slice(0, lines).join('\n').slice(0, SUMMARY_CHARACTERS);
  return short.length === text.length ? output : `${short}\n${SUMMARIZED}`;
}

/** A turn is a person's message and everything up to the next one, so a call is never separated from its result. */
function intoTurns(messages: readonly HistoryMessage[]): HistoryMessage[][] {
  const turns: HistoryMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user' || turns.length === 0) turns.push([]);
    turns.at(-1)!.push(message);
  }
  return turns;
}

function estimateAll(messages: readonly HistoryMessage[]): number {
  return messages.reduce((sum, message) => sum + estimate(message), 0);
}

const estimates = new WeakMap<HistoryMessage, number>();

/** Estimates tokens: about four characters per token, for every model. */
export function estimate(message: HistoryMessage): number {
  const known = estimates.get(message) ?? count(message);
  estimates.set(message, known);
  return known;
}

/** Estimates the tokens of a text, for every model. */
export function estimateText(text: string): number {
  return Math.ceil(text.length / 4);
}

function count(message: HistoryMessage): number {
  if (message.role === 'system') return estimateText(message.content) + 4;
  const { files = [], ...rest } = { files: undefined, ...message };
  const characters =
    rest.role === 'user' ? rest.content.length + (rest.note?.length ?? 0) : JSON.stringify(rest).length;
  return Math.ceil(characters / 4) + 4 + files.reduce((sum, file) => sum + tokensOf(file), 0);
}

function tokensOf({ mediaType, data }: HistoryFile): number {
  return mediaType.startsWith('image/') ? IMAGE_TOKENS : IMAGE_TOKENS * Math.ceil(data.length / PAGE_BYTES);
}
