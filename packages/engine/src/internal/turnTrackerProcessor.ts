// Sums up one turn: tokens, cost and duration.
//
// Invariants:
// 1. One `turn_response` for each turn. It follows the re-injected state event that ends
//    the conversation, so it is the last event of a `receive`.
// 2. Id, usage and model are those of the re-injected `assistant_message`. A stream that
//    was cut reported no usage: zero tokens, and an unknown cost.
// 3. The turn starts with its first event. Its duration is never negative.

import type { EngineEvent, MessageEvent, StateEvent, TurnEvent, Usage } from '../events.ts';
import { stay } from '../mealy.ts';
import type { Processor } from '../mealy.ts';

/** For a million tokens, in any one currency. `cachedInput` costs as much as `input` if absent. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
}

/** By the model's name, as the driver gives it in `message_start`. */
export type Prices = Readonly<Record<string, Price>>;

type AssistantMessage = Extract<MessageEvent, { type: 'assistant_message' }>;
type Ending = Extract<
  StateEvent,
  { type: 'conversation_end' | 'conversation_interrupted' | 'error_occurred' }
>;

interface RunningTurn {
  readonly kind: 'running';
  readonly startedAt: number;
  readonly message: AssistantMessage | null;
}

export type TurnTrackerState = { readonly kind: 'waiting' } | RunningTurn | { readonly kind: 'ended' };

export const initialTurnTrackerState: TurnTrackerState = { kind: 'waiting' };

const endings = {
  conversation_end: 'complete',
  conversation_interrupted: 'interrupted',
  error_occurred: 'error',
} as const;

export function createTurnTrackerProcessor(
  prices: Prices,
): Processor<TurnTrackerState, EngineEvent, TurnEvent> {
  return (state, event) => {
    if (state.kind === 'ended') return stay(state);
    const turn: RunningTurn =
      state.kind === 'running' ? state : { kind: 'running', startedAt: event.at, message: null };
    switch (event.type) {
      case 'assistant_message':
        return stay({ ...turn, message: event });
      case 'conversation_end':
      case 'conversation_interrupted':
      case 'error_occurred':
        return [{ kind: 'ended' }, [turnResponse(turn, event, prices)]];
      default:
        return stay(turn);
    }
  };
}

function turnResponse({ startedAt, message }: RunningTurn, ending: Ending, prices: Prices): TurnEvent {
  return {
    type: 'turn_response',
    at: ending.at,
    messageId: message?.messageId ?? null,
    ended: endings[ending.type],
    usage: message?.usage ?? { input: 0, output: 0 },
    cost: costOf(message?.usage, priceOf(message?.model, prices)),
    durationMs: Math.max(0, ending.at - startedAt),
  };
}

function priceOf(model: string | undefined, prices: Prices): Price | undefined {
  return model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
}

function costOf(usage: Usage | undefined, price: Price | undefined): number | null {
  if (usage === undefined || price === undefined) return null;
  const cached = Math.min(usage.cachedInput ?? 0, usage.input);
  const total =
    (usage.input - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    usage.output * price.output;
  return total / 1_000_000;
}
