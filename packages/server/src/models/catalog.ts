// Which models there are, and which one answers when nobody chose.

import { createAiSdkModel } from './ai-sdk/connect.ts';
import { AI_SDK_PROVIDERS, type AiSdkAccess, type AiSdkProvider } from './ai-sdk/providers.ts';
import type { Model } from './model.ts';
import { OFFLINE_MODELS, type OfflineWorld, createOfflineModel } from './offline.ts';
import { knownModels } from './prices.ts';

type Resolved =
  | { readonly ok: true; readonly model: Model }
  | { readonly ok: false; readonly problem: string };

export interface Models {
  /** The id of the model that answers when a request names none. */
  readonly default: string;
  /** The model with this id (`provider/model`), or a sentence that says what is wrong with it. */
  resolve(id: string): Resolved;
  /** What people can choose from; keys themselves are never told. */
  list(): {
    readonly models: string[];
    readonly providers: { readonly name: string; readonly usable: boolean; readonly set: string[] }[];
  };
}

interface ModelsWorld extends OfflineWorld {
  /** From 0 to 1, to spread out retries. */
  random?(): number;
}

interface ModelsOptions {
  readonly defaultModel?: string | undefined;
  /** Where keys and addresses are looked for, under the providers' usual names. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Addresses by provider, before those of `env`. */
  readonly baseUrls?: Readonly<Record<string, string>>;
  /** How long a provider may be silent before and in the middle of an answer. */
  readonly idleMs?: number;
  /** In place of our own. */
  readonly fetch?: typeof fetch;
}

/** The variables that providers' keys are looked for in. */
export const MODEL_KEYS: readonly string[] = [
  ...new Set([...AI_SDK_PROVIDERS.values()].flatMap(({ needs, keys }) => (needs === 'key' ? keys : []))),
];

/** Many more than anybody uses at once; ids come from requests, so there must be a limit. */
const MODELS_KEPT = 200;

/** A wrong `defaultModel` is kept as it is: `resolve(models.default)` says what is wrong. */
export function createModels(world: ModelsWorld, options: ModelsOptions = {}): Models {
  const access = (provider: AiSdkProvider) => accessOf(provider, options);
  const offline = new Map<string, Model>();
  for (const id of OFFLINE_MODELS) {
    const model = createOfflineModel(id, world);
    if (model) offline.set(id, model);
  }
  const usable = () =>
    [...AI_SDK_PROVIDERS.values()]
      .filter((provider) => missingFor('', provider, access(provider)) === null)
      .map(({ dialect }) => `${dialect.provider}/…`);
  const modelsOf = (provider: AiSdkProvider): string[] => {
    const { defaultModel, dialect } = provider;
    const first = defaultModel === undefined ? [] : [defaultModel];
    // A server at another address has models of its own.
    const others = access(provider).baseUrl === undefined ? knownModels(dialect.provider) : [];
    return [...first, ...others].map((name) => `${dialect.provider}/${name}`);
  };
  const connected = new Map<string, Model>();
  const connect = (id: string, provider: AiSdkProvider): Model => {
    if (connected.size >= MODELS_KEPT) connected.clear();
    const model = createAiSdkModel({
      id,
      provider,
      access: access(provider),
      world: {
        now: () => world.now(),
        sleep: (ms, signal) => world.sleep(ms, signal),
        random: () => world.random?.() ?? Math.random(),
      },
      idleMs: options.idleMs,
    });
    connected.set(id, model);
    return model;
  };
  return {
    default: options.defaultModel ?? firstWithKey(options) ?? 'offline/demo',
    resolve(id) {
      const model = offline.get(id) ?? connected.get(id);
      if (model) return { ok: true, model };
      const provider = providerOf(id);
      if (!provider) return { ok: false, problem: problemWith(id, [...offline.keys(), ...usable()]) };
      const missing = missingFor(id, provider, access(provider));
      return missing === null ? { ok: true, model: connect(id, provider) } : { ok: false, problem: missing };
    },
    list() {
      const providers = [...AI_SDK_PROVIDERS].map(([name, provider]) => ({
        name,
        usable: missingFor('', provider, access(provider)) === null,
        set: provider.needs === 'key' ? [...provider.keys] : [provider.baseUrlName!],
      }));
      const ready = providers.flatMap(({ name, usable }) => (usable ? [AI_SDK_PROVIDERS.get(name)!] : []));
      return {
        models: [...new Set([this.default, ...ready.flatMap(modelsOf), ...offline.keys()])],
        providers,
      };
    },
  };
}

function accessOf(
  { dialect, keys, baseUrlName }: AiSdkProvider,
  { env = {}, baseUrls = {}, fetch }: ModelsOptions,
): AiSdkAccess {
  // An empty variable is an unset one.
  const set = (name: string) => env[name] || undefined;
  return {
    apiKey: keys.map(set).find((key) => key !== undefined),
    baseUrl: baseUrls[dialect.provider] ?? (baseUrlName === undefined ? undefined : set(baseUrlName)),
    fetch,
  };
}

function firstWithKey(options: ModelsOptions): string | undefined {
  for (const [name, provider] of AI_SDK_PROVIDERS) {
    // With another server's address, the key is that server's: it is not shown to OpenAI unasked.
    if (name === 'openai' && options.env?.OPENAI_BASE_URL) continue;
    if (provider.defaultModel !== undefined && accessOf(provider, options).apiKey !== undefined)
      return `${name}/${provider.defaultModel}`;
  }
  return undefined;
}

function providerOf(id: string): AiSdkProvider | undefined {
  const slash = id.indexOf('/');
  return slash < 1 || slash === id.length - 1 ? undefined : AI_SDK_PROVIDERS.get(id.slice(0, slash));
}

function missingFor(id: string, provider: AiSdkProvider, { apiKey, baseUrl }: AiSdkAccess): string | null {
  const { keys, baseUrlName, needs } = provider;
  if (needs === 'key')
    return apiKey === undefined ? `model "${id}" needs a key; set ${keys.join(' or ')}` : null;
  if (baseUrl === undefined)
    return `model "${id}" needs the address of a server; set ${baseUrlName}, such as http://localhost:11434/v1`;
  return URL.canParse(baseUrl)
    ? null
    : `${baseUrlName} is not a URL; allowed: such as http://localhost:11434/v1`;
}

function problemWith(id: string, available: readonly string[]): string {
  const there = `available: ${available.join(', ')}`;
  const slash = id.indexOf('/');
  if (slash < 1 || slash === id.length - 1) return `model "${id}" is not written as provider/model; ${there}`;
  const provider = id.slice(0, slash);
  if (provider !== 'offline') return `provider "${provider}" is not known; ${there}`;
  return `provider "offline" has no model "${id.slice(slash + 1)}"; ${there}`;
}
