// Prices, context windows and known models of the providers, from the data of the package `@pydantic/genai-prices` as installed.
// The package makes no requests unless asked to, and we never ask. The table is large, so it is loaded on first use.

import { createRequire } from 'node:module';
import type { calcPrice, findProvider } from '@pydantic/genai-prices';
import type { Usage } from '@continuo/engine';

interface Table {
  readonly calcPrice: typeof calcPrice;
  readonly findProvider: typeof findProvider;
}

interface Known {
  readonly providerId: string;
  /** Matches the current chat models; the table also lists resold and retired ones. */
  readonly talks: RegExp;
  /** Matches the provider's own models; the table also lists resold ones. */
  readonly own: RegExp;
}

/** Our providers and their ids in the table. `compatible` may be any server, so it has no prices. */
const KNOWN: Readonly<Record<string, Known>> = {
  openai: { providerId: 'openai', talks: /^(gpt-(4\.1|4o|[5-9])|o[3-9])/, own: /^(gpt|chatgpt|o\d)/ },
  anthropic: { providerId: 'anthropic', talks: /^claude-[a-z]+-\d/, own: /^claude/ },
  google: { providerId: 'google', talks: /^gemini-(2\.5|[3-9])/, own: /^gem(ini|ma)/ },
};
const DOES_SOMETHING_ELSE =
  /(^ft:|:)|\b(audio|image|realtime|transcribe|tts|live|search|deep-research|embedding)\b|-\d{4}-\d\d-\d\d/;

let table: Table | null = null;

function readTable(): Table {
  table ??= createRequire(import.meta.url)('@pydantic/genai-prices') as Table;
  return table;
}

/** The provider's model names, newest first; none for `compatible`. */
export function knownModels(provider: string): readonly string[] {
  const known = KNOWN[provider];
  if (known === undefined) return [];
  const { providerId, talks } = known;
  const { models = [] } = readTable().findProvider({ providerId }) ?? {};
  return models
    .filter(({ id, deprecated }) => !deprecated && talks.test(id) && !DOES_SOMETHING_ELSE.test(id))
    .map(({ id }) => id)
    .toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }));
}

/** The providers whose catalogue has a model with exactly this name. */
export function providersOf(name: string): readonly string[] {
  return Object.entries(KNOWN).flatMap(([provider, { providerId, own }]) => {
    if (!own.test(name)) return [];
    const { models = [] } = readTable().findProvider({ providerId }) ?? {};
    return models.some(({ id }) => id === name) ? [provider] : [];
  });
}

/** The cost in US dollars; null if the price is unknown, 0 for the offline models. */
export function costOf(modelId: string, usage: Usage): number | null {
  if (modelId.startsWith('offline/')) return 0;
  return look(modelId, usage)?.total_price ?? null;
}

/** The context window in tokens, input and output together; null if it is unknown. */
export function contextLimitOf(modelId: string): number | null {
  return look(modelId, { input: 0, output: 0 })?.model.context_window ?? null;
}

function look(modelId: string, { input, output, cachedInput = 0, cacheWrite = 0 }: Usage) {
  const slash = modelId.indexOf('/');
  const known = KNOWN[modelId.slice(0, slash)];
  if (known === undefined) return null;
  const cached = Math.min(cachedInput, input);
  const tokens = {
    input_tokens: input,
    output_tokens: output,
    ...(cached > 0 && { cache_read_tokens: cached }),
    ...(cacheWrite > 0 && { cache_write_tokens: Math.min(cacheWrite, input - cached) }),
  };
  try {
    return readTable().calcPrice(tokens, modelId.slice(slash + 1), { providerId: known.providerId });
  } catch {
    // The model is not priced by tokens.
    return null;
  }
}
