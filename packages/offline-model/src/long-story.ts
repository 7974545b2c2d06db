// A long answer, for trying out how one is stopped: a lighthouse keeper's book, day by day. When asked to go on, it continues
// with the day that was cut off, which it finds in the history.

import type { HistoryMessage } from './request.ts';

const ASKED = /\b(?:tell|give|show)(?: me)? (?:a|some)(?: very| really)? long (?:story|tale|answer|text)\b/i;
const GO_ON = /^\W*(?:please,? )?(?:go on|continue|carry on|resume|keep going)\b/i;
const DAYS = 40;
const DAY = /\*\*Day (\d+)\.\*\*/g;

const WIND = [
  'Wind from the north',
  'Wind from the west',
  'No wind at all',
  'A storm until noon',
  'Fog all day',
];
const SEA = ['the sea calm', 'waves over the rocks', 'the tide high', 'the water grey and slow'];
const HAPPENED = [
  'Two ships passed, and both are in the book.',
  'The lamp went out at four and was lit again from the last line.',
  'A letter came; the answer is written and waits for the boat.',
  'The keeper slept, and the book was read by whoever came next.',
  'A gull took the bread, which is noted here for completeness.',
  'Nothing happened, and that is written down, too.',
  'The boat came late, and nothing was lost by it.',
];

/** The story to tell; null if the text does not ask for one. */
export function longStoryFor(history: readonly HistoryMessage[], text: string): string | null {
  if (ASKED.test(text)) return tell(1);
  const reached = GO_ON.test(text) ? lastDay(history) : 0;
  if (reached === 0) return null;
  return tell(reached);
}

/** The last day that was begun. It is repeated, because it may be incomplete. */
function lastDay(history: readonly HistoryMessage[]): number {
  const said = history.flatMap((message) => (message.role === 'assistant' ? message.parts : []));
  const days = said.flatMap((part) => (part.kind === 'text' ? [...part.text.matchAll(DAY)] : []));
  return Number(days.at(-1)?.[1] ?? 0);
}

function tell(from: number): string {
  const days = Array.from({ length: DAYS - from + 1 }, (_, index) => dayOf(from + index));
  const end = `That is the end of the book after ${DAYS} days. (From the offline stand-in: no language model is connected. The tale comes from a fixed stock of lines.)`;
  return [...days, end].join('\n\n');
}

function dayOf(day: number): string {
  const pick = (lines: readonly string[], step: number) => lines[(day * step) % lines.length]!;
  return `**Day ${day}.** ${pick(WIND, 3)}, ${pick(SEA, 1)}. ${pick(HAPPENED, 2)}`;
}
