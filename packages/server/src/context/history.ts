// What a model is shown of a thread: its history, with the tool results of earlier runs as summaries, and with whole
// oldest turns left out when the model's window would not hold them.

import { outputText } from '@continuo/protocol';
import type { HistoryFile, HistoryMessage } from '../models/model.ts';
import type { ThreadState } from '../threads/fold.ts';

export const SUMMARIZED = '[Note: Summarized result]';

export interface HistoryOptions {
  /** The run that is answering: it sees its own results in full. */
  readonly runId: string;
  readonly summaryLines: number;
  /** Turns before the history, which are left out in any case. */
  readonly omitted?: ThreadState['omitted'];
  /** Tokens that the history may take; null where there is no limit. */
  readonly budget: number | null;
}

/** Tokens of a history that a thread's state holds. A model whose window is not known is shown at most so many. */
export const WINDOW_TOKENS = 250_000;

export interface ShownHistory {
  readonly messages: readonly HistoryMessage[];
  /** An estimate. */
  readonly tokens: number;
  readonly turnsLeftOut: number;
}

/** Characters of a summary at most, however few lines they are. */
const SUMMARY_CHARACTERS = 2000;

/** About what providers count for an image, or a page. */
const IMAGE_TOKENS = 1500;
/** Bytes of a PDF that are about a page. */
const PAGE_BYTES = 64 * 1024;

export function shownHistory(history: ThreadState['history'], options: HistoryOptions): ShownHistory {
  const messages = history.map(({ runId, entry, summary }) =>
    entry.role === 'tool' && runId !== options.runId
      ? { ...entry, output: summarize(entry.output, options.summaryLines, summary) }
      : entry,
  );
  const before = options.omitted?.turns ?? 0;
  if (options.budget === null) return { messages, tokens: estimateAll(messages), turnsLeftOut: before };
  const turns = intoTurns(messages);
  const sizes = turns.map(estimateAll);
  let tokens = sizes.reduce((sum, size) => sum + size, 0);
  let first = 0;
  // The last turn always stays: it is what there is to answer.
  while (tokens > options.budget && first < turns.length - 1) {
    tokens -= sizes[first]!;
    first += 1;
  }
  return { messages: turns.slice(first).flat(), tokens, turnsLeftOut: before + first };
}

/** What the tool says of its result, or its first lines; what was cut is said on a line of its own. */
export function summarize(output: unknown, lines: number, summary?: string): unknown {
  const text = outputText(output);
  if (summary !== undefined) return summary === text ? output : `${summary}\n${SUMMARIZED}`;
  const short = text.split('\n').slice(0, lines).join('\n').slice(0, SUMMARY_CHARACTERS);
  return short.length === text.length ? output : `${short}\n${SUMMARIZED}`;
}

/** A turn begins with a person's message and holds all that came of it, so that no call loses its result. */
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

/** About four characters a token, for every model. */
export function estimate(message: HistoryMessage): number {
  const known = estimates.get(message) ?? count(message);
  estimates.set(message, known);
  return known;
}

function count(message: HistoryMessage): number {
  if (message.role === 'system') return Math.ceil(message.content.length / 4) + 4;
  const { files = [], ...rest } = { files: undefined, ...message };
  const characters =
    rest.role === 'user' ? rest.content.length + (rest.note?.length ?? 0) : JSON.stringify(rest).length;
  return Math.ceil(characters / 4) + 4 + files.reduce((sum, file) => sum + tokensOf(file), 0);
}

function tokensOf({ mediaType, data }: HistoryFile): number {
  return mediaType.startsWith('image/') ? IMAGE_TOKENS : IMAGE_TOKENS * Math.ceil(data.length / PAGE_BYTES);
}
