// Budgets: the limits of a run hold for all its children together. What a model call may spend at most is reserved, and committed,
// before the model is asked; it also limits the call's output. The call's usage replaces the reservation in the append that
// has the usage.

import type { Queryable } from '../../db/pool.ts';
import { costOf } from '../../models/prices.ts';

/** How many output tokens are reserved for a call, if the budget has as many left. */
const OUTPUT_TOKENS = 8000;
/** With fewer output tokens left, the model is not asked. */
const LEAST_OUTPUT_TOKENS = 64;

export interface Budget {
  /** The run whose limits count. */
  readonly run: string;
  readonly limits: {
    readonly steps?: number;
    readonly tokens?: number | null;
    readonly cost?: number | null;
  };
}

interface Call {
  readonly runId: string;
  readonly message: string;
  readonly model: string;
  /** An estimate. */
  readonly inputTokens: number;
}

export type Reservation =
  | { readonly ok: true; readonly maxOutputTokens: number }
  | { readonly ok: false; readonly code: string; readonly error: string };

const PER = 1_000_000;

export async function reserve(client: Queryable, budget: Budget, call: Call): Promise<Reservation> {
  const { limits } = budget;
  const inputCost = costOf(call.model, { input: call.inputTokens, output: 0 });
  const outputCost = costOf(call.model, { input: 0, output: PER });
  const isPriced = inputCost !== null && outputCost !== null;
  if (limits.cost != null && !isPriced) {
    const error = `the price of ${call.model} is not known, so it cannot be used under a limit of $${limits.cost}; choose a model with a price, or limit tokens instead`;
    return { ok: false, code: 'price_unknown', error };
  }
  const { rows } = await client.query<{ granted: number; refused: keyof typeof REACHED | null }>({
    name: 'reserve_budget',
    text: 'select * from reserve_budget($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [
      budget.run,
      call.runId,
      call.message,
      call.inputTokens,
      OUTPUT_TOKENS,
      LEAST_OUTPUT_TOKENS,
      inputCost ?? 0,
      (outputCost ?? 0) / PER,
    ],
  });
  const { granted, refused } = rows[0]!;
  if (refused === null) return { ok: true, maxOutputTokens: granted };
  return { ok: false, code: refused, error: REACHED[refused](limits) };
}

const REACHED = {
  step_limit: ({ steps }: Budget['limits']) => `the budget of ${steps} model calls is used up`,
  token_limit: ({ tokens }: Budget['limits']) =>
    `the budget of ${tokens} tokens has too few left for another model call`,
  cost_limit: ({ cost }: Budget['limits']) =>
    `the budget of $${cost} has too little left for another model call`,
};
