// Fits the history to a model's context window. If the window is not known, or smaller than expected, the model refuses a
// history that is too long before it answers. The step then retries with fewer turns, and later steps start with as few.

import type { StreamEvent } from '@continuo/engine';
import type { ThreadState } from '../threads/fold.ts';
import { type HistoryOptions, type ShownHistory, shownHistory, WINDOW_TOKENS } from './history.ts';

/** The share of a model's window for the history. The rest is for the answer and the tools. */
const HISTORY_SHARE = 0.75;
/** How often a step retries with a shorter history. The last retry shows only the last turn. */
const SHORTENED = 4;

export interface FittedHistory extends ShownHistory {
  /** How often the history was shortened. */
  readonly times: number;
  /** Tokens, as the provider counts them. */
  readonly limit: number;
  /** Tokens of the history that was refused last; null if none was. */
  readonly refused: number | null;
}

interface ModelLimits {
  /** Tokens; null if not known. */
  readonly window: number | null;
  /** The smallest number of tokens that the model refused as too long. */
  readonly tooLong: number | undefined;
  /** How many tokens the provider counts for one that is estimated. */
  readonly ratio: number;
}

/** In estimated tokens. */
function budgets({ window, tooLong, ratio }: ModelLimits): {
  readonly known: number;
  readonly learned: number;
} {
  return {
    known: Math.floor(
      window === null ? WINDOW_TOKENS / Math.max(1, ratio) : (window * HISTORY_SHARE) / ratio,
    ),
    learned: tooLong === undefined ? Infinity : Math.floor(tooLong / 2),
  };
}

/** Whether the model may be shown more history than a thread's state holds. */
export function isBeyondWindow(limits: ModelLimits): boolean {
  const { known, learned } = budgets(limits);
  return Math.min(known, learned) > WINDOW_TOKENS;
}

/** The first try: as much as the window should hold, or half of what the model has refused before. */
export function firstHistory(
  history: ThreadState['history'],
  options: Omit<HistoryOptions, 'budget'>,
  limits: ModelLimits,
): FittedHistory {
  const { known, learned } = budgets(limits);
  const shown = shownHistory(history, { ...options, budget: Math.min(known, learned) });
  const limit =
    learned < known
      ? Math.round(Math.max(learned, shown.tokens) * limits.ratio)
      : (limits.window ?? Math.round(known * limits.ratio));
  return { ...shown, times: 0, limit, refused: null };
}

/** Half of the refused history; null if no more turns can be left out, or after too many retries. */
export function shorterHistory(
  history: ThreadState['history'],
  options: Omit<HistoryOptions, 'budget'>,
  refused: ShownHistory & { readonly times: number },
  ratio = 1,
): FittedHistory | null {
  const times = refused.times + 1;
  if (times > SHORTENED) return null;
  const budget = times === SHORTENED ? 0 : Math.floor(refused.tokens / 2);
  const shown = shownHistory(history, { ...options, budget });
  if (shown.turnsLeftOut === refused.turnsLeftOut) return null;
  return {
    ...shown,
    times,
    limit: Math.round(Math.max(budget, shown.tokens) * ratio),
    refused: refused.tokens,
  };
}

/** Calls the model until its stream does not begin with `context_too_long`, or until `shorten` cannot shorten it further. */
export function callWithShorterHistory(
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
      // This runs once per token, so after the first event it adds no promise of its own, and it does not yield: with many
      // followers, a yield per 500 tokens makes a long answer several times slower.
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
