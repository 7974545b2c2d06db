// Forms that are answered without calls: counting, and a long story for trying out how an answer is stopped and continued.

import { form, type Form } from './forms.ts';
import type { HistoryMessage } from './request.ts';
import { stockLines } from './stock-texts.ts';

const COUNT = /\bcount(?: up)?(?: from (?<from>[a-z\d]+))? to (?<to>(?:a |one )?[a-z\d]+)/i;
const STORY =
  /\b(?<start>(?:tell|give|show)(?: me)? (?:a|some)(?: very| really)? long (?:story|tale|answer|text))\b|^\W*(?:please,? )?(?:go on|continue|carry on|resume|keep going)\b/i;
const DAYS = 40;

export const TALK_FORMS: readonly Form[] = [
  form('Count to five', COUNT, ({ from = '1', to = '' }) => {
    const [first, last] = [numberOf(from), numberOf(to)];
    if (first < 0 || last < first || last - first >= 1000) return null;
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return [() => `${numbers.join(', ')}.`];
  }),
  form('Tell me a long story', STORY, ({ start }, { history }) => {
    const from = start ? 1 : lastDay(history);
    return from > 0 ? [() => storyFrom(from)] : null;
  }),
];

export const NUMBERS = 'zero one two three four five six seven eight nine ten'.split(' ');

/** -1 if the words are no number. */
export function numberOf(words: string): number {
  const word = words.toLowerCase().replace(/^(?:a|one) (?=\w)/, '');
  if (/^\d{1,6}$/.test(word)) return Number(word);
  return word === 'hundred' ? 100 : NUMBERS.indexOf(word);
}

/** The last day that was begun. It is repeated, because it may be incomplete. */
function lastDay(history: readonly HistoryMessage[]): number {
  const said = JSON.stringify(history.filter((message) => message.role === 'assistant'));
  return Number([...said.matchAll(/\*\*Day (\d+)\.\*\*/g)].at(-1)?.[1] ?? 0);
}

function storyFrom(from: number): string {
  const days = Array.from({ length: DAYS - from + 1 }, (_, index) => {
    const [wind, sea, event] = stockLines('day', from + index);
    return `**Day ${from + index}.** ${wind}, ${sea}. ${event}`;
  });
  const end = `That is the end of the book after ${DAYS} days. The tale comes from a fixed stock of lines.`;
  return [...days, end].join('\n\n');
}
