// Which models are available, and which one is the default.

import { createOfflineModel, OFFLINE_MODELS, type OfflineWorld } from '@continuo/offline-model';
import { nearest } from '../names/did-you-mean.ts';
import { createAiSdkModel } from './ai-sdk/connect.ts';
import { AI_SDK_PROVIDERS, type AiSdkAccess, type AiSdkProvider } from './ai-sdk/providers.ts';
import { EXECUTOR_NAME_RULE, EXECUTOR_PREFIX, executorModel } from './executor-model.ts';
import { CALLS_KEPT, type Model } from './model.ts';
import { knownModels, providersOf } from './prices.ts';

type Resolved =
  | { readonly ok: true; readonly model: Model }
  | { readonly ok: false; readonly problem: string };

export interface Models {
  /** The model for requests that name none. */
  readonly default: string;
  /** The model with this id (`provider/model`, or a bare name that one provider has), or a sentence that explains the error. */
  resolve(id: string): Resolved;
  /** Warnings about settings that are wrong or unused, one sentence each. */
  readonly advice: readonly string[];
  /** The models that people can choose from. Never contains keys. */
  list(): {
    readonly models: string[];
    readonly providers: { readonly name: string; readonly usable: boolean; readonly set: string[] }[];
  };
}

interface ModelsWorld extends OfflineWorld {
  /** From 0 to 1, for the jitter of retries. */
  random?(): number;
}

interface ModelsOptions {
  readonly defaultModel?: string | undefined;
  /** The environment variables with the keys and addresses, under the providers' usual names. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Addresses by provider; they take precedence over `env`. */
  readonly baseUrls?: Readonly<Record<string, string>>;
  /** How long a provider may be silent before and during an answer. */
  readonly idleMs?: number;
  /** Called when a model call is retried, with the code of the failure. */
  readonly onRetry?: (model: string, code: string) => void;
  /** Replaces our own `fetch`. */
  readonly fetch?: typeof fetch;
}

/** The environment variables that may hold providers' keys. */
export const MODEL_KEYS: readonly string[] = [
  ...new Set([...AI_SDK_PROVIDERS.values()].flatMap(({ needs, keys }) => (needs === 'key' ? keys : []))),
];

/** Far more than anyone uses at once. Ids come from requests, so the cache needs a limit. */
const MODELS_KEPT = 200;

