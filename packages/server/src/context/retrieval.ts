// Retrieval for one turn: which documents of the project the message is about. It chooses by the path and the words of titles and
// descriptions, and by what is in focus, and loads only the documents that it chose. It guesses little: what it does not find,
// the model looks up with tools.

import { LRUCache } from 'lru-cache';
import type { Queryable } from '../db/pool.ts';
import { readChunks } from '../files/content.ts';
import { readVersion } from '../files/versions.ts';
import { contentOf } from '../knowledge/front-matter.ts';
import type { BundleDocument } from './bundle.ts';

/** How many documents are loaded for a turn, and how many bytes of each. Together about 6,000 tokens at most. */
const DOCUMENTS = 3;
const DOCUMENT_BYTES = 8000;
/** How many characters of a message are read, and how many of its words count. */
const MESSAGE_CHARACTERS = 4000;
const KEYWORDS = 64;
/** A word that more documents have than this says nothing about one of them. */
const COMMON = 10;
/** How many versions are cached. A version never changes. */
const TEXTS_KEPT = 200;

const STOP_WORDS = new Set(
  (
    'am an as at be by do go he hi if in is it me my no of oh ok on or so to up us we the and for with from that this what which who whom when where why how can could would should will shall may might must are was were ' +
    'been being has have had does did done not but you your yours our ours their them they its his her him she about into over under again ' +
    'then than there here all any each few more most other some such only own same too very just now also please need want like get got ' +
    'let make made give tell show say said one two document documents doc docs project file task tasks'
  ).split(' '),
);

export interface RetrievalHints {
  readonly keywords: readonly string[];
  /** The documents that are loaded for the turn, the most likely first. */
  readonly docIds: readonly string[];
}

/** What retrieval knows of a project's documents, made once for a bundle. */
export interface RetrievalIndex {
  readonly documents: ReadonlyMap<string, BundleDocument>;
  /** By word: the documents whose title or description has it. */
  readonly byWord: ReadonlyMap<string, readonly string[]>;
}

export function indexDocuments(documents: readonly BundleDocument[]): RetrievalIndex {
  const byWord = new Map<string, string[]>();
  for (const { id, title, description } of documents)
    for (const word of new Set(wordsIn(`${title} ${description ?? ''}`))) {
      const known = byWord.get(word);
      if (known) known.push(id);
      else byWord.set(word, [id]);
    }
  return { documents: new Map(documents.map((each) => [each.id, each])), byWord };
}

/** `focus`: the document that the thread is about, which comes first. */
export function chooseDocuments(
  { documents, byWord }: RetrievalIndex,
  message: string,
  focus: string | null,
): RetrievalHints {
  const keywords = [...new Set(wordsIn(message.slice(0, MESSAGE_CHARACTERS)))].slice(0, KEYWORDS);
  const said = new Set(keywords);
  const matches = new Map<string, number>();
  for (const word of keywords) {
    const found = byWord.get(word) ?? [];
    for (const id of found) {
      const isRare = found.length <= COMMON;
      matches.set(id, (matches.get(id) ?? 0) + (isRare ? 1 : 0));
    }
  }
  const scored = [...matches].flatMap(([id, rare]) => {
    const document = documents.get(id)!;
    const title = wordsIn(document.title);
    const isNamed = title.length > 0 && title.every((word) => said.has(word));
    // A document is named by its whole title, or by two words that few other documents have.
    if (!isNamed && rare < 2) return [];
    return [{ id, score: (isNamed ? 10 * title.length : 0) + rare + pathScore(documents, document, said) }];
  });
  scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const best = scored.map(({ id }) => id).filter((id) => id !== focus);
  const docIds = focus !== null && documents.has(focus) ? [focus, ...best] : best;
  return { keywords, docIds: docIds.slice(0, DOCUMENTS) };
}

/** How many of the titles above a document the message names, too. */
function pathScore(
  documents: RetrievalIndex['documents'],
  document: BundleDocument,
  said: ReadonlySet<string>,
): number {
  let score = 0;
  for (
    let above = documents.get(document.parent_id);
    above !== undefined;
    above = documents.get(above.parent_id)
  )
    if (wordsIn(above.title).some((word) => said.has(word))) score += 5;
  return score;
}

function wordsIn(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
}

export interface DocumentBeginning {
  readonly text: string;
  /** How many bytes of the file are not in the text. */
  readonly bytesLeftOut: number;
}

export interface LoadedDocument extends DocumentBeginning {
  readonly document: BundleDocument;
}

/** Loads documents at the version of the bundle. */
export function createDocumentLoader(
  client: Queryable,
): (document: BundleDocument) => Promise<LoadedDocument | null> {
  const kept = new LRUCache<string, DocumentBeginning>({ max: TEXTS_KEPT });
  return async (document) => {
    const key = `${document.id} ${document.version}`;
    const known = kept.get(key);
    if (known) return { ...known, document };
    const beginning = await readBeginning(client, document);
    if (!beginning) return null;
    kept.set(key, beginning);
    return { ...beginning, document };
  };
}

/** The beginning of a version of a document, as a turn gets it; null if there is no such version, or it is not text. */
export async function readBeginning(
  client: Queryable,
  document: Pick<BundleDocument, 'id' | 'version'>,
): Promise<DocumentBeginning | null> {
  const version = await readVersion(client, document.id, document.version);
  if (!version?.isText) return null;
  const parts: Buffer[] = [];
  for await (const part of readChunks(client, version.chunks, 0, DOCUMENT_BYTES)) parts.push(part);
  // `stream` drops an incomplete character at the end.
  const text = new TextDecoder().decode(Buffer.concat(parts), { stream: true });
  return { text: contentOf(text), bytesLeftOut: Math.max(0, version.size - DOCUMENT_BYTES) };
}
