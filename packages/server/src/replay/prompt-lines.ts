// The history that a model is shown.

import type { StoredEvent } from '../log/event.ts';
import { shownHistory } from '../context/history.ts';
import { EMPTY, foldAll } from '../threads/fold.ts';
import { plain } from './change-lines.ts';

/** The history that a later run would be shown, and that of the last run, and what a small window leaves of it. */
export function promptLines(log: readonly StoredEvent[]): string[] {
  const { history, omitted } = foldAll(EMPTY, log);
  const show = (runId: string, budget: number | null) =>
    shownHistory(history, { runId, summaryLines: 5, omitted, budget });
  const later = show('a later run', null);
  const messages = later.messages.map(plain);
  const last = log.findLast(({ runId }) => runId !== null)?.runId ?? '';
  const own = show(last, null);
  const half = show('a later run', Math.floor(later.tokens / 2));
  return [
    '# for a later run',
    ...messages,
    '# otherwise for the last run',
    ...own.messages.map(plain).filter((message, index) => message !== messages[index]),
    `# tokens ${later.tokens}, for the last run ${own.tokens}`,
    `# in half the window: ${half.messages.length} messages, ${half.tokens} tokens, ${half.turnsLeftOut} turns left out`,
  ];
}
