// Answers without calls: counting, and a long story for trying out how an answer is stopped and continued.

import type { HistoryMessage } from './request.ts';

const COUNT = /\bcount(?: up)?(?: from ([a-z\d]+))? to ((?:a |one )?[a-z\d]+)(.*)$/is;
const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const STORY = /\b(?:tell|give|show)(?: me)? (?:a|some)(?: very| really)? long (?:story|tale|answer|text)\b/i;
const GO_ON = /^\W*(?:please,? )?(?:go on|continue|carry on|resume|keep going)\b/i;
const DAYS = 40;
const WIND = [
  'Wind from the north',
  'Wind from the west',
  'No wind at all',
  'A storm until noon',
  'Fog all day',
];
const SEA = ['the sea calm', 'waves over the rocks', 'the tide high', 'the water grey and slow'];
const HAPPENED = ['Two ships passed, and both are in the book.', 'The lamp went out and was lit again.'];

/** What to say, and whether slowly; null if the text asks for something else. */
export function replyTo(history: readonly HistoryMessage[], text: string) {
  const from = STORY.test(text) ? 1 : GO_ON.test(text) ? lastDay(history) : 0;
  return from > 0 ? { text: storyFrom(from), slowly: false } : countFor(text);
}

function countFor(text: string) {
  const [, from = '1', to = '', rest = ''] = COUNT.exec(text) ?? [];
  const [first, last] = [numberOf(from), numberOf(to)];
  if (first < 0 || last < first || last - first >= 1000) return null;
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const end = '(From the offline stand-in: no language model is connected.)';
  return { text: `${numbers.join(', ')}.\n\n${end}`, slowly: /\bslow(?:ly)?\b/i.test(rest) };
}

function numberOf(words: string): number {
  const word = words.toLowerCase().replace(/^(?:a|one) (?=\w)/, '');
  if (/^\d{1,6}$/.test(word)) return Number(word);
  return word === 'hundred' ? 100 : NUMBERS.indexOf(word);
}

/** The last day that was begun. It is repeated, because it may be incomplete. */
function lastDay(history: readonly HistoryMessage[]): number {
  const said = history.flatMap((message) => (message.role === 'assistant' ? message.parts : []));
  const days = said.flatMap((part) =>
    part.kind === 'text' ? [...part.text.matchAll(/\*\*Day (\d+)\.\*\*/g)] : [],
  );
  return Number(days.at(-1)?.[1] ?? 0);
}

function storyFrom(from: number): string {
  const pick = (lines: readonly string[], number: number) => lines[number % lines.length]!;
  const days = Array.from({ length: DAYS - from + 1 }, (_, index) => from + index).map(
    (day) => `**Day ${day}.** ${pick(WIND, day * 3)}, ${pick(SEA, day)}. ${pick(HAPPENED, day)}`,
  );
  const end = `That is the end of the book after ${DAYS} days. (From the offline stand-in: no language model is connected. The tale comes from a fixed stock of lines.)`;
  return [...days, end].join('\n\n');
}
