// look_back: reads earlier parts of the conversation that a model is not shown, because they were summarized or masked.

import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { readForFold } from '../log/statements.ts';
import { EMPTY, foldAll, type HistoryEntry } from '../threads/fold.ts';
import { ToolFailure, type Tool } from '../tools/tool.ts';
import { isSource, messageId, messageText } from './extract.ts';
import { isUntrusted } from './untrusted.ts';

/** Maximum characters of one answer, of each message that a search finds, and the number of these. */
const WHOLE = 32_000;
const EXCERPT = 1500;
const FOUND = 8;

const input = z.object({
  id: z.string().max(300).optional().describe('The id of a message or a masked result; reads it whole'),
  query: z.string().trim().min(1).max(1000).optional().describe('Words to find in earlier messages'),
  offset: z.int().min(0).default(0).describe('With an id: the first character to read'),
});
type Input = z.infer<typeof input>;

export function lookBackTool(pool: Queryable): Tool<Input> {
  return {
    name: 'look_back',
    description:
      'Reads earlier parts of this conversation that you are not shown: a message or a masked result by its id, or messages with certain words.',
    effect: 'pure',
    input,
    words: ({ id, query }) =>
      id === undefined ? `Looks back for “${query ?? ''}”` : 'Reads an earlier message',
    async run({ id, query, offset }, { threadId, runId }) {
      const { history } = foldAll(EMPTY, await readForFold(pool, threadId));
      const earlier = history.filter((each) => each.runId !== runId && isSource(each));
      if (id !== undefined) return readOne(earlier, id, offset);
      if (query === undefined) throw new ToolFailure('give an id or a query');
      const found = search(earlier, query);
      const text = found.map((each) => `[${each.entry.role} ${messageId(each)}]\n${excerpt(each, query)}`);
      return {
        found: found.length,
        text: text.join('\n\n') || 'no earlier message has these words',
        ...(found.some(({ entry }) => isUntrusted(entry)) && { untrusted: true }),
      };
    },
    untrusted: (output) => output['untrusted'] === true,
    summary: (output) => `looked back: ${String(output['text']).slice(0, 80)}`,
  };
}

function readOne(history: readonly HistoryEntry[], id: string, offset: number) {
  const entry = history.find((each) => messageId(each) === id);
  if (!entry)
    throw new ToolFailure(`this conversation has no earlier message or result ${JSON.stringify(id)}`);
  const whole = messageText(entry.entry);
  const text = whole.slice(offset, offset + WHOLE);
  const next = offset + text.length;
  return {
    id,
    characters: whole.length,
    text,
    ...(next < whole.length && { next_offset: next }),
    ...(isUntrusted(entry.entry) && { untrusted: true }),
  };
}

/** The messages with the most of the query's words, rare words first; of equal ones, the latest. */
function search(history: readonly HistoryEntry[], query: string): readonly HistoryEntry[] {
  const words = wordsOf(query);
  const texts = history.map((entry) => ({ entry, words: new Set(wordsOf(messageText(entry.entry))) }));
  const weights = new Map(
    words.map((word) => [
      word,
      Math.log(1 + texts.length / (1 + texts.filter((each) => each.words.has(word)).length)),
    ]),
  );
  return texts
    .map((each) => ({
      ...each,
      score: words.reduce((sum, word) => sum + (each.words.has(word) ? weights.get(word)! : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || other.entry.seq - one.entry.seq)
    .slice(0, FOUND)
    .map(({ entry }) => entry);
}

/** The part of a message around the first of the words. */
function excerpt({ entry }: HistoryEntry, query: string): string {
  const text = messageText(entry);
  if (text.length <= EXCERPT) return text;
  const lower = text.toLowerCase();
  const places = wordsOf(query)
    .map((word) => lower.indexOf(word))
    .filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places, text.length - EXCERPT) - 200);
  return `${from > 0 ? '…' : ''}${text.slice(from, from + EXCERPT)}…`;
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\d]{2,}/gu))];
}
