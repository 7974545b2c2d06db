// What a call cost, and how much a model can read, by a table of prices that is data: the package
// `@pydantic/genai-prices`, as it was when it was installed. It fetches nothing unless it is told
// to, and nobody tells it. The table is large, and loaded with the first model that has a price.

import { createRequire } from 'node:module';
import type { calcPrice } from '@pydantic/genai-prices';
import type { Usage } from '@continuo/engine';

interface Table {
  readonly calcPrice: typeof calcPrice;
}

/** Our providers, by the names of the table. `compatible` may be anybody: it has no price. */
const PRICED: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
};

let table: Table | null = null;

/** In US dollars; null where the price is not known, 0 for the offline models. */
export function costOf(modelId: string, usage: Usage): number | null {
  if (modelId.startsWith('offline/')) return 0;
  return look(modelId, usage)?.total_price ?? null;
}

/** In tokens, input and output together; null where it is not known. */
export function contextLimitOf(modelId: string): number | null {
  return look(modelId, { input: 0, output: 0 })?.model.context_window ?? null;
}

function look(modelId: string, { input, output, cachedInput = 0, cacheWrite = 0 }: Usage) {
  const slash = modelId.indexOf('/');
  const providerId = PRICED[modelId.slice(0, slash)];
  if (providerId === undefined) return null;
  table ??= createRequire(import.meta.url)('@pydantic/genai-prices') as Table;
  const cached = Math.min(cachedInput, input);
  const tokens = {
    input_tokens: input,
    output_tokens: output,
    ...(cached > 0 && { cache_read_tokens: cached }),
    ...(cacheWrite > 0 && { cache_write_tokens: Math.min(cacheWrite, input - cached) }),
  };
  try {
    return table.calcPrice(tokens, modelId.slice(slash + 1), { providerId });
  } catch {
    // Priced by something other than tokens.
    return null;
  }
}