/** Keeps a wrong `defaultModel` as it is; `resolve(models.default)` then explains the error. */
export function createModels(world: ModelsWorld, options: ModelsOptions = {}): Models {
  const access = (provider: AiSdkProvider) => accessOf(provider, options);
  const offline = new Map<string, Model>();
  for (const id of OFFLINE_MODELS) {
    const model = createOfflineModel({ id, world, mostCalls: CALLS_KEPT });
    if (model) offline.set(id, model);
  }
  const usable = () =>
    [...AI_SDK_PROVIDERS.values()]
      .filter((provider) => missingFor('', provider, access(provider)) === null)
      .map(({ dialect }) => `${dialect.provider}/…`);
  const modelsOf = (provider: AiSdkProvider): string[] => {
    const { defaultModel, dialect } = provider;
    const first = defaultModel === undefined ? [] : [defaultModel];
    // A server at another address has its own models.
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
      onRetry: (code) => options.onRetry?.(id, code),
    });
    connected.set(id, model);
    return model;
  };
  const chosen = options.defaultModel && withProvider(options.defaultModel);
  return {
    default: chosen ?? firstWithKey(options) ?? 'offline/demo',
    advice: adviceFor(options),
    resolve(given) {
      const id = withProvider(given);
      const model = offline.get(id) ?? connected.get(id);
      if (model) return { ok: true, model };
      if (id.startsWith(EXECUTOR_PREFIX)) return resolveExecutor(id);
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

function resolveExecutor(id: string): Resolved {
  const model = executorModel(id);
  if (model) return { ok: true, model };
  return {
    ok: false,
    problem: `model "${id}" names no executor; after executor/, write ${EXECUTOR_NAME_RULE}`,
  };
}

/** The providers that have a model with this name; `compatible` has no catalogue. */
function catalogsWith(name: string): readonly string[] {
  const offline = OFFLINE_MODELS.includes(`offline/${name}`) ? ['offline'] : [];
  return [...offline, ...providersOf(name)];
}

/** Adds the provider to a bare name if exactly one provider has it; returns any other name unchanged. */
function withProvider(id: string): string {
  if (id.includes('/')) return id;
  const [provider, ...others] = catalogsWith(id);
  return provider === undefined || others.length > 0 ? id : `${provider}/${id}`;
}

function accessOf(
  { dialect, keys, baseUrlName }: AiSdkProvider,
  { env = {}, baseUrls = {}, fetch }: ModelsOptions,
): AiSdkAccess {
  // An empty variable counts as unset.
  const set = (name: string) => env[name] || undefined;
  return {
    apiKey: keys.map(set).find((key) => key !== undefined),
    baseUrl: baseUrls[dialect.provider] ?? (baseUrlName === undefined ? undefined : set(baseUrlName)),
    fetch,
  };
}

function firstWithKey(options: ModelsOptions): string | undefined {
  for (const [name, provider] of AI_SDK_PROVIDERS) {
    // A server at another address may not have the default model.
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
  if (needs === 'key' && apiKey === undefined) return `model "${id}" needs a key; set ${keys.join(' or ')}`;
  if (needs === 'base url' && baseUrl === undefined)
    return `model "${id}" needs the address of a server; set ${baseUrlName}, such as ${EXAMPLE_URL}`;
  return baseUrl === undefined || isAddress(baseUrl) ? null : wrongAddress(baseUrlName!, baseUrl);
}

const EXAMPLE_URL = 'http://localhost:11434/v1';

function isAddress(url: string): boolean {
  // `localhost:11434` is a URL whose scheme is localhost.
  return /^https?:\/\/[^?#]+$/i.test(url) && URL.canParse(url);
}

/** Does not quote the address, which may contain a password, unless it contains none and can be corrected. */
function wrongAddress(name: string, url: string): string {
  const mended = `http://${url}`;
  const hint = !/:\/\/|@/.test(url) && isAddress(mended) ? `; did you mean ${mended}?` : '';
  return `${name} is not the address of a server${hint}; allowed: http:// or https://, without ? and #, such as ${EXAMPLE_URL}`;
}

/** Warnings about settings that are wrong or unused. */
function adviceFor(options: ModelsOptions): string[] {
  const set = [...AI_SDK_PROVIDERS.values()].flatMap((provider) => {
    const { baseUrl } = accessOf(provider, options);
    return baseUrl === undefined ? [] : [{ provider, baseUrl }];
  });
  const wrong = set.flatMap(({ provider, baseUrl }) =>
    isAddress(baseUrl) ? [] : [wrongAddress(provider.baseUrlName!, baseUrl)],
  );
  const answers = options.defaultModel ?? firstWithKey(options);
  const unused =
    answers === undefined && set.some(({ provider }) => provider.needs === 'base url')
      ? [
          'OPENAI_BASE_URL is set, but no model is; set CONTINUO_MODEL to compatible/<model> (Chat Completions) or openai/<model> (Responses API)',
        ]
      : [];
  // Two providers may share an address variable.
  return [...new Set([...wrong, ...unused])];
}

function problemWith(id: string, available: readonly string[]): string {
  const there = `available: ${available.join(', ')}`;
  const slash = id.indexOf('/');
  if (slash === -1) {
    const several = catalogsWith(id);
    return several.length > 1
      ? `several providers have a model "${id}"; write ${several.map((name) => `${name}/${id}`).join(' or ')}`
      : `no provider has a known model "${id}"; write provider/model, such as compatible/${id}; ${there}`;
  }
  if (slash < 1 || slash === id.length - 1) return `model "${id}" is not written as provider/model; ${there}`;
  const provider = id.slice(0, slash);
  const model = id.slice(slash + 1);
  if (provider === 'offline') return `provider "offline" has no model "${model}"; ${there}`;
  const meant = nearest(provider, [...AI_SDK_PROVIDERS.keys(), 'offline']);
  return `provider "${provider}" is not known; ${meant === undefined ? there : `did you mean ${meant}/${model}?`}`;
}
