// What a call cost, how much a model can read, and which models a provider is known to have, by a table of prices that is data: the package
// `@pydantic/genai-prices`, as it was when it was installed. It fetches nothing unless it is told
// to, and nobody tells it. The table is large, and loaded when it is first asked.

import { createRequire } from 'node:module';
import type { calcPrice, findProvider } from '@pydantic/genai-prices';
import type { Usage } from '@continuo/engine';

interface Table {
  readonly calcPrice: typeof calcPrice;
  readonly findProvider: typeof findProvider;
}

interface Known {
  readonly providerId: string;
  /** Of its models, those of today that talk; the table also has what a cloud resells, and what is gone. */
  readonly talks: RegExp;
  /** Its own models, by name: the table also has what a cloud resells. */
  readonly own: RegExp;
}

/** Our providers, by the names of the table. `compatible` may be anybody: it has no price. */
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

/** Names as the provider has them, newer ones first; none where the provider may be anybody. */
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

/** The providers whose catalogue has a model of exactly this name. */
export function providersOf(name: string): readonly string[] {
  return Object.entries(KNOWN).flatMap(([provider, { providerId, own }]) => {
    if (!own.test(name)) return [];
    const { models = [] } = readTable().findProvider({ providerId }) ?? {};
    return models.some(({ id }) => id === name) ? [provider] : [];
  });
}

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
    // Priced by something other than tokens.
    return null;
  }
}
