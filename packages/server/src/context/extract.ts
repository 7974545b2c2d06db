// Extracts from a conversation what a summary must keep, without a model: people's own words, decisions, and what calls changed.
// Recalled text is never a source: it was said before, or it is a summary itself.

import { outputText } from '@continuo/protocol';
import type { HistoryMessage } from '../models/model.ts';
import type { HistoryEntry } from '../threads/fold.ts';
import { isUntrusted } from './untrusted.ts';

/** Tools whose results repeat what was said before. */
const RECALLING: ReadonlySet<string> = new Set(['look_back', 'recall']);

/** Maximum characters of one quotation. */
const QUOTED = 240;

export function isSource({ entry }: HistoryEntry): boolean {
  return entry.role !== 'tool' || !RECALLING.has(entry.tool);
}

/** The text of a message as people read it. */
export function messageText(message: HistoryMessage): string {
  switch (message.role) {
    case 'user':
    case 'system':
      return message.content;
    case 'tool':
      return outputText(message.output);
    case 'assistant':
      return message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  }
}

/** The id of a message or a result, as `look_back` takes it; null for a marker of the server. */
export function messageId({ runId, entry }: HistoryEntry): string | null {
  if (entry.role === 'tool') return `${runId}:${entry.callId}`;
  return entry.role === 'system' ? null : entry.id;
}

/** A summary in sections, each of which gets its share of the characters; a section's unused share goes to the next ones. */
export function composeSummary(
  entries: readonly HistoryEntry[],
  narrative: string | null,
  characters: number,
): string {
  const sources = entries.filter(isSource);
  const told = narrative ?? '';
  const sections: [string, readonly string[], number][] = [
    ['What calls changed', sources.flatMap(({ changed = [] }) => changed), 0.3],
    ['Decisions about calls', sources.flatMap(decisionIn), 0.5],
    ['People’s own words', sources.filter(isOwn).flatMap(wordsOf), narrative === null ? 0.7 : 1],
    ['Sent by other programs', sources.filter((each) => !isOwn(each)).flatMap(wordsOf), 0.5],
    ['Answers', narrative === null ? sources.flatMap(answerIn) : [], 1],
  ];
  let left = characters - told.length;
  const texts = told === '' ? [] : [told];
  for (const [heading, lines, share] of sections) {
    const text = section(heading, lines, Math.floor(left * share));
    if (text === '') continue;
    texts.push(text);
    left -= text.length + 2;
  }
  return texts.join('\n\n');
}

/** The most telling lines that fit, in their order. */
function section(heading: string, lines: readonly string[], characters: number): string {
  const unique = [...new Set(lines)];
  const ranked = unique
    .map((line, at) => ({ line, at, worth: worthOf(line) }))
    .toSorted((one, other) => other.worth - one.worth || other.at - one.at);
  let left = characters - heading.length - 2;
  const taken = ranked.filter(({ line }) => {
    if (line.length + 3 > left) return false;
    left -= line.length + 3;
    return true;
  });
  if (taken.length === 0) return '';
  const inOrder = taken.toSorted((one, other) => one.at - other.at).map(({ line }) => `- ${line}`);
  return [`${heading}:`, ...inOrder].join('\n');
}

const DECISION =
  /\b(decid|agree|approv|confirm|must|never|always|only|deadline|budget|instead|prefer|want|need|use|call(ed)?|is|are|will|remember)\w*/giu;

/** Ids, names, numbers and words of decisions are worth more than other words. */
function worthOf(line: string): number {
  return termsIn(line).length * 3 + Math.min(line.match(DECISION)?.length ?? 0, 3);
}

/** Not the request of another program that fired a trigger. */
function isOwn({ entry }: HistoryEntry): boolean {
  return !isUntrusted(entry);
}

function wordsOf({ entry }: HistoryEntry): readonly string[] {
  if (entry.role !== 'user' || entry.content.trim() === '') return [];
  const text = entry.content.replaceAll(/\s+/g, ' ').trim();
  if (text.length <= QUOTED) return [`“${text}”`];
  const telling = sentencesOf(text).toSorted((one, other) => worthOf(other) - worthOf(one));
  return telling.slice(0, 3).map((sentence) => `“${cut(sentence, QUOTED)}”`);
}

/** From the log, not from the result's text: a file or a web page could claim that a person has decided something. */
function decisionIn({ entry, decided }: HistoryEntry): readonly string[] {
  if (entry.role !== 'tool' || decided === undefined) return [];
  return [`${entry.tool}: ${cut(decided.replaceAll(/\s+/g, ' '), QUOTED)}`];
}

/** The most telling sentence of an answer. */
function answerIn({ entry }: HistoryEntry): readonly string[] {
  if (entry.role !== 'assistant') return [];
  const sentences = sentencesOf(messageText(entry).replaceAll(/\s+/g, ' ').trim());
  const [best] = sentences.toSorted((one, other) => worthOf(other) - worthOf(one));
  return best === undefined || best === '' ? [] : [cut(best, QUOTED)];
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/u).filter((sentence) => sentence !== '');
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Ids, paths, numbers, names in capitals, and quoted words: what is lost if a summary does not have them. */
export function termsIn(text: string): string[] {
  const found = text.match(
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\/[\w./-]{2,}|[“"][^”"\n]{2,60}[”"]|\b\p{Lu}[\p{L}\d]*[\p{Lu}\d][\p{L}\d-]*\b|(?<=[\p{Ll},;:]\s)\p{Lu}\p{Ll}{2,}|\d[\d.,:/-]*\d|\d+/gu,
  );
  return [...new Set(found ?? [])];
}

/** Words that tell one topic from another: five letters or more, in lower case. */
export function distinctWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\d]{5,}/gu));
}
