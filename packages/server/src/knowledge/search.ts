// Search in a workspace: everything that has words, entities and files alike, the best match first. The database ranks, in one
// statement; here the question is read, and the snippets are cut out.

import type { Pool } from '../db/pool.ts';
import type { FileHead } from '../files/files.ts';
import { indexWords } from '../files/words.ts';
import { yieldWithAbortCheck } from '../limits/yielding.ts';
import { contentOf } from './front-matter.ts';

/** Maximum number of characters of a question; what is beyond them is not read. */
const QUESTION_CHARACTERS = 2000;
/** Length of a snippet, in characters. */
const SNIPPET = 160;

export interface SearchQuery {
  /** Words, `"a phrase"`, `begin*` and `-not`. */
  readonly query: string;
  readonly projectId?: string | undefined;
  /** Kinds of entities; `file` stands for files that are not documents. All without it. */
  readonly kinds?: readonly string[] | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchItem {
  /** A kind, or `file`. */
  readonly entity_type: string;
  readonly entity_id: string;
  readonly project_id: string | null;
  readonly title: string;
  /** The part of the text that has the most words of the question; null if only the title has any. */
  readonly snippet: string | null;
  /** Comparable within one answer only. */
  readonly score: number;
  /** Of a file, and of an entity that is one. */
  readonly path: string | null;
  readonly kind: FileHead['kind'] | null;
  readonly version: number;
  readonly size: number | null;
}

interface Row {
  entity_type: string;
  entity_id: string;
  project_id: string | null;
  title: string;
  score: number;
  path: string | null;
  kind: FileHead['kind'] | null;
  version: number;
  size: string | null;
  data: Buffer | null;
  body: string | null;
  words: string[];
}

/** Finds everything that was committed before the call. Removed things, and what is in removed projects, are not found. */
export async function searchKnowledge(
  pool: Pool,
  workspaceId: string,
  { query, projectId, kinds, limit, signal }: SearchQuery,
): Promise<readonly SearchItem[]> {
  signal?.throwIfAborted();
  const { words, prefixes, phrases, excluded } = readQuestion(query);
  if (words.length + prefixes.length + phrases.length === 0) return [];
  await indexWords(pool, workspaceId, signal);
  const { rows } = await pool.query<Row>({
    name: 'search_knowledge',
    text: 'select * from search_knowledge($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [
      workspaceId,
      words.join(' '),
      prefixes,
      phrases,
      excluded,
      projectId ?? null,
      kinds ?? null,
      limit,
    ],
  });
  const items: SearchItem[] = [];
  for (const { data, body, words: found, size, ...row } of rows) {
    await yieldWithAbortCheck({ mode: 'fast', signal });
    const text = body?.slice(row.title.length) ?? data?.toString('utf8') ?? '';
    const snippet = snippetOf(row.entity_type === 'document' ? contentOf(text) : text, new Set(found));
    items.push({ ...row, size: size === null ? null : Number(size), snippet });
  }
  return items;
}

interface Question {
  readonly words: readonly string[];
  readonly prefixes: readonly string[];
  readonly phrases: readonly string[];
  readonly excluded: readonly string[];
}

/** Reads a question as people type it. Any text is a question; characters that mean nothing are ignored. */
export function readQuestion(query: string): Question {
  const question = {
    words: [] as string[],
    prefixes: [] as string[],
    phrases: [] as string[],
    excluded: [] as string[],
  };
  const text = query.slice(0, QUESTION_CHARACTERS).toWellFormed().replaceAll('\0', ' ').toLowerCase();
  for (const [, minus, phrase, word = ''] of text.matchAll(/(-?)"([^"]*)"|(\S+)/g)) {
    if (phrase !== undefined) {
      if (hasWord(phrase)) question[minus ? 'excluded' : 'phrases'].push(phrase);
    } else if (word === 'or' || !hasWord(word)) continue;
    else if (/^-[\p{L}\p{N}]/u.test(word)) question.excluded.push(word.slice(1));
    else if (/^[\p{L}\p{N}]+\*$/u.test(word)) question.prefixes.push(word.slice(0, -1));
    else question.words.push(word);
  }
  return question;
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The part of a text that has the most different words of these; null if it has none. */
export function snippetOf(text: string, words: ReadonlySet<string>): string | null {
  const hits: { at: number; end: number; word: string }[] = [];
  for (const match of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = match[0].toLowerCase();
    if (words.has(word)) hits.push({ at: match.index, end: match.index + match[0].length, word });
  }
  if (hits.length === 0) return null;
  const counts = new Map<string, number>();
  let best = { size: 0, from: 0, to: 0 };
  for (let from = 0, to = 0; from < hits.length; from += 1) {
    for (; to < hits.length && hits[to]!.end - hits[from]!.at <= SNIPPET; to += 1)
      counts.set(hits[to]!.word, (counts.get(hits[to]!.word) ?? 0) + 1);
    if (counts.size > best.size) best = { size: counts.size, from, to: Math.max(to - 1, from) };
    // A word that is longer than a snippet was not counted.
    if (to <= from) to = from + 1;
    else dropOne(counts, hits[from]!.word);
  }
  const [first, last] = [hits[best.from]!, hits[best.to]!];
  const margin = Math.max(0, Math.floor((SNIPPET - (last.end - first.at)) / 2));
  const [start, end] = [Math.max(0, first.at - margin), Math.min(text.length, last.end + margin)];
  const cut = text.slice(start, end).replaceAll(/\s+/g, ' ').trim().toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

function dropOne(counts: Map<string, number>, word: string): void {
  const count = counts.get(word)!;
  if (count === 1) counts.delete(word);
  else counts.set(word, count - 1);
}
