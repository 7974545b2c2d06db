// A model whose window is not known, or holds less than was thought, refuses a history that is too long before it says
// anything: the same step then asks again with fewer turns, and later ones begin with as many.

import type { StreamEvent } from '@continuo/engine';
import type { ThreadState } from '../threads/fold.ts';
import { type HistoryOptions, type ShownHistory, shownHistory, WINDOW_TOKENS } from './history.ts';

/** The part of a model's window that the history may take; the rest is for the answer and the tools. */
const HISTORY_SHARE = 0.75;
/** How often a step asks again; the last time it shows the last turn alone. */
const SHORTENED = 4;

interface FittedHistory extends ShownHistory {
  /** How often it was made shorter. */
  readonly times: number;
  /** Tokens. */
  readonly limit: number;
  /** Tokens that were refused right before. */
  readonly refused: number | null;
}

interface ModelLimits {
  /** Tokens; null where nobody knows. */
  readonly window: number | null;
  /** The least that the model refused as too long. */
  readonly tooLong: number | undefined;
}

function budgets({ window, tooLong }: ModelLimits): { readonly known: number; readonly learned: number } {
  return {
    known: window === null ? WINDOW_TOKENS : Math.floor(window * HISTORY_SHARE),
    learned: tooLong === undefined ? Infinity : Math.floor(tooLong / 2),
  };
}

/** Whether the model may be shown more of a history than a thread's state holds. */
export function isBeyondWindow(limits: ModelLimits): boolean {
  const { known, learned } = budgets(limits);
  return Math.min(known, learned) > WINDOW_TOKENS;
}

/** What is shown at first: what the window should hold, or half of what the model is known to refuse. */
export function firstHistory(
  history: ThreadState['history'],
  options: Omit<HistoryOptions, 'budget'>,
  { window, tooLong }: ModelLimits,
): FittedHistory {
  const { known, learned } = budgets({ window, tooLong });
  const shown = shownHistory(history, { ...options, budget: Math.min(known, learned) });
  const limit = learned < known ? Math.max(learned, shown.tokens) : (window ?? known);
  return { ...shown, times: 0, limit, refused: null };
}

/** Half of what was refused; null when the last turn was all that was left of it. */
export function shorterHistory(
  history: ThreadState['history'],
  options: Omit<HistoryOptions, 'budget'>,
  refused: ShownHistory & { readonly times: number },
): FittedHistory | null {
  const times = refused.times + 1;
  if (times > SHORTENED) return null;
  const budget = times === SHORTENED ? 0 : Math.floor(refused.tokens / 2);
  const shown = shownHistory(history, { ...options, budget });
  if (shown.turnsLeftOut === refused.turnsLeftOut) return null;
  return { ...shown, times, limit: Math.max(budget, shown.tokens), refused: refused.tokens };
}

/** The first stream that does not begin with such a refusal, or for which there is nothing to leave out. */
export function untilItFits(
  ask: () => AsyncIterable<StreamEvent>,
  shorten: () => boolean,
): AsyncIterable<StreamEvent> {
  let events = ask()[Symbol.asyncIterator]();
  let begun = false;
  const first = async (): Promise<IteratorResult<StreamEvent>> => {
    for (;;) {
      const result = await events.next();
      if (result.done || !isTooLong(result.value) || !shorten()) return result;
      await events.return?.();
      events = ask()[Symbol.asyncIterator]();
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      // Once per token: after the first event nothing is in between.
      next: () => {
        if (begun) return events.next();
        begun = true;
        return first();
      },
      return: async () => (await events.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

function isTooLong(event: StreamEvent): boolean {
  return event.type === 'stream_error' && event.code === 'context_too_long';
}
