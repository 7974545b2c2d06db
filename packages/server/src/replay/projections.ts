// Everything that the code makes of a log, as text that can be compared line by line. The tests compare the recorded logs
// with what was stored beside them; `continuo replay` compares the logs of a database with what an earlier version made of them.

import type { StoredEvent } from '../log/event.ts';
import { transcript } from '../threads/chats/transcript.ts';
import { decisionLines } from './decision-lines.ts';
import { frameLines } from './frame-lines.ts';
import type { Compared } from './places.ts';
import { promptLines } from './prompt-lines.ts';
import { stateLines } from './state-lines.ts';
import { viewLines } from './view-lines.ts';

/** The projections of a log, by name. */
export const PROJECTIONS = {
  state: stateLines,
  decisions: decisionLines,
  prompt: promptLines,
  frames: frameLines,
  transcript: (log: readonly StoredEvent[]) => transcript(log).split('\n'),
  view: viewLines,
} satisfies Record<string, (log: readonly StoredEvent[], compared?: Compared) => string[]>;

export type ProjectionName = keyof typeof PROJECTIONS;

/** The first line in which two projections differ, in words; null if they are equal. */
export function firstDifference(stored: readonly string[], now: readonly string[]): string | null {
  const length = Math.max(stored.length, now.length);
  const index = Array.from({ length }).findIndex((_, at) => stored[at] !== now[at]);
  if (index < 0) return null;
  const [old, made] = [stored[index] ?? '(the end)', now[index] ?? '(the end)'];
  // Of two long lines, what is around the first character that differs.
  let column = 0;
  while (column < old.length && old[column] === made[column]) column += 1;
  const from = Math.max(0, column - 80);
  const excerpt = (line: string) => `${from > 0 ? '…' : ''}${line.slice(from, from + 300)}`;
  return `line ${index + 1}\n  stored: ${excerpt(old)}\n  now:    ${excerpt(made)}`;
}
